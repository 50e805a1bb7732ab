"""Whole-type rules of the ops that move, allocate or rename memory (load, store, move, slice, extract, …)."""

from __future__ import annotations

from pto_analysis.frozen import evolve
from pto_analysis.ir.dtypes import DTYPES, DType
from pto_analysis.ir.expr import type_of
from pto_analysis.ir.types import (
    Compact,
    Layout,
    Pad,
    Shape,
    Space,
    TensorType,
    TensorView,
    TileType,
    TileView,
    Type,
)
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.deduction.strides import is_packed
from pto_analysis.ops.deduction.windows import WindowRead, WindowWrite, read_window, write_window
from pto_analysis.ops.dims import format_shape, prove_eq, same_shape, scalar_dtype
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
    if not is_packed(tensor):
        site.refuse("layout", "scales must be packed, without gaps", 0)
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
    dtype = site.required_dtype()
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
    offsets = tuple(site.index(operand, name) for operand, name in ((1, "index_row"), (2, "index_col")))
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
    for position, dim in enumerate(transfer):
        dtype = scalar_dtype(dim)
        if dtype is not None and dtype.is_float:
            site.refuse("dtype", f"valid_shape[{position}] must be an integer, but is {dtype}", 5)
    if site.flag("transpose") and not all(isinstance(dim, int) for dim in transfer):
        site.refuse("attribute", "transpose needs a valid_shape known at compile time", 5)
    for part, dim in zip(transfer, window, strict=False):
        if isinstance(part, int) and isinstance(dim, int) and not 0 <= part <= dim:
            site.refuse("valid-region", f"valid_shape {format_shape(transfer)} exceeds {format_shape(window)}", 5)
