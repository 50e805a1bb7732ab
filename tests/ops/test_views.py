"""Tile layouts: implicit by space and shape, in effect, and in canonical form."""

from __future__ import annotations

import pytest
from attrs import evolve

from pto_analysis.ir.dtypes import DTYPES, INDEX
from pto_analysis.ir.expr import Var
from pto_analysis.ir.types import Layout, Pad, ScalarType, Space, TensorType, TensorView, TileType, TileView
from pto_analysis.ops.views import (
    box_of,
    canonical_view,
    effective_view,
    implicit_view,
    is_fully_valid,
    same_type,
    tensor_type,
    tile_type,
    valid_shape,
    with_space,
)

FP16, FP32 = DTYPES["FP16"], DTYPES["FP32"]
N = Var("n", ScalarType(INDEX))
ROW, COLUMN, NONE = Layout.ROW_MAJOR, Layout.COL_MAJOR, Layout.NONE_BOX


@pytest.mark.parametrize(
    ("space", "shape", "blayout", "slayout", "fractal"),
    [
        (None, (8, 16), ROW, NONE, 512),
        (None, (8, 1), COLUMN, NONE, 512),
        (None, (1, 1), ROW, NONE, 512),
        (Space.VEC, (8, 16), ROW, NONE, 512),
        (Space.VEC, (8, 1), COLUMN, NONE, 512),
        (Space.VEC, (1, 8), ROW, NONE, 512),
        (Space.MAT, (16, 16), COLUMN, ROW, 512),
        (Space.LEFT, (16, 16), COLUMN, ROW, 512),
        (Space.RIGHT, (16, 16), ROW, COLUMN, 512),
        (Space.ACC, (16, 16), COLUMN, ROW, 1024),
        (Space.LEFT_SCALE, (16, 2), ROW, ROW, 32),
        (Space.RIGHT_SCALE, (2, 16), COLUMN, COLUMN, 32),
        (Space.BIAS, (1, 16), ROW, NONE, 512),
    ],
)
def test_implicit_view(
    space: Space | None, shape: tuple[int, int], blayout: Layout, slayout: Layout, fractal: int
) -> None:
    view = implicit_view(shape, space)
    assert (view.blayout, view.slayout, view.fractal) == (blayout, slayout, fractal)
    assert effective_view(TileType(shape, FP16, space)) == evolve(view, valid_shape=shape)
    assert canonical_view(view, shape, space) is None


def test_canonical_form_drops_what_is_implied() -> None:
    full = TileView(valid_shape=(8, 16))
    assert canonical_view(full, (8, 16), Space.VEC) is None
    assert canonical_view(full, (8, 17), Space.VEC) == full
    assert canonical_view(TileView(pad=Pad.ZERO), (8, 16), Space.VEC) == TileView(pad=Pad.ZERO)
    assert canonical_view(TileView(COLUMN), (8, 16), Space.VEC) == TileView(COLUMN)
    assert canonical_view(TileView(valid_shape=(N, 16)), (N, 16), Space.VEC) is None


def test_a_type_in_canonical_form_equals_one_that_spells_everything_out() -> None:
    spelled = TileType((8, 16), FP16, Space.MAT, TileView(COLUMN, ROW, 512, (8, 16)))
    assert same_type(spelled, TileType((8, 16), FP16, Space.MAT))
    assert tile_type((8, 16), FP16, spelled.view, Space.MAT) == TileType((8, 16), FP16, Space.MAT)


@pytest.mark.parametrize(
    "other",
    [
        TileType((8, 16), FP32, Space.VEC),
        TileType((8, 17), FP16, Space.VEC),
        TileType((8, 16), FP16, Space.MAT),
        TileType((8, 16), FP16, Space.VEC, TileView(COLUMN)),
        TileType((8, 16), FP16, Space.VEC, TileView(pad=Pad.MAX)),
        TileType((8, 16), FP16, Space.VEC, TileView(valid_shape=(8, N))),
        TensorType((8, 16), FP16),
    ],
)
def test_types_that_differ(other: TileType | TensorType) -> None:
    assert not same_type(TileType((8, 16), FP16, Space.VEC), other)
    assert same_type(other, other)


def test_a_space_that_comes_later_brings_its_layout() -> None:
    plain = tile_type((16, 16), FP16)
    assert with_space(plain, Space.RIGHT) == TileType((16, 16), FP16, Space.RIGHT)
    flat = tile_type((16, 16), FP16, TileView(COLUMN))
    assert effective_view(with_space(flat, Space.VEC)).blayout is COLUMN


def test_tensors() -> None:
    assert tensor_type((8, 16), FP16, TensorView(valid_shape=(8, 16))) == TensorType((8, 16), FP16)
    partial = tensor_type((8, 16), FP16, TensorView(valid_shape=(N, 16)))
    assert valid_shape(partial) == (N, 16)
    assert not is_fully_valid(partial)
    assert is_fully_valid(TensorType((8, N), FP16))
    assert not same_type(partial, TensorType((8, 16), FP16))
    assert not same_type(TensorType((8, 16), FP16, TensorView(layout="DN")), TensorType((8, 16), FP16))


@pytest.mark.parametrize(
    ("space", "dtype", "box"),
    [
        (Space.MAT, "FP16", (16, 16)),
        (Space.MAT, "FP32", (16, 8)),
        (Space.MAT, "INT8", (16, 32)),
        (Space.RIGHT, "FP32", (8, 16)),
        (Space.ACC, "FP32", (16, 16)),
        (Space.LEFT_SCALE, "FP8E8M0", (16, 2)),
        (Space.RIGHT_SCALE, "FP8E8M0", (2, 16)),
        (Space.VEC, "FP16", None),
    ],
)
def test_box_in_elements(space: Space, dtype: str, box: tuple[int, int] | None) -> None:
    assert box_of(implicit_view((64, 64), space), DTYPES[dtype]) == box
