"""Whole-type rules of tensor ops, scalar arrays and the distributed library."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pto_analysis.ir.dtypes import INDEX, INT32, DType
from pto_analysis.ir.types import (
    ScalarType,
    Shape,
    Space,
    TensorType,
    TensorView,
    TupleType,
    Type,
)
from pto_analysis.ops.deduction.dtype_sets import require_in_set
from pto_analysis.ops.deduction.elements import promote
from pto_analysis.ops.deduction.extents import broadcast_operands, matching_valid
from pto_analysis.ops.deduction.gathers import scatter_update
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.deduction.tensor_views import integer_tuple
from pto_analysis.ops.dims import add, format_shape, is_empty, prove_eq
from pto_analysis.ops.views import tensor_type, valid_shape


def tensor_or_scalar(site: Site) -> Type:
    """maximum and minimum: the second operand is a tensor or a scalar."""
    first = site.tensor(0)
    if isinstance(site.type(1), ScalarType):
        valid = first.shape if first.distributed else valid_shape(first)
        return tensor_type(first.shape, promote(first.dtype, site.scalar(1)), TensorView(valid_shape=valid))
    shape = broadcast_operands(site, (0, 1))
    valid = matching_valid(site, 0, 1) or shape
    return tensor_type(shape, promote(first.dtype, site.tensor(1).dtype), TensorView(valid_shape=valid))


def compared(site: Site) -> Type:
    """cmp: all of the result is valid."""
    first = site.tensor(0)
    if isinstance(site.type(1), ScalarType):
        return tensor_type(first.shape, promote(first.dtype, site.scalar(1)))
    return tensor_type(broadcast_operands(site, (0, 1)), promote(first.dtype, site.tensor(1).dtype))


def expanded_clone(site: Site) -> Type:
    source, target = site.plain_tensor(0), site.plain_tensor(1)
    if len(source.shape) != 3 or len(target.shape) != 3:
        site.refuse("shape", f"needs three axes, got {format_shape(source.shape)} and {format_shape(target.shape)}")
    stretched = [a for a, b in zip(source.shape, target.shape, strict=False) if prove_eq(a, b) is not True]
    if len(stretched) > 1 or any(extent != 1 for extent in stretched):
        message = f"{format_shape(source.shape)} can grow to {format_shape(target.shape)} on one axis of extent 1 only"
        site.refuse("shape", message, 0)
    return tensor_type(target.shape, promote(source.dtype, target.dtype))


def _reduced(site: Site, default_axis: int, dtype: DType | None = None) -> Type:
    """One axis reduced to 1, or removed without keep_dim."""
    tensor = site.plain_tensor(0)
    rank = len(tensor.shape)
    named = site.attr("axis", int)
    axis = default_axis if named is None else named
    if not -rank <= axis < rank:
        site.refuse("shape", f"axis {axis} does not exist in {rank} axes", 0)
    axis %= rank
    valid = valid_shape(tensor)
    if any(map(is_empty, valid)):
        site.refuse("valid-region", f"the valid region {format_shape(valid)} is empty", 0)
    unit: Shape = () if site.attrs.get("keep_dim") is False else (1,)
    shape = (*tensor.shape[:axis], *unit, *tensor.shape[axis + 1 :])
    part = (*valid[:axis], *unit, *valid[axis + 1 :])
    if not shape:
        return ScalarType(dtype or tensor.dtype)
    return tensor_type(shape, dtype or tensor.dtype, TensorView(valid_shape=part))


def reduced_rows(site: Site) -> Type:
    return _reduced(site, -1)


def row_indices(site: Site) -> Type:
    return _reduced(site, -1, INT32)


def reduced_columns(site: Site) -> Type:
    return _reduced(site, -2)


def column_indices(site: Site) -> Type:
    return _reduced(site, -2, INT32)


def created_tensor(site: Site) -> Type:
    shape = integer_tuple(site, 0, "shape")
    dtype = site.required_dtype()
    layout = site.attr("layout", str) or "ND"
    return tensor_type(shape, dtype, TensorView(layout=layout))


def tensor_counter(site: Site) -> Type:
    dtype = site.attr("dtype", DType) or INT32
    require_in_set(site, dtype, "counter")
    if site.scalar(0) != dtype:
        site.refuse("dtype", f"start must be {dtype}, but is {site.scalar(0)}", 0)
    shape = integer_tuple(site, 1, "shape")
    leading = any(isinstance(dim, int) and dim != 1 for dim in shape[:-1])
    if not shape or shape[-1] == 1 or leading:
        site.refuse("shape", f"fills one row of more than one column, not {format_shape(shape)}", 1)
    return tensor_type(shape, dtype)


def tensor_random(site: Site) -> Type:
    dtype = site.attr("dtype", DType) or INT32
    require_in_set(site, dtype, "random")
    if site.attrs.get("rounds", 10) not in (7, 10):
        site.refuse("attribute", f"rounds must be 7 or 10, got {site.attrs.get('rounds')}")
    for operand in range(6):
        if site.scalar(operand) != INT32:
            site.refuse("dtype", f"seed {operand} must be INT32, but is {site.scalar(operand)}", operand)
    shape = integer_tuple(site, 6, "shape")
    if len(shape) != 2:
        site.refuse("shape", f"needs two axes, got {len(shape)}", 6)
    return tensor_type(shape, dtype)


def tensor_dim(site: Site) -> Type:
    rank = len(site.plain_tensor(0).shape)
    axis = site.constant(1)
    if axis is None:
        site.refuse("attribute", "axis must be a constant", 1)
    if not -rank <= axis < rank:
        site.refuse("shape", f"axis {axis} does not exist in {rank} axes", 1)
    return ScalarType(INDEX)


def tensor_gather_compare(site: Site) -> Type:
    source = site.plain_tensor(0)
    require_in_set(site, source.dtype, "gatherable", 0)
    if len(source.shape) != 2:
        site.refuse("shape", f"needs a tensor with two axes, has {len(source.shape)}", 0)
    if site.scalar(1) != source.dtype:
        site.refuse("dtype", f"kvalue must be {source.dtype}, but is {site.scalar(1)}", 1)
    columns = site.attr("out_cols", int)
    if columns is None or columns <= 0:
        site.refuse("attribute", f"out_cols must be positive, got {columns}")
    counts = site.attr("count_dtype", DType) or INT32
    require_in_set(site, counts, "random")
    rows = source.shape[0]
    return TupleType((tensor_type((rows, columns), INT32), tensor_type((1, rows), counts)))


def paged_gather(site: Site) -> Type:
    source = site.plain_tensor(0)
    if source.dtype.name not in ("FP16", "BF16", "FP32", "INT8"):
        site.refuse("dtype", f"gathers FP16, BF16, FP32 and INT8, not {source.dtype}", 0)
    if len(source.shape) != 2:
        site.refuse("shape", f"needs a tensor with two axes, has {len(source.shape)}", 0)
    for operand, name in ((1, "indices"), (2, "block_table")):
        table = site.plain_tensor(operand)
        one_row = len(table.shape) == 1 or (len(table.shape) == 2 and table.shape[0] == 1)
        if table.dtype != INT32 or not one_row:
            site.refuse("shape", f"{name} must be INT32 with shape [n] or [1, n]", operand)
    for name in ("block_size", "size", "max_indices"):
        if (site.attr(name, int) or 0) <= 0:
            site.refuse("attribute", f"'{name}' must be positive, got {site.attrs.get(name)}")
    size, rows, offset = (site.attr(name, int) or 0 for name in ("size", "max_indices", "col_off"))
    columns = source.shape[1]
    if offset < 0 or (isinstance(columns, int) and offset + size > columns):
        site.refuse("out-of-bounds", f"columns {offset} to {offset + size} exceed the source", 0)
    transposed = site.flag("is_trans")
    if transposed and site.attr("space", Space) not in (None, Space.MAT):
        site.refuse("space", "is_trans needs space Mat")
    return tensor_type((size, rows) if transposed else (rows, size), source.dtype)


def tensor_scatter_update(site: Site) -> Type:
    tensor = scatter_update(site)
    return tensor_type(tensor.shape, tensor.dtype) if isinstance(tensor, TensorType) else tensor


def tensor_merge(site: Site) -> Type:
    """mrgsort_format2: the lists end up one after the other."""
    count = len(site.args)
    if not 2 <= count <= 4:
        site.refuse("arity", f"merges two to four lists, got {count}")
    lists = [site.plain_tensor(operand) for operand in range(count)]
    first = lists[0]
    require_in_set(site, first.dtype, "half_or_single", 0)
    for operand, other in enumerate(lists[1:], 1):
        if other.dtype != first.dtype or len(other.shape) != len(first.shape):
            site.refuse("dtype", "all lists must agree in dtype and rank", operand)
        if any(prove_eq(a, b) is not True for a, b in zip(other.shape[:-1], first.shape[:-1], strict=False)):
            site.refuse("shape", "all lists must agree on every axis but the last", operand)
    last = reduce(add, (tensor.shape[-1] for tensor in lists))
    return tensor_type((*first.shape[:-1], last), first.dtype)


RULES: dict[str, Callable[[Site], Type]] = {
    rule.__name__: rule
    for rule in (
        tensor_or_scalar,
        compared,
        expanded_clone,
        reduced_rows,
        row_indices,
        reduced_columns,
        column_indices,
        created_tensor,
        tensor_counter,
        tensor_random,
        tensor_dim,
        tensor_gather_compare,
        paged_gather,
        tensor_scatter_update,
        tensor_merge,
    )
}
"""By the name the table uses."""
