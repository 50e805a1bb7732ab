"""Whole-type rules of the ops that make data, and of those that return an operand."""

from __future__ import annotations

from typing import cast

from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import Expr, type_of
from pto_analysis.ir.types import (
    Shape,
    TileView,
    Type,
    UnknownType,
)
from pto_analysis.ops.deduction.dtype_sets import require_in_set
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import as_dim, format_shape
from pto_analysis.ops.views import (
    effective_view,
    tile_type,
)


def counter(site: Site) -> Type:
    """ci: consecutive integers in one row."""
    dtype = site.required_dtype()
    require_in_set(site, dtype, "counter")
    if site.scalar(0) != dtype:
        site.refuse("dtype", f"start must be {dtype}, but is {site.scalar(0)}", 0)
    shape = site.constant_shape(1, "shape")
    if shape[-1] == 1 or any(dim != 1 for dim in shape[:-1]):
        site.refuse("shape", f"fills one row of more than one column, not {format_shape(shape)}", 1)
    return tile_type(shape, dtype, TileView())


def filled(site: Site) -> Type:
    """full: a constant everywhere."""
    shape = site.constant_shape(0, "shape")
    return tile_type(shape, site.required_dtype(), TileView())


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
    dtype = site.required_dtype()
    require_in_set(site, dtype, "triangular")
    if site.scalar(0).name != "INT32":
        site.refuse("dtype", f"the diagonal must be INT32, but is {site.scalar(0)}", 0)
    shape = site.constant_shape(1, "shape")
    if len(shape) != 2:
        site.refuse("shape", f"needs two axes, got {len(shape)}", 1)
    return tile_type(shape, dtype, TileView(valid_shape=with_requested_valid(site, 2, shape)))


def random(site: Site) -> Type:
    """random: pseudo-random integers from six seed words."""
    dtype = site.required_dtype()
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
