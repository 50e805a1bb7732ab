"""Types of `.pto` text, both spellings (sync.md 9, appendix A)."""

from __future__ import annotations

import pytest

from pto_analysis.pto.types import (
    MemRefType,
    MultiTileType,
    OtherType,
    PointerType,
    ScalarType,
    TileType,
    Type,
    ViewType,
    parse_type,
)

LEGACY = (
    "!pto.tile_buf<loc=vec, dtype=f32, rows=3, cols=64, v_row=?, v_col=-1, blayout=row_major, slayout=none_box,"
    " fractal=512, pad=0>"
)

ROWS: list[tuple[str, Type]] = [
    ("index", ScalarType("index")),
    ("ui8", ScalarType("ui8")),
    ("!pto.tile_buf<vec, 3x64xf32>", TileType("vec", "f32", 3, 64, 3, 64)),
    ("!pto.tile_buf<vec, 3x64xf32, valid=?x8>", TileType("vec", "f32", 3, 64, None, 8)),
    ("!pto.tile_buf<ub, 3x64xbf16>", TileType("vec", "bf16", 3, 64, 3, 64)),
    ("!pto.tile_buf<32x64xf32, #pto.address_space<vec>>", TileType("vec", "f32", 32, 64, 32, 64)),
    (
        "!pto.tile_buf<left, 32x32xf16, slayout=row_major, compact=2, blayout=col_major, fractal=1024, pad=1>",
        TileType("left", "f16", 32, 32, 32, 32, "col_major", "row_major", 1024, 1, 2),
    ),
    (LEGACY, TileType("vec", "f32", 3, 64)),
    ("!pto.multi_tile_buf<vec, 1x64xf32, count=2>", MultiTileType(TileType("vec", "f32", 1, 64, 1, 64), 2)),
    (f"!pto.multi_tile_buf<{LEGACY}, count=3>", MultiTileType(TileType("vec", "f32", 3, 64), 3)),
    ("!pto.ptr<f32>", PointerType("f32")),
    ("!pto.ptr<f16, ub>", PointerType("f16", "vec")),
    ("!pto.tensor_view<?x64xf16>", ViewType((None, 64), "f16")),
    ("!pto.partition_tensor_view<1x64xf32>", ViewType((1, 64), "f32", True)),
    ("!pto.partition_tensor_view<1x64x!pto.hif8>", ViewType((1, 64), "!pto.hif8", True)),
    ("memref<16x?xf16, #pto.address_space<mat>>", MemRefType((16, None), "f16", "mat")),
    ("!pto.pipe", OtherType("!pto.pipe")),
    ("!pto.tile_buf<vec>", OtherType("!pto.tile_buf<vec>")),
    ("vector<4xi16>", OtherType("vector<4xi16>")),
]


@pytest.mark.parametrize(("text", "expected"), ROWS, ids=[row[0][:60] for row in ROWS])
def test_type(text: str, expected: Type) -> None:
    assert parse_type(text) == expected


FOOTPRINTS = [
    ("!pto.tile_buf<vec, 3x64xf32>", 768),
    ("!pto.tile_buf<vec, 3x64xf32, compact=2>", (2 * 65 + 64) * 4),
    ("!pto.tile_buf<vec, 3x64xf32, compact=2, blayout=col_major>", (63 * 4 + 3) * 4),
    ("!pto.tile_buf<vec, 2x64xi8>", 128),
    ("!pto.tile_buf<vec, 2x64x!pto.f4E2M1x2>", 128),
    ("!pto.tile_buf<vec, 2x64xf8E4M3FN>", 128),
]


@pytest.mark.parametrize(("text", "expected"), FOOTPRINTS)
def test_footprint_in_bytes(text: str, expected: int) -> None:
    kind = parse_type(text)
    assert isinstance(kind, TileType)
    assert kind.footprint == expected
