"""Named conditions on shapes, valid regions and layouts."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.ir.types import Dim, Layout
from pto_analysis.ops.deduction.extents import broadcast_operands
from pto_analysis.ops.deduction.rule_text import RuleText
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import (
    format_shape,
    is_empty,
    prove_eq,
    prove_le,
    scalar_dtype,
)
from pto_analysis.ops.views import effective_view


def _grows(site: Site, rule: RuleText) -> None:
    """The literal shape is nowhere smaller than the operand."""
    operand, literal = rule.ints()
    old, new = site.shaped(operand).shape, site.constant_shape(literal, "shape")
    if len(old) != len(new) or any(
        isinstance(a, int) and isinstance(b, int) and b < a for a, b in zip(old, new, strict=False)
    ):
        site.refuse("shape", f"{format_shape(new)} must be at least {format_shape(old)} on every axis", literal)


def _rank(site: Site, rule: RuleText) -> None:
    operand, rank = rule.ints()
    shape = site.shaped(operand).shape
    if len(shape) != rank:
        site.refuse("shape", f"operand {operand} must have {rank} axes, has {len(shape)}", operand)


def _min_rank(site: Site, rule: RuleText) -> None:
    operand, rank = rule.ints()
    shape = site.shaped(operand).shape
    if len(shape) < rank:
        site.refuse("shape", f"operand {operand} needs at least {rank} axes, has {len(shape)}", operand)


def _same_rank(site: Site, rule: RuleText) -> None:
    first, second = rule.ints()
    a, b = site.shaped(first).shape, site.shaped(second).shape
    if len(a) != len(b):
        site.refuse("shape", f"shapes {format_shape(a)} and {format_shape(b)} differ in rank", second)


def _proven_same_shape(site: Site, rule: RuleText) -> None:
    """Every extent provably equal."""
    first, second = rule.ints()
    a, b = site.shaped(first).shape, site.shaped(second).shape
    if len(a) != len(b) or any(prove_eq(x, y) is not True for x, y in zip(a, b, strict=False)):
        site.refuse("shape", f"shapes {format_shape(a)} and {format_shape(b)} must be provably equal", second)


def _optional_same_dtype(site: Site, rule: RuleText) -> None:
    scratch, operand = rule.ints()
    if site.has(scratch) and site.tile(scratch).dtype != site.dtype(operand):
        site.refuse("dtype", f"the scratch tile must be {site.dtype(operand)}", scratch)


def _optional_scratch_like(site: Site, rule: RuleText) -> None:
    """Scratch, when given, has the dtype and provably the shape of the operand."""
    if not site.has(rule.ints()[0]):
        return
    _optional_same_dtype(site, rule)
    _proven_same_shape(site, rule)


def _proven_same_valid(site: Site, rule: RuleText) -> None:
    first, second = rule.ints()
    a, b = site.valid(first), site.valid(second)
    if len(a) != len(b) or any(prove_eq(x, y) is not True for x, y in zip(a, b, strict=False)):
        message = f"valid shapes {format_shape(a)} and {format_shape(b)} must be provably equal"
        site.refuse("valid-region", message, second)


def _constant_dims_agree(site: Site, rule: RuleText) -> None:
    """Extents that are numbers on both sides must be equal; `rows`, `columns` or all."""
    first, second = rule.ints()
    a, b = site.shaped(first).shape, site.shaped(second).shape
    axes = {"rows": (-2,), "columns": (-1,), "first": (0,)}
    selected = axes[rule.words()[0]] if rule.words() else range(min(len(a), len(b)))
    for axis in selected:
        x, y = a[axis], b[axis]
        if isinstance(x, int) and isinstance(y, int) and x != y:
            message = f"shapes {format_shape(a)} and {format_shape(b)} must agree on axis {axis % len(a)}"
            site.refuse("shape", message, second)


def _broadcastable(site: Site, rule: RuleText) -> None:
    broadcast_operands(site, rule.ints())


def _covers(site: Site, rule: RuleText) -> None:
    """Scratch must not be provably smaller than the operand on any axis."""
    scratch, operand = rule.ints()
    a, b = site.shaped(scratch).shape, site.shaped(operand).shape
    if any(prove_le(x, y) is False for x, y in zip(b, a, strict=False)):
        message = f"scratch {format_shape(a)} is smaller than the operand {format_shape(b)}"
        site.refuse("shape", message, scratch, {"needed": b})


def _not_empty(site: Site, rule: RuleText) -> None:
    (operand,) = rule.ints()
    valid = site.valid(operand)
    if any(map(is_empty, valid)):
        message = f"the valid region {format_shape(valid)} is empty, so there is nothing to reduce"
        site.refuse("valid-region", message, operand)


def _unit_column(site: Site, rule: RuleText) -> None:
    (operand,) = rule.ints()
    shape = site.shaped(operand).shape
    if shape[-1] != 1:
        site.refuse(
            "shape", f"operand {operand} must be a column, its last extent 1, but is {format_shape(shape)}", operand
        )


def _unit_row(site: Site, rule: RuleText) -> None:
    (operand,) = rule.ints()
    shape = site.shaped(operand).shape
    if shape[-2] != 1:
        message = f"operand {operand} must be a row, its last but one extent 1, but is {format_shape(shape)}"
        site.refuse("shape", message, operand)


def _last_extent_multiple(site: Site, rule: RuleText) -> None:
    operand, multiple = rule.ints()
    shape = site.shaped(operand).shape
    if not shape or (isinstance(shape[-1], int) and (shape[-1] <= 0 or shape[-1] % multiple)):
        site.refuse("shape", f"the last extent must be a multiple of {multiple}, but is {format_shape(shape)}", operand)


def _fits_into(site: Site, rule: RuleText) -> None:
    """Constant extents of the first operand are nowhere larger than those of the second."""
    first, second = rule.ints()
    a, b = site.shaped(first).shape, site.shaped(second).shape
    if any(isinstance(x, int) and isinstance(y, int) and x > y for x, y in zip(a, b, strict=False)):
        site.refuse("shape", f"{format_shape(a)} does not fit into {format_shape(b)}", first)


def _gather_axis(site: Site, rule: RuleText) -> None:
    """Off the gathered axis the index is nowhere larger than the operand."""
    source, index = rule.ints()
    shape, wanted = site.shaped(source).shape, site.shaped(index).shape
    dim = site.attr("dim", int)
    if dim is None or not -len(shape) <= dim < len(shape):
        site.refuse("attribute", f"'dim' must name one of {len(shape)} axes, got {dim}")
    for axis, (x, y) in enumerate(zip(wanted, shape, strict=False)):
        if axis != dim % len(shape) and isinstance(x, int) and isinstance(y, int) and x > y:
            site.refuse("shape", f"the index {format_shape(wanted)} exceeds {format_shape(shape)}", index)


def _row_major(site: Site, rule: RuleText) -> None:
    """Rows one after the other; with `flat` also without boxes."""
    (operand,) = rule.ints()
    view = effective_view(site.tile(operand))
    boxed = "flat" in rule.words() and view.slayout is not Layout.NONE_BOX
    if view.blayout is not Layout.ROW_MAJOR or boxed:
        site.refuse("layout", f"operand {operand} must be stored row by row", operand)


def _read_indices(site: Site, rule: RuleText) -> None:
    """read and write: one integer index for each axis."""
    target, indices = rule.ints()
    dims = site.tuple(indices, "indices")
    rank = len(site.shaped(target).shape)
    if len(dims) != rank:
        site.refuse("shape", f"needs {rank} indices, got {len(dims)}", indices)
    for position, dim in enumerate(dims):
        _check_integer(site, dim, f"index {position}", indices)


def _check_integer(site: Site, dim: Dim, what: str, operand: int) -> None:
    dtype = scalar_dtype(dim)
    if dtype is not None and not dtype.is_int:
        site.refuse("dtype", f"{what} must be an integer, but is {dtype}", operand)


CHECKS: dict[str, Callable[[Site, RuleText], None]] = {
    "grows": _grows,
    "rank": _rank,
    "min_rank": _min_rank,
    "same_rank": _same_rank,
    "proven_same_shape": _proven_same_shape,
    "optional_same_dtype": _optional_same_dtype,
    "optional_scratch_like": _optional_scratch_like,
    "proven_same_valid": _proven_same_valid,
    "constant_dims_agree": _constant_dims_agree,
    "broadcastable": _broadcastable,
    "covers": _covers,
    "not_empty": _not_empty,
    "unit_column": _unit_column,
    "unit_row": _unit_row,
    "last_extent_multiple": _last_extent_multiple,
    "fits_into": _fits_into,
    "gather_axis": _gather_axis,
    "row_major": _row_major,
    "read_indices": _read_indices,
}
"""By the name the table uses."""
