"""Brings the operands of an operation into the memory that it needs, transposed ones as views.

Facts: hw-native-sys/pypto, `convert_tensor_to_tile_ops`, bridging of input spaces (2026-08-21).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pto_analysis.frozen import evolve
from pto_analysis.ir.expr import Call, Expr, Var, type_of
from pto_analysis.ir.types import Space, TensorType, TileType
from pto_analysis.passes.lowering.emit import Emitter

if TYPE_CHECKING:
    from pto_analysis.passes.lowering.convert.rules import InputSpace


def bridged(emit: Emitter, call: Call, spaces: Mapping[int, InputSpace]) -> Call:
    if not spaces:
        return call
    args = list(call.args)
    for position in sorted(spaces):
        if position >= len(args):
            continue
        needed = spaces[position]
        transposed = needed.transposed is not None and bool(call.attrs.get(needed.transposed))
        args[position] = _operand(emit, args[position], position, needed.space, transposed=transposed)
    return evolve(call, args=tuple(args))


def _operand(emit: Emitter, arg: Expr, position: int, space: Space, *, transposed: bool) -> Expr:
    kind = type_of(arg)
    if isinstance(kind, TensorType):
        name = f"{arg.name}_{space.value.lower()}" if isinstance(arg, Var) else f"bridged_{position}"
        why = "the compiler loads this operand"
        load = emit.load(arg, (0,) * len(kind.shape), kind.shape, None, space, why=why)
        loaded = emit.name(name, load)
        return _transposed(emit, loaded) if transposed else loaded
    if not transposed or not isinstance(arg, Var) or not isinstance(kind, TileType):
        return arg
    if kind.space is Space.MAT:
        return _transposed(emit, arg)
    attrs = {"target_memory": Space.MAT}
    moved = emit.bind(f"{arg.name}_mat", "tile.move", arg, attrs=attrs, why="a transposed operand must lie in L1")
    return _transposed(emit, moved)


def _transposed(emit: Emitter, tile: Var) -> Var:
    return emit.bind(f"{tile.name}_t", "tile.transpose_view", tile, why="the operand is wanted transposed")
