"""Whole-type rules of the ops that move, allocate or rename memory (load, store, move, slice, extract, …)."""

from __future__ import annotations

from typing import cast

from attrs import evolve

from pto_analysis.ir.dtypes import DTYPES, DType
from pto_analysis.ir.expr import Expr, type_of
from pto_analysis.ir.types import (
    Compact,
    Layout,
    Pad,
    ScalarType,
    Shape,
    Space,
    TensorType,
    TensorView,
    TileType,
    TileView,
    Type,
    UnknownType,
)
from pto_analysis.ops.deduction.checks import require_in_set
from pto_analysis.ops.deduction.reshape import reinterpreted, reshaped_valid
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.deduction.windows import WindowRead, WindowWrite, read_window, write_window
from pto_analysis.ops.dims import as_dim, format_shape, prove_eq, same_shape
from pto_analysis.ops.sizes import element_count
from pto_analysis.ops.views import (
    SCALE_FRACTAL,
    effective_view,
    implicit_view,
    layout_of_shape,
    tensor_type,
    tile_type,
    valid_shape,
)

MX_LAYOUTS = ("MX_A_ZZ", "MX_B_NN")
"""Layouts of scale tensors."""


def load(site: Site) -> Type:
    """GM window into a tile; clamped kind (reference: f.5)."""
    tensor = site.tensor(0)
    offsets, window = site.tuple(1, "offsets"), site.tuple(2, "shapes")
    requested = site.tuple(3, "valid_shape")
    if not len(offsets) == len(window) == len(requested):
        site.refuse("shape", "offsets, shapes and valid_shape must have the same number of elements", 1)
    if not window:
        site.refuse("shape", "needs at least one axis", 2)
    target = site.attr("target_memory", Space)
    if target not in (None, Space.VEC, Space.MAT):
        site.refuse("space", f"loads into Vec or Mat, not into {target.value if target else ''}")
    layout = tensor.view.layout if tensor.view else "ND"
    view = _scale_view(site, tensor, window) if layout in MX_LAYOUTS else _load_view(window, layout, target)
    valid = requested
    if len(window) == len(tensor.shape):
        read = WindowRead(tensor.shape, valid_shape(tensor), offsets, window, requested, clamp=site.flag("clamp"))
        valid = read_window(site, read)
    return tile_type(window, tensor.dtype, evolve(view, valid_shape=valid), target)


def _load_view(window: Shape, layout: str, target: Space | None) -> TileView:
    if target is None:
        return TileView()
    if target is not Space.MAT:
        column = window[-1] == 1
        return TileView(Layout.COL_MAJOR if column else Layout.ROW_MAJOR)
    transposed = layout == "DN"
    if len(window) == 2 and window[1 if transposed else 0] == 1:
        return TileView()
    if transposed:
        return TileView(Layout.ROW_MAJOR, Layout.COL_MAJOR)
    return TileView(Layout.COL_MAJOR, Layout.ROW_MAJOR)


def _scale_view(site: Site, tensor: TensorType, window: Shape) -> TileView:
    """A load of MX scales keeps their block order."""
    if tensor.dtype.name not in ("FP8E8M0", "UINT8"):
        site.refuse("dtype", f"scales are FP8E8M0 or UINT8, not {tensor.dtype}", 0)
    if len(tensor.shape) != 2 or len(window) != 2:
        site.refuse("shape", "scales are loaded in two dimensions", 0)
    if tensor.view is not None and tensor.view.stride:
        site.refuse("layout", "scales must be packed, without strides", 0)
    if site.attr("target_memory", Space) is not Space.MAT:
        site.refuse("space", "scales are loaded into Mat only")
    by_columns = tensor.view is not None and tensor.view.layout == "MX_B_NN"
    order = Layout.COL_MAJOR if by_columns else Layout.ROW_MAJOR
    return TileView(order, order, SCALE_FRACTAL)


def store(site: Site) -> Type:
    """A tile into a GM window: the result is the tensor, with the valid region it has afterwards."""
    tile = site.tile(0)
    offsets = site.tuple(1, "offsets")
    tensor = site.tensor(2)
    if site.has(3):
        shapes = site.tuple(3, "shapes")
        if len(shapes) != len(offsets):
            site.refuse("shape", "shapes and offsets must have the same number of elements", 3)
        return type_of(site.arg(2))
    if len(tile.shape) != len(tensor.shape) or len(offsets) != len(tensor.shape):
        return type_of(site.arg(2))
    before = valid_shape(tensor)
    write = WindowWrite(tensor.shape, before, tile.shape, valid_shape(tile), offsets)
    after = write_window(site, write)
    if same_shape(after, before):
        return type_of(site.arg(2))
    view = evolve(tensor.view or TensorView(), valid_shape=after)
    return evolve(tensor_type(tensor.shape, tensor.dtype, view, distributed=tensor.distributed), memref=tensor.memref)


def create(site: Site) -> Type:
    """A new tile without data. Only Acc and flat Mat tiles fix their space here."""
    shape = site.constant_shape(0, "shape")
    dtype = _required_dtype(site)
    space = site.attr("target_memory", Space)
    transposed, flat = site.flag("transpose"), site.flag("flat_layout")
    if transposed and (len(shape) != 2 or space is not Space.MAT):
        site.refuse("attribute", "transpose needs a two-dimensional tile in Mat")
    if flat and (space is not Space.MAT or transposed):
        site.refuse("attribute", "flat_layout needs a tile in Mat that is not transposed")
    if flat:
        return tile_type(shape, dtype, TileView(), Space.MAT)
    if space is Space.ACC:
        return tile_type(shape, dtype, implicit_view(shape, space), space)
    if transposed:
        return tile_type(shape, dtype, TileView(Layout.ROW_MAJOR, Layout.COL_MAJOR))
    return tile_type(shape, dtype, TileView(layout_of_shape(shape)))


def _required_dtype(site: Site) -> DType:
    dtype = site.attr("dtype", DType)
    if dtype is None:
        site.refuse("attribute", "needs a dtype")
    return dtype


def move(site: Site) -> Type:
    """A copy into another space, which dictates the layout except in Vec."""
    tile = site.tile(0)
    space = site.attr("target_memory", Space)
    if space is None:
        site.refuse("attribute", "needs target_memory")
    source = effective_view(tile)
    view = implicit_view(tile.shape, space)
    dictated = view != implicit_view(tile.shape, None)
    if not dictated:
        view = evolve(view, blayout=source.blayout, slayout=source.slayout)
    if space is Space.RIGHT:
        view = evolve(view, blayout=Layout.ROW_MAJOR)
    blayout = site.attr("blayout", Layout) or view.blayout
    slayout = site.attr("slayout", Layout) or view.slayout
    dtype = tile.dtype
    if space in (Space.LEFT_SCALE, Space.RIGHT_SCALE):
        if (blayout, slayout) != (view.blayout, view.slayout):
            site.refuse("layout", f"the layout of {space.value} is fixed")
        dtype = _scale_dtype(site, tile, source, space)
    view = evolve(view, blayout=blayout, slayout=slayout, valid_shape=source.valid_shape, pad=source.pad)
    return tile_type(tile.shape, dtype, view, space)


def _scale_dtype(site: Site, tile: TileType, source: TileView, space: Space) -> DType:
    if len(tile.shape) != 2:
        site.refuse("shape", "a scale tile has two axes", 0)
    if tile.space is not Space.MAT:
        site.refuse("space", "scales are moved from Mat", 0)
    if tile.dtype.name not in ("UINT8", "FP8E8M0"):
        site.refuse("dtype", f"scales are FP8E8M0 or UINT8, not {tile.dtype}", 0)
    order = Layout.ROW_MAJOR if space is Space.LEFT_SCALE else Layout.COL_MAJOR
    if (source.blayout, source.slayout, source.fractal) != (order, order, SCALE_FRACTAL):
        site.refuse("layout", f"the source must be loaded with the layout of {space.value}", 0)
    return DTYPES["FP8E8M0"]


def slice_(site: Site) -> Type:
    """A window of an on-chip tile as a view; exact kind. Dropped axes vanish, two axes remain."""
    tile = site.tile(0)
    window = _static_window(site, 1)
    offsets = site.index_tuple(2, "offset")
    if len(offsets) != len(window):
        site.refuse("shape", f"shape has {len(window)} axes, offset {len(offsets)}", 2)
    requested = site.index_tuple(3, "valid_shape") if site.has(3) else ()
    read = WindowRead(tile.shape, valid_shape(tile), offsets, window, requested, exact=True)
    valid = read_window(site, read)
    dropped = dropped_axes(site, 4, window)
    check_dropped_valid(site, dropped, valid)
    if dropped:
        window, valid = without_axes(window, dropped), without_axes(valid, dropped)
        missing = max(0, 2 - len(window))
        window, valid = (*(1,) * missing, *window), (*(1,) * missing, *valid)
    view = tile.view if tile.view is not None else TileView(layout_of_shape(window))
    view = evolve(view, stride=None, start_offset=None, valid_shape=valid)
    if "pad_value" in site.attrs:
        view = evolve(view, pad=site.attr("pad_value", Pad) or Pad.NULL)
    return tile_type(window, tile.dtype, view)


def _static_window(site: Site, index: int) -> Shape:
    site.index_tuple(index, "shape")
    return site.constant_shape(index, "shape")


def dropped_axes(site: Site, index: int, window: Shape) -> tuple[int, ...]:
    """The axes that operand `index` names for removal: constant, distinct, of extent 1."""
    if not site.has(index):
        return ()
    axes: list[int] = []
    for axis in site.tuple(index, "drop_dims"):
        if not isinstance(axis, int) or not 0 <= axis < len(window) or axis in axes:
            site.refuse("shape", "drop_dims must be distinct constant axes of the window", index)
        if window[axis] != 1:
            site.refuse("shape", f"only an axis of extent 1 can be dropped, axis {axis} has {window[axis]}", index)
        axes.append(axis)
    return tuple(sorted(axes))


def check_dropped_valid(site: Site, axes: tuple[int, ...], valid: Shape) -> None:
    for axis in axes:
        if prove_eq(valid[axis], 1) is not True:
            site.refuse("valid-region", f"axis {axis} can be dropped only when it is provably valid", 4)


def without_axes(shape: Shape, axes: tuple[int, ...]) -> Shape:
    return tuple(dim for axis, dim in enumerate(shape) if axis not in axes)


def extract(site: Site) -> Type:
    """A copy of a window of a tile into another space; exact kind."""
    tile = site.tile(0)
    if len(tile.shape) != 2:
        site.refuse("shape", f"needs a tile with two axes, has {len(tile.shape)}", 0)
    offsets = tuple(as_index(site, operand, name) for operand, name in ((1, "index_row"), (2, "index_col")))
    window = _static_window(site, 3)
    if len(window) != 2:
        site.refuse("shape", f"shape must have two axes, has {len(window)}", 3)
    for axis in range(2):
        inner, outer = window[axis], tile.shape[axis]
        if isinstance(inner, int) and isinstance(outer, int) and inner > outer:
            site.refuse("out-of-bounds", f"the window {format_shape(window)} exceeds {format_shape(tile.shape)}", 3)
    read = WindowRead(tile.shape, valid_shape(tile), offsets, window, exact=True)
    valid = read_window(site, read)
    space = site.attr("target_memory", Space) or Space.VEC
    view = evolve(implicit_view(window, space), valid_shape=valid)
    if space is Space.LEFT:
        view = evolve(view, blayout=Layout.ROW_MAJOR, slayout=Layout.ROW_MAJOR)
    if space is Space.RIGHT:
        view = evolve(view, blayout=Layout.ROW_MAJOR, slayout=Layout.COL_MAJOR)
    if space in (Space.LEFT, Space.RIGHT) and not same_shape(valid, window):
        view = evolve(view, compact=Compact.NORMAL)
    return tile_type(window, tile.dtype, view, space)


def as_index(site: Site, operand: int, name: str) -> int | Expr:
    """A scalar operand of dtype INT64, UINT64 or INDEX."""
    value = as_dim(site.arg(operand))
    site.check_index(value, name, operand)
    return value


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
    target = _required_dtype(site)
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


def assemble(site: Site) -> Type:
    """A tile written into another at an offset; exact kind, the whole physical source is copied."""
    target, source = site.tile(0), site.tile(1)
    offsets = site.index_tuple(2, "offset")
    narrowing = source.dtype.name == "FP32" and target.dtype.name in ("BF16", "FP16")
    if target.dtype != source.dtype and not narrowing:
        message = f"target {target.dtype} and source {source.dtype} must agree (FP32 may go into BF16 or FP16)"
        site.refuse("dtype", message, 1)
    valid = target.shape
    if len(source.shape) == len(target.shape) == len(offsets):
        write = WindowWrite(target.shape, valid_shape(target), source.shape, valid_shape(source), offsets, exact=True)
        valid = write_window(site, write)
    view = evolve(effective_view(target), valid_shape=valid)
    return tile_type(target.shape, target.dtype, view, target.space)


def set_validshape(site: Site) -> Type:
    """The same tile with another valid region."""
    tile = site.tile(0)
    if len(tile.shape) != 2:
        site.refuse("shape", f"needs a tile with two axes, has {len(tile.shape)}", 0)
    valid = tuple(as_index(site, operand, name) for operand, name in ((1, "valid_rows"), (2, "valid_cols")))
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


def gather_row(site: Site) -> Type:
    """One GM row loaded into a part of a tile or L1 tensor; the result is the destination."""
    target = site.shaped(0)
    source = site.tensor(1) if isinstance(target, TensorType) else site.plain_tensor(1)
    if target.dtype != source.dtype:
        site.refuse("dtype", f"destination {target.dtype} and source {source.dtype} must agree", 1)
    window = site.constant_shape(4, "shapes")
    if site.has(5):
        _check_transfer(site, window)
    return type_of(site.arg(0))


def _check_transfer(site: Site, window: Shape) -> None:
    transfer = site.tuple(5, "valid_shape")
    if len(transfer) != len(window):
        site.refuse("shape", f"valid_shape needs {len(window)} extents, got {len(transfer)}", 5)
    if site.flag("transpose") and not all(isinstance(dim, int) for dim in transfer):
        site.refuse("attribute", "transpose needs a valid_shape known at compile time", 5)
    for part, dim in zip(transfer, window, strict=False):
        if isinstance(part, int) and isinstance(dim, int) and not 0 <= part <= dim:
            site.refuse("valid-region", f"valid_shape {format_shape(transfer)} exceeds {format_shape(window)}", 5)


def counter(site: Site) -> Type:
    """ci: consecutive integers in one row."""
    dtype = _required_dtype(site)
    require_in_set(site, dtype, "counter")
    if site.scalar(0) != dtype:
        site.refuse("dtype", f"start must be {dtype}, but is {site.scalar(0)}", 0)
    shape = site.constant_shape(1, "shape")
    if shape[-1] == 1 or any(dim != 1 for dim in shape[:-1]):
        site.refuse("shape", f"fills one row of more than one column, not {format_shape(shape)}", 1)
    return tile_type(shape, dtype, TileView())


def element(site: Site) -> Type:
    """read: one element as a scalar."""
    return ScalarType(site.dtype(0))


def filled(site: Site) -> Type:
    """full: a constant everywhere."""
    shape = site.constant_shape(0, "shape")
    return tile_type(shape, _required_dtype(site), TileView())


def with_requested_valid(site: Site, operand: int, shape: Shape) -> Shape:
    """Optional valid-shape operand of tri and random: constants from 1 to the extent."""
    if not site.has(operand):
        return shape
    valid = site.constant_shape(operand, "valid_shape")
    if len(valid) != len(shape) or any(
        isinstance(part, int) and isinstance(dim, int) and part > dim for part, dim in zip(valid, shape, strict=False)
    ):
        site.refuse("valid-region", f"valid_shape {format_shape(valid)} does not fit {format_shape(shape)}", operand)
    return valid


def triangle(site: Site) -> Type:
    """tri: a triangular mask."""
    dtype = _required_dtype(site)
    require_in_set(site, dtype, "triangular")
    if site.scalar(0).name != "INT32":
        site.refuse("dtype", f"the diagonal must be INT32, but is {site.scalar(0)}", 0)
    shape = site.constant_shape(1, "shape")
    if len(shape) != 2:
        site.refuse("shape", f"needs two axes, got {len(shape)}", 1)
    return tile_type(shape, dtype, TileView(valid_shape=with_requested_valid(site, 2, shape)))


def random(site: Site) -> Type:
    """random: pseudo-random integers from six seed words."""
    dtype = _required_dtype(site)
    require_in_set(site, dtype, "random")
    if site.attrs.get("rounds", 10) not in (7, 10):
        site.refuse("attribute", f"rounds must be 7 or 10, got {site.attrs.get('rounds')}")
    for operand in range(6):
        if site.scalar(operand).name != "INT32":
            site.refuse("dtype", f"seed {operand} must be INT32, but is {site.scalar(operand)}", operand)
    shape = site.constant_shape(6, "shape")
    if len(shape) != 2:
        site.refuse("shape", f"needs two axes, got {len(shape)}", 6)
    return tile_type(shape, dtype, TileView(valid_shape=with_requested_valid(site, 7, shape)))


def same_as(site: Site) -> Type:
    """The type of the operand that the op's storage relation names."""
    return type_of(site.arg(site.spec.storage.operand or 0))


def updated(site: Site) -> Type:
    """The destination tile again, with its effective view."""
    tile = site.tile(0)
    return tile_type(tile.shape, tile.dtype, effective_view(tile), tile.space)


def write_element(site: Site) -> Type:
    """write: the value has the element type; the result names the destination."""
    if site.scalar(2) != site.dtype(0):
        site.refuse("dtype", f"the value must be {site.dtype(0)}, but is {site.scalar(2)}", 2)
    return type_of(site.arg(0))


def popped(site: Site) -> Type:
    """tpop: shape and dtype are given by keyword; without them the type comes from the annotation."""
    shape, dtype = site.attrs.get("shape"), site.attr("dtype", DType)
    if not isinstance(shape, tuple) or dtype is None:
        return UnknownType("tpop without shape and dtype")
    return tile_type(tuple(as_dim(dim) for dim in cast("tuple[Expr | int, ...]", shape)), dtype)
