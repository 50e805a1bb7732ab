"""Named conditions of the op table. Each refuses the call or returns."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.types import Atomic, Dim, Layout, Space
from pto_analysis.ops.deduction.extents import broadcast_operands, mask_stride
from pto_analysis.ops.deduction.rule_text import RuleText, parse_rule
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import (
    ceil_divide,
    format_dim,
    format_shape,
    is_empty,
    multiply,
    prove_eq,
    prove_le,
    scalar_dtype,
)
from pto_analysis.ops.views import effective_view

DTYPE_SETS = {
    "divisible": "INT16 INT32 FP16 FP32",
    "subtractable": "INT8 INT16 INT32 FP16 FP32 BF16",
    "row_addable": "INT8 INT16 INT32 FP16 FP32",
    "half_or_single": "FP16 FP32",
    "single": "FP32",
    "bits16": "INT16 UINT16",
    "gatherable": "FP16 FP32 INT16 INT32",
    "block_gatherable": "INT8 UINT8 INT16 UINT16 INT32 UINT32 FP16 BF16 FP32",
    "scatterable": "INT8 INT16 INT32 FP16 FP32 BF16",
    "mask": "INT8 UINT8 INT16 UINT16 INT32 UINT32",
    "selectable": "INT8 UINT8 INT16 UINT16 INT32 UINT32 FP16 FP32",
    "index16_32": "INT16 INT32",
    "atomic": "FP32 BF16 FP16 INT32 INT16 INT8",
    "counter": "INT16 INT32 UINT16 UINT32",
    "triangular": "INT8 UINT8 INT16 INT32 UINT16 UINT32 FP16 BF16 FP32",
    "random": "INT32 UINT32",
    "memory_gatherable": "INT8 UINT8 INT16 UINT16 INT32 UINT32 FP16 BF16 FP32 FP8E4M3FN FP8E5M2 HF8",
    "int32": "INT32",
    "uint32": "UINT32",
}
"""Sets of dtypes that ops accept, by the name the checks use."""

_SETS = {name: frozenset(dtypes.split()) for name, dtypes in DTYPE_SETS.items()}


def in_set(dtype: DType, name: str) -> bool:
    return dtype.name in _SETS[name]


def require_in_set(site: Site, dtype: DType, name: str, operand: int | None = None) -> None:
    if not in_set(dtype, name):
        allowed = ", ".join(sorted(_SETS[name]))
        site.refuse("dtype", f"accepts {allowed} here, not {dtype}", operand, {"dtype": dtype.name})


def _is_tile(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        site.tile(operand)


def _is_tensor(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        site.tensor(operand)


def _is_plain_tensor(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        site.plain_tensor(operand)


def _is_scalar(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        site.scalar(operand)


def _optional_tile(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        if site.has(operand):
            site.tile(operand)


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


def _grows(site: Site, rule: RuleText) -> None:
    """The literal shape is nowhere smaller than the operand."""
    operand, literal = rule.ints()
    old, new = site.shaped(operand).shape, site.constant_shape(literal, "shape")
    if len(old) != len(new) or any(
        isinstance(a, int) and isinstance(b, int) and b < a for a, b in zip(old, new, strict=False)
    ):
        site.refuse("shape", f"{format_shape(new)} must be at least {format_shape(old)} on every axis", literal)


def _is_int(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        dtype = site.dtype(operand)
        if not dtype.is_int:
            site.refuse("dtype", f"operand {operand} must have an integer dtype, not {dtype}", operand)


def _dtype_in(site: Site, rule: RuleText) -> None:
    name = rule.words()[0]
    for operand in rule.ints():
        require_in_set(site, site.dtype(operand), name, operand)


def _same_dtype(site: Site, rule: RuleText) -> None:
    first, *others = rule.ints()
    for operand in others:
        if site.dtype(operand) != site.dtype(first):
            message = f"operands {first} and {operand} must agree in dtype: {site.dtype(first)}, {site.dtype(operand)}"
            site.refuse("dtype", message, operand)


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
        site.refuse("shape", f"scratch {format_shape(a)} is smaller than the operand {format_shape(b)}", scratch)


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


def _attr_present(site: Site, rule: RuleText) -> None:
    key = rule.words()[0]
    if key not in site.attrs:
        site.refuse("attribute", f"needs '{key}'")


def _attr_in_range(site: Site, rule: RuleText) -> None:
    key, (low, high) = rule.words()[0], rule.ints()
    value = site.attr(key, int)
    if value is None or not low <= value <= high:
        site.refuse("attribute", f"'{key}' must be {low} to {high}, got {value}")


def _attr_positive(site: Site, rule: RuleText) -> None:
    key = rule.words()[0]
    value = site.attr(key, int)
    if value is None or value <= 0:
        site.refuse("attribute", f"'{key}' must be positive, got {value}")


def _attr_dtype_in(site: Site, rule: RuleText) -> None:
    key, name = rule.words()
    dtype = site.attr(key, DType)
    if dtype is not None:
        require_in_set(site, dtype, name)


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


_CHECKS: dict[str, Callable[[Site, RuleText], None]] = {
    "tile": _is_tile,
    "tensor": _is_tensor,
    "plain_tensor": _is_plain_tensor,
    "scalar": _is_scalar,
    "optional_tile": _optional_tile,
    "optional_same_dtype": _optional_same_dtype,
    "optional_scratch_like": _optional_scratch_like,
    "grows": _grows,
    "int": _is_int,
    "dtype_in": _dtype_in,
    "same_dtype": _same_dtype,
    "rank": _rank,
    "min_rank": _min_rank,
    "same_rank": _same_rank,
    "proven_same_shape": _proven_same_shape,
    "proven_same_valid": _proven_same_valid,
    "constant_dims_agree": _constant_dims_agree,
    "broadcastable": _broadcastable,
    "covers": _covers,
    "not_empty": _not_empty,
    "unit_column": _unit_column,
    "unit_row": _unit_row,
    "last_extent_multiple": _last_extent_multiple,
    "fits_into": _fits_into,
    "not_negative": _not_negative,
    "last_axis": _last_axis,
    "gather_axis": _gather_axis,
    "row_major": _row_major,
    "attr_present": _attr_present,
    "attr_in_range": _attr_in_range,
    "attr_positive": _attr_positive,
    "attr_dtype_in": _attr_dtype_in,
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
    "read_indices": _read_indices,
}


def run_check(site: Site, text: str) -> None:
    """Evaluates one condition of the table."""
    rule = parse_rule(text)
    _CHECKS[rule.name](site, rule)


def known_checks() -> frozenset[str]:
    return frozenset(_CHECKS)
