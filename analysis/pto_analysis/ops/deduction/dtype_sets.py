"""Sets of dtypes that ops accept, by name."""

from __future__ import annotations

from pto_analysis.ir.dtypes import DType
from pto_analysis.ops.deduction.site import Site

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
