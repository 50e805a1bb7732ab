"""Matrix products: two-dimensional or batched by the rank of the operands, which lie in L1 by then."""

from __future__ import annotations

from pto_analysis.ir.expr import Call, Expr
from pto_analysis.passes.lowering.convert.elementwise import NOT_A_TILE, Result
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import shape_of


def _highest_rank(args: tuple[Expr, ...]) -> int | None:
    shapes = [shape_of(arg) for arg in args]
    return None if None in shapes else max(len(shape) for shape in shapes if shape is not None)


def matmul(emit: Emitter, call: Call) -> Result:
    rank = _highest_rank(call.args[:2])
    if rank is None:
        return NOT_A_TILE
    return emit.call("tile.batch_matmul" if rank > 2 else "tile.matmul", *call.args[:2])


def matmul_acc(emit: Emitter, call: Call) -> Result:
    rank = _highest_rank(call.args[:3])
    if rank is None:
        return NOT_A_TILE
    if rank <= 2:
        return emit.call("tile.matmul_acc", *call.args[:4])
    if len(call.args) > 3:
        return Refused("init_cond is for operands of rank 2")
    return emit.call("tile.batch_matmul_acc", *call.args[:3])
