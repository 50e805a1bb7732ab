"""Tile ops that reduce along an axis.

Source of the facts: the op registry and deducers of hw-native-sys/pypto (2026-08-21), `facts/tile_ops.json`.
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import row

_ROW_CHECKS = ("tile(0,1)", "min_rank(0,2)", "same_dtype(0,1)", "same_rank(0,1)")
_ROW = Typing(
    shape="row_reduced(0)",
    valid="row_reduced(0,valid)",
    layout="flat(col_major)",
    checks=(*_ROW_CHECKS, "covers(1,0)", "not_empty(0)"),
)
_ROW_MIN = Typing(
    shape="row_reduced(0)",
    valid="row_reduced(0,valid)",
    layout="flat(col_major)",
    checks=(*_ROW_CHECKS, "covers(1,0)", "not_empty(0)", "dtype_in(0,divisible)", "row_major(0,flat)"),
)
_ROW_ARG = Typing(
    dtype="INT32",
    shape="row_reduced(0)",
    valid="row_reduced(0,valid)",
    layout="flat(col_major)",
    checks=(*_ROW_CHECKS, "proven_same_shape(0,1)", "not_empty(0)"),
)
_COLUMN = Typing(
    shape="column_reduced(0)",
    valid="column_reduced(0,valid)",
    layout="flat(row_major)",
    checks=("tile(0)", "min_rank(0,2)", "not_empty(0)"),
)
_COLUMN_TMP = Typing(
    shape="column_reduced(0)",
    valid="column_reduced(0,valid)",
    layout="flat(row_major)",
    checks=("tile(0)", "optional_same_dtype(1,0)", "min_rank(0,2)", "not_empty(0)"),
)
_COLUMN_ARG = Typing(
    dtype="INT32",
    shape="column_reduced(0)",
    valid="column_reduced(0,valid)",
    layout="flat(row_major)",
    checks=("tile(0)", "min_rank(0,2)", "not_empty(0)"),
)
_WITH_TMP = "tile: tile, tmp_tile: tile"

_by_row = partial(row, inputs="Vec Vec", space="Vec", inplace_safe=False, access="unknown", families=("row_reduction",))
_by_column = partial(row, inputs="Vec", space="Vec", families=("col_reduction",))
_by_column_tmp = partial(row, inputs="Vec Vec", space="Vec", access="unknown", families=("col_reduction",))

TILE_REDUCTIONS = (
    _by_row(
        "tile.row_sum", "Sums every row; needs scratch of at least the operand's size.", _WITH_TMP, _ROW, pto="trowsum"
    ),
    _by_row("tile.row_max", "Largest element of every row; needs scratch.", _WITH_TMP, _ROW, pto="trowmax"),
    _by_row("tile.row_min", "Smallest element of every row; needs scratch.", _WITH_TMP, _ROW_MIN, pto="trowmin"),
    _by_row("tile.row_prod", "Product of every row; needs scratch.", _WITH_TMP, _ROW, pto="trowprod"),
    _by_row("tile.row_argmax", "Column of the largest element of every row.", _WITH_TMP, _ROW_ARG, pto="trowargmax"),
    _by_row("tile.row_argmin", "Column of the smallest element of every row.", _WITH_TMP, _ROW_ARG, pto="trowargmin"),
    _by_column_tmp(
        "tile.col_sum",
        "Sums every column; with scratch as a tree.",
        "tile: tile, tmp_tile: tile = None",
        _COLUMN_TMP,
        pto="tcolsum",
    ),
    _by_column("tile.col_max", "Largest element of every column.", "tile: tile", _COLUMN, pto="tcolmax"),
    _by_column("tile.col_min", "Smallest element of every column.", "tile: tile", _COLUMN, pto="tcolmin"),
    _by_column("tile.col_prod", "Product of every column.", "tile: tile", _COLUMN, pto="tcolprod"),
    _by_column_tmp(
        "tile.col_argmax",
        "Row of the largest element of every column; needs scratch.",
        _WITH_TMP,
        _COLUMN_ARG,
        inplace_safe=False,
        pto="tcolargmax",
    ),
    _by_column_tmp(
        "tile.col_argmin",
        "Row of the smallest element of every column; needs scratch.",
        _WITH_TMP,
        _COLUMN_ARG,
        inplace_safe=False,
        pto="tcolargmin",
    ),
)
