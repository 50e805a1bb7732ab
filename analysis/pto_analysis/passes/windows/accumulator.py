"""The one rule about accumulator windows: which ones a MAD can write (seed: Acc accumulator windows).

L0C is laid out in 16 x 16 boxes, column block after column block: box (r, c) of an [M, N] tile is box number
`c * M/16 + r`. The MAD writes its result compactly from a bare address, so a window is written right only when it
spans the parent's full height or lies inside one 16-column block.
"""

from __future__ import annotations

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Expr
from pto_analysis.ir.types import Layout, Space, TileType, Type
from pto_analysis.ir.views import ACC_FRACTAL, effective_view

BLOCK_COLUMNS = 16
"""Columns of one box of L0C."""


@frozen
class AccumulatorWindow:
    """A window of an accumulator, in elements. Offsets and the parent's width are None where they are symbolic."""

    rows: int
    cols: int
    parent_rows: int
    parent_cols: int | None
    row: int | None = None
    col: int | None = None

    @property
    def is_strided(self) -> bool:
        """Whether the window is provably not contiguous. A narrow window at a symbolic column is not proved."""
        if self.rows == self.parent_rows:
            return False
        if self.cols > BLOCK_COLUMNS:
            return True
        return self.col is not None and self._straddles(self.col)

    @property
    def starts_between_blocks(self) -> bool:
        """Whether a window of full height provably starts inside one block of columns and reaches into the next.

        The compiler's rule accepts it; a compact write from its first element does not hit its elements.
        """
        return (
            self.rows == self.parent_rows
            and self.col is not None
            and self._straddles(self.col)
            and (self.col % BLOCK_COLUMNS != 0)
        )

    @property
    def is_contiguous(self) -> bool | None:
        """The verdict with its third value: None for a narrow window at a symbolic column, where nothing is proved."""
        if self.is_strided:
            return False
        return True if self.rows == self.parent_rows or self.col is not None else None

    def _straddles(self, col: int) -> bool:
        return col < 0 or col // BLOCK_COLUMNS != (col + self.cols - 1) // BLOCK_COLUMNS

    @property
    def blocks_touched(self) -> int:
        """How many column blocks the window touches, at least, where its column is symbolic."""
        first = (self.col or 0) // BLOCK_COLUMNS
        return ((self.col or 0) + self.cols - 1) // BLOCK_COLUMNS - first + 1

    @property
    def block_columns(self) -> tuple[int, int] | None:
        """The first and last column block, None where the column is symbolic."""
        if self.col is None:
            return None
        return self.col // BLOCK_COLUMNS, (self.col + self.cols - 1) // BLOCK_COLUMNS

    @property
    def windows_in_parent(self) -> int:
        """How many such row windows fit into the parent, one above the other."""
        return max(self.parent_rows // self.rows, 1) if self.rows > 0 else 1

    @property
    def packed_shape(self) -> tuple[int, int]:
        """The accumulator that holds the same windows side by side, each of full height."""
        return self.rows, self.windows_in_parent * self.cols


def accumulator_window(parent: Type, view: Type, row: Expr, col: Expr) -> AccumulatorWindow | None:
    """The window that an operand of type `view` forms in `parent`, None where the rule has nothing to say.

    That is: not two-dimensional, symbolic extents, or a parent that is not laid out as L0C is.
    """
    if not isinstance(parent, TileType) or not isinstance(view, TileType) or not _is_l0c(parent):
        return None
    if len(parent.shape) != 2 or len(view.shape) != 2:
        return None
    rows, cols = (constant_int(dim) for dim in view.shape)
    parent_rows, parent_cols = (constant_int(dim) for dim in parent.shape)
    if rows is None or cols is None or parent_rows is None:
        return None
    return AccumulatorWindow(rows, cols, parent_rows, parent_cols, constant_int(row), constant_int(col))


def _is_l0c(tile: TileType) -> bool:
    """Laid out in L0C boxes: said by the space, or by the block layout where the space is not decided yet."""
    view = effective_view(tile)
    return view.fractal == ACC_FRACTAL and (tile.space is Space.ACC or view.blayout is Layout.COL_MAJOR)
