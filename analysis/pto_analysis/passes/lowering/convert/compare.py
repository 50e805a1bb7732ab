"""A comparison of tensors gives numbers, one of tiles gives packed bits: a select stands between them."""

from __future__ import annotations

from pto_analysis.ir.dtypes import UINT8, DType
from pto_analysis.ir.expr import Call, Var, type_of
from pto_analysis.ir.types import ScalarType, Shape, TileType
from pto_analysis.ops.deduction.elements import promote
from pto_analysis.passes.lowering.convert.elementwise import NOT_A_TILE, Result
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import index_tuple, number

SELECT_SCRATCH: Shape = (1, 32)
SELECT_SCRATCH_WHY = "the select needs a scratch tile"


def compare(emit: Emitter, call: Call) -> Result:
    left, right = type_of(call.args[0]), type_of(call.args[1])
    if not isinstance(left, TileType):
        return NOT_A_TILE
    if isinstance(right, TileType):
        shape = _broadcast(left.shape, right.shape)
        if shape is None:
            return Refused("the shapes do not broadcast")
        tile_op = "tile.cmp"
    elif isinstance(right, ScalarType):
        tile_op, shape = "tile.cmps", left.shape
    else:
        return NOT_A_TILE
    dtype = promote(left.dtype, right.dtype)
    why = "the comparison gives packed bits, which a select turns into numbers"
    mask = emit.bind("cmp_mask", tile_op, *call.args, attrs=call.attrs, why=why)
    one, zero = (full(emit, f"cmp_{name}", shape, dtype, value, why) for name, value in (("one", 1), ("zero", 0)))
    scratch = emit.create("cmp_tmp", SELECT_SCRATCH, UINT8, why=SELECT_SCRATCH_WHY)
    return emit.call("tile.sel", mask, one, zero, scratch, why=why)


def full(emit: Emitter, name: str, shape: Shape, dtype: DType, value: int, why: str) -> Var:
    """A tile filled with a number."""
    return emit.bind(name, "tile.full", index_tuple(shape), number(value, dtype), attrs={"dtype": dtype}, why=why)


def _broadcast(left: Shape, right: Shape) -> Shape | None:
    rank = max(len(left), len(right))
    padded = [(1,) * (rank - len(shape)) + shape for shape in (left, right)]
    result: list[object] = []
    for a, b in zip(*padded, strict=True):
        if a != b and 1 not in (a, b):
            return None
        result.append(b if a == 1 else a)
    return tuple(result)  # pyright: ignore[reportReturnType]
