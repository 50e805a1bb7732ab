"""Tile ops that allocate, move, rename or generate data.

Source of the facts: the op registry and deducers of hw-native-sys/pypto (2026-08-21), `facts/tile_ops.json`.
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import no_buffer, reuse, row, view

_view = partial(row, space="inherit", storage=view(0), access="none", unit="none", families=("view",))
_index = partial(row, storage=no_buffer(), access="none", unit="none")
_INDEX = Typing(kind="scalar", dtype="INDEX")

DATA_MOVEMENT = (
    row(
        "tile.load",
        "Copies a window of a tensor in global memory into a tile.",
        "tensor: tensor, offsets: shape, shapes: shape, valid_shape: shape = $shapes, "
        "target_memory: @space = Vec, clamp: @bool? = False",
        Typing(whole="load"),
        space="attr(target_memory)",
        unit="MTE2",
        pto="tload",
        families=("load",),
        notes="With clamp the read may pass the edge of the tensor; the valid shape ends there.",
    ),
    row(
        "tile.store",
        "Copies a tile into a window of a tensor in global memory.",
        "tile: tile, offsets: shape, output_tensor: tensor, shapes: shape = None, *, atomic: @atomic? = None_",
        Typing(whole="store", checks=("tile(0)", "tensor(2)", "atomic_dtype(0)")),
        inputs="Vec|Acc",
        storage=reuse(2),
        effects={2: "cond"},
        writes_through="dma",
        access="unknown",
        unit="by-space",
        pto="tstore",
        families=("store",),
    ),
    row(
        "tile.move",
        "Copies a tile into another memory space.",
        "tile: tile, target_memory: @space, blayout: @layout? = None, slayout: @layout? = None",
        Typing(whole="move"),
        space="attr(target_memory,Vec)",
        inplace_safe=False,
        unit="by-space",
        pto="tmov",
        families=("move",),
    ),
    row(
        "tile.extract",
        "Copies a window of a tile into a new tile, also in another memory space.",
        "src: tile, index_row: index, index_col: index, shape: shape, *, target_memory: @space",
        Typing(whole="extract"),
        space="attr(target_memory,Vec)",
        inplace_safe=False,
        access="unknown",
        unit="by-space",
        pto="textract",
        families=("extract", "window"),
    ),
    row(
        "tile.assemble",
        "Writes a tile into another tile at an offset.",
        "target: tile, source: tile, offset: shape",
        Typing(whole="assemble"),
        space="inherit",
        storage=view(0),
        effects={0: "RW"},
        access="unknown",
        unit="by-space",
        pto="tinsert",
        families=("assemble",),
    ),
    row(
        "tile.gather_row",
        "Loads one row of a tensor in global memory into a part of a tile.",
        "dst: tile, src: tensor, dst_offset: shape, src_offset: shape, shapes: shape, transpose: @bool = False, "
        "*, valid_shape: shape = None",
        Typing(whole="gather_row", checks=("tile(0)", "plain_tensor(1)")),
        storage=reuse(0),
        effects={0: "RW"},
        access="unknown",
        unit="MTE2",
        pto="tload",
    ),
    row(
        "tile.mscatter",
        "Stores the elements of a tile to the places of a tensor that an index tile names.",
        "src: tile, idx: tile, output_tensor: tensor",
        Typing(
            whole="same_as",
            checks=(
                "tile(0,1)",
                "dtype_in(0,gatherable)",
                "dtype_in(1,int32)",
                "same_rank(0,1)",
                "constant_dims_agree(0,1)",
                "tensor(2)",
                "min_rank(2,1)",
                "same_dtype(0,2)",
            ),
        ),
        inputs="Vec Vec",
        storage=reuse(2),
        effects={2: "W"},
        writes_through="dma",
        access="unknown",
        unit="MTE3",
        pto="mscatter",
    ),
    row(
        "tile.mgather",
        "Loads rows or elements of a tensor in global memory by index.",
        "mem: tensor, idx: shaped, coalesce: @coalesce = row, *, gather_oob: @gather_oob? = undefined, "
        "target_memory: @space? = Vec, scratch: tensor = None, valid_shape: shape = None",
        Typing(whole="memory_gather"),
        space="attr(target_memory,Vec)",
        inplace_safe=False,
        effects={2: "cond"},
        writes_through="dma",
        access="unknown",
        unit="MTE2",
        pto="mgather",
    ),
)

VIEWS = (
    _view(
        "tile.slice",
        "A window of a tile, without copying.",
        "tile: tile, shape: shape, offset: shape, valid_shape: shape = None, drop_dims: axes = None, "
        "pad_value: @pad? = None",
        Typing(whole="slice"),
        pto="subview",
        families=("view", "slice", "window"),
    ),
    _view(
        "tile.reshape",
        "A tile with other extents, without copying.",
        "tile: tile, shape: shape",
        Typing(whole="reshape"),
        pto="treshape",
    ),
    _view(
        "tile.reinterpret_view",
        "The bytes of a tile read as another dtype, without copying.",
        "data: tile, dtype: @dtype, *, shape: shape = None",
        Typing(whole="reinterpret"),
        pto="treshape",
    ),
    _view(
        "tile.transpose_view",
        "A tile with its last two axes swapped by renaming the layout.",
        "tile: tile",
        Typing(whole="transpose_view"),
        pto="treshape",
    ),
    _view(
        "tile.set_validshape",
        "A tile with another valid region, without copying.",
        "tile: tile, valid_rows: index, valid_cols: index",
        Typing(whole="set_validshape"),
        pto="set_validshape",
    ),
    row(
        "tile.transpose",
        "Copies a tile with two axes swapped.",
        "tile: tile, axis1: index, axis2: index, tmp_tile: tile = None",
        Typing(whole="transpose"),
        space="inherit",
        inplace_safe=False,
        access="unknown",
        pto="ttrans",
    ),
    row(
        "tile.concat",
        "Puts two tiles side by side.",
        "src0: tile, src1: tile",
        Typing(
            shape="concatenated(0,1)",
            valid="full",
            layout="flat(row_major)",
            checks=("tile(0,1)", "same_dtype(0,1)", "rank(0,2)", "rank(1,2)", "constant_dims_agree(0,1,rows)"),
        ),
        inputs="Vec Vec",
        space="Vec",
        inplace_safe=False,
        pto="tconcat",
    ),
)

CREATION = (
    row(
        "tile.create",
        "Makes a tile without data.",
        "shape: shape, dtype: @dtype, target_memory: @space = Vec, transpose: @bool? = None, *, "
        "flat_layout: @bool? = None",
        Typing(whole="create", checks=("not_a_scale_space",)),
        space="attr(target_memory)",
        access="none",
        unit="none",
        pto="alloc_tile",
        core="shared",
        families=("create",),
    ),
    row(
        "tile.alloc",
        "Reserves bytes in a memory space; printed by the compiler.",
        "memory_space: @space, size: index, *, pinned: @bool? = False",
        Typing(kind="unknown"),
        storage=no_buffer(),
        access="none",
        unit="none",
        core="vector",
    ),
    row(
        "tile.full",
        "Makes a tile with one value everywhere.",
        "shape: shape, dtype: @dtype, value: number",
        Typing(whole="filled"),
        space="Vec",
        pto="texpands",
        families=("create",),
    ),
    row(
        "tile.ci",
        "Makes a row of consecutive integers.",
        "start: start, shape: shape, dtype: @dtype = INT32, descending: @bool = False",
        Typing(whole="counter"),
        space="Vec",
        unit="S",
        pto="tci",
        families=("create",),
    ),
    row(
        "tile.tri",
        "Makes a triangular mask of zeros and ones.",
        "diagonal: int32, shape: shape, valid_shape: shape = None, dtype: @dtype = INT32, upper: @bool = False",
        Typing(whole="triangle"),
        space="Vec",
        access="unknown",
        pto="ttri",
        families=("create",),
    ),
    row(
        "tile.random",
        "Makes pseudo-random integers from six seed words.",
        "key0: int32, key1: int32, counter0: int32, counter1: int32, counter2: int32, counter3: int32, "
        "shape: shape, valid_shape: shape = None, dtype: @dtype = UINT32, rounds: @int = 10",
        Typing(whole="random"),
        space="Vec",
        pto="trandom",
        families=("create",),
    ),
)

ELEMENT_ACCESS = (
    row(
        "tile.read",
        "Reads one element of a tile as a scalar.",
        "tile: tile, indices: indices",
        Typing(kind="scalar", dtype="dtype(0)", checks=("tile(0)", "read_indices(0,1)")),
        inputs="Vec",
        storage=no_buffer(),
        access="unknown",
        unit="S",
        pto="tgetval",
    ),
    row(
        "tile.write",
        "Writes one element of a tile.",
        "tile: tile, indices: indices, value: value",
        Typing(whole="write_element", checks=("tile(0)", "read_indices(0,1)")),
        inputs="Vec",
        space="Vec",
        storage=reuse(0),
        effects={0: "RW"},
        access="unknown",
        unit="S",
        pto="tsetval",
    ),
    _index("tile.get_block_idx", "Number of the block that runs.", "", _INDEX, core="shared"),
    _index("tile.get_subblock_idx", "Number of the vector lane that runs.", "", _INDEX, core="vector"),
    _index("tile.get_block_num", "How many blocks the task has.", "", _INDEX, core="shared"),
)

TILE_MEMORY = DATA_MOVEMENT + VIEWS + CREATION + ELEMENT_ACCESS
