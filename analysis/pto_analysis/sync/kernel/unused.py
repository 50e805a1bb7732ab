"""Results that nobody uses on a core: splitting a mixed kernel over two cores drops what makes them."""

from __future__ import annotations

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Stmt
from pto_analysis.ir.types import TileType
from pto_analysis.ops import get
from pto_analysis.sync.kernel.cores import cores_of_call, crosses
from pto_analysis.sync.program import Core

_KEPT = ("tile.store", "tile.assemble")
"""Kept for their effect; everything else that only makes a tile goes when nobody uses it, in place or not.

Origin: hw-native-sys/pypto 2026-08-21, `dead_code_elimination.cpp` (IsSideEffectOp)."""


def unused_on(function: Function, core: Core) -> frozenset[Var]:
    """Tiles that no store, no hand-over and no other effect on this core depends on."""
    statements = list(walk.statements(function.body))
    makers = {stmt.var: stmt for stmt in statements if isinstance(stmt, Assign)}
    waiting: list[Expr] = []
    for stmt in statements:
        if not _is_pure(stmt, core):
            waiting.extend(stmt.operands)
    needed: set[Var] = set()
    while waiting:
        for var in waiting.pop().variables:
            if var not in needed:
                needed.add(var)
                maker = makers.get(var)
                if maker is not None:
                    waiting.extend(maker.operands)
    return frozenset(var for var, stmt in makers.items() if _is_pure(stmt, core) and var not in needed)


def _is_pure(stmt: Stmt, core: Core) -> bool:
    """Whether a statement only makes a tile, as this core sees it."""
    if not isinstance(stmt, Assign) or not isinstance(stmt.var.type, TileType):
        return False
    if not isinstance(stmt.value, Call):
        return True
    if crosses(stmt.value) is not None:
        return False
    cores = cores_of_call(stmt.value)
    if cores and core not in cores:
        return True
    return get(stmt.value.op) is not None and stmt.value.op not in _KEPT
