"""`pl.TileView(…)` and `pl.TensorView(…)` in annotations."""

from __future__ import annotations

from pto_analysis.frontend.dimensions import read_extent, static_int
from pto_analysis.frontend.enums import dsl_constant
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import last_name
from pto_analysis.frontend.reading import Reading
from pto_analysis.frozen import evolve
from pto_analysis.ir.types import Compact, Layout, Pad, Shape, Space, TensorView, TileView
from pto_analysis.ir.views import implicit_view
from pto_analysis.source import syntax

_ENUMS = {"blayout": "TileLayout", "slayout": "TileLayout", "pad": "PadValue", "compact": "CompactMode"}
_SHAPES = frozenset({"valid_shape", "stride"})


def read_tile_view(reading: Reading, node: syntax.Expression, shape: Shape, space: Space | None) -> TileView | None:
    """The view that is written; what it leaves out is the implicit view of the shape and space."""
    keywords = _keywords(reading, node, "TileView")
    if keywords is None:
        return None
    view = implicit_view(shape, space)
    for key, value in keywords.items():
        if key in _SHAPES and isinstance(value, syntax.Sequence):
            extents = tuple(read_extent(reading, item) for item in value.items)
            view = evolve(view, valid_shape=extents) if key == "valid_shape" else evolve(view, stride=extents or None)
        elif key == "start_offset":
            view = evolve(view, start_offset=read_extent(reading, value))
        elif key == "fractal":
            view = evolve(view, fractal=static_int(reading, value) or view.fractal)
        else:
            view = _with_enum(reading, view, key, value)
    return view


def _with_enum(reading: Reading, view: TileView, key: str, node: syntax.Expression) -> TileView:
    member = _member(node, _ENUMS.get(key, ""))
    if key == "blayout" and isinstance(member, Layout):
        return evolve(view, blayout=member)
    if key == "slayout" and isinstance(member, Layout):
        return evolve(view, slayout=member)
    if key == "pad" and isinstance(member, Pad):
        return evolve(view, pad=member)
    if key == "compact" and isinstance(member, Compact):
        return evolve(view, compact=member)
    reading.refuse(IssueKind.ANNOTATION, f"pl.TileView has no such `{key}`", reading.origin(node), keyword=key)
    return view


def read_tensor_view(reading: Reading, node: syntax.Expression) -> TensorView | None:
    keywords = _keywords(reading, node, "TensorView")
    if keywords is None:
        return None
    view = TensorView()
    for key, value in keywords.items():
        if key in _SHAPES and isinstance(value, syntax.Sequence):
            extents = tuple(read_extent(reading, item) for item in value.items)
            view = evolve(view, valid_shape=extents) if key == "valid_shape" else evolve(view, stride=extents)
        elif key == "layout":
            view = evolve(view, layout=last_name(value))
        elif key == "pad":
            member = _member(value, "PadValue")
            view = evolve(view, pad=member) if isinstance(member, Pad) else view
    return view


def _keywords(reading: Reading, node: syntax.Expression, name: str) -> dict[str, syntax.Expression] | None:
    if not isinstance(node, syntax.Call) or last_name(node.func) != name:
        return None
    if any(argument.keyword is None for argument in node.args):
        reading.refuse(IssueKind.ANNOTATION, f"pl.{name} takes keywords only", reading.origin(node))
    return {argument.keyword: argument.value for argument in node.args if argument.keyword is not None}


def _member(node: syntax.Expression, family: str) -> object:
    return dsl_constant(f"{family}.{last_name(node)}")
