"""`pl.unroll` loops are written out before values are numbered.

Facts: hw-native-sys/pypto, `unroll_loops` (2026-08-21).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import define, field

from pto_analysis.frozen import evolve
from pto_analysis.ir.expr import Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Block, For, If, Scope, Stmt, While
from pto_analysis.passes.lowering.arithmetic import fold
from pto_analysis.passes.lowering.notes import LoweringNote
from pto_analysis.passes.lowering.regions import holds_region
from pto_analysis.passes.lowering.tree import index, integer, map_block, map_inner, with_values

STAGE = "lowered"
MAX_TURNS = 1024
"""The compiler refuses to write out more turns than this."""


Turns = Callable[[For, range], Sequence[int]]
"""Which of a loop's turns are written out."""


def every_turn(_loop: For, turns: range) -> Sequence[int]:
    """All of them, as the compiler does."""
    return turns


def telling_turns(loop: For, turns: range) -> Sequence[int]:
    """The first two and the last where every turn makes a region of its own; what differs shows in these."""
    return [turns[0], turns[1], turns[-1]] if len(turns) > 3 and holds_region(loop.body) else turns


@define
class Unrolled:
    function: Function
    notes: list[LoweringNote] = field(factory=list[LoweringNote])


def unroll(function: Function, turns: Turns = every_turn) -> Unrolled:
    """The function without `unroll` loops; one that cannot be written out stays a loop and is noted."""
    unroller = _Unroller(turns)
    body = unroller.block(function.body)
    return Unrolled(evolve(function, body=body), unroller.notes)


@define
class _Unroller:
    turns: Turns
    notes: list[LoweringNote] = field(factory=list[LoweringNote])

    def block(self, block: Block) -> Block:
        return map_block(block, self.statement)

    def statement(self, stmt: Stmt) -> Block:
        if isinstance(stmt, For) and stmt.kind == "unroll":
            return self._written_out(stmt)
        return (map_inner(stmt, self.block),) if isinstance(stmt, (If, For, While, Scope)) else (stmt,)

    def _written_out(self, loop: For) -> Block:
        start, stop, step = (integer(fold(bound)) for bound in (loop.start, loop.stop, loop.step))
        if start is None or stop is None or not step:
            return self._kept(loop, "its bounds are not numbers here")
        turns = range(start, stop, step)
        if len(turns) > MAX_TURNS:
            return self._kept(loop, f"it has more than {MAX_TURNS} turns")
        body: list[Stmt] = []
        for turn in self.turns(loop, turns):
            seed: dict[Var, Expr] = {loop.var: index(turn)}
            body += (with_values(stmt, seed) for stmt in loop.body)
        return self.block(tuple(body))

    def _kept(self, loop: For, why: str) -> Block:
        self.notes.append(LoweringNote("unknown", STAGE, "pl.unroll", why, loop.origin))
        return (map_inner(loop, self.block),)
