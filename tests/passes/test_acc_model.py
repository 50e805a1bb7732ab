"""The accumulator rule against a brute-force model of L0C that shares no code with it.

The model lays a tile out in boxes of 16 x 16 elements, box column after box column, and writes a matmul's result as
the hardware does: as if the destination were a tile of the window's own height, starting at the window's first
element. The window is right when every element of the result landed where the parent keeps it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from pto_analysis.passes.windows import AccumulatorWindow

BOX = 16
SIDES = range(16, 65, 16)
WIDTHS = range(8, 65, 8)


def place(rows: int, row: int, col: int) -> int:
    """Where an [rows, …] tile keeps an element, counted in elements from its start."""
    boxes_in_a_column = (rows + BOX - 1) // BOX
    box = (col // BOX) * boxes_in_a_column + row // BOX
    return box * BOX * BOX + (row % BOX) * BOX + col % BOX


def written_right(parent_rows: int, rows: int, cols: int, row: int, col: int) -> bool:
    """Whether the compact write of [rows, cols] at (row, col) hits exactly the window's elements."""
    start = place(parent_rows, row, col)
    return all(
        start + place(rows, r, c) == place(parent_rows, row + r, col + c) for c in range(cols) for r in (0, rows - 1)
    )


def windows(col_step: int) -> Iterator[tuple[int, int, int, int, int, int]]:
    """Every (parent rows, parent cols, rows, cols, row, col) up to 64 x 64: whole boxes of rows, row offsets by 8."""
    for parent_rows in SIDES:
        for parent_cols in WIDTHS:
            for rows in range(16, parent_rows + 1, 16):
                for cols in range(8, parent_cols + 1, 8):
                    for row in range(0, parent_rows - rows + 1, 8):
                        for col in range(0, parent_cols - cols + 1, col_step):
                            yield parent_rows, parent_cols, rows, cols, row, col


def test_the_check_agrees_with_the_model_for_every_window_that_starts_at_a_block() -> None:
    disagreements = [window for window in windows(16) if _rejected(window) == written_right(window[0], *window[2:])]
    assert disagreements == []


def test_the_known_limit_windows_of_full_height_that_start_inside_a_block() -> None:
    """The check accepts every window of full height. These start between two blocks, and the model disagrees."""
    accepted_but_wrong: Counter[tuple[int, int]] = Counter()
    for window in windows(8):
        parent_rows, _, rows, cols, row, col = window
        if _rejected(window) or written_right(parent_rows, rows, cols, row, col):
            assert _rejected(window) != written_right(parent_rows, rows, cols, row, col), window
            continue
        assert rows == parent_rows
        assert col % BOX
        assert col // BOX != (col + cols - 1) // BOX
        assert AccumulatorWindow(rows, cols, parent_rows, window[1], row, col).starts_between_blocks
        accepted_but_wrong[rows, cols] += 1
    assert accepted_but_wrong
    assert min(cols for _, cols in accepted_but_wrong) > 8


def test_the_known_limit_of_heights_that_are_no_whole_boxes() -> None:
    """L0C keeps 24 rows as 32: such a window of a 32-row tile has the parent's pitch, and is rejected all the same."""
    assert written_right(32, 24, 32, 0, 0)
    assert AccumulatorWindow(24, 32, 32, 32, 0, 0).is_strided


@pytest.mark.parametrize(
    ("rows", "cols", "parent", "col", "strided"),
    [
        (64, 48, (64, 48), 0, False),
        (64, 32, (64, 96), 16, False),
        (64, 32, (64, 96), 8, False),
        (16, 16, (64, 64), 16, False),
        (16, 8, (64, 64), 20, False),
        (16, 16, (32, 32), 8, True),
        (16, 17, (32, 32), 0, True),
        (16, 48, (64, 48), 0, True),
        (16, 16, (64, 16), 0, False),
        (16, 16, (64, 64), None, False),
        (16, 17, (64, 64), None, True),
        (16, 48, (64, None), 0, True),
        (16, 8, (64, None), 4, False),
        (16, 16, (64, 64), -16, True),
    ],
)
def test_the_rule(rows: int, cols: int, parent: tuple[int, int | None], col: int | None, strided: bool) -> None:
    window = AccumulatorWindow(rows, cols, *parent, 0, col)
    assert window.is_strided == strided
    assert window.is_contiguous == (None if col is None and not strided else not strided)


def test_the_numbers_of_the_message() -> None:
    window = AccumulatorWindow(16, 48, 64, 96, 16, 24)
    assert window.block_columns == (1, 4)
    assert window.blocks_touched == 4
    assert window.windows_in_parent == 4
    assert window.packed_shape == (16, 192)
    assert AccumulatorWindow(16, 48, 64, 96).blocks_touched == 3


def test_the_working_spelling_works() -> None:
    """Every rejected window of whole boxes, packed side by side, is accepted and right in the model."""
    for window in windows(16):
        if not _rejected(window):
            continue
        parent_rows, parent_cols, rows, cols, row, col = window
        packed_rows, packed_cols = AccumulatorWindow(rows, cols, parent_rows, parent_cols, row, col).packed_shape
        for number in range(packed_cols // cols):
            at = number * cols
            assert not AccumulatorWindow(rows, cols, packed_rows, packed_cols, 0, at).is_strided
            if at % BOX == 0:
                assert written_right(packed_rows, rows, cols, 0, at)


def _rejected(window: tuple[int, int, int, int, int, int]) -> bool:
    parent_rows, parent_cols, rows, cols, row, col = window
    return AccumulatorWindow(rows, cols, parent_rows, parent_cols, row, col).is_strided
