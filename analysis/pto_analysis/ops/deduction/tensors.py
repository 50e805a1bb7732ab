"""Whole-type rules of tensor ops, scalar arrays and the distributed library."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from attrs import evolve

from pto_analysis.ir.dtypes import FP32, INDEX, INT32, DType
from pto_analysis.ir.expr import type_of
from pto_analysis.ir.types import (
    ArrayType,
    Dim,
    Pad,
    ScalarType,
    Shape,
    Space,
    TensorType,
    TensorView,
    TileView,
    TupleType,
    Type,
)
from pto_analysis.ops.deduction.checks import require_in_set
from pto_analysis.ops.deduction.elements import promote
from pto_analysis.ops.deduction.extents import broadcast, broadcast_operands, matching_valid
from pto_analysis.ops.deduction.gathers import scatter_update
from pto_analysis.ops.deduction.memory import (
    MX_LAYOUTS,
    as_index,
    check_dropped_valid,
    check_valid_bounds,
    dropped_axes,
    swapped,
    transposed_axes,
    without_axes,
)
from pto_analysis.ops.deduction.reshape import reinterpreted, reshaped_valid
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.deduction.windows import WindowRead, WindowWrite, read_window, write_window
from pto_analysis.ops.dims import add, format_shape, is_empty, multiply, prove_eq, prove_le, same_shape, scalar_dtype
from pto_analysis.ops.sizes import element_count
from pto_analysis.ops.views import layout_of_shape, tensor_type, tile_type, valid_shape


def _view_of(tensor: TensorType) -> TensorView:
    return tensor.view if tensor.view is not None else TensorView()


def _with_view(tensor: TensorType, shape: Shape, view: TensorView) -> TensorType:
    """The tensor with another shape and view; distributed tensors stay distributed."""
    return tensor_type(shape, tensor.dtype, view, distributed=tensor.distributed)


def _check_not_mx(site: Site, tensor: TensorType) -> None:
    if _view_of(tensor).layout in MX_LAYOUTS:
        site.refuse("layout", "does not work on tensors of scales", 0)


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


def integer_tuple(site: Site, index: int, what: str) -> Shape:
    """A tuple whose elements have an integer dtype."""
    dims = site.tuple(index, what)
    for position, dim in enumerate(dims):
        dtype = scalar_dtype(dim)
        if dtype is not None and not dtype.is_int:
            site.refuse("dtype", f"{what}[{position}] must be an integer, but is {dtype}", index)
    return dims


def created_tensor(site: Site) -> Type:
    shape = integer_tuple(site, 0, "shape")
    dtype = site.attr("dtype", DType)
    if dtype is None:
        site.refuse("attribute", "needs a dtype")
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


def tensor_slice(site: Site) -> Type:
    """A window of a tensor; clamped kind. The result is an ND tensor of its own."""
    tensor = site.tensor(0)
    _check_not_mx(site, tensor)
    window, offsets = integer_tuple(site, 1, "shape"), integer_tuple(site, 2, "offset")
    dropped = dropped_axes(site, 4, window)
    if dropped and len(dropped) >= len(window):
        site.refuse("shape", "drop_dims cannot remove every axis; read the element instead", 4)
    requested = site.tuple(3, "valid_shape") if site.has(3) else ()
    if len(window) == len(tensor.shape) == len(offsets):
        read = WindowRead(tensor.shape, valid_shape(tensor), offsets, window, requested, clamp=site.flag("clamp"))
        valid = read_window(site, read)
    else:
        if requested and len(requested) != len(window):
            site.refuse("shape", f"valid_shape needs {len(window)} extents, got {len(requested)}", 3)
        valid = requested or window
    check_dropped_valid(site, dropped, valid)
    pad = site.attr("pad_value", Pad) if "pad_value" in site.attrs else _view_of(tensor).pad
    view = TensorView(valid_shape=without_axes(valid, dropped), pad=pad or Pad.NULL)
    return _with_view(tensor, without_axes(window, dropped), view)


def tensor_assemble(site: Site) -> Type:
    """A tensor written into a window of another; only the valid part of the source is written."""
    target, source = site.tensor(0), site.tensor(1)
    offsets = integer_tuple(site, 2, "offset")
    valid = target.shape
    if len(source.shape) == len(target.shape) == len(offsets):
        write = WindowWrite(target.shape, valid_shape(target), source.shape, valid_shape(source), offsets)
        valid = write_window(site, write)
    return _with_view(target, target.shape, TensorView(valid_shape=valid))


def tensor_dim(site: Site) -> Type:
    rank = len(site.plain_tensor(0).shape)
    axis = site.constant(1)
    if axis is None:
        site.refuse("attribute", "axis must be a constant", 1)
    if not -rank <= axis < rank:
        site.refuse("shape", f"axis {axis} does not exist in {rank} axes", 1)
    return ScalarType(INDEX)


def _pad_value(site: Site) -> Pad:
    pad = site.attr("pad_value", Pad) or Pad.ZERO
    if pad is Pad.NULL:
        site.refuse("attribute", "pad_value must be zero, max or min")
    return pad


def tensor_fillpad(site: Site) -> Type:
    tensor = site.plain_tensor(0)
    _pad_value(site)
    view = None if tensor.view is None else evolve(tensor.view, valid_shape=tensor.shape)
    return tensor_type(tensor.shape, tensor.dtype, view)


def tensor_fillpad_expand(site: Site) -> Type:
    tensor = site.plain_tensor(0)
    shape = site.constant_shape(1, "shape")
    return tensor_type(shape, tensor.dtype, evolve(_view_of(tensor), valid_shape=shape, pad=_pad_value(site)))


def _strides(shape: Shape, layout: str) -> Shape:
    """Packed strides in elements: row major for ND, the last two axes swapped for DN."""
    if layout == "DN" and len(shape) >= 2:
        inner: tuple[Dim, ...] = (1, shape[-2])
        outer, volume = shape[:-2], multiply(shape[-2], shape[-1])
    else:
        inner, outer, volume = (1,) if shape else (), shape[:-1], shape[-1] if shape else 1
    strides = list(inner)
    for extent in reversed(outer):
        strides.insert(0, volume)
        volume = multiply(volume, extent)
    return tuple(strides)


def tensor_reshape(site: Site) -> Type:
    tensor = site.plain_tensor(0)
    _check_not_mx(site, tensor)
    shape = integer_tuple(site, 1, "shape")
    before, after = element_count(tensor.shape), element_count(shape)
    if before and after and before > 0 and after > 0 and before != after:
        site.refuse("shape", f"{before} elements cannot become {after}", 1)
    view = _view_of(tensor)
    packed = view.layout == "ND" and (not view.stride or same_shape(view.stride, _strides(tensor.shape, "ND")))
    valid = reshaped_valid(site, valid_shape(tensor), tensor.shape, shape, row_major=packed)
    if site.has(2):
        valid = _requested_valid(site, valid)
    return tensor_type(shape, tensor.dtype, TensorView(valid_shape=valid, pad=view.pad))


def _requested_valid(site: Site, mapped: Shape) -> Shape:
    """An explicit valid shape must provably lie inside the one that follows from the source."""
    requested = site.tuple(2, "valid_shape")
    inside = len(requested) == len(mapped) and all(
        prove_le(0, part) is True and prove_le(part, most) is True
        for part, most in zip(requested, mapped, strict=False)
    )
    if not inside:
        message = f"valid_shape {format_shape(requested)} is not provably within {format_shape(mapped)}"
        site.refuse("valid-region", message, 2)
    return requested


def tensor_reinterpret(site: Site) -> Type:
    tensor = site.plain_tensor(0)
    _check_not_mx(site, tensor)
    view = _view_of(tensor)
    if not tensor.shape or view.layout == "NZ" or (view.layout == "DN" and len(tensor.shape) < 2):
        site.refuse("layout", f"does not work on a tensor {format_shape(tensor.shape)} with layout {view.layout}", 0)
    target = site.attr("dtype", DType)
    if target is None:
        site.refuse("attribute", "needs a dtype")
    if view.stride and not same_shape(view.stride, _strides(tensor.shape, view.layout)):
        site.refuse("layout", "works on packed tensors only", 0)
    requested = site.index_tuple(1, "shape") if site.has(1) else None
    if requested is not None and (not requested or (view.layout == "DN" and len(requested) < 2)):
        site.refuse("shape", "the target shape has too few axes", 1)
    axis = len(tensor.shape) - (2 if view.layout == "DN" else 1)
    shape, valid = reinterpreted(site, tensor.shape, valid_shape(tensor), tensor.dtype, target, axis, requested)
    stride = _strides(shape, view.layout) if view.stride else None
    pad = Pad.ZERO if view.pad is Pad.ZERO else Pad.NULL
    return tensor_type(shape, target, TensorView(stride, view.layout, valid, pad))


def tensor_transpose(site: Site) -> Type:
    """Two axes swapped: strides are swapped with them, and swapping the last two flips ND and DN."""
    tensor = site.plain_tensor(0)
    _check_not_mx(site, tensor)
    rank = len(tensor.shape)
    if rank < 2:
        site.refuse("shape", "needs at least two axes", 0)
    first, second = transposed_axes(site, rank)
    view = _view_of(tensor)
    trailing = {first, second} == {rank - 2, rank - 1}
    layout = view.layout if not trailing else "DN" if view.layout == "ND" else "ND"
    shape = swapped(tensor.shape, first, second)
    stride: Shape | None = swapped(view.stride or _strides(tensor.shape, "ND"), first, second)
    if layout == "ND" and same_shape(stride or (), _strides(shape, "ND")):
        stride = None
    valid = swapped(view.valid_shape, first, second) if view.valid_shape else None
    if site.has(3):
        valid = site.tuple(3, "valid_shape")
        if len(valid) != rank:
            site.refuse("shape", f"valid_shape needs {rank} extents, got {len(valid)}", 3)
    return tensor_type(shape, tensor.dtype, TensorView(stride, layout, valid, view.pad))


def tensor_view(site: Site) -> Type:
    """The same memory with another shape or layout."""
    tensor = site.tensor(0)
    view = _view_of(tensor)
    layout = site.attr("layout", str) or view.layout
    reshaped = site.has(1)
    if not reshaped and "layout" not in site.attrs:
        site.refuse("arity", "needs a shape or a layout")
    if {view.layout, layout} & {"NZ", *MX_LAYOUTS}:
        site.refuse("layout", f"does not work with layout {view.layout} to {layout}", 0)
    shape = _viewed_shape(site, tensor, layout)
    if layout == "DN" and len(shape) < 2:
        site.refuse("layout", "DN needs at least two axes")
    if not reshaped and view.stride:
        rank = len(view.stride)
        stride = view.stride if view.layout == layout else swapped(view.stride, rank - 2, rank - 1)
    else:
        stride = _strides(shape, layout)
    result = TensorView(stride, layout)
    if site.has(2):
        valid = site.tuple(2, "valid_shape")
        return _with_view(tensor, shape, evolve(result, valid_shape=valid or None, pad=view.pad))
    if reshaped:
        if not same_shape(valid_shape(tensor), tensor.shape):
            site.refuse("valid-region", "a partly valid tensor needs a valid_shape with the new shape", 0)
        return _with_view(tensor, shape, result)
    valid = view.valid_shape
    if valid and view.layout != layout:
        valid = swapped(valid, len(valid) - 2, len(valid) - 1)
    return _with_view(tensor, shape, evolve(result, valid_shape=valid, pad=view.pad))


def _viewed_shape(site: Site, tensor: TensorType, layout: str) -> Shape:
    view = _view_of(tensor)
    if not site.has(1):
        if view.layout == layout:
            return tensor.shape
        rank = len(tensor.shape)
        if rank < 2:
            site.refuse("shape", "a change of layout needs at least two axes", 0)
        return swapped(tensor.shape, rank - 2, rank - 1)
    if view.stride and not same_shape(view.stride, _strides(tensor.shape, view.layout)):
        site.refuse("layout", "a new shape needs a packed tensor", 0)
    shape = integer_tuple(site, 1, "shape")
    if not shape or any(isinstance(dim, int) and dim <= 0 for dim in shape):
        site.refuse("shape", f"the shape {format_shape(shape)} must be positive", 1)
    before, after = element_count(tensor.shape), element_count(shape)
    if before is not None and after is not None and before != after:
        site.refuse("shape", f"{before} elements cannot become {after}", 1)
    return shape


def tensor_set_validshape(site: Site) -> Type:
    tensor = site.plain_tensor(0)
    if len(tensor.shape) != 2:
        site.refuse("shape", f"needs a tensor with two axes, has {len(tensor.shape)}", 0)
    valid = tuple(as_index(site, operand, name) for operand, name in ((1, "valid_rows"), (2, "valid_cols")))
    check_valid_bounds(site, valid, tensor.shape)
    return tensor_type(tensor.shape, tensor.dtype, evolve(_view_of(tensor), valid_shape=valid))


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


def tensor_matmul(site: Site) -> Type:
    lhs, rhs = site.plain_tensor(0).shape, site.plain_tensor(1).shape
    if not lhs or not rhs:
        site.refuse("shape", "needs at least one axis on both sides")
    dtype = site.attr("out_dtype", DType) or promote(site.dtype(0), site.dtype(1))
    for shape, flag, operand in ((lhs, "a_trans", 0), (rhs, "b_trans", 1)):
        if site.flag(flag) and len(shape) < 2:
            site.refuse("attribute", f"{flag} does not apply to a vector", operand)
    left = _matrix(lhs, transposed=site.flag("a_trans"), column=False)
    right = _matrix(rhs, transposed=site.flag("b_trans"), column=True)
    if max(len(lhs), len(rhs)) > 2 and min(len(lhs), len(rhs)) < 2:
        site.refuse("shape", "a vector cannot be multiplied with a batch")
    _check_k(site, left[1], right[0])
    batch = broadcast(lhs[:-2], rhs[:-2])
    if batch is None:
        site.refuse("shape", f"batch axes of {format_shape(lhs)} and {format_shape(rhs)} do not broadcast")
    rows: Shape = (left[0],) if len(lhs) > 1 else ()
    columns: Shape = (right[1],) if len(rhs) > 1 else ()
    return tensor_type((*batch, *rows, *columns), dtype)


def _matrix(shape: Shape, *, transposed: bool, column: bool) -> tuple[Dim, Dim]:
    """The last two axes as rows and columns; a vector is a row on the left and a column on the right."""
    if len(shape) == 1:
        return (shape[0], 1) if column else (1, shape[0])
    rows, columns = shape[-2:]
    return (columns, rows) if transposed else (rows, columns)


def _check_k(site: Site, left: Dim, right: Dim) -> None:
    if isinstance(left, int) and isinstance(right, int) and left != right:
        site.refuse("shape", f"lhs has K {left}, rhs has K {right}", data={"lhs_k": left, "rhs_k": right})


def tensor_matmul_acc(site: Site) -> Type:
    acc, lhs, rhs = (site.plain_tensor(i) for i in range(3))
    if any(len(tensor.shape) < 2 for tensor in (acc, lhs, rhs)):
        site.refuse("shape", "needs at least two axes everywhere")
    if lhs.dtype != rhs.dtype:
        site.refuse("dtype", f"lhs and rhs must agree in dtype: {lhs.dtype}, {rhs.dtype}")
    dtype = FP32 if lhs.dtype.is_float else INT32
    if acc.dtype != dtype:
        site.refuse("dtype", f"the accumulator must be {dtype}, but is {acc.dtype}", 0)
    left = _matrix(lhs.shape, transposed=site.flag("a_trans"), column=False)
    right = _matrix(rhs.shape, transposed=site.flag("b_trans"), column=True)
    _check_k(site, left[1], right[0])
    batch = broadcast(lhs.shape[:-2], rhs.shape[:-2])
    if batch is None or len(batch) != len(acc.shape) - 2:
        site.refuse("shape", "batch axes of the accumulator and of the product differ", 0)
    product = (*batch, left[0], right[1])
    for have, wanted in zip(acc.shape, product, strict=False):
        if isinstance(have, int) and isinstance(wanted, int) and have != wanted:
            message = f"the accumulator is {format_shape(acc.shape)}, the product {format_shape(product)}"
            site.refuse("shape", message, 0)
    return tensor_type(acc.shape, dtype)


def array_created(site: Site) -> Type:
    dtype = site.attr("dtype", DType)
    if dtype is None or not (dtype.is_int or dtype.name in ("BOOL", "TASK_ID")):
        site.refuse("dtype", f"an array holds integers, BOOL or TASK_ID, not {dtype}")
    extent = site.constant(0)
    if extent is None or extent <= 0:
        site.refuse("shape", "the extent must be a positive constant", 0)
    return ArrayType(extent, dtype)


def _array(site: Site) -> ArrayType:
    type_ = site.type(0)
    if not isinstance(type_, ArrayType):
        site.refuse("operand-kind", "operand 0 must be an array", 0)
    if not site.scalar(1).is_int:
        site.refuse("dtype", f"the index must be an integer, but is {site.scalar(1)}", 1)
    return type_


def array_element(site: Site) -> Type:
    return ScalarType(_array(site).dtype)


def array_updated(site: Site) -> Type:
    array, value = _array(site), site.scalar(2)
    index_mix = (value == INDEX and array.dtype.is_int) or (array.dtype == INDEX and value.is_int)
    if value != array.dtype and not index_mix:
        site.refuse("dtype", f"the value must be {array.dtype}, but is {value}", 2)
    return array


def same_as_second(site: Site) -> Type:
    return type_of(site.arg(1))


def distributed_window(site: Site) -> Type:
    dtype = site.attr("dtype", DType)
    if dtype is None:
        site.refuse("attribute", "needs a dtype")
    return tensor_type(integer_tuple(site, 1, "shape"), dtype, distributed=True)


def remote_load(site: Site) -> Type:
    """A window of a peer's tensor; the peer's valid region is not known, so what is asked for is valid."""
    tensor = site.tensor(0)
    window = site.tuple(3, "shape")
    valid = site.tuple(4, "valid_shape") if site.has(4) else window
    return tile_type(window, tensor.dtype, TileView(layout_of_shape(window), valid_shape=valid))


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
        tensor_slice,
        tensor_assemble,
        tensor_dim,
        tensor_fillpad,
        tensor_fillpad_expand,
        tensor_reshape,
        tensor_reinterpret,
        tensor_transpose,
        tensor_view,
        tensor_set_validshape,
        tensor_gather_compare,
        paged_gather,
        tensor_scatter_update,
        tensor_merge,
        tensor_matmul,
        tensor_matmul_acc,
        array_created,
        array_element,
        array_updated,
        same_as_second,
        distributed_window,
        remote_load,
    )
}
