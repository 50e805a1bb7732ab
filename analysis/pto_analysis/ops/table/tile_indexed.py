"""Tile ops that gather, scatter or sort elements by index.

Source of the facts: the op registry and deducers of hw-native-sys/pypto (2026-08-21), `facts/tile_ops.json`.
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import reuse, row

_in_place = partial(row, storage=reuse(0), effects={0: "RW"}, access="unknown")
_GATHERED = Typing(
    shape="shape(1)",
    valid="full",
    checks=("tile(0,1,2)", "dtype_in(0,gatherable)", "gather_index(0,1)"),
)
_SCATTERED = Typing(
    whole="updated",
    checks=(
        "tile(0,1,2)",
        "dtype_in(0,1,scatterable)",
        "same_dtype(0,1)",
        "dtype_in(2,index16_32)",
        "scatter_index(0,2)",
        "rank(0,2)",
        "rank(1,2)",
        "rank(2,2)",
        "constant_dims_agree(1,2)",
    ),
)

TILE_INDEXED = (
    row(
        "tile.gather",
        "Collects elements of a tile by index; needs scratch.",
        "src: tile, indices: tile, tmp: tile",
        _GATHERED,
        inputs="Vec Vec Vec",
        space="Vec",
        inplace_safe=False,
        access="unknown",
        pto="tgather",
    ),
    row(
        "tile.gatherb",
        "Collects 32-byte blocks of a tile by byte offset.",
        "src: tile, offset: tile, *, output_dtype: @dtype? = None",
        Typing(whole="gather_blocks"),
        inputs="Vec Vec",
        space="Vec",
        inplace_safe=False,
        access="unknown",
        pto="tgatherb",
    ),
    row(
        "tile.gather_mask",
        "Keeps the columns of a tile that a pattern selects.",
        "src: tile, mask_pattern: @int, *, output_dtype: @dtype? = None",
        Typing(
            dtype="attr(output_dtype,0)",
            shape="pattern_selected(0)",
            valid="full",
            checks=("tile(0)", "dtype_in(0,gatherable)", "rank(0,2)", "same_width(0,output_dtype)"),
        ),
        inputs="Vec",
        space="Vec",
        inplace_safe=False,
        access="unknown",
        pto="tgather",
    ),
    row(
        "tile.gather_compare",
        "Collects in every row the indices of elements that compare true, and counts them.",
        "src: tile, kvalue: value, tmp: tile, *, cmp_mode: @cmp_mode = eq, offset: @int = 0, out_cols: @int, "
        "count_dtype: @dtype? = None",
        Typing(whole="gather_compare"),
        inputs="Vec - Vec",
        space="Vec",
        inplace_safe=False,
        access="unknown",
        pto="tgather",
    ),
    _in_place(
        "tile.scatter",
        "Writes elements into a tile at the places that an index tile names.",
        "dst: tile, src: tile, indexes: tile",
        _SCATTERED,
        inputs="Vec Vec Vec",
        space="Vec",
        pto="tscatter",
    ),
    _in_place(
        "tile.scatter_mask",
        "Writes columns into the columns of a tile that a pattern selects.",
        "dst: tile, src: tile, mask_pattern: @int",
        Typing(
            whole="updated",
            checks=(
                "tile(0,1)",
                "dtype_in(0,1,scatterable)",
                "same_dtype(0,1)",
                "rank(0,2)",
                "rank(1,2)",
                "attr_in_range(mask_pattern,1,7)",
                "constant_dims_agree(0,1,rows)",
                "scatter_columns(0,1)",
            ),
        ),
        inputs="Vec Vec",
        space="Vec",
        pto="tscatter",
    ),
    _in_place(
        "tile.scatter_update",
        "Replaces rows of a tile by index.",
        "input: tile, dim~: @dim = -2, index: tile, src: tile",
        Typing(whole="scatter_update", checks=("tile(0,1,2)",)),
        inputs="Vec Vec Vec",
        space="Vec",
        notes="dim, index and src may be given in any of the documented mixes of position and keyword.",
    ),
    row(
        "tile.sort32",
        "Sorts groups of 32 values; the result interleaves values and indices.",
        "src: tile, idx: tile",
        Typing(shape="doubled(0)", valid="full", checks=("tile(0,1)", "dtype_in(0,half_or_single)")),
        inputs="Vec Vec",
        space="Vec",
        inplace_safe=False,
        pto="tsort32",
    ),
    row(
        "tile.mrgsort_format1",
        "Merges sorted runs of one tile.",
        "src: tile, block_len: int32",
        Typing(
            valid="full",
            checks=("tile(0)", "dtype_in(0,half_or_single)", "scalar(1)", "int(1)", "block_length(1)"),
        ),
        inputs="Vec -",
        space="Vec",
        inplace_safe=False,
        pto="tmrgsort",
    ),
    row(
        "tile.mrgsort_format2",
        "Merges two to four sorted tiles; the last operand is scratch.",
        "sources...: tile, *, exhausted: @bool = False",
        Typing(whole="merge_sorted"),
        inputs="Vec Vec Vec Vec Vec",
        space="Vec",
        inplace_safe=False,
        access="unknown",
        pto="tmrgsort",
    ),
)
