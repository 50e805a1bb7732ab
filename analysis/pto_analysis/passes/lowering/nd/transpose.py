"""Transposes get their scratch tile; one of more than two axes goes page by page.

Facts: hw-native-sys/pypto, `flatten_tile_nd_to_2d/transpose` (2026-08-21).
"""

from __future__ import annotations

from pto_analysis.ir.expr import Call, Expr, Var, type_of
from pto_analysis.ir.types import Space, TileType
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.nd.shapes import merged
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import index, index_tuple, integer
from pto_analysis.passes.lowering.windows import known, product

_SCRATCH = "the transpose needs a scratch tile like its input"
_PAGE = "one page per batch is transposed"


def transpose_2d(emit: Emitter, call: Call, source: Expr) -> Call | Refused:
    """The three-operand form with its scratch."""
    kind = type_of(source)
    if not isinstance(kind, TileType):
        return Refused("the operand is not a tile here", "unknown")
    scratch = emit.create("transpose_tmp", kind.shape, kind.dtype, kind.space or Space.VEC, why=_SCRATCH)
    return emit.call("tile.transpose", source, *call.args[1:3], scratch)


def transpose_pages(emit: Emitter, call: Call, source: Expr, name: str) -> Var | Refused:
    """A swap of the last two axes of a tile with batch axes; `source` is what the operand is called now."""
    before, kind = type_of(call.args[0]), type_of(source)
    sizes = known(before.shape) if isinstance(before, TileType) else None
    axes = [integer(arg) for arg in call.args[1:3]]
    if sizes is None or not isinstance(kind, TileType) or None in axes:
        return Refused("the shape must be numbers", "unknown")
    rank = len(sizes)
    if {axis % rank for axis in axes if axis is not None} != {rank - 2, rank - 1}:
        return Refused("with more than two axes only the last two can be transposed")
    count, rows, columns = product(sizes[:-2]), sizes[-2], sizes[-1]
    assert isinstance(count, int)
    space = kind.space or Space.VEC
    if len(kind.shape) > 2:
        flat = index_tuple(merged(kind.shape))
        source = emit.bind("trans_in_2d", "tile.reshape", source, flat, why="tiles have two axes")
    out = emit.create(name, (count * columns, rows), kind.dtype, space, why="the transposed pages are collected here")
    pool = emit.create("trans_tmp_pool", (count * rows, columns), kind.dtype, space, why=_SCRATCH)
    window = index_tuple((rows, columns))
    for number in range(count):
        place = index_tuple((number * rows, 0))
        page = emit.bind(f"trans_page_{number}", "tile.slice", source, window, place, why=_PAGE)
        scratch = emit.bind(f"trans_tmp_{number}", "tile.slice", pool, window, place, why=_SCRATCH)
        turned = emit.bind(f"trans_{number}", "tile.transpose", page, index(0), index(1), scratch, why=_PAGE)
        out = emit.bind(name, "tile.assemble", out, turned, index_tuple((number * columns, 0)), why=_PAGE)
    return out
