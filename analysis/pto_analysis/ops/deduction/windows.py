"""Valid regions of windows: what a read of a window yields and what a write into one leaves valid.

Reference: DSL section f.5. "provably" always means what the compiler can prove while it types the op.
"""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.expr import type_of
from pto_analysis.ir.types import Dim, Shape, UnknownType
from pto_analysis.ops.deduction.site import Site, UndecidedError
from pto_analysis.ops.dims import (
    add,
    format_dim,
    format_shape,
    is_empty,
    larger,
    prove_eq,
    prove_le,
    same_dim,
    scalar_dtype,
    smaller,
    subtract,
)


@frozen
class WindowRead:
    """A read of `window` elements at `offsets` from a source.

    `requested` is the valid shape the author asks for, () for none. With `exact` the whole window must fit the
    source (on-chip reads); otherwise only what is requested must, and with `clamp` nothing must.
    """

    source: Shape
    source_valid: Shape
    offsets: Shape
    window: Shape
    requested: Shape = ()
    exact: bool = False
    clamp: bool = False


def read_window(site: Site, read: WindowRead) -> Shape:
    """The valid shape of the result."""
    rank = len(read.window)
    if len(read.source) != rank:
        message = f"the window {format_shape(read.window)} and the source {format_shape(read.source)} differ in rank"
        site.refuse("shape", message)
    if len(read.offsets) != rank:
        site.refuse("shape", f"needs one offset for each of {rank} axes, got {len(read.offsets)}")
    if read.requested and len(read.requested) != rank:
        site.refuse("shape", f"valid_shape needs {rank} extents, got {len(read.requested)}")
    return tuple(_read_axis(site, read, axis) for axis in range(rank))


def _read_axis(site: Site, read: WindowRead, axis: int) -> Dim:
    if site.overlooks_bounds:
        return _available(site, evolve(read, clamp=True), axis)
    _check_read_bounds(site, read, axis)
    available = _available(site, read, axis)
    if not read.requested:
        return available
    requested = read.requested[axis]
    narrower = not same_dim(available, read.window[axis]) and prove_le(available, requested) is True
    return available if narrower else requested


def _check_read_bounds(site: Site, read: WindowRead, axis: int) -> None:
    offset, window, source = read.offsets[axis], read.window[axis], read.source[axis]
    if prove_le(0, offset) is False:
        message = f"offset {format_dim(offset)} on axis {axis} is negative"
        site.refuse("out-of-bounds", message, data=_read_data(read, axis))
    if read.requested and prove_le(read.requested[axis], window) is False:
        message = (
            f"valid_shape asks for {format_dim(read.requested[axis])} elements on axis {axis}, "
            f"but the window has {format_dim(window)}"
        )
        site.refuse("valid-region", message, data=_read_data(read, axis))
    reach = window if read.exact or not read.requested else read.requested[axis]
    if read.clamp or not all(map(_is_integer, (offset, reach, source))):
        return
    if prove_le(add(offset, reach), source) is False:
        message = (
            f"reads past the end of axis {axis}: offset {format_dim(offset)} plus {format_dim(reach)} "
            f"exceeds {format_dim(source)}"
        )
        site.refuse("out-of-bounds", message, data=_read_data(read, axis))


def _read_data(read: WindowRead, axis: int) -> dict[str, object]:
    offset, window, source = read.offsets[axis], read.window[axis], read.source[axis]
    return {"axis": axis, "offset": format_dim(offset), "extent": format_dim(window), "source": format_dim(source)}


def _available(site: Site, read: WindowRead, axis: int) -> Dim:
    """How much of the window lies in the valid part of the source."""
    offset, window, valid = read.offsets[axis], read.window[axis], read.source_valid[axis]
    if same_dim(valid, read.source[axis]) and not read.clamp:
        return window
    if not _is_integer(offset):
        if not isinstance(offset, int) and isinstance(type_of(offset), UnknownType):
            raise UndecidedError
        site.refuse("operand-kind", f"the offset on axis {axis} must be an integer scalar")
    remaining = valid if prove_eq(offset, 0) is True else subtract(larger(valid, offset), offset)
    return smaller(remaining, window)


@frozen
class WindowWrite:
    """A write of a source at `offsets` into a target. With `exact` the whole physical source is written."""

    target: Shape
    target_valid: Shape
    source: Shape
    source_valid: Shape
    offsets: Shape
    exact: bool = False


def write_window(site: Site, write: WindowWrite) -> Shape:
    """The valid shape of the target afterwards; refuses a union that is no rectangle at the origin."""
    for axis in range(len(write.target)):
        _check_write_bounds(site, write, axis)
    if any(map(is_empty, write.source_valid)):
        return write.target_valid
    if any(map(is_empty, write.target_valid)):
        if not _at_origin(write.offsets):
            site.refuse(
                "valid-region", f"the target is empty, so a write at {format_shape(write.offsets)} leaves a gap"
            )
        return write.source_valid
    if all(same_dim(v, p) or prove_eq(v, p) is True for v, p in zip(write.target_valid, write.target, strict=False)):
        return write.target_valid
    return _grown(site, write)


def _grown(site: Site, write: WindowWrite) -> Shape:
    edges = tuple(_far_edge(site, write, axis) for axis in range(len(write.target)))
    growing = [axis for axis, edge in enumerate(edges) if prove_le(edge, write.target_valid[axis]) is not True]
    if not growing:
        return write.target_valid
    covers = all(prove_le(t, s) is True for t, s in zip(write.target_valid, write.source_valid, strict=False))
    if _at_origin(write.offsets) and covers:
        return write.source_valid
    if len(growing) > 1:
        message = f"the write grows the valid region {format_shape(write.target_valid)} on more than one axis"
        site.refuse("valid-region", message, data={"axes": tuple(growing)})
    axis = growing[0]
    _check_growth(site, write, axis)
    result = list(write.target_valid)
    result[axis] = smaller(larger(write.target_valid[axis], edges[axis]), write.target[axis])
    return tuple(result)


def _check_growth(site: Site, write: WindowWrite, axis: int) -> None:
    """The written region must abut the valid one on `axis` and span it on all others."""
    if prove_le(write.offsets[axis], write.target_valid[axis]) is not True:
        message = (
            f"the write starts at {format_dim(write.offsets[axis])} on axis {axis}, not provably at or before the "
            f"end of the valid region {format_dim(write.target_valid[axis])}, which leaves a gap"
        )
        site.refuse("valid-region", message)
    for other in range(len(write.target)):
        if other == axis:
            continue
        spans = is_empty(write.offsets[other]) and prove_eq(write.source_valid[other], write.target_valid[other])
        if spans is not True:
            message = (
                f"the write grows axis {axis}, so on axis {other} it must start at 0 and cover exactly "
                f"{format_dim(write.target_valid[other])}; the union would be no rectangle"
            )
            site.refuse("valid-region", message)


def _far_edge(site: Site, write: WindowWrite, axis: int) -> Dim:
    offset, extent = write.offsets[axis], write.source_valid[axis]
    if is_empty(offset):
        return extent
    if not _is_integer(offset) or not _is_integer(extent):
        if any(not isinstance(d, int) and isinstance(type_of(d), UnknownType) for d in (offset, extent)):
            raise UndecidedError
        site.refuse("operand-kind", f"axis {axis} needs an integer offset and extent")
    return add(offset, extent)


def _check_write_bounds(site: Site, write: WindowWrite, axis: int) -> None:
    if site.overlooks_bounds:
        return
    offset, target = write.offsets[axis], write.target[axis]
    reach = write.source[axis] if write.exact else write.source_valid[axis]
    if prove_le(0, offset) is False:
        message = f"offset {format_dim(offset)} on axis {axis} is negative"
        site.refuse("out-of-bounds", message, data=_write_data(write, axis, reach))
    if all(map(_is_integer, (offset, reach, target))) and prove_le(add(offset, reach), target) is False:
        message = (
            f"writes past the end of axis {axis}: offset {format_dim(offset)} plus {format_dim(reach)} "
            f"exceeds {format_dim(target)}"
        )
        site.refuse("out-of-bounds", message, data=_write_data(write, axis, reach))


def _write_data(write: WindowWrite, axis: int, reach: Dim) -> dict[str, object]:
    offset, target = write.offsets[axis], write.target[axis]
    return {"axis": axis, "offset": format_dim(offset), "extent": format_dim(reach), "target": format_dim(target)}


def _at_origin(offsets: Sequence[Dim]) -> bool:
    return all(map(is_empty, offsets))


def _is_integer(dim: Dim) -> bool:
    dtype = scalar_dtype(dim)
    return dtype is not None and dtype.is_int
