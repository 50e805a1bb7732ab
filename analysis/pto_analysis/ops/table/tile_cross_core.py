"""Tile ops that hand tiles from the cube to the vector core and back.

Source of the facts: the op registry and deducers of hw-native-sys/pypto (2026-08-21), `facts/tile_ops.json`.
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import no_buffer, row

_cross = partial(row, access="unknown", families=("cross_core",))

TILE_CROSS_CORE = (
    _cross(
        "tile.aiv_shard",
        "Hands a vector lane its half of a cube tile.",
        "x: tile, *, split: @int = None, lane_stride: @int? = None",
        Typing(whole="shard", checks=("tile(0)",)),
        space="Vec",
        notes="Inside `for … in pl.split_aiv(…)` the mode gives the split.",
    ),
    _cross(
        "tile.aic_gather",
        "Hands the cube the halves of both vector lanes.",
        "x: tile, *, split: @int = None",
        Typing(whole="rejoin", checks=("tile(0)",)),
        space="Mat",
    ),
    _cross(
        "tile.tpush_to_aiv",
        "Sends a tile from the cube to the vector core.",
        "tile: tile, *, split: @int, lane_stride: @int? = None, id: @int? = None",
        Typing(kind="unknown"),
        storage=no_buffer(),
        core="cube",
        pto="tpush_to_aiv",
        prefix="pl.",
    ),
    _cross(
        "tile.tpush_to_aic",
        "Sends a tile from the vector to the cube core.",
        "tile: tile, *, split: @int, id: @int? = None",
        Typing(kind="unknown"),
        storage=no_buffer(),
        core="vector",
        pto="tpush_to_aic",
    ),
    _cross(
        "tile.tpop_from_aic",
        "Receives a tile from the cube core.",
        "*, shape: @shape? = None, dtype: @dtype? = None, split: @int = 0, lane_stride: @int? = None, id: @int? = None",
        Typing(whole="popped"),
        space="Vec",
        core="vector",
        pto="tpop_from_aic",
    ),
    _cross(
        "tile.tpop_from_aiv",
        "Receives a tile from the vector core.",
        "*, shape: @shape? = None, dtype: @dtype? = None, split: @int = 0, id: @int? = None",
        Typing(whole="popped"),
        space="Mat",
        core="cube",
        pto="tpop_from_aiv",
    ),
)
