"""Tile views: the layout a tile has when none is written, the layout in effect, and their canonical form.

A view that says nothing but what is implied by space and shape is not written down (`TileType.view` is None), and
a full valid shape is None, so two equal types are equal values (reference: DSL section f.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frozen import evolve
from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.types import (
    Compact,
    Dim,
    Layout,
    MemRef,
    Pad,
    Shape,
    Space,
    TensorType,
    TensorView,
    TileType,
    TileView,
    Type,
)
from pto_analysis.ir.views import ACC_FRACTAL, implicit_view
from pto_analysis.ops.dims import same_dim, same_shape

DEFAULT_FRACTAL = 512
SCALE_FRACTAL = 32
"""Box sizes in bytes; that of L0C is `ACC_FRACTAL`."""


def layout_of_shape(shape: Sequence[Dim]) -> Layout:
    """Column major for a column vector `[N > 1, 1]` with constant extents, else row major."""
    return implicit_view(tuple(shape), None).blayout


def effective_view(tile: TileType) -> TileView:
    """The view in effect, with the valid shape always filled in."""
    view = tile.view if tile.view is not None else implicit_view(tile.shape, tile.space)
    if view.valid_shape is not None:
        return view
    layout = (view.blayout, view.slayout, view.fractal)
    return TileView(*layout, tile.shape, view.pad, view.compact, view.stride, view.start_offset)


def valid_shape(value: TileType | TensorType) -> Shape:
    """The part of a tile or tensor that holds data, in elements."""
    view = value.view
    if view is None or not view.valid_shape:
        return value.shape
    return view.valid_shape


def canonical_view(view: TileView | None, shape: Sequence[Dim], space: Space | None) -> TileView | None:
    """The view as a type stores it: no full valid shape, and None when it equals the implicit view."""
    if view is None:
        return None
    if view.valid_shape is not None and (not view.valid_shape or same_shape(view.valid_shape, shape)):
        view = evolve(view, valid_shape=None)
    if view.valid_shape is not None or view.stride or view.start_offset is not None:
        return view
    if view.pad is not Pad.NULL or view.compact is not Compact.NULL:
        return view
    implied = implicit_view(tuple(shape), space)
    same = (view.blayout, view.slayout, view.fractal) == (implied.blayout, implied.slayout, implied.fractal)
    return None if same else view


def tile_type(
    shape: Sequence[Dim],
    dtype: DType,
    view: TileView | None = None,
    space: Space | None = None,
    memref: MemRef | None = None,
) -> TileType:
    """A tile type in canonical form."""
    return TileType(tuple(shape), dtype, space, canonical_view(view, shape, space), memref)


def with_space(tile: TileType, space: Space) -> TileType:
    """The tile in a space that was decided after its type was built.

    A view that was implicit stays implicit, so its layout becomes that of the new space.
    """
    return tile_type(tile.shape, tile.dtype, tile.view, space, tile.memref)


def tensor_type(
    shape: Sequence[Dim], dtype: DType, view: TensorView | None = None, *, distributed: bool = False
) -> TensorType:
    """A tensor type in canonical form: no full valid shape, and no view that says nothing."""
    if view is not None and view.valid_shape is not None and same_shape(view.valid_shape, shape):
        view = evolve(view, valid_shape=None)
    if view is not None and view.layout == "ND" and not view.stride and not view.valid_shape and view.pad is Pad.NULL:
        view = None
    return TensorType(tuple(shape), dtype, view, distributed=distributed)


def same_type(left: Type, right: Type) -> bool:
    """Whether two types are equal, tiles by effective view and tensors in canonical form."""
    if isinstance(left, TileType) and isinstance(right, TileType):
        return _same_tile(left, right)
    if isinstance(left, TensorType) and isinstance(right, TensorType):
        a = tensor_type(left.shape, left.dtype, left.view)
        b = tensor_type(right.shape, right.dtype, right.view)
        return a.dtype == b.dtype and same_shape(a.shape, b.shape) and _same_tensor_view(a.view, b.view)
    return left == right


def _same_tile(left: TileType, right: TileType) -> bool:
    if left.dtype != right.dtype or left.space != right.space or not same_shape(left.shape, right.shape):
        return False
    a, b = effective_view(left), effective_view(right)
    plain = (a.blayout, a.slayout, a.fractal, a.pad, a.compact) == (b.blayout, b.slayout, b.fractal, b.pad, b.compact)
    return plain and same_shape(a.valid_shape or (), b.valid_shape or ()) and same_shape(a.stride or (), b.stride or ())


def _same_tensor_view(left: TensorView | None, right: TensorView | None) -> bool:
    if left is None or right is None:
        return left is right
    if (left.layout, left.pad) != (right.layout, right.pad):
        return False
    valid = same_shape(left.valid_shape or (), right.valid_shape or ())
    return valid and same_shape(left.stride or (), right.stride or ())


def box_of(view: TileView, dtype: DType) -> tuple[int, int] | None:
    """Rows and columns of one inner box in elements, or None for a tile without boxes."""
    if view.slayout is Layout.NONE_BOX:
        return None
    by_rows = view.slayout is Layout.ROW_MAJOR
    if view.fractal == ACC_FRACTAL:
        return 16, 16
    if view.fractal == SCALE_FRACTAL:
        return (16, 2) if by_rows else (2, 16)
    if view.fractal != DEFAULT_FRACTAL or 256 % dtype.storage_bits:
        return None
    packed = 256 // dtype.storage_bits
    return (16, packed) if by_rows else (packed, 16)


def is_fully_valid(value: TileType | TensorType) -> bool:
    """Whether the valid shape is written as the whole shape."""
    return all(same_dim(a, b) for a, b in zip(valid_shape(value), value.shape, strict=False))
