"""Valid regions of windows against sets of points: nothing that holds no data is ever called valid."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pto_analysis.ir.dtypes import DTYPES, INDEX
from pto_analysis.ir.expr import Const, Expr, Tuple, Var
from pto_analysis.ir.types import Dim, ScalarType, Shape, Space, TensorType, TensorView, TileType, TileView
from pto_analysis.ops import Refusal, deduce
from pto_analysis.ops.views import valid_shape
from tests.ops.test_dims import value_of

FP32 = DTYPES["FP32"]
N = Var("n", ScalarType(INDEX))
Point = tuple[int, ...]
Numbers = tuple[int, ...]

SIZES = st.integers(1, 4)
PAIRS = st.tuples(SIZES, SIZES)
OFFSETS = st.tuples(st.integers(0, 4), st.integers(0, 4))


def tile(shape: Shape, valid: Shape) -> Expr:
    return Var("t", TileType(shape, FP32, Space.VEC, TileView(valid_shape=valid)))


def tensor(shape: Shape, valid: Shape) -> Expr:
    return Var("g", TensorType(shape, FP32, TensorView(valid_shape=valid)))


def literal(dims: Sequence[Dim]) -> Expr:
    return Tuple(tuple(Const(dim, INDEX) if isinstance(dim, int) else dim for dim in dims))


def points(shape: Sequence[int], offsets: Sequence[int] = (0, 0)) -> set[Point]:
    return set(itertools.product(*(range(o, o + extent) for o, extent in zip(offsets, shape, strict=True))))


def valid_or_kind(op: str, args: Sequence[Expr], attrs: dict[str, object] | None = None) -> Shape | str:
    result = deduce(op, args, attrs or {})
    if isinstance(result, Refusal):
        return result.kind
    assert isinstance(result, (TileType, TensorType))
    return valid_shape(result)


def narrowed(draw: st.DrawFn, shape: Numbers) -> Numbers:
    return tuple(draw(st.integers(0, extent)) for extent in shape)


@st.composite
def regions(draw: st.DrawFn) -> tuple[Numbers, Numbers]:
    shape = draw(PAIRS)
    return shape, narrowed(draw, shape)


@settings(max_examples=150, deadline=None)
@given(regions(), PAIRS, OFFSETS)
def test_a_slice_holds_what_the_source_holds(source: tuple[Numbers, Numbers], window: Numbers, at: Numbers) -> None:
    shape, valid = source
    result = valid_or_kind("tile.slice", (tile(shape, valid), literal(window), literal(at)))
    inside = points(window, at) <= points(shape)
    assert (result == "out-of-bounds") is not inside
    if inside:
        assert not isinstance(result, str)
        held = points(valid) & points(window, at)
        expected = {tuple(p - o for p, o in zip(point, at, strict=True)) for point in held}
        assert points([value_of(extent, {}) for extent in result]) == expected


@settings(max_examples=150, deadline=None)
@given(regions(), PAIRS, OFFSETS, PAIRS)
def test_a_load_holds_at_most_what_was_asked_for(
    source: tuple[Numbers, Numbers], window: Numbers, at: Numbers, wanted: Numbers
) -> None:
    shape, valid = source
    args = (tensor(shape, valid), literal(at), literal(window), literal(wanted))
    result = valid_or_kind("tile.load", args, {"target_memory": Space.VEC})
    if not points(wanted) <= points(window):
        assert result in ("valid-region", "out-of-bounds")
    elif not points(wanted, at) <= points(shape):
        assert result == "out-of-bounds"
    else:
        assert not isinstance(result, str)
        assert points([value_of(e, {}) for e in result], at) == points(wanted, at) & points(valid)


@settings(max_examples=200, deadline=None)
@given(regions(), PAIRS, OFFSETS)
def test_a_clamped_load_never_fails_and_ends_at_the_edge(
    source: tuple[Numbers, Numbers], window: Numbers, at: Numbers
) -> None:
    shape, valid = source
    args = (tensor(shape, valid), literal(at), literal(window), literal(window))
    result = valid_or_kind("tile.load", args, {"target_memory": Space.VEC, "clamp": True})
    assert not isinstance(result, str)
    assert points([value_of(e, {}) for e in result], at) == points(window, at) & points(valid)


@settings(max_examples=250, deadline=None)
@given(regions(), regions(), OFFSETS)
def test_a_write_leaves_a_rectangle_or_is_refused(
    target: tuple[Numbers, Numbers], source: tuple[Numbers, Numbers], at: Numbers
) -> None:
    shape, valid = target
    source_shape, source_valid = source
    args = (tile(source_shape, source_valid), literal(at), tensor(shape, valid))
    result = valid_or_kind("tile.store", args)
    written = points(source_valid, at)
    fits = all(o + extent <= dim for o, extent, dim in zip(at, source_valid, shape, strict=True))
    assert (result == "out-of-bounds") is not fits
    assume(fits)
    union = points(valid) | written
    if result == "valid-region":
        assert not _is_box(union, shape)
    else:
        assert not isinstance(result, str)
        assert points([value_of(e, {}) for e in result]) == union


def _is_box(union: set[Point], shape: Numbers) -> bool:
    return any(union == points(box) for box in itertools.product(*(range(extent + 1) for extent in shape)))


@settings(max_examples=200, deadline=None)
@given(regions(), PAIRS, OFFSETS)
def test_an_assembled_tile_is_copied_whole(target: tuple[Numbers, Numbers], source: Numbers, at: Numbers) -> None:
    shape, valid = target
    result = valid_or_kind("tile.assemble", (tile(shape, valid), tile(source, source), literal(at)))
    assert (result == "out-of-bounds") is not (points(source, at) <= points(shape))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 4), st.integers(1, 4), st.integers(0, 3), st.booleans())
def test_symbolic_extents_agree_with_their_values(value: int, window: int, offset: int, at_run_time: bool) -> None:
    """The valid extent of a slice at (or of a source valid up to) a run-time n is right for every n."""
    at: Dim = N if at_run_time else offset
    valid: Dim = offset if at_run_time else N
    args = (tile((8, 4), (valid, 4)), literal((window, 4)), literal((at, 0)))
    result = valid_or_kind("tile.slice", args)
    assert not isinstance(result, str)
    start, end = (value, offset) if at_run_time else (offset, value)
    assert value_of(result[0], {N: value}) == len(set(range(start, start + window)) & set(range(end)))


@pytest.mark.parametrize(
    ("offset", "window", "refused"),
    [(0, 8, False), (1, 8, True), (-1, 4, True), (N, 8, False), (N, 9, True)],
)
def test_only_proven_excess_is_refused(offset: Dim, window: int, refused: bool) -> None:
    result = valid_or_kind("tile.slice", (tile((8, 4), (8, 4)), literal((window, 4)), literal((offset, 0))))
    assert (result == "out-of-bounds") is refused
