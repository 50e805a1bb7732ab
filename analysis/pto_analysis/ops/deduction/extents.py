"""Shape and valid-shape rules that are more than a copy but less than a whole type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pto_analysis.ir.types import Dim, Shape
from pto_analysis.ops.deduction.rule_text import RuleText, parse_rule
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import add, ceil_divide, floor_divide, format_shape, multiply, prove_eq, round_up
from pto_analysis.ops.views import valid_shape

PACKED_BITS = 8
"""Predicate bits in one byte of a compare mask."""

PACKED_ROW = 32
"""A mask row is padded to this many bytes."""


def broadcast(left: Sequence[Dim], right: Sequence[Dim]) -> Shape | None:
    """Both shapes aligned at their last axis: equal extents, or a constant 1 on one side. None when they clash."""
    length = max(len(left), len(right))
    result: list[Dim] = []
    for i in range(1, length + 1):
        if i > len(left) or i > len(right):
            result.append(right[-i] if i > len(left) else left[-i])
            continue
        merged = _broadcast_dim(left[-i], right[-i])
        if merged is None:
            return None
        result.append(merged)
    return tuple(reversed(result))


def _broadcast_dim(left: Dim, right: Dim) -> Dim | None:
    if prove_eq(left, right) is True:
        return left
    if left == 1:
        return right
    return left if right == 1 else None


def broadcast_operands(site: Site, operands: Sequence[int]) -> Shape:
    """The broadcast shape of several operands, or a refusal that names the clash."""
    shape = site.shaped(operands[0]).shape
    for operand in operands[1:]:
        other = site.shaped(operand).shape
        merged = broadcast(shape, other)
        if merged is None:
            message = f"shapes {format_shape(shape)} and {format_shape(other)} do not broadcast"
            site.refuse("shape", message, operand)
        shape = merged
    return shape


def matching_valid(site: Site, first: int, second: int) -> Shape | None:
    """The common valid shape of two plain tensors that provably agree in shape and valid shape, else None."""
    a, b = site.tensor(first), site.tensor(second)
    if a.distributed or b.distributed or not _provably_same(a.shape, b.shape):
        return None
    valid = valid_shape(a)
    return valid if _provably_same(valid, valid_shape(b)) else None


def _provably_same(left: Shape, right: Shape) -> bool:
    return len(left) == len(right) and all(prove_eq(a, b) is True for a, b in zip(left, right, strict=False))


def _matching(site: Site, rule: RuleText) -> Shape:
    """All is valid unless both operands have the same valid region."""
    first, second = rule.ints()
    return matching_valid(site, first, second) or broadcast_operands(site, (first, second))


def _plain_valid(site: Site, rule: RuleText) -> Shape:
    """The operand's valid shape; of a distributed tensor, its whole shape."""
    tensor = site.tensor(rule.ints()[0])
    return tensor.shape if tensor.distributed else valid_shape(tensor)


def _extents(site: Site, rule: RuleText) -> Shape:
    """A literal tuple that may hold symbolic extents."""
    return site.tuple(rule.ints()[0], "shape")


def mask_columns(columns: Dim) -> Dim:
    """Bytes of one row of a compare mask over `columns` elements, with its padding."""
    return round_up(ceil_divide(columns, PACKED_BITS), PACKED_ROW)


def _shape_of(site: Site, rule: RuleText) -> Shape:
    return site.shaped(rule.ints()[0]).shape


def _valid_of(site: Site, rule: RuleText) -> Shape:
    return site.valid(rule.ints()[0])


def _broadcast(site: Site, rule: RuleText) -> Shape:
    return broadcast_operands(site, rule.ints())


def _literal(site: Site, rule: RuleText) -> Shape:
    return site.constant_shape(rule.ints()[0], "shape")


def _row_reduced(site: Site, rule: RuleText) -> Shape:
    return (*_base(site, rule)[:-1], 1)


def _column_reduced(site: Site, rule: RuleText) -> Shape:
    return (1, *_base(site, rule)[1:])


def _base(site: Site, rule: RuleText) -> Shape:
    """Physical shape of the operand, or its valid shape when the rule says `valid`."""
    operand = rule.ints()[0]
    return site.valid(operand) if "valid" in rule.words() else site.shaped(operand).shape


def _mask(site: Site, rule: RuleText) -> Shape:
    shape = broadcast_operands(site, rule.ints())
    return (*shape[:-1], mask_columns(shape[-1]))


def _mask_valid(site: Site, rule: RuleText) -> Shape:
    valid = site.valid(rule.ints()[0])
    return (*valid[:-1], ceil_divide(valid[-1], PACKED_BITS))


def _doubled(site: Site, rule: RuleText) -> Shape:
    shape = site.shaped(rule.ints()[0]).shape
    return (*shape[:-1], multiply(shape[-1], 2))


def _concatenated(site: Site, rule: RuleText) -> Shape:
    first, second = (site.shaped(i).shape for i in rule.ints())
    return (first[0], add(first[1], second[1]))


def _pattern_selected(site: Site, rule: RuleText) -> Shape:
    """Columns that a mask pattern keeps: half for patterns 1 and 2, a quarter for 3 to 6, all for 7."""
    rows, columns = site.shaped(rule.ints()[0]).shape
    divisor = mask_stride(site)
    if isinstance(columns, int) and columns % divisor:
        site.refuse("shape", f"needs a number of columns that {divisor} divides, got {columns}", rule.ints()[0])
    return (rows, floor_divide(columns, divisor))


def mask_stride(site: Site) -> int:
    """One of how many columns the call's mask pattern selects."""
    pattern = site.attr("mask_pattern", int)
    if pattern is None or not 1 <= pattern <= 7:
        site.refuse("attribute", f"mask_pattern must be 1 to 7, got {pattern}")
    return 1 if pattern == 7 else 2 if pattern <= 2 else 4


_RULES: dict[str, Callable[[Site, RuleText], Shape]] = {
    "shape": _shape_of,
    "valid": _valid_of,
    "broadcast": _broadcast,
    "matching": _matching,
    "plain_valid": _plain_valid,
    "extents": _extents,
    "literal": _literal,
    "row_reduced": _row_reduced,
    "column_reduced": _column_reduced,
    "mask": _mask,
    "mask_valid": _mask_valid,
    "doubled": _doubled,
    "concatenated": _concatenated,
    "pattern_selected": _pattern_selected,
}


def result_extents(site: Site, text: str) -> Shape:
    """Evaluates a shape rule or a valid-shape rule."""
    rule = parse_rule(text)
    return _RULES[rule.name](site, rule)
