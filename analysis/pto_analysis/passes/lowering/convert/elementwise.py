"""Elementwise operations: the choice of a row expansion for a column vector, and operations that need scratch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Union

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import FP16, FP32
from pto_analysis.ir.expr import Call, Expr, type_of
from pto_analysis.ir.types import ScalarType, TileType
from pto_analysis.ops.deduction.elements import promote
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused

Result = Union[Expr, Refused]
Converter = Callable[[Emitter, Call], Result]

CAST_ROUND = "round"
NOT_A_TILE = Refused("the operand is not a tile here: its shape or kind is not known", "unknown")


@frozen
class Pair:
    """Two tile operands; `wide` is the index of the one with more columns when the other is a column vector."""

    left: TileType
    right: TileType
    wide: int | None


def tile_pair(call: Call) -> Pair | None:
    left, right = (type_of(arg) for arg in call.args[:2])
    if not isinstance(left, TileType) or not isinstance(right, TileType):
        return None
    return Pair(left, right, _wide_operand(left, right))


def _wide_operand(left: TileType, right: TileType) -> int | None:
    if len(left.shape) != 2 or len(right.shape) != 2:
        return None
    narrow = (left.shape[1] == 1, right.shape[1] == 1)
    return {(False, True): 0, (True, False): 1}.get(narrow)


def broadcasting(name: str) -> Converter:
    """`[M, N] op [M, 1]` in either order is a row expansion, the wide operand first."""

    def convert(emit: Emitter, call: Call) -> Result:
        pair = tile_pair(call)
        if pair is None:
            return NOT_A_TILE
        if pair.wide is None:
            return emit.call(f"tile.{name}", *call.args, attrs=call.attrs)
        wide, narrow = call.args[pair.wide], call.args[1 - pair.wide]
        why = "the column vector is expanded over the columns of the other operand"
        return emit.call(f"tile.row_expand_{name}", wide, narrow, why=why)

    return convert


def divide(emit: Emitter, call: Call) -> Result:
    """Operands are cast to one dtype first; only a matrix divided by a column vector has a row form."""
    pair = tile_pair(call)
    if pair is None:
        return NOT_A_TILE
    dtype = promote(pair.left.dtype, pair.right.dtype)
    args = list(call.args)
    for position, (name, operand) in enumerate((("div_lhs_cast", pair.left), ("div_rhs_cast", pair.right))):
        if operand.dtype != dtype:
            attrs = {"target_type": dtype, "mode": CAST_ROUND}
            why = "both operands of a division need one dtype"
            args[position] = emit.bind(name, "tile.cast", args[position], attrs=attrs, why=why)
    if pair.wide is None:
        return emit.call("tile.div", *args, attrs=call.attrs)
    if pair.wide == 1:
        return Refused("only the divisor may be a column vector")
    if call.attrs.get("high_precision"):
        return Refused("a high-precision division has no row expansion")
    if dtype not in (FP16, FP32):
        return Refused("a division by a column vector needs FP16 or FP32")
    why = "the column vector is expanded over the columns of the dividend"
    return emit.call("tile.row_expand_div", *args, why=why)


def by_right_operand(tile_op: str, scalar_op: str) -> Converter:
    """The scalar form when the right operand is a scalar."""

    def convert(emit: Emitter, call: Call) -> Result:
        chosen = scalar_op if isinstance(type_of(call.args[1]), ScalarType) else tile_op
        return emit.call(chosen, *call.args, attrs=call.attrs)

    return convert


def with_scratch(tile_op: str, name: str) -> Converter:
    """The operation with a scratch tile like its left operand."""

    def convert(emit: Emitter, call: Call) -> Result:
        left = type_of(call.args[0])
        if not isinstance(left, TileType):
            return NOT_A_TILE
        scratch = emit.create(name, left.shape, left.dtype, why="the instruction needs a scratch tile")
        return emit.call(tile_op, call.args[0], call.args[1], scratch)

    return convert


def rsqrt(emit: Emitter, call: Call) -> Result:
    source = type_of(call.args[0])
    if not call.attrs.get("high_precision"):
        return emit.call("tile.rsqrt", call.args[0])
    if not isinstance(source, TileType):
        return NOT_A_TILE
    scratch = emit.create("rsqrt_tmp", source.shape, source.dtype, why="the high-precision form needs a scratch tile")
    return emit.call("tile.rsqrt", call.args[0], scratch)
