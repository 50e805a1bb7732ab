"""How a valid region survives a change of shape or of element type (reference: DSL sections f.5 and i2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NoReturn

from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import Binary
from pto_analysis.ir.types import Dim, Shape
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import format_dim, format_shape, is_empty, multiply, prove_eq, same_shape
from pto_analysis.ops.sizes import element_count

BYTE_DTYPES = ("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "FP16", "FP32", "BF16")
"""Dtypes that a reinterpretation may read or produce."""


def reshaped_valid(site: Site, valid: Shape, old: Shape, new: Shape, *, row_major: bool) -> Shape:
    """The valid shape after a reshape from `old` to `new`, or a refusal when no rectangle describes it."""
    if not valid or not new:
        site.refuse("shape", "needs at least one axis before and after")
    if all(prove_eq(v, p) is True for v, p in zip(valid, old, strict=False)):
        return new
    if any(map(is_empty, valid)):
        return (0,) * len(new)
    mapped = _map_unit_axes(valid, old, new)
    if mapped is not None:
        return mapped
    if not row_major:
        _no_rectangle(site, valid, old, new, "its elements are not stored row by row")
    return _prefix_valid(site, valid, old, new)


def _map_unit_axes(valid: Shape, old: Shape, new: Shape) -> Shape | None:
    """Valid extents axis by axis when the two shapes differ in axes of extent 1 only."""
    table: dict[tuple[int, int], Shape | None] = {}
    for i in range(len(old), -1, -1):
        for j in range(len(new), -1, -1):
            table[i, j] = _unit_step(valid, old, new, table, i, j)
    return table[0, 0]


def _unit_step(
    valid: Shape, old: Shape, new: Shape, table: dict[tuple[int, int], Shape | None], i: int, j: int
) -> Shape | None:
    if i == len(old) and j == len(new):
        return ()
    if i < len(old) and j < len(new) and prove_eq(old[i], new[j]) is True:
        tail = table[i + 1, j + 1]
        if tail is not None:
            return (valid[i], *tail)
    if i < len(old) and old[i] == 1 and prove_eq(valid[i], old[i]) is True:
        tail = table[i + 1, j]
        if tail is not None:
            return tail
    if j < len(new) and new[j] == 1:
        tail = table[i, j + 1]
        if tail is not None:
            return (new[j], *tail)
    return None


def _prefix_valid(site: Site, valid: Shape, old: Shape, new: Shape) -> Shape:
    """The valid part must be a run of whole rows from the start; the same run is looked up in the new shape."""
    free = 0
    while free + 1 < len(valid) and valid[free] == 1:
        free += 1
    if any(prove_eq(v, p) is not True for v, p in zip(valid[free + 1 :], old[free + 1 :], strict=False)):
        _no_rectangle(site, valid, old, new, "the valid part does not fill the buffer from its start")
    volume = element_count(old[free + 1 :])
    targets = [dim for dim in new if isinstance(dim, int)]
    if volume is None or len(targets) != len(new):
        _no_rectangle(site, valid, old, new, "the extents are not known at compile time")
    suffixes = [math.prod(targets[i + 1 :]) for i in range(len(targets))]
    extent = valid[free]
    box = (
        _static_prefix(extent * volume, targets, suffixes)
        if isinstance(extent, int)
        else _dynamic_prefix(extent, old[free], volume, targets, suffixes)
    )
    if box is None:
        _no_rectangle(site, valid, old, new, "the valid elements do not fill whole rows there")
    return box


def _static_prefix(elements: int, targets: Sequence[int], suffixes: Sequence[int]) -> Shape | None:
    for axis, suffix in enumerate(suffixes):
        if suffix and elements % suffix == 0 and elements // suffix <= targets[axis]:
            return _box(targets, axis, elements // suffix)
    return None


def _dynamic_prefix(
    extent: Dim, physical: Dim, volume: int, targets: Sequence[int], suffixes: Sequence[int]
) -> Shape | None:
    if not isinstance(physical, int):
        return None
    for axis, suffix in enumerate(suffixes):
        if suffix == volume and physical <= targets[axis]:
            return _box(targets, axis, extent)
    return None


def _box(targets: Sequence[int], axis: int, extent: Dim) -> Shape:
    return (*(1,) * axis, extent, *targets[axis + 1 :])


def _no_rectangle(site: Site, valid: Shape, old: Shape, new: Shape, why: str) -> NoReturn:
    message = f"cannot reshape {format_shape(old)} with valid part {format_shape(valid)} to {format_shape(new)}: {why}"
    site.refuse("valid-region", message, 0)


def reinterpreted(
    site: Site, shape: Shape, valid: Shape, source: DType, target: DType, axis: int, requested: Shape | None
) -> tuple[Shape, Shape]:
    """Shape and valid shape when the bytes of a tile or tensor are read as `target`; `axis` is contiguous."""
    for dtype in (source, target):
        if dtype.name not in BYTE_DTYPES:
            site.refuse("dtype", f"works on integers of 8 to 64 bits, FP16, BF16 and FP32, not on {dtype}")
    if source == target:
        site.refuse("dtype", f"the element type is {target} already")
    _check_extents(site, shape, valid)
    scaled = _scaled_axis(shape, axis, source, target)
    result = scaled if requested is None else _requested_shape(site, shape, source, target, requested, scaled)
    if result is None:
        site.refuse("shape", f"{format_dim(shape[axis])} elements of {source} are not a whole number of {target}")
    if same_shape(valid, shape):
        return result, result
    if requested is not None and (scaled is None or not same_shape(result, scaled)):
        site.refuse("valid-region", "a partly valid operand keeps its valid part only without an explicit shape")
    narrowed = _scaled_axis(valid, axis, source, target, provable=True)
    if narrowed is None:
        site.refuse("valid-region", f"the valid extent {format_dim(valid[axis])} is not a whole number of {target}")
    return result, narrowed


def _check_extents(site: Site, shape: Shape, valid: Shape) -> None:
    for position, dim in enumerate(shape):
        if isinstance(dim, int) and dim <= 0:
            site.refuse("shape", f"axis {position} must be positive, got {dim}", 0)
    for position, (part, dim) in enumerate(zip(valid, shape, strict=False)):
        if isinstance(part, int) and (part < 0 or (isinstance(dim, int) and part > dim)):
            site.refuse("valid-region", f"valid extent {part} on axis {position} does not fit", 0)


def _requested_shape(
    site: Site, shape: Shape, source: DType, target: DType, requested: Shape, scaled: Shape | None
) -> Shape:
    if any(isinstance(dim, int) and dim <= 0 for dim in requested):
        site.refuse("shape", "the target shape must be positive", 1)
    if scaled is not None and same_shape(requested, scaled):
        return requested
    before, after = element_count(shape), element_count(requested)
    if before is None or after is None:
        site.refuse("shape", "an explicit shape needs extents that are known at compile time", 1)
    if before * source.bits != after * target.bits:
        message = f"{format_shape(shape)} of {source} and {format_shape(requested)} of {target} differ in bytes"
        site.refuse("shape", message, 1)
    return requested


def _scaled_axis(shape: Shape, axis: int, source: DType, target: DType, *, provable: bool = False) -> Shape | None:
    """The shape with `axis` counted in elements of the other type; None when it does not come out even.

    An expression that is visibly a multiple of the ratio counts as even, except where a number is needed
    (`provable`).
    """
    extent = shape[axis]
    scaled: Dim | None
    if source.bits >= target.bits:
        scaled = multiply(extent, source.bits // target.bits)
    else:
        scaled = _divided(extent, target.bits // source.bits, provable=provable)
    return None if scaled is None else (*shape[:axis], scaled, *shape[axis + 1 :])


def _divided(extent: Dim, divisor: int, *, provable: bool) -> Dim | None:
    if isinstance(extent, int):
        return extent // divisor if extent % divisor == 0 else None
    if provable or not isinstance(extent, Binary) or extent.op != "*":
        return None
    for factor, other in ((extent.left, extent.right), (extent.right, extent.left)):
        if prove_eq(factor, divisor) is True:
            return other
    return None
