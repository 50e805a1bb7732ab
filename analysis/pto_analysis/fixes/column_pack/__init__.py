"""The accumulator laid out the way the MAD writes it: row windows of `[R*T, N]` become column windows of `[R, T*N]`."""

from __future__ import annotations

from pto_analysis.fixes.column_pack.edits import pack_columns
from pto_analysis.fixes.column_pack.narrow import move_into_block

__all__ = ["move_into_block", "pack_columns"]
