"""What each statement assigns and what it needs from outside, computed once for a whole function.

Order matters: a name that a compound statement assigns before it reads is not needed from outside. The sets
follow the compiler's: only plain assignments count as definitions.
"""

from __future__ import annotations

from pto_analysis.ir.expr import Var
from pto_analysis.ir.stmt import Assign, Block, For, Scope, Skipped, Stmt, While

_NONE: frozenset[Var] = frozenset()


class Liveness:
    """`assigned(stmt)`: variables that plain assignments in it define. `needed(stmt)`: what it reads from before it."""

    def __init__(self, body: Block) -> None:
        self._assigned: dict[Stmt, frozenset[Var]] = {}
        self._needed: dict[Stmt, frozenset[Var]] = {}
        self._needed_of_block(body)

    def assigned(self, stmt: Stmt) -> frozenset[Var]:
        return self._assigned[stmt]

    def needed(self, stmt: Stmt) -> frozenset[Var]:
        return self._needed[stmt]

    def needed_after(self, block: Block) -> dict[Stmt, frozenset[Var]]:
        """For every loop of the block: those variables it assigns that the statements after it need."""
        after: dict[Stmt, frozenset[Var]] = {}
        needed: set[Var] = set()
        for stmt in reversed(block):
            if isinstance(stmt, (For, While)):
                after[stmt] = self._assigned[stmt] & needed
            needed -= self._assigned[stmt]
            needed |= self._needed[stmt]
        return after

    def _needed_of_block(self, block: Block) -> frozenset[Var]:
        defined: set[Var] = set()
        needed: set[Var] = set()
        for stmt in block:
            self._visit(stmt)
            needed |= self._needed[stmt] - defined
            defined |= self._assigned[stmt]
        return frozenset(needed)

    def _visit(self, stmt: Stmt) -> None:
        reads = {var for expr in stmt.operands for var in expr.variables}
        for inner in stmt.blocks:
            reads |= self._needed_of_block(inner) - _bound_inside(stmt)
        self._needed[stmt] = frozenset(reads)
        nested = [self._assigned[item] for inner in stmt.blocks for item in inner]
        self._assigned[stmt] = _own_assignments(stmt).union(*nested)


def _own_assignments(stmt: Stmt) -> frozenset[Var]:
    if isinstance(stmt, Assign):
        return frozenset({stmt.var})
    return frozenset(stmt.defines) if isinstance(stmt, Skipped) else _NONE


def _bound_inside(stmt: Stmt) -> frozenset[Var]:
    """What a loop hands to its own body: its variable and its iter args."""
    if isinstance(stmt, For):
        return frozenset({stmt.var, *(arg.var for arg in stmt.iter_args)})
    if isinstance(stmt, While):
        return frozenset(arg.var for arg in stmt.iter_args)
    if isinstance(stmt, Scope) and stmt.var is not None:
        return frozenset({stmt.var})
    return _NONE
