"""Whole-type rules of gathers, sorts and lane splits."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.ir.dtypes import INT32, DType
from pto_analysis.ir.expr import type_of
from pto_analysis.ir.types import Dim, Layout, Shape, Space, TensorType, TensorView, TileType, TileView, TupleType, Type
from pto_analysis.ops.deduction.dtype_sets import require_in_set
from pto_analysis.ops.deduction.layouts import like
from pto_analysis.ops.deduction.site import Site, UndecidedError
from pto_analysis.ops.deduction.strides import is_contiguous
from pto_analysis.ops.dims import (
    ceil_divide,
    floor_divide,
    format_dim,
    format_shape,
    multiply,
    prove_eq,
    same_shape,
)
from pto_analysis.ops.sizes import element_count
from pto_analysis.ops.views import effective_view, tensor_type, tile_type, valid_shape

BLOCK_BYTES = 32
"""gatherb moves blocks of this many bytes."""


def gather_blocks(site: Site) -> Type:
    """gatherb: 32-byte blocks by byte offset."""
    source, offsets = site.tile(0), site.tile(1)
    dtype = site.attr("output_dtype", DType) or source.dtype
    for each in (source.dtype, dtype):
        require_in_set(site, each, "block_gatherable", 0)
    require_in_set(site, offsets.dtype, "uint32", 1)
    if len(source.shape) != 2 or len(offsets.shape) != 2:
        site.refuse("shape", "source and offsets must have two axes", 1)
    columns = offsets.shape[1]
    if not isinstance(columns, int) or columns <= 0 or columns % 8:
        site.refuse("shape", f"offsets need a constant positive multiple of 8 columns, got {format_dim(columns)}", 1)
    per_block = BLOCK_BYTES * 8 // dtype.bits
    valid = valid_shape(offsets)
    shape = (offsets.shape[0], columns * per_block)
    view = TileView(Layout.ROW_MAJOR, valid_shape=(valid[0], multiply(valid[1], per_block)))
    return tile_type(shape, dtype, view)


def gather_compare(site: Site) -> Type:
    """gather_compare: indices of matches in every row, and their number for each row."""
    source = site.tile(0)
    require_in_set(site, source.dtype, "gatherable", 0)
    if len(source.shape) != 2:
        site.refuse("shape", f"needs a tile with two axes, has {len(source.shape)}", 0)
    if site.scalar(1) != source.dtype:
        site.refuse("dtype", f"kvalue must be {source.dtype}, but is {site.scalar(1)}", 1)
    site.tile(2)
    columns = site.attr("out_cols", int)
    if columns is None or columns <= 0:
        site.refuse("attribute", f"out_cols must be positive, got {columns}")
    mode = site.attr("cmp_mode", int)
    if mode is None or not 0 <= mode <= 5:
        site.refuse("attribute", f"cmp_mode must be 0 to 5, got {mode}")
    counts = site.attr("count_dtype", DType) or INT32
    require_in_set(site, counts, "random")
    rows = source.shape[0]
    indices = tile_type((rows, columns), INT32, like(site, 0))
    return TupleType((indices, tile_type((1, rows), counts, TileView())))


def memory_gather(site: Site) -> Type:
    """mgather: rows or elements of a GM table by index."""
    table = site.tensor(0)
    require_in_set(site, table.dtype, "memory_gatherable", 0)
    if not table.shape:
        site.refuse("shape", "the table needs at least one axis", 0)
    by_element = site.attrs.get("coalesce", 0) == 1
    if by_element is False and len(table.shape) < 2:
        site.refuse("shape", "row mode needs a table with two axes", 0)
    if site.attr("target_memory", Space) is Space.MAT:
        return _gather_to_mat(site, table, by_element=by_element)
    return _gather_to_vec(site, table, by_element=by_element)


def _gather_to_vec(site: Site, table: TensorType, *, by_element: bool) -> Type:
    if site.has(2):
        site.refuse("arity", "scratch and valid_shape are for Mat results", 2)
    index = site.tile(1)
    require_in_set(site, index.dtype, "int32", 1)
    if len(index.shape) != 2:
        site.refuse("shape", f"the index tile must have two axes, has {len(index.shape)}", 1)
    if by_element:
        shape, valid = index.shape, valid_shape(index)
    else:
        axis = _vector_axis(site, index.shape)
        columns = table.shape[-1]
        shape, valid = (index.shape[axis], columns), (valid_shape(index)[axis], columns)
    return tile_type(shape, table.dtype, TileView(valid_shape=valid))


def _vector_axis(site: Site, shape: Shape) -> int:
    if not all(isinstance(dim, int) for dim in shape) or 1 not in shape:
        site.refuse("shape", f"row mode needs indices [1, R] or [R, 1], got {format_shape(shape)}", 1)
    return 1 if shape[0] == 1 else 0


def _gather_to_mat(site: Site, table: TensorType, *, by_element: bool) -> Type:
    index = site.tensor(1)
    for tensor, operand in ((table, 0), (index, 1)):
        if tensor.view is not None and tensor.view.layout != "ND":
            site.refuse("layout", "a Mat result needs ND tensors", operand)
    require_in_set(site, index.dtype, "int32", 1)
    if len(index.shape) != 2:
        site.refuse("shape", f"the index tensor must have two axes, has {len(index.shape)}", 1)
    if not by_element and index.shape[0] != 1:
        site.refuse("shape", "row mode into Mat needs indices [1, R]", 1)
    shape: Shape = index.shape if by_element else (index.shape[1], table.shape[-1])
    _check_mat_shape(site, shape, table.dtype)
    if by_element:
        _check_scratch(site, table, shape)
    valid_operand = 3 if by_element else 2
    valid = site.constant_shape(valid_operand, "valid_shape") if site.has(valid_operand) else shape
    if len(valid) != len(shape) or any(
        isinstance(part, int) and isinstance(dim, int) and part > dim for part, dim in zip(valid, shape, strict=False)
    ):
        site.refuse("valid-region", f"valid_shape {format_shape(valid)} does not fit {format_shape(shape)}", 2)
    return tile_type(shape, table.dtype, TileView(Layout.COL_MAJOR, Layout.ROW_MAJOR, valid_shape=valid))


def _check_mat_shape(site: Site, shape: Shape, dtype: DType) -> None:
    rows, columns = shape
    packed = BLOCK_BYTES * 8 // max(dtype.bits, 8)
    if not isinstance(rows, int) or not isinstance(columns, int) or rows % 16 or columns % packed:
        message = f"a Mat result needs constant rows in 16s and columns in {packed}s, got {format_shape(shape)}"
        site.refuse("shape", message)


def _check_scratch(site: Site, table: TensorType, shape: Shape) -> None:
    if not site.has(2):
        site.refuse("arity", "element mode into Mat needs a scratch tensor", 2)
    scratch = site.tensor(2)
    if site.arg(2) is site.arg(0) or site.arg(2) is site.arg(1):
        site.refuse("operand-kind", "scratch must be a tensor of its own", 2)
    if scratch.dtype != table.dtype:
        site.refuse("dtype", f"scratch must be {table.dtype}, but is {scratch.dtype}", 2)
    if not is_contiguous(scratch):
        site.refuse("layout", "scratch must be an ND tensor without gaps", 2)
    have, needed = element_count(scratch.shape), element_count(shape)
    if have is None or needed is None or have < needed:
        site.refuse("shape", f"scratch needs at least {needed} elements, has {have}", 2)


def merge_sorted(site: Site) -> Type:
    """mrgsort_format2: two to four sorted lists and a scratch tile, which sets the shape of the result."""
    count = len(site.args)
    if not 3 <= count <= 5:
        site.refuse("arity", f"merges two to four lists with one scratch tile, got {count} operands")
    first = site.tile(0)
    require_in_set(site, first.dtype, "half_or_single", 0)
    for operand in range(1, count - 1):
        if site.tile(operand).dtype != first.dtype:
            site.refuse("dtype", f"all lists must be {first.dtype}, one is {site.tile(operand).dtype}", operand)
    scratch = site.tile(count - 1)
    return tile_type(scratch.shape, first.dtype, like(site, 0))


def shard(site: Site) -> Type:
    """aiv_shard: one vector lane's half of a tile or tensor."""
    value = site.shaped(0)
    axis = _split_axis(site, value.shape)
    if axis is not None:
        _check_lane_stride(site, value.shape[axis])
    _check_lane_extents(site, value.shape, valid_shape(value), axis=axis)
    return _resized(site, axis, _half_extent, _half_valid)


def rejoin(site: Site) -> Type:
    """aic_gather: both lanes' halves together."""
    return _resized(site, _split_axis(site, site.shaped(0).shape), _doubled, _doubled)


def _split_axis(site: Site, shape: Shape) -> int | None:
    """The axis that the lanes split, None when each has the whole."""
    split = site.attr("split", int)
    if split is None:
        raise UndecidedError
    if split not in (0, 1, 2):
        site.refuse("attribute", f"split must be 0 (none), 1 (rows) or 2 (columns), got {split}")
    if split and len(shape) != 2:
        site.refuse("shape", f"needs two axes, has {len(shape)}", 0)
    return split - 1 if split else None


def _resized(site: Site, axis: int | None, extent: Callable[[Dim], Dim], valid_extent: Callable[[Dim], Dim]) -> Type:
    """The operand with other extents on `axis`. A tile loses its layout; a tensor that is not split stays as it is."""
    value = site.shaped(0)
    shape, part = _changed(value.shape, axis, extent), _changed(valid_shape(value), axis, valid_extent)
    if isinstance(value, TileType):
        return tile_type(shape, value.dtype, TileView(valid_shape=part))
    if axis is None:
        return type_of(site.arg(0))
    return tensor_type(shape, value.dtype, None if same_shape(part, shape) else TensorView(valid_shape=part))


def _changed(shape: Shape, axis: int | None, change: Callable[[Dim], Dim]) -> Shape:
    return tuple(change(dim) if position == axis else dim for position, dim in enumerate(shape))


def _half_extent(extent: Dim) -> Dim:
    """A number is rounded up, a symbolic extent is taken as even."""
    return ceil_divide(extent, 2) if isinstance(extent, int) else floor_divide(extent, 2)


def _half_valid(extent: Dim) -> Dim:
    return ceil_divide(extent, 2)


def _doubled(extent: Dim) -> Dim:
    return multiply(extent, 2)


def _check_lane_stride(site: Site, extent: Dim) -> None:
    stride = site.attr("lane_stride", int)
    if stride is None:
        return
    if stride <= 0 or (isinstance(extent, int) and stride > -(-extent // 2)):
        site.refuse("attribute", f"lane_stride {stride} must be 1 to half of {format_dim(extent)}")


def _check_lane_extents(site: Site, shape: Shape, valid: Shape, *, axis: int | None) -> None:
    """A column extent that is narrower than the tile cannot cross to the vector lanes unless it is constant and
    the same in both; then the rows must be constant, too, and not split unevenly."""
    if len(shape) != 2 or len(valid) != 2 or prove_eq(valid[1], shape[1]) is True:
        return
    narrowed = f"only {format_dim(valid[1])} of {format_dim(shape[1])} columns are valid"
    if axis == 1:
        site.refuse("valid-region", f"{narrowed}, so the lanes would differ; split the rows instead", 0)
    if not isinstance(valid[1], int):
        site.refuse("valid-region", f"{narrowed}, and a run-time column extent cannot cross", 0)
    if axis == 0 and prove_eq(valid[0], shape[0]) is not True:
        site.refuse("valid-region", f"{narrowed}, and the split rows are not all valid", 0)
    if not isinstance(valid[0], int):
        site.refuse("valid-region", f"{narrowed}, and a run-time row extent cannot cross with it", 0)


def scatter_update(site: Site) -> Type:
    """Rows of a tile or tensor replaced by index."""
    target, index, source = site.shaped(0), site.shaped(1), site.shaped(2)
    if len(target.shape) not in (2, 4):
        site.refuse("shape", f"the destination must have 2 or 4 axes, has {len(target.shape)}", 0)
    if len(index.shape) != 2 or not index.dtype.is_int:
        site.refuse("shape", "the index must have two axes and an integer dtype", 1)
    if len(source.shape) != len(target.shape):
        site.refuse("shape", f"the source must have {len(target.shape)} axes, has {len(source.shape)}", 2)
    if source.dtype != target.dtype:
        site.refuse("dtype", f"the source must be {target.dtype}, but is {source.dtype}", 2)
    if site.attrs.get("dim", -2) != -2:
        site.refuse("attribute", f"dim must be -2, got {site.attrs.get('dim')}")
    if isinstance(target, TensorType):
        return type_of(site.arg(0))
    return tile_type(target.shape, target.dtype, effective_view(target), target.space)
