"""Whole-type rules of scalar arrays and of the distributed library."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.ir.dtypes import INDEX, DType
from pto_analysis.ir.expr import type_of
from pto_analysis.ir.types import (
    ArrayType,
    ScalarType,
    TileView,
    Type,
)
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.deduction.tensor_views import integer_tuple
from pto_analysis.ops.dims import as_dim, is_understood
from pto_analysis.ops.views import layout_of_shape, tensor_type, tile_type


def array_created(site: Site) -> Type:
    dtype = site.attr("dtype", DType)
    if dtype is None or not (dtype.is_int or dtype.name in ("BOOL", "TASK_ID")):
        site.refuse("dtype", f"an array holds integers, BOOL or TASK_ID, not {dtype}")
    extent = as_dim(site.arg(0))
    if extent <= 0 if isinstance(extent, int) else is_understood(extent):
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
    dtype = site.required_dtype()
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
        array_created,
        array_element,
        array_updated,
        same_as_second,
        distributed_window,
        remote_load,
    )
}
"""By the name the table uses."""
