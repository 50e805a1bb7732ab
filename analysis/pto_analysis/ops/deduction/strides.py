"""Strides of tensors in elements: packed ones, and what a written stride must satisfy."""

from __future__ import annotations

import itertools

from pto_analysis.ir.types import Dim, Shape, TensorType, TensorView
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import format_shape, multiply, same_shape


def view_of(tensor: TensorType) -> TensorView:
    """The view of a tensor, a plain one when none is written."""
    return tensor.view if tensor.view is not None else TensorView()


def packed_strides(shape: Shape, layout: str) -> Shape:
    """Strides without gaps: row by row, and for DN with the last two axes swapped."""
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


def is_packed(tensor: TensorType) -> bool:
    """Whether the elements of a tensor lie without gaps in the order of its layout."""
    view = view_of(tensor)
    return not view.stride or same_shape(view.stride, packed_strides(tensor.shape, view.layout))


def is_contiguous(tensor: TensorType) -> bool:
    """Whether an ND tensor lies without gaps. A stride must be proof: constant, except on axes of extent 1."""
    view = view_of(tensor)
    if view.layout != "ND" or not view.stride:
        return view.layout == "ND"
    packed = packed_strides(tensor.shape, "ND")
    return len(view.stride) == len(packed) and all(
        isinstance(dim, int) and isinstance(stride, int) and (dim == 1 or stride == wanted)
        for dim, stride, wanted in zip(tensor.shape, view.stride, packed, strict=True)
    )


def check_canonical(site: Site, tensor: TensorType) -> None:
    """A written stride has 1 on the innermost axis of the layout and never less than what lies inside."""
    view = view_of(tensor)
    if not view.stride:
        return
    order = list(range(len(tensor.shape)))
    if view.layout == "DN" and len(order) >= 2:
        order[-2:] = order[-1], order[-2]
    fits = len(view.stride) == len(tensor.shape) and view.stride[order[-1]] == 1
    for outer, inner in itertools.pairwise(order):
        needed = multiply(view.stride[inner], tensor.shape[inner]) if fits else 0
        stride = view.stride[outer] if fits else 0
        fits = fits and not (isinstance(stride, int) and isinstance(needed, int) and stride < needed)
    if not fits:
        message = f"stride {format_shape(view.stride)} does not fit {format_shape(tensor.shape)} in {view.layout}"
        site.refuse("layout", message, 0)
