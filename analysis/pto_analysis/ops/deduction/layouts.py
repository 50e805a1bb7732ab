"""Layout rules: which blocks, boxes, padding and compaction a tile result has (reference: DSL section f.4)."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.frozen import evolve
from pto_analysis.ir.types import Layout, Pad, Shape, TileView
from pto_analysis.ops.deduction.rule_text import RuleText, parse_rule
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.views import effective_view, layout_of_shape


def like(site: Site, operand: int) -> TileView:
    """Block and box layout, padding and compaction of an operand; the box size is the default again."""
    view = effective_view(site.tile(operand))
    return TileView(view.blayout, view.slayout, pad=view.pad, compact=view.compact)


def _like(site: Site, rule: RuleText, shape: Shape) -> TileView:
    del shape
    return like(site, rule.ints()[0])


def _like_padded(site: Site, rule: RuleText, shape: Shape) -> TileView:
    """As `like`, with the pad value of the call (zero when it names none)."""
    pad = site.attr("pad_value", Pad) or Pad.ZERO
    if pad is Pad.NULL:
        site.refuse("attribute", "pad_value must be zero, max or min")
    return evolve(_like(site, rule, shape), pad=pad)


def _flat(site: Site, rule: RuleText, shape: Shape) -> TileView:
    del site, shape
    return TileView(Layout(rule.words()[0]))


def _of_shape(site: Site, rule: RuleText, shape: Shape) -> TileView:
    del site, rule
    return TileView(layout_of_shape(shape))


_RULES: dict[str, Callable[[Site, RuleText, Shape], TileView]] = {
    "like": _like,
    "like_padded": _like_padded,
    "flat": _flat,
    "of_shape": _of_shape,
}


def result_layout(site: Site, text: str, shape: Shape) -> TileView:
    """`like(i)`, `like_padded(i)`, `flat(row_major)`, `flat(col_major)` or `of_shape`."""
    rule = parse_rule(text)
    return _RULES[rule.name](site, rule, shape)
