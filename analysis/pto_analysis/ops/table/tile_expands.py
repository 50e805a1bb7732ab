"""Tile ops that combine a tile with a vector, repeated along its rows or columns.

Source of the facts: the op registry and deducers of hw-native-sys/pypto (2026-08-21), `facts/tile_ops.json`.
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import row

_ROW_VECTOR = Typing(
    dtype="promote(0,1)",
    checks=("tile(0,1)", "min_rank(0,2)", "min_rank(1,2)", "unit_column(1)", "constant_dims_agree(0,1,rows)"),
)
_COLUMN_VECTOR = Typing(dtype="promote(0,1)", checks=("tile(0,1)",))
_two = partial(row, inputs="Vec Vec", space="Vec")
_three = partial(row, inputs="Vec Vec Vec", space="Vec")
_scalar = partial(row, inputs="Vec -", space="Vec")
_row_vector = partial(_two, forbid_output_alias=(1,))
_column_vector = partial(_two, forbid_output_alias=(1,))
_materialising = partial(_column_vector, families=("col_expand", "col_expand_materialising"))
_ROW_ARGS = "tile: tile, row_vec: tile"
_COLUMN_ARGS = "tile: tile, col_vec: tile"

TILE_EXPANDS = (
    _row_vector(
        "tile.row_expand",
        "Repeats a column vector along the rows of a target.",
        "target: tile, row_vec: tile",
        _ROW_VECTOR,
        access="unknown",
        pto="trowexpand",
        families=("row_expand",),
    ),
    _row_vector(
        "tile.row_expand_mul",
        "Multiplies every row by its element of a column vector.",
        _ROW_ARGS,
        _ROW_VECTOR,
        pto="trowexpandmul",
        families=("row_expand",),
    ),
    _row_vector(
        "tile.row_expand_div",
        "Divides every row by its element of a column vector.",
        _ROW_ARGS,
        _ROW_VECTOR,
        pto="trowexpanddiv",
        families=("row_expand",),
    ),
    _row_vector(
        "tile.row_expand_sub",
        "Subtracts from every row its element of a column vector.",
        _ROW_ARGS,
        _ROW_VECTOR,
        pto="trowexpandsub",
        families=("row_expand",),
    ),
    _row_vector(
        "tile.row_expand_max",
        "Takes the larger of every row and its element of a column vector.",
        _ROW_ARGS,
        _ROW_VECTOR,
        pto="trowexpandmax",
        families=("row_expand",),
    ),
    _row_vector(
        "tile.row_expand_min",
        "Takes the smaller of every row and its element of a column vector.",
        _ROW_ARGS,
        _ROW_VECTOR,
        pto="trowexpandmin",
        families=("row_expand",),
    ),
    _row_vector(
        "tile.row_expand_expdif",
        "Exponential of every row minus its element of a column vector.",
        _ROW_ARGS,
        _ROW_VECTOR,
        pto="trowexpandexpdif",
        families=("row_expand",),
    ),
    _three(
        "tile.row_expand_add",
        "Adds to every row its element of a column vector; scratch is optional.",
        "tile: tile, row_vec: tile, tmp: tile = None",
        Typing(
            checks=(
                "tile(0,1)",
                "optional_tile(2)",
                "min_rank(0,2)",
                "min_rank(1,2)",
                "row_major(0)",
                "same_dtype(0,1)",
                "dtype_in(0,row_addable)",
                "row_vector_valid(0,1)",
            )
        ),
        forbid_output_alias=(1, 2),
        access="unknown",
        pto="trowexpandadd",
        families=("row_expand",),
    ),
    _column_vector(
        "tile.col_expand",
        "Repeats a row vector down the columns of a target.",
        "target: tile, col_vec: tile",
        _COLUMN_VECTOR,
        access="unknown",
        pto="tcolexpand",
        families=("col_expand",),
    ),
    _materialising(
        "tile.col_expand_mul",
        "Multiplies every column by its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
        pto="tcolexpandmul",
    ),
    _materialising(
        "tile.col_expand_add",
        "Adds to every column its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
        pto="tcolexpandadd",
    ),
    _materialising(
        "tile.col_expand_div",
        "Divides every column by its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
        pto="tcolexpanddiv",
    ),
    _materialising(
        "tile.col_expand_sub",
        "Subtracts from every column its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
        pto="tcolexpandsub",
    ),
    _materialising(
        "tile.col_expand_max",
        "Takes the larger of every column and its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
        pto="tcolexpandmax",
    ),
    _materialising(
        "tile.col_expand_min",
        "Takes the smaller of every column and its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
        pto="tcolexpandmin",
    ),
    _materialising(
        "tile.col_expand_expdif",
        "Exponential of every column minus its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
        pto="tcolexpandexpdif",
    ),
    _scalar(
        "tile.expands",
        "Fills the shape of a target with a scalar.",
        "target: tile, scalar: scalar(target,float)",
        Typing(dtype="promote(0,1)", checks=("tile(0)", "scalar(1)")),
        access="unknown",
        pto="texpands",
    ),
)
