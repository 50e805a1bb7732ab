"""A loop over rotating slots, written so that every slot is a number once `pl.unroll` is written out.

The stock assembler tells slots apart that it knows when compiling. A short loop is unrolled as a whole; of a longer
one, whose slots are `(i + c) % N`, N turns at a time. The operations and their order stay the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.constant_slots.header import Header
from pto_analysis.fixes.constant_slots.rounds import Multiple, in_rounds
from pto_analysis.fixes.constant_slots.slots import Slots
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir import walk
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Break, Continue, For, Scope, While
from pto_analysis.source.span import Span
from pto_analysis.source.unit import Unit

__all__ = ["constant_slots"]

MAX_TURNS = 16
"""A loop of more turns is not unrolled as a whole."""

MAX_STATEMENTS = 400
"""Statements that an unrolled loop may come to."""


def constant_slots(unit: Unit, function: Function, lines: Sequence[int], is_multiple: Multiple) -> Fix | None:
    """The innermost loop around the statements at some lines of the unit, with slots that are numbers.

    `function` is the kernel in SSA form. Unsafe: it means the same, at the price of longer code.
    """
    loop = _loop_around(function, [_statement_at(unit, line) for line in lines])
    if loop is None or loop.origin is None or not _can_be_unrolled(loop):
        return None
    slots = Slots.of(loop)
    header = Header.of(unit, loop)
    if header is None or not slots.exprs or not slots.rest_on(loop.var):
        return None
    edits = _unrolled(header, loop) or in_rounds(header, loop, slots, is_multiple)
    if not edits:
        return None
    title = "Unroll the loop, so that its slots are numbers" if len(edits) == 1 else "Unroll one round of the slots"
    return Fix(title, Applicability.UNSAFE, tuple(edits))


def _statement_at(unit: Unit, line: int) -> int:
    return max((index for index, each in enumerate(unit.lines) if each.line <= line), default=-1)


def _loop_around(function: Function, wanted: Sequence[int]) -> For | None:
    """The innermost one; the last found, as outer loops come first."""
    found = None
    for stmt in walk.statements(function.body):
        if isinstance(stmt, For) and set(wanted) <= {
            inner.origin.statement for inner in walk.statements(stmt.body) if inner.origin is not None
        }:
            found = stmt
    return found


def _can_be_unrolled(loop: For) -> bool:
    inner = list(walk.statements(loop.body))
    leaves = any(isinstance(stmt, (Break, Continue, Scope, While)) for stmt in inner)
    return loop.kind == "range" and not leaves


def _unrolled(header: Header, loop: For) -> list[Edit] | None:
    """`pl.unroll` in place of `pl.range`."""
    bounds = [constant_int(bound) for bound in (loop.start, loop.stop, loop.step)]
    if None in bounds or not bounds[2]:
        return None
    start, stop, step = (bound or 0 for bound in bounds)
    turns, size = len(range(start, stop, step)), sum(1 for _ in walk.statements(loop.body))
    if not 1 < turns <= MAX_TURNS or turns * size > MAX_STATEMENTS:
        return None
    end = header.at.span(header.range_)
    return [Edit(Span(end.end_line, end.end_column - len("range"), end.end_line, end.end_column), "unroll")]
