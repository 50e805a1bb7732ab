"""Transfers between ranks: the compiler adds the tile that data passes through on its way (the staging tile)."""

from __future__ import annotations

from math import prod

from pto_analysis.ir.expr import Call, type_of
from pto_analysis.ir.types import Shape, TensorType, TileType
from pto_analysis.passes.lowering.convert.elementwise import Converter, Result
from pto_analysis.passes.lowering.convert.paged import integer_attr
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import tuple_items

_STAGE = "a transfer between ranks passes through a tile on chip"
_STAGING = frozenset({"chunk_rows", "chunk_cols", "pipeline"})
"""Attributes that say how large the staging tile is and whether there are two."""


def transfer(tile_op: str, name: str) -> Converter:
    """`pld.tensor.put` or `get` (target, rank, source and, for a part, offsets and shape)."""

    def convert(emit: Emitter, call: Call) -> Result:
        target, source = type_of(call.args[0]), type_of(call.args[2])
        if isinstance(source, TileType):
            return Refused("only data in global memory can be transferred; pld.tensor.remote_store takes tiles")
        if not isinstance(target, TensorType):
            return Refused("what is transferred is not known here", "unknown")
        shape = tuple_items(call.args[5]) if len(call.args) == 6 else target.shape
        stage = _stage_shape(shape or (), call)
        if stage is None:
            return Refused("the staging tile needs numbers as its extents: give chunk_rows and chunk_cols", "unknown")
        names = [f"{name}_ping", f"{name}_pong"] if call.attrs.get("pipeline") else [name]
        stages = [emit.create(each, stage, target.dtype, why=_STAGE) for each in names]
        attrs = {key: value for key, value in call.attrs.items() if key not in _STAGING}
        return emit.call(tile_op, *call.args[:3], *stages, *call.args[3:], attrs=attrs, why=_STAGE)

    return convert


def _stage_shape(shape: Shape, call: Call) -> tuple[int, int] | None:
    """Rows and columns, leading axes merged, no larger than the chunk that is asked for."""
    if not shape:
        return None
    *leading, last = shape
    numbers = [size for size in leading if isinstance(size, int)]
    rows = prod(numbers) if len(numbers) == len(leading) else None
    sizes = (rows, last if isinstance(last, int) else None)
    chunks = (integer_attr(call, "chunk_rows"), integer_attr(call, "chunk_cols"))
    height, width = (_capped(size, chunk) for size, chunk in zip(sizes, chunks, strict=True))
    return None if height is None or width is None else (height, width)


def _capped(size: int | None, chunk: int) -> int | None:
    if size is None:
        return chunk or None
    return min(size, chunk) if chunk else size
