"""Whole-type rules of the tensor ops that window, pad or rename."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pto_analysis.frozen import evolve
from pto_analysis.ir.types import (
    Dim,
    Pad,
    Shape,
    TensorType,
    TensorView,
    Type,
)
from pto_analysis.ops.deduction.memory import MX_LAYOUTS, check_dropped_valid, dropped_axes, without_axes
from pto_analysis.ops.deduction.renaming import check_valid_bounds, swapped, transposed_axes
from pto_analysis.ops.deduction.reshape import reinterpreted, reshaped_valid
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.deduction.strides import check_canonical, is_packed, packed_strides, view_of
from pto_analysis.ops.deduction.windows import WindowRead, WindowWrite, read_window, write_window
from pto_analysis.ops.dims import format_shape, multiply, prove_le, same_shape, scalar_dtype
from pto_analysis.ops.sizes import element_count
from pto_analysis.ops.views import tensor_type, valid_shape


def with_view(tensor: TensorType, shape: Shape, view: TensorView) -> TensorType:
    """The tensor with another shape and view; distributed tensors stay distributed."""
    return tensor_type(shape, tensor.dtype, view, distributed=tensor.distributed)


def check_not_mx(site: Site, tensor: TensorType) -> None:
    if view_of(tensor).layout in MX_LAYOUTS:
        site.refuse("layout", "does not work on tensors of scales", 0)


def integer_tuple(site: Site, index: int, what: str) -> Shape:
    """A tuple whose elements have an integer dtype."""
    dims = site.tuple(index, what)
    for position, dim in enumerate(dims):
        dtype = scalar_dtype(dim)
        if dtype is not None and not dtype.is_int:
            site.refuse("dtype", f"{what}[{position}] must be an integer, but is {dtype}", index)
    return dims


def tensor_slice(site: Site) -> Type:
    """A window of a tensor; clamped kind. The result is an ND tensor of its own."""
    tensor = site.tensor(0)
    check_not_mx(site, tensor)
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
    pad = site.attr("pad_value", Pad) if "pad_value" in site.attrs else view_of(tensor).pad
    view = TensorView(valid_shape=without_axes(valid, dropped), pad=pad or Pad.NULL)
    return with_view(tensor, without_axes(window, dropped), view)


def tensor_assemble(site: Site) -> Type:
    """A tensor written into a window of another; only the valid part of the source is written."""
    target, source = site.tensor(0), site.tensor(1)
    offsets = integer_tuple(site, 2, "offset")
    valid = target.shape
    if len(source.shape) == len(target.shape) == len(offsets):
        write = WindowWrite(target.shape, valid_shape(target), source.shape, valid_shape(source), offsets)
        valid = write_window(site, write)
    return with_view(target, target.shape, TensorView(valid_shape=valid))


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
    return tensor_type(shape, tensor.dtype, evolve(view_of(tensor), valid_shape=shape, pad=_pad_value(site)))


def tensor_reshape(site: Site) -> Type:
    tensor = site.plain_tensor(0)
    check_not_mx(site, tensor)
    shape = integer_tuple(site, 1, "shape")
    before, after = element_count(tensor.shape), element_count(shape)
    if before and after and before > 0 and after > 0 and before != after:
        site.refuse("shape", f"{before} elements cannot become {after}", 1)
    view = view_of(tensor)
    packed = view.layout == "ND" and is_packed(tensor)
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
    check_not_mx(site, tensor)
    view = view_of(tensor)
    if not tensor.shape or view.layout == "NZ" or (view.layout == "DN" and len(tensor.shape) < 2):
        site.refuse("layout", f"does not work on a tensor {format_shape(tensor.shape)} with layout {view.layout}", 0)
    target = site.required_dtype()
    if not is_packed(tensor):
        site.refuse("layout", "works on packed tensors only", 0)
    requested = site.index_tuple(1, "shape") if site.has(1) else None
    if requested is not None and (not requested or (view.layout == "DN" and len(requested) < 2)):
        site.refuse("shape", "the target shape has too few axes", 1)
    axis = len(tensor.shape) - (2 if view.layout == "DN" else 1)
    shape, valid = reinterpreted(site, tensor.shape, valid_shape(tensor), tensor.dtype, target, axis, requested)
    stride = packed_strides(shape, view.layout) if view.stride else None
    pad = Pad.ZERO if view.pad is Pad.ZERO else Pad.NULL
    return tensor_type(shape, target, TensorView(stride, view.layout, valid, pad))


def tensor_transpose(site: Site) -> Type:
    """Two axes swapped: strides are swapped with them, and swapping the last two flips ND and DN."""
    tensor = site.plain_tensor(0)
    check_not_mx(site, tensor)
    rank = len(tensor.shape)
    if rank < 2:
        site.refuse("shape", "needs at least two axes", 0)
    first, second = transposed_axes(site, rank)
    view = view_of(tensor)
    trailing = {first, second} == {rank - 2, rank - 1}
    layout = view.layout if not trailing else "DN" if view.layout == "ND" else "ND"
    shape = swapped(tensor.shape, first, second)
    stride: Shape | None = swapped(view.stride or packed_strides(tensor.shape, "ND"), first, second)
    if layout == "ND" and same_shape(stride or (), packed_strides(shape, "ND")):
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
    view = view_of(tensor)
    layout = site.attr("layout", str) or view.layout
    reshaped = site.has(1)
    if not reshaped and "layout" not in site.attrs:
        site.refuse("arity", "needs a shape or a layout")
    if {view.layout, layout} & {"NZ", *MX_LAYOUTS}:
        site.refuse("layout", f"does not work with layout {view.layout} to {layout}", 0)
    check_canonical(site, tensor)
    shape = _viewed_shape(site, tensor, layout)
    if layout == "DN" and len(shape) < 2:
        site.refuse("layout", "DN needs at least two axes")
    if reshaped:
        return _reshaped_view(site, tensor, shape, layout)
    stride, valid = view.stride or packed_strides(shape, layout), view.valid_shape
    if view.layout != layout:
        stride = swapped(view.stride, -2, -1) if view.stride else stride
        valid = swapped(valid, -2, -1) if valid else valid
    return with_view(tensor, shape, TensorView(stride, layout, valid, view.pad))


def _reshaped_view(site: Site, tensor: TensorType, shape: Shape, layout: str) -> Type:
    result = TensorView(packed_strides(shape, layout), layout)
    partial = not same_shape(valid_shape(tensor), tensor.shape)
    if site.has(2):
        valid = _told_valid(site, tensor, shape, layout)
        return with_view(tensor, shape, evolve(result, valid_shape=valid or None, pad=view_of(tensor).pad))
    if partial:
        site.refuse("valid-region", "a partly valid tensor needs a valid_shape with the new shape", 0)
    return with_view(tensor, shape, result)


def _told_valid(site: Site, tensor: TensorType, shape: Shape, layout: str) -> Shape:
    """The valid shape that the author gives; it belongs to a partly valid tensor whose leading axes collapse."""
    valid = site.tuple(2, "valid_shape")
    if valid and len(valid) != len(shape):
        site.refuse("shape", f"valid_shape needs {len(shape)} extents, got {len(valid)}", 2)
    for part, dim in zip(valid, shape, strict=False):
        if isinstance(part, int) and (part <= 0 or (isinstance(dim, int) and part > dim)):
            site.refuse("valid-region", f"valid_shape {format_shape(valid)} does not fit {format_shape(shape)}", 2)
    if bool(valid) == same_shape(valid_shape(tensor), tensor.shape):
        site.refuse("valid-region", "a valid_shape goes with a partly valid tensor, and only with one", 2)
    if valid and not ({view_of(tensor).layout, layout} == {"ND"} and _collapses(tensor, shape, valid)):
        site.refuse("valid-region", "a valid_shape survives only where leading axes collapse into two", 2)
    return valid


def _collapses(tensor: TensorType, shape: Shape, valid: Shape) -> bool:
    """Whether all axes but the last, or all axes, become one, and the valid part stays a run from the start."""
    old, part = tensor.shape, valid_shape(tensor)
    if len(shape) != 2:
        return False
    leading = [_product(old[:-1]), old[-1], _product(part[:-1]), part[-1]]
    linear = [1, _product(old), 1, _product(part)]
    found = [*shape, *valid]
    if same_shape(found, linear):
        return _is_prefix(old, part)
    return same_shape(found, leading) and _is_prefix(old[:-1], part[:-1])


def _product(shape: Shape) -> Dim:
    return reduce(multiply, shape, 1)


def _is_prefix(shape: Shape, valid: Shape) -> bool:
    """Behind the first axis that holds more than one valid element every axis is fully valid."""
    past = False
    for extent, part in zip(shape, valid, strict=True):
        if past and not same_shape((part,), (extent,)):
            return False
        past = past or part != 1
    return True


def _viewed_shape(site: Site, tensor: TensorType, layout: str) -> Shape:
    view = view_of(tensor)
    if not site.has(1):
        if view.layout == layout:
            return tensor.shape
        rank = len(tensor.shape)
        if rank < 2:
            site.refuse("shape", "a change of layout needs at least two axes", 0)
        return swapped(tensor.shape, rank - 2, rank - 1)
    if not is_packed(tensor):
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
    valid = tuple(site.index(operand, name) for operand, name in ((1, "valid_rows"), (2, "valid_cols")))
    check_valid_bounds(site, valid, tensor.shape)
    return tensor_type(tensor.shape, tensor.dtype, evolve(view_of(tensor), valid_shape=valid))


RULES: dict[str, Callable[[Site], Type]] = {
    rule.__name__: rule
    for rule in (
        tensor_slice,
        tensor_assemble,
        tensor_fillpad,
        tensor_fillpad_expand,
        tensor_reshape,
        tensor_reinterpret,
        tensor_transpose,
        tensor_view,
        tensor_set_validshape,
    )
}
"""By the name the table uses."""
