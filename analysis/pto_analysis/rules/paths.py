"""Which reads of a kernel some path reaches without a definition: Python would raise there, the compiler refuses.

A quick look that follows blocks as Python does. What it finds is a suspicion only: the compiler carries some names
into a loop from an output parameter, which SSA conversion knows.
"""

from __future__ import annotations

from collections.abc import Iterator

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Block, For, If, Return, Skipped, Stmt, While
from pto_analysis.ir.walk import statements
from pto_analysis.source.span import Origin

_REGIONS = frozenset({"spmd", "split_aiv"})
"""Loops that are no loops to the compiler: their body runs once on every core."""

Defined = frozenset[Var]


@frozen(eq=False)
class DoubtfulRead:
    """`var` is read at `origin`, where a path leads to that defines it nowhere."""

    var: Var
    origin: Origin | None


def doubtful_reads(function: Function) -> tuple[DoubtfulRead, ...]:
    """The first such read of every variable, in program order; none where a statement was not read at all."""
    body = statements(function.body)
    if any(isinstance(stmt, Skipped) for stmt in body):
        return ()
    local = frozenset(var for stmt in body for var in stmt.definitions)
    params = frozenset(param.var for param in function.params)
    walk = _Walk(local - params)
    walk.block(function.body, frozenset())
    return tuple({read.var: read for read in reversed(walk.found)}.values())[::-1]


class _Walk:
    def __init__(self, local: Defined) -> None:
        self._local = local
        self.found: list[DoubtfulRead] = []

    def block(self, block: Block, defined: Defined) -> Defined:
        for stmt in block:
            defined = self._statement(stmt, defined)
        return defined

    def _statement(self, stmt: Stmt, defined: Defined) -> Defined:
        self.found += self._reads(stmt, defined)
        if isinstance(stmt, If):
            then, orelse = self.block(stmt.then, defined), self.block(stmt.orelse, defined)
            return _merged(stmt, then, orelse) | frozenset(stmt.definitions)
        if isinstance(stmt, (For, While)):
            inner = self.block(stmt.body, defined | frozenset(stmt.definitions))
            leaks = isinstance(stmt, For) and stmt.kind in _REGIONS
            return (inner if leaks else defined) | frozenset(stmt.definitions)
        for inner in stmt.blocks:
            defined = self.block(inner, defined | frozenset(stmt.definitions))
        return defined | frozenset(stmt.definitions)

    def _reads(self, stmt: Stmt, defined: Defined) -> Iterator[DoubtfulRead]:
        for expr in stmt.operands:
            for var in expr.variables:
                if var in self._local and var not in defined:
                    yield DoubtfulRead(var, stmt.origin)


def _merged(stmt: If, then: Defined, orelse: Defined) -> Defined:
    """What both arms define; an arm that returns never comes here."""
    if _returns(stmt.then):
        return orelse
    return then if _returns(stmt.orelse) else then & orelse


def _returns(block: Block) -> bool:
    return bool(block) and isinstance(block[-1], Return)
