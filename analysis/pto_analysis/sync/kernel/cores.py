"""Which core an operation runs on: the cube core has L1, L0 and the matrix unit, the vector core has UB.

A tile that is moved from one core's memory to the other's is handed over through a queue between them: pushed on one
core, popped on the other (sync.md 2.4). Set and wait flags never cross cores.
"""

from __future__ import annotations

from pto_analysis.frontend.typed import type_of
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call
from pto_analysis.ir.function import Function, FunctionKind
from pto_analysis.ir.stmt import Assign, Eval
from pto_analysis.ir.types import Space, TileType, Type
from pto_analysis.ops import get
from pto_analysis.sync.program import Core

CUBE_SPACES = frozenset(
    {Space.MAT, Space.LEFT, Space.RIGHT, Space.ACC, Space.BIAS, Space.LEFT_SCALE, Space.RIGHT_SCALE}
)


PUSHES: dict[Core, str] = {"cube": "tpush_to_aiv", "vector": "tpush_to_aic"}
"""What the core that has the tile does, by that core."""

POPS: dict[Core, tuple[str, str]] = {
    "cube": ("tpop_from_aiv", "tfree_from_aiv"),
    "vector": ("tpop_from_aic", "tfree_from_aic"),
}
"""What the core that gets the tile does before its first use and after its last, by that core."""


def cores_of(function: Function) -> tuple[Core, ...]:
    """The cores that have something to do in a function; the vector core when nothing says otherwise."""
    if function.kind is FunctionKind.AIC:
        return ("cube",)
    if function.kind is FunctionKind.AIV:
        return ("vector",)
    used: set[Core] = set()
    for stmt in walk.statements(function.body):
        if isinstance(stmt, (Assign, Eval)) and isinstance(stmt.value, Call):
            used |= set(cores_of_call(stmt.value))
    return tuple(core for core in ("cube", "vector") if core in used) or ("vector",)


def cores_of_call(call: Call) -> tuple[Core, ...]:
    """The core or cores that a call needs; none when either may do it."""
    spec = get(call.op)
    if spec is None or call.op.partition(".")[0] not in ("tile", "system"):
        return ()
    if spec.core in ("cube", "vector"):
        return (spec.core,)
    if spec.unit == "M":
        return ("cube",)
    sides = {side for type_ in (*map(type_of, call.args), call.type) for side in _side(type_)}
    if spec.unit == "V" and not sides:
        return ("vector",)
    return tuple(core for core in ("cube", "vector") if core in sides)


def crosses(call: Call) -> tuple[Core, Core] | None:
    """(from, to) for a move between the cores' memories."""
    if call.op not in ("tile.move", "tile.extract") or not call.args:
        return None
    source, target = _side(type_of(call.args[0])), _side(call.type)
    if not source or not target or source == target:
        return None
    return source[0], target[0]


def _side(type_: Type) -> tuple[Core, ...]:
    if not isinstance(type_, TileType) or type_.space is None:
        return ()
    if type_.space in CUBE_SPACES:
        return ("cube",)
    return ("vector",) if type_.space is Space.VEC else ()
