"""What the compiler can prove about an address, and no more: its modular reasoning, mirrored.

The compiler asks for a known divisor of a scalar, capped to 256 (32 bytes in bits): literals, definitions
followed through aliases, sums, differences and products. Everything else, from `//` to loop variables, counts
as divisible by one. What is actually true is `pto_analysis.arith`'s business; PTO107 compares the two.
"""

from __future__ import annotations

from math import gcd

from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Binary, Const, Expr, Var
from pto_analysis.ir.types import TileType

ALIGNMENT_BITS = 256
"""Vector operands start at multiples of 32 bytes; 256 bits, so that packed sub-byte types count too."""

_BITS_PER_BYTE = 8


class KnownMultiples:
    """The divisor that the compiler knows for every scalar defined so far. Definitions come in program order."""

    def __init__(self) -> None:
        self._known: dict[Var, int] = {}

    def define(self, var: Var, value: Expr) -> None:
        self._known[var] = self.of(value)

    def of(self, expr: Expr) -> int:
        """A divisor of every possible value of `expr`, itself a divisor of 256; 1 when nothing is known."""
        value = constant_int(expr) if isinstance(expr, Const) else None
        if value is not None:
            return gcd(value % ALIGNMENT_BITS, ALIGNMENT_BITS)
        if isinstance(expr, Var):
            return self._known.get(expr, 1)
        if isinstance(expr, Binary) and expr.op in ("+", "-"):
            return gcd(self.of(expr.left), self.of(expr.right))
        if isinstance(expr, Binary) and expr.op == "*":
            return gcd(self.of(expr.left) * self.of(expr.right), ALIGNMENT_BITS)
        return 1


def address_residue(base: TileType, row: Expr, col: Expr, multiples: KnownMultiples) -> int | None:
    """Bits by which the window at (row, col) of `base` misses a 32-byte boundary; None when not provable.

    `(base_byte_offset * 8 + (row * base_cols + col) * storage_bits) mod 256` (seed: rewrite rule 6).
    """
    root = root_residue(base)
    if root is None or len(base.shape) != 2:
        return None
    bits = base.dtype.storage_bits
    col_value, row_value = constant_int(col), constant_int(row)
    if col_value is None and multiples.of(col) * bits % ALIGNMENT_BITS:
        return None
    col_bits = 0 if col_value is None else col_value * bits
    if row_value == 0:
        return (root + col_bits) % ALIGNMENT_BITS
    base_cols = constant_int(base.shape[1])
    if base_cols is None:
        return None
    pitch = base_cols * bits % ALIGNMENT_BITS
    if row_value is None and multiples.of(row) * pitch % ALIGNMENT_BITS:
        return None
    row_bits = 0 if row_value is None else row_value * pitch
    return (root + row_bits + col_bits) % ALIGNMENT_BITS


def root_residue(base: TileType) -> int | None:
    """Bits by which the base itself is off: 0 for an allocation still to be planned, None for a symbolic place."""
    memref = base.memref
    if memref is None or memref.byte_offset is None:
        return 0
    offset = constant_int(memref.byte_offset)
    if offset is None:
        return None
    return 0 if offset < 0 else offset * _BITS_PER_BYTE % ALIGNMENT_BITS


def is_contiguous(window: TileType, base: TileType) -> bool:
    """Whether the window is provably one unbroken run of the base's bytes: one row, or every column."""
    if len(window.shape) != 2 or len(base.shape) != 2:
        return False
    rows, cols, base_cols = (constant_int(dim) for dim in (*window.shape, base.shape[1]))
    if rows is None or cols is None or base_cols is None:
        return False
    return rows == 1 or cols == base_cols


def is_dynamic(row: Expr, col: Expr) -> bool:
    """Whether the compiler cannot encode the offset as an address: either part is not a literal."""
    return constant_int(row) is None or constant_int(col) is None
