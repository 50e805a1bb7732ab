"""Named conditions on attributes, and those of single ops."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.types import Atomic, Layout, Space
from pto_analysis.ops.deduction.dtype_sets import in_set, require_in_set
from pto_analysis.ops.deduction.extents import mask_stride
from pto_analysis.ops.deduction.rule_text import RuleText
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import (
    ceil_divide,
    format_dim,
    format_shape,
    multiply,
    prove_eq,
    prove_le,
)
from pto_analysis.ops.views import effective_view


def _not_negative(site: Site, rule: RuleText) -> None:
    (operand,) = rule.ints()
    value = site.constant(operand)
    if value is not None and value < 0:
        site.refuse("attribute", f"a shift must not be negative, got {value}", operand)


def _last_axis(site: Site, rule: RuleText) -> None:
    """The attribute names the last of so many axes."""
    key, (rank,) = rule.words()[0], rule.ints()
    value = site.attr(key, int)
    if value not in (-1, rank - 1):
        site.refuse("attribute", f"'{key}' must be -1, got {value}")


def _attr_present(site: Site, rule: RuleText) -> None:
    key = rule.words()[0]
    if key not in site.attrs:
        site.refuse("attribute", f"needs '{key}'")


def _attr_in_range(site: Site, rule: RuleText) -> None:
    key, (low, high) = rule.words()[0], rule.ints()
    value = site.attr(key, int)
    if value is None or not low <= value <= high:
        site.refuse("attribute", f"'{key}' must be {low} to {high}, got {value}")


def _changes_dtype(site: Site, rule: RuleText) -> None:
    key, (operand,) = rule.words()[0], rule.ints()
    if site.attr(key, DType) == site.dtype(operand):
        site.refuse("dtype", f"the operand has dtype {site.dtype(operand)} already", operand)


def _same_width(site: Site, rule: RuleText) -> None:
    key, (operand,) = rule.words()[0], rule.ints()
    wanted, dtype = site.attr(key, DType), site.dtype(operand)
    if wanted is not None and wanted.bits != dtype.bits:
        site.refuse("dtype", f"'{key}' must be as wide as {dtype}, got {wanted}")


def _precise_only(site: Site, rule: RuleText) -> None:
    """`high_precision` is for floats, or for the named set of dtypes, only."""
    (operand,) = rule.ints()
    if not site.flag("high_precision"):
        return
    dtype = site.dtype(operand)
    allowed = in_set(dtype, rule.words()[0]) if rule.words() else dtype.is_float
    if not allowed:
        site.refuse("attribute", f"high_precision does not exist for {dtype}", operand)


def _atomic_dtype(site: Site, rule: RuleText) -> None:
    (operand,) = rule.ints()
    mode = site.attrs.get("atomic", Atomic.NONE)
    if not isinstance(mode, Atomic):
        site.refuse("attribute", f"'atomic' must be None_ or Add, got {mode}")
    if mode is Atomic.ADD:
        require_in_set(site, site.dtype(operand), "atomic", operand)


def _row_vector_valid(site: Site, rule: RuleText) -> None:
    """row_expand_add: as many valid rows, and one valid column or one packed 32-byte row."""
    target, vector = rule.ints()
    a, b = site.valid(target), site.valid(vector)
    if prove_eq(a[-2], b[-2]) is not True:
        message = f"the vector has {format_dim(b[-2])} valid rows, needed are provably {format_dim(a[-2])}"
        site.refuse("valid-region", message, vector)
    tile = site.tile(vector)
    packed = effective_view(tile).blayout is Layout.ROW_MAJOR
    wanted = 32 * 8 // tile.dtype.bits if packed else 1
    if prove_eq(b[-1], wanted) is not True:
        message = f"the vector has {format_dim(b[-1])} valid columns, needed are provably {wanted}"
        site.refuse("valid-region", message, vector)


_SIGNED = {"UINT8": "INT8", "UINT16": "INT16", "UINT32": "INT32"}


def _select_scalar(site: Site, rule: RuleText) -> None:
    """sels: the scalar has the dtype of the source, in its signed form."""
    source, scalar = rule.ints()
    wanted = _SIGNED.get(site.dtype(source).name, site.dtype(source).name)
    if site.scalar(scalar).name != wanted:
        site.refuse("dtype", f"the scalar must be {wanted}, but is {site.scalar(scalar)}", scalar)


def _mask_covers(site: Site, rule: RuleText) -> None:
    """sels: the packed mask provably has a bit for every valid element of the source."""
    mask, source = rule.ints()
    bits, data = site.valid(mask), site.valid(source)
    row_bytes = multiply(bits[1], -(-site.dtype(mask).bits // 8))
    enough = prove_le(data[0], bits[0]) is True and prove_le(ceil_divide(data[1], 8), row_bytes) is True
    if not enough:
        message = f"the mask {format_shape(bits)} does not provably cover the source {format_shape(data)}"
        site.refuse("valid-region", message, mask)


def _gather_index(site: Site, rule: RuleText) -> None:
    """gather: INT32 indices, or INT16 with a source of 16 bits."""
    source, index = rule.ints()
    dtype = site.dtype(index).name
    narrow = dtype == "INT16" and site.dtype(source).name in ("FP16", "INT16")
    if dtype != "INT32" and not narrow:
        site.refuse("dtype", f"indices must be INT32, or INT16 with a 16-bit source, not {dtype}", index)


def _scatter_index(site: Site, rule: RuleText) -> None:
    """scatter: indices are as wide as the data, 16 bits for bytes."""
    target, index = rule.ints()
    width = max(site.dtype(target).bits, 16)
    if site.dtype(index).bits != width:
        message = f"indices for {site.dtype(target)} must have {width} bits, but are {site.dtype(index)}"
        site.refuse("dtype", message, index)


def _scatter_columns(site: Site, rule: RuleText) -> None:
    """scatter_mask: the target has one column for each source column times the stride of the pattern."""
    target, source = rule.ints()
    wide, narrow = site.shaped(target).shape[1], site.shaped(source).shape[1]
    stride = mask_stride(site)
    if isinstance(wide, int) and isinstance(narrow, int) and wide != narrow * stride:
        site.refuse("shape", f"the target must have {narrow * stride} columns, has {wide}", target)


def _block_length(site: Site, rule: RuleText) -> None:
    (operand,) = rule.ints()
    value = site.constant(operand)
    if value is not None and (value <= 0 or value % 64):
        site.refuse("attribute", f"block_len must be a positive multiple of 64, got {value}", operand)


def _init_condition(site: Site, rule: RuleText) -> None:
    (operand,) = rule.ints()
    if site.has(operand) and site.scalar(operand).name != "BOOL":
        site.refuse("dtype", f"init_cond must be a comparison (BOOL), but is {site.scalar(operand)}", operand)


def _accumulation_phase(site: Site, rule: RuleText) -> None:
    del rule
    phase = site.attrs.get("acc_phase", "unspecified")
    if phase not in ("unspecified", "partial", "final"):
        site.refuse("attribute", f"acc_phase must be unspecified, partial or final, got {phase}")


def _not_a_scale_space(site: Site, rule: RuleText) -> None:
    del rule
    if site.attr("target_memory", Space) in (Space.LEFT_SCALE, Space.RIGHT_SCALE):
        site.refuse("space", "a scale tile is made by a load into Mat and a move", None)


CHECKS: dict[str, Callable[[Site, RuleText], None]] = {
    "not_negative": _not_negative,
    "last_axis": _last_axis,
    "attr_present": _attr_present,
    "attr_in_range": _attr_in_range,
    "changes_dtype": _changes_dtype,
    "same_width": _same_width,
    "precise_only": _precise_only,
    "atomic_dtype": _atomic_dtype,
    "row_vector_valid": _row_vector_valid,
    "select_scalar": _select_scalar,
    "mask_covers": _mask_covers,
    "gather_index": _gather_index,
    "scatter_index": _scatter_index,
    "scatter_columns": _scatter_columns,
    "block_length": _block_length,
    "init_condition": _init_condition,
    "accumulation_phase": _accumulation_phase,
    "not_a_scale_space": _not_a_scale_space,
}
"""By the name the table uses."""
