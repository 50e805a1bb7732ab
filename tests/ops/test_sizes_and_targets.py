"""Bytes of tiles, and the tables of memory sizes, data paths and conversions."""

from __future__ import annotations

import pytest

from pto_analysis.ir.dtypes import DTYPES
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ops.sizes import allocation_bytes, byte_offset_of, bytes_of, element_count, row_bytes
from pto_analysis.ops.targets import A2A3, A5, ALIGNMENT, TARGETS, Target
from tests.ops.notation import read_type, scope_of


def tile(text: str) -> TileType:
    type_ = read_type(text, scope_of(""))
    assert isinstance(type_, TileType)
    return type_


@pytest.mark.parametrize(
    ("text", "a2a3", "a5"),
    [
        ("Vec FP32 [8, 16]", 512, 512),
        ("Vec FP16 [7, 3]", 42, 42),
        ("Vec FP4 [1, 6]", 3, 3),
        ("Vec INT4 [1, 5]", 3, 3),
        ("Vec BOOL [1, 5]", 5, 5),
        ("Acc FP32 [1, 16]", 1024, 1024),
        ("Acc FP32 [17, 16]", 2048, 2048),
        ("Acc INT32 [16, 16]", 2048, 1024),
        ("Acc INT32 [33, 16]", 4096, 3072),
        ("Vec FP32 [8, 16] valid [1, 1]", 512, 512),
    ],
)
def test_allocation(text: str, a2a3: int, a5: int) -> None:
    assert allocation_bytes(tile(text)) == a2a3
    assert allocation_bytes(tile(text), "a5") == a5


def test_symbolic_extents_have_no_size() -> None:
    symbolic = tile("Vec FP32 [n, 16]")
    assert allocation_bytes(symbolic) is None
    assert element_count(symbolic.shape) is None
    assert row_bytes(symbolic) == 64
    assert row_bytes(tile("Vec FP32 [16, n]")) is None


def test_offsets_inside_a_byte() -> None:
    assert byte_offset_of(3, DTYPES["FP4"]) is None
    assert byte_offset_of(4, DTYPES["FP4"]) == 2
    assert byte_offset_of(3, DTYPES["FP32"]) == 12
    assert bytes_of(3, DTYPES["FP4"]) == 2


@pytest.mark.parametrize(
    ("target", "source", "destination", "possible"),
    [
        (A2A3, Space.MAT, Space.LEFT, True),
        (A2A3, Space.MAT, Space.VEC, False),
        (A2A3, Space.ACC, Space.VEC, False),
        (A2A3, Space.ACC, Space.MAT, True),
        (A2A3, Space.VEC, Space.MAT, False),
        (A2A3, Space.VEC, Space.VEC, True),
        (A2A3, Space.MAT, Space.MAT, False),
        (A2A3, Space.MAT, Space.LEFT_SCALE, False),
        (A5, Space.ACC, Space.VEC, True),
        (A5, Space.VEC, Space.MAT, True),
        (A5, Space.MAT, Space.LEFT_SCALE, True),
        (A5, Space.DDR, Space.LEFT, False),
    ],
)
def test_paths(target: Target, source: Space, destination: Space, possible: bool) -> None:
    assert target.has_path(source, destination) is possible


@pytest.mark.parametrize(
    ("source", "destination", "a2a3", "a5"),
    [
        ("FP32", "FP16", True, True),
        ("BF16", "FP16", False, True),
        ("FP16", "BF16", False, False),
        ("INT8", "FP16", True, True),
        ("INT8", "INT32", False, True),
        ("FP32", "INT8", False, False),
        ("INT64", "FP32", True, True),
        ("FP4", "BF16", False, True),
    ],
)
def test_conversions(source: str, destination: str, a2a3: bool, a5: bool) -> None:
    assert A2A3.casts_directly(source, destination) is a2a3
    assert A5.casts_directly(source, destination) is a5


def test_tables_are_consistent() -> None:
    for target in TARGETS.values():
        for source, destinations in target.casts.items():
            assert source in DTYPES
            assert set(destinations) <= set(DTYPES)
            assert source not in destinations
        for source, reached in target.paths.items():
            assert source is Space.DDR or target.capacity(source) is not None
            assert all(space is Space.DDR or target.capacity(space) is not None for space in reached)
    assert A2A3.capacity(Space.LEFT_SCALE) is None
    assert A5.capacity(Space.VEC) == 240 * 1024
    assert all(target.capacities.keys() <= ALIGNMENT.keys() for target in TARGETS.values())
