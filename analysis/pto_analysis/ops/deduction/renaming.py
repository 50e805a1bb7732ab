"""Whole-type rules of the ops that see a tile in another shape, dtype, order or valid region."""

from __future__ import annotations

from pto_analysis.frozen import evolve
from pto_analysis.ir.types import (
    Layout,
    Pad,
    Shape,
    TileView,
    Type,
)
from pto_analysis.ops.deduction.reshape import reinterpreted, reshaped_valid
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import format_shape
from pto_analysis.ops.sizes import element_count
from pto_analysis.ops.views import (
    effective_view,
    layout_of_shape,
    tile_type,
    valid_shape,
)


def reshape(site: Site) -> Type:
    """The same elements in another shape."""
    tile = site.tile(0)
    shape = site.index_tuple(1, "shape")
    before, after = element_count(tile.shape), element_count(shape)
    if before and after and before > 0 and after > 0 and before != after:
        site.refuse("shape", f"{before} elements cannot become {after}", 1)
    source = effective_view(tile)
    row_major = source.blayout is Layout.ROW_MAJOR
    valid = reshaped_valid(site, valid_shape(tile), tile.shape, shape, row_major=row_major)
    view = TileView(layout_of_shape(shape), valid_shape=valid, pad=source.pad, compact=source.compact)
    return tile_type(shape, tile.dtype, view)


def reinterpret(site: Site) -> Type:
    """The same bytes as elements of another dtype."""
    tile = site.tile(0)
    view = effective_view(tile)
    target = site.required_dtype()
    if view.slayout is not Layout.NONE_BOX:
        site.refuse("layout", "works on flat tiles only, not on boxed ones", 0)
    by_columns = view.blayout is Layout.COL_MAJOR
    if by_columns and len(tile.shape) < 2:
        site.refuse("layout", "a column-major tile needs two axes", 0)
    if tile.view is not None and (tile.view.stride or tile.view.start_offset not in (None, 0)):
        site.refuse("layout", "works on packed tiles without stride or start offset only", 0)
    requested = site.index_tuple(1, "shape") if site.has(1) else None
    if requested is not None and (not requested or (by_columns and len(requested) < 2)):
        site.refuse("shape", "the target shape has too few axes", 1)
    axis = len(tile.shape) - (2 if by_columns else 1)
    shape, valid = reinterpreted(site, tile.shape, view.valid_shape or (), tile.dtype, target, axis, requested)
    pad = Pad.ZERO if view.pad is Pad.ZERO else Pad.NULL
    result = evolve(view, valid_shape=valid, pad=pad, stride=None, start_offset=None)
    return tile_type(shape, target, result, tile.space)


def transpose(site: Site) -> Type:
    """A copy with two axes swapped; all of it counts as valid."""
    tile = site.tile(0)
    rank = len(tile.shape)
    if rank < 2:
        site.refuse("shape", "needs at least two axes", 0)
    if site.has(3):
        scratch = site.tile(3)
        if scratch.dtype != tile.dtype or len(scratch.shape) != rank:
            site.refuse("shape", "the scratch tile must have the dtype and rank of the operand", 3)
    first, second = transposed_axes(site, rank)
    shape = swapped(tile.shape, first, second)
    return tile_type(shape, tile.dtype, TileView())


def transposed_axes(site: Site, rank: int) -> tuple[int, int]:
    """Operands 1 and 2 as two different axes; negative ones count from the end."""
    axes: list[int] = []
    for operand in (1, 2):
        axis = site.constant(operand)
        if axis is None:
            site.refuse("attribute", f"axis{operand} must be a constant", operand)
        if not -rank <= axis < rank:
            site.refuse("shape", f"axis {axis} does not exist in {rank} axes", operand)
        axes.append(axis % rank)
    if axes[0] == axes[1]:
        site.refuse("attribute", "the two axes must be different", 2)
    return axes[0], axes[1]


def swapped(shape: Shape, first: int, second: int) -> Shape:
    dims = list(shape)
    dims[first], dims[second] = dims[second], dims[first]
    return tuple(dims)


_FLIPPED = {
    Layout.ROW_MAJOR: Layout.COL_MAJOR,
    Layout.COL_MAJOR: Layout.ROW_MAJOR,
    Layout.NONE_BOX: Layout.NONE_BOX,
}


def transpose_view(site: Site) -> Type:
    """The last two axes swapped by renaming: row and column major trade places."""
    tile = site.tile(0)
    rank = len(tile.shape)
    if rank < 2:
        site.refuse("shape", "needs at least two axes", 0)
    source = effective_view(tile)
    view = evolve(
        source,
        blayout=_FLIPPED[source.blayout],
        slayout=_FLIPPED[source.slayout],
        valid_shape=swapped(source.valid_shape or tile.shape, rank - 2, rank - 1),
        stride=None,
        start_offset=None,
    )
    return tile_type(swapped(tile.shape, rank - 2, rank - 1), tile.dtype, view, tile.space)


def set_validshape(site: Site) -> Type:
    """The same tile with another valid region."""
    tile = site.tile(0)
    if len(tile.shape) != 2:
        site.refuse("shape", f"needs a tile with two axes, has {len(tile.shape)}", 0)
    valid = tuple(site.index(operand, name) for operand, name in ((1, "valid_rows"), (2, "valid_cols")))
    check_valid_bounds(site, valid, tile.shape)
    view = evolve(effective_view(tile), valid_shape=valid)
    return tile_type(tile.shape, tile.dtype, view)


def check_valid_bounds(site: Site, valid: Shape, shape: Shape) -> None:
    """Constant valid extents must be between zero and the physical extent."""
    for axis, (part, dim) in enumerate(zip(valid, shape, strict=False)):
        if not isinstance(part, int):
            continue
        if part < 0 or (isinstance(dim, int) and part > dim):
            site.refuse(
                "valid-region", f"valid extent {part} on axis {axis} does not fit {format_shape(shape)}", axis + 1
            )
