"""Bytes that tiles take (reference: DSL sections f.1 and i.4)."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.types import Dim, Space, TileType

ACC_ROW_BLOCK = 16
"""Rows of an accumulator are allocated in blocks of this many."""

ACC_ROW_BLOCK_INT32 = {"a2a3": 32, "a5": 16}
"""The same for INT32 accumulators, by target."""


def element_count(shape: Sequence[Dim]) -> int | None:
    """Elements of a shape, or None when an extent is not a number."""
    count = 1
    for dim in shape:
        if not isinstance(dim, int):
            return None
        count *= dim
    return count


def bytes_of(elements: int, dtype: DType) -> int:
    """Bytes that `elements` packed elements take, rounded up to a whole byte."""
    return -(-elements * dtype.storage_bits // 8)


def byte_offset_of(elements: int, dtype: DType) -> int | None:
    """The byte at which element number `elements` starts, or None when it starts inside a byte."""
    bits = elements * dtype.storage_bits
    return bits // 8 if bits % 8 == 0 else None


def row_bytes(tile: TileType) -> int | None:
    """Bytes of one row of a tile, or None for an extent that is not a number."""
    if not tile.shape or not isinstance(tile.shape[-1], int):
        return None
    return bytes_of(tile.shape[-1], tile.dtype)


def allocation_bytes(tile: TileType, target: str = "a2a3") -> int | None:
    """Bytes that the planner reserves for a tile of its own; None when the shape has symbolic or negative extents.

    `target` is "a2a3" or "a5".
    """
    shape = list(tile.shape)
    if tile.space is Space.ACC and len(shape) >= 2 and isinstance(shape[-2], int):
        block = ACC_ROW_BLOCK_INT32.get(target, ACC_ROW_BLOCK) if tile.dtype.name == "INT32" else ACC_ROW_BLOCK
        shape[-2] = -(-shape[-2] // block) * block
    elements = element_count(shape)
    if elements is None or any(isinstance(dim, int) and dim < 0 for dim in shape):
        return None
    return bytes_of(elements, tile.dtype)
