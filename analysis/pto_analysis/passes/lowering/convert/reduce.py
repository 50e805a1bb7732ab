"""Reductions along rows, which need a scratch tile; those along columns are plain renamings."""

from __future__ import annotations

from pto_analysis.ir.expr import Call, type_of
from pto_analysis.ir.types import Shape, TileType
from pto_analysis.passes.lowering.convert.elementwise import NOT_A_TILE, Converter, Result
from pto_analysis.passes.lowering.emit import Emitter

MINIMUM_SCRATCH_COLUMNS = 128
_WHY = "the reduction needs a scratch tile"


def row_reduction(name: str) -> Converter:
    """The scratch tile is like the input, but at least 128 columns wide."""

    def convert(emit: Emitter, call: Call) -> Result:
        source = type_of(call.args[0])
        if not isinstance(source, TileType):
            return NOT_A_TILE
        scratch = emit.create("tmp_tile", _scratch_shape(source.shape), source.dtype, why=_WHY)
        return emit.call(f"tile.row_{name}", call.args[0], scratch)

    return convert


def _scratch_shape(shape: Shape) -> Shape:
    if len(shape) < 2 or (isinstance(shape[-1], int) and shape[-1] >= MINIMUM_SCRATCH_COLUMNS):
        return shape
    return (*shape[:-1], MINIMUM_SCRATCH_COLUMNS)


def arg_reduction(tile_op: str) -> Converter:
    """The scratch tile is exactly like the input: the instruction counts columns by it."""

    def convert(emit: Emitter, call: Call) -> Result:
        source = type_of(call.args[0])
        if not isinstance(source, TileType):
            return NOT_A_TILE
        scratch = emit.create("tmp_tile", source.shape, source.dtype, why=_WHY)
        return emit.call(tile_op, call.args[0], scratch)

    return convert
