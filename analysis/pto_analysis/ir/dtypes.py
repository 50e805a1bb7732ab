"""Element types of the DSL and their widths (reference: DSL section f.1)."""

from __future__ import annotations

from typing import Literal

from pto_analysis.frozen import frozen

Category = Literal["bool", "int", "float", "task"]


@frozen(eq=False)
class DType:
    """One element type. There is one object of each, in `DTYPES`, so that comparing two of them costs nothing.

    `bits` is the logical width, `storage_bits` what one element takes in a buffer: they differ for BOOL
    only (1 against 8). Sub-byte types are packed, two 4-bit elements to a byte.
    """

    name: str
    bits: int
    storage_bits: int
    category: Category
    signed: bool = True

    @property
    def is_float(self) -> bool:
        return self.category == "float"

    @property
    def is_int(self) -> bool:
        """Signed, unsigned and INDEX, but not BOOL."""
        return self.category == "int"

    @property
    def is_index_like(self) -> bool:
        return self.name in ("INT64", "UINT64", "INDEX")

    def __str__(self) -> str:
        return self.name


def _row(name: str, bits: int, category: Category, *, signed: bool = True, storage_bits: int | None = None) -> DType:
    return DType(name, bits, bits if storage_bits is None else storage_bits, category, signed)


DTYPES: dict[str, DType] = {
    dtype.name: dtype
    for dtype in (
        _row("BOOL", 1, "bool", signed=False, storage_bits=8),
        _row("INT4", 4, "int"),
        _row("UINT4", 4, "int", signed=False),
        _row("FP4", 4, "float"),
        _row("HF4", 4, "float"),
        _row("INT8", 8, "int"),
        _row("UINT8", 8, "int", signed=False),
        _row("FP8E4M3FN", 8, "float"),
        _row("FP8E5M2", 8, "float"),
        _row("FP8E8M0", 8, "float"),
        _row("HF8", 8, "float"),
        _row("INT16", 16, "int"),
        _row("UINT16", 16, "int", signed=False),
        _row("FP16", 16, "float"),
        _row("BF16", 16, "float"),
        _row("INT32", 32, "int"),
        _row("UINT32", 32, "int", signed=False),
        _row("FP32", 32, "float"),
        _row("INT64", 64, "int"),
        _row("UINT64", 64, "int", signed=False),
        _row("INDEX", 64, "int"),
        _row("TASK_ID", 64, "task", signed=False),
    )
}
"""Every dtype by its DSL name (`pl.FP32` is `DTYPES["FP32"]`)."""

BOOL = DTYPES["BOOL"]
INDEX = DTYPES["INDEX"]
INT32 = DTYPES["INT32"]
INT64 = DTYPES["INT64"]
UINT8 = DTYPES["UINT8"]
FP16 = DTYPES["FP16"]
BF16 = DTYPES["BF16"]
FP32 = DTYPES["FP32"]
TASK_ID = DTYPES["TASK_ID"]
