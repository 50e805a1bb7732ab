"""A gather through a page table: one row a turn, straight from global memory into L1."""

from __future__ import annotations

from pto_analysis.ir.dtypes import INDEX, DType
from pto_analysis.ir.expr import Binary, Call, Cast, Expr, Var, type_of
from pto_analysis.ir.stmt import Assign, For, IterArg, Yield
from pto_analysis.ir.types import ScalarType, Space, TensorType
from pto_analysis.passes.lowering.convert.elementwise import Result
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import index, index_tuple, integer

_INDEX_TYPE = ScalarType(INDEX)


def paged_gather(emit: Emitter, call: Call) -> Result:
    source, indices, table = call.args[:3]
    kinds = [type_of(arg) for arg in (source, indices, table)]
    if not all(isinstance(kind, TensorType) for kind in kinds):
        return Refused("its operands must be tensors in global memory", "unknown")
    source_type, index_type, table_type = kinds
    assert isinstance(source_type, TensorType)
    assert isinstance(index_type, TensorType)
    assert isinstance(table_type, TensorType)
    sizes = {key: _size(call, key) for key in ("block_size", "size", "max_indices")}
    if None in sizes.values():
        return Refused("block_size, size and max_indices must be numbers", "unknown")
    block, width, most = (sizes[key] or 0 for key in ("block_size", "size", "max_indices"))
    transposed = bool(call.attrs.get("is_trans"))
    space = call.attrs.get("space")
    rows = emit.bind("pg_rows", "tensor.dim", indices, index(0 if len(index_type.shape) == 1 else 1))
    shape = (width, most) if transposed else (most, width)
    dtype: DType = source_type.dtype
    target = space if isinstance(space, Space) else Space.MAT
    start = emit.create("paged_gather_acc", shape, dtype, target, why="the gathered rows are collected here")
    var, carried, result = (
        Var("pg_i", _INDEX_TYPE),
        Var("paged_gather_iter", start.type),
        Var("paged_gather_result", start.type),
    )
    inner = Emitter(emit.origin, "one gathered row a turn")
    row = _physical_row(inner, indices, table, var, block, (len(index_type.shape), len(table_type.shape)))
    place = index_tuple((0, var) if transposed else (var, 0))
    origin = index_tuple((row, integer_attr(call, "col_off")))
    gathered = inner.bind(
        "pg_row",
        "tile.gather_row",
        carried,
        source,
        place,
        origin,
        index_tuple((1, width)),
        attrs={"transpose": transposed},
    )
    body = (*inner.statements, Yield((gathered,), emit.origin))
    emit.statements.append(
        For("range", var, index(0), rows, index(1), body, (IterArg(carried, start),), (result,), {}, emit.origin)
    )
    return result


def _physical_row(inner: Emitter, indices: Expr, table: Expr, turn: Var, block: int, ranks: tuple[int, int]) -> Var:
    """The row of the source that the next index means: its page by the table, its place in the page as it is."""
    raw = inner.bind("pg_idx_raw", "tensor.read", indices, index_tuple((turn,) if ranks[0] == 1 else (0, turn)))
    wanted = _scalar(inner, "pg_idx", Cast(raw, INDEX))
    page = _scalar(inner, "pg_blk", Binary("//", wanted, index(block), INDEX))
    rest = _scalar(inner, "pg_rem", Binary("%", wanted, index(block), INDEX))
    raw_page = inner.bind("pg_pblk_raw", "tensor.read", table, index_tuple((page,) if ranks[1] == 1 else (0, page)))
    physical = _scalar(inner, "pg_pblk", Cast(raw_page, INDEX))
    first = Binary("*", physical, index(block), INDEX)
    return _scalar(inner, "pg_phys", Binary("+", first, rest, INDEX))


def _scalar(inner: Emitter, name: str, value: Expr) -> Var:
    var = Var(name, _INDEX_TYPE, inner.origin)
    inner.statements.append(Assign(var, value, inner.origin))
    return var


def _size(call: Call, key: str) -> int | None:
    value = call.attrs.get(key)
    found = value if isinstance(value, int) else integer(value) if hasattr(value, "dtype") else None  # pyright: ignore[reportArgumentType]
    return found if found and found > 0 else None


def integer_attr(call: Call, key: str) -> int:
    value = call.attrs.get(key)
    return value if isinstance(value, int) else 0
