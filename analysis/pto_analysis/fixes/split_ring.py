"""A declared ring whose tiles keep to slots of their own, written as one ring for each of these groups.

The stock assembler tells buffers apart, and slots that run time chooses it does not. The tiles keep their order and
their number of slots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pto_analysis.arith.ranges import Range
from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.written import Written, free_name, replace, term, words_of
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Expr
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import TileType
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.unit import Unit

RangeOf = Callable[[Expr], Range]
"""Where a scalar provably lies."""


@frozen(eq=False)
class _Member:
    """A tile of the ring: the buffer in its annotation as it is written, and the slots that it may be in."""

    at: Written
    subscript: syntax.Subscript
    memref: syntax.Call
    low: int
    high: int


@frozen
class _Group:
    """Slots that no tile outside of `low` to `high` shares, and the name of the ring that they become."""

    low: int
    high: int
    name: str


def split_ring(
    unit: Unit, function: Function, base: str, slots: Sequence[tuple[int, int]], range_of: RangeOf
) -> Fix | None:
    """Rings of their own for tiles of the ring `base` that may be in `slots`: the first and last of each.

    `function` is the kernel in SSA form.
    """
    members = _members(unit, function, base, range_of)
    if members is None:
        return None
    groups = _groups(base, members, words_of(unit))
    if len({group for low, _ in slots for group in groups if group.low <= low <= group.high}) < 2:
        return None
    edits = [edit for member in members for edit in _renamed(member, _group_of(member, groups))]
    return Fix("Split the ring into buffers that never meet", Applicability.SAFE, tuple(edits))


def _members(unit: Unit, function: Function, base: str, range_of: RangeOf) -> list[_Member] | None:
    """Every tile of the ring; None where one is written otherwise, may be in any slot, or has another type."""
    found: list[_Member] = []
    types: set[tuple[object, object]] = set()
    for stmt in walk.statements(function.body):
        if not isinstance(stmt, Assign):
            continue
        tile = stmt.var.type
        if not isinstance(tile, TileType) or tile.memref is None or tile.memref.base != base:
            continue
        member = _member(unit, stmt, tile, range_of)
        if member is None:
            return None
        found.append(member)
        types.add((tile.shape, tile.dtype))
    return found if len(types) == 1 else None


def _member(unit: Unit, stmt: Assign, tile: TileType, range_of: RangeOf) -> _Member | None:
    assert tile.memref is not None
    count, slot = tile.memref.slots or 0, tile.memref.slot
    at = Written(unit, stmt.origin.statement) if stmt.origin is not None else None
    written = _subscript(at) if at is not None else None
    if slot is None or at is None or written is None:
        return None
    constant = slot if isinstance(slot, int) else constant_int(slot)
    values = Range(constant, constant) if constant is not None or isinstance(slot, int) else range_of(slot)
    if values.lower is None or values.upper is None or not 0 <= values.lower <= values.upper < count:
        return None
    subscript, memref = written
    return _Member(at, subscript, memref, values.lower, values.upper)


def _subscript(at: Written) -> tuple[syntax.Subscript, syntax.Call] | None:
    """`pl.MemRef("ring", slots=3)[i % 3]` in the annotation of a statement."""
    annotation = at.parsed.annotation if isinstance(at.parsed, syntax.Assign) else None
    for node in nodes_of(syntax.ExpressionStatement(annotation)) if annotation is not None else ():
        if isinstance(node, syntax.Subscript) and len(node.items) == 1 and isinstance(node.value, syntax.Call):
            function = node.value.func
            if isinstance(function, syntax.Attribute) and function.attr == "MemRef":
                return node, node.value
    return None


def _groups(base: str, members: Sequence[_Member], taken: set[str]) -> list[_Group]:
    """The ranges of slots that tiles share, from the first slot to the last. The first keeps the name."""
    spans: list[tuple[int, int]] = []
    for low, high in sorted((member.low, member.high) for member in members):
        if spans and low <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(spans[-1][1], high))
        else:
            spans.append((low, high))
    names = [base, *(free_name(f"{base}_{count}", taken) for count in range(2, len(spans) + 1))]
    return [_Group(low, high, name) for (low, high), name in zip(spans, names, strict=False)]


def _group_of(member: _Member, groups: Sequence[_Group]) -> _Group:
    return next(group for group in groups if group.low <= member.low <= group.high)


def _renamed(member: _Member, group: _Group) -> Iterator[Edit]:
    """The buffer of one tile as a slot of its group's ring; a group of one slot is a buffer without slots."""
    at, name = member.at, next((each.value for each in member.memref.args if each.keyword is None), None)
    if name is None:
        return
    size = group.high - group.low + 1
    if size == 1:
        yield replace(at, member.subscript, f'{at.text_of(member.memref.func)}("{group.name}")')
        return
    if at.text_of(name) != f'"{group.name}"':
        yield replace(at, name, f'"{group.name}"')
    for each in member.memref.args:
        if each.keyword == "slots":
            yield replace(at, each.value, str(size))
    index = member.subscript.items[0]
    if group.low:
        yield replace(at, index, _less(at, index, group.low))


def _less(at: Written, index: syntax.Expression, low: int) -> str:
    """An index counted from another first slot; `2 + i % 2` from slot 2 is `i % 2`."""
    if isinstance(index, syntax.Constant) and isinstance(index.value, int):
        return str(index.value - low)
    if isinstance(index, syntax.Binary) and index.op == "+":
        for side, other in ((index.left, index.right), (index.right, index.left)):
            if isinstance(side, syntax.Constant) and side.value == low:
                return at.text_of(other)
    return f"{term(at.text_of(index))} - {low}"
