"""`pl.unroll` loops are written out before values are numbered.

Facts: hw-native-sys/pypto, `unroll_loops` (2026-08-21).
"""

from __future__ import annotations

from attrs import define, evolve, field

from pto_analysis.ir.expr import Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Block, For, If, Scope, Stmt, While
from pto_analysis.passes.lowering.arithmetic import fold
from pto_analysis.passes.lowering.notes import LoweringNote
from pto_analysis.passes.lowering.tree import index, integer, with_values

STAGE = "lowered"
MAX_TURNS = 1024
"""The compiler refuses to write out more turns than this."""


@define
class Unrolled:
    function: Function
    notes: list[LoweringNote] = field(factory=list[LoweringNote])


def unroll(function: Function) -> Unrolled:
    """The function without `unroll` loops; one that cannot be written out stays a loop and is noted."""
    unrolled = Unrolled(function)
    unrolled.function = evolve(function, body=_block(function.body, unrolled.notes))
    return unrolled


def _block(block: Block, notes: list[LoweringNote]) -> Block:
    return tuple(new for stmt in block for new in _statement(stmt, notes))


def _statement(stmt: Stmt, notes: list[LoweringNote]) -> Block:
    if isinstance(stmt, If):
        return (evolve(stmt, then=_block(stmt.then, notes), orelse=_block(stmt.orelse, notes)),)
    if isinstance(stmt, (While, Scope)):
        return (evolve(stmt, body=_block(stmt.body, notes)),)
    if not isinstance(stmt, For):
        return (stmt,)
    if stmt.kind != "unroll":
        return (evolve(stmt, body=_block(stmt.body, notes)),)
    return _turns(stmt, notes)


def _turns(loop: For, notes: list[LoweringNote]) -> Block:
    start, stop, step = (integer(fold(bound)) for bound in (loop.start, loop.stop, loop.step))
    if start is None or stop is None or not step:
        return _kept(loop, notes, "its bounds are not numbers here")
    turns = range(start, stop, step)
    if len(turns) > MAX_TURNS:
        return _kept(loop, notes, f"it has more than {MAX_TURNS} turns")
    body: list[Stmt] = []
    for turn in turns:
        seed: dict[Var, Expr] = {loop.var: index(turn)}
        body += (with_values(stmt, seed) for stmt in loop.body)
    return _block(tuple(body), notes)


def _kept(loop: For, notes: list[LoweringNote], why: str) -> Block:
    notes.append(LoweringNote("unknown", STAGE, "pl.unroll", why, loop.origin))
    return (evolve(loop, body=_block(loop.body, notes)),)
