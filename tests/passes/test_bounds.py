"""Provably outside windows, against running the loops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.passes.bounds import OutsideWindow
from pto_analysis.passes.kernel import KernelAnalysis
from tests.passes.kernels import kernel

PARAMS = "t: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec], g: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX]"


def outside(body: str) -> tuple[OutsideWindow, ...]:
    return KernelAnalysis(kernel(body, PARAMS)).outside


START, STOP, STEP = st.integers(-4, 12), st.integers(1, 24), st.integers(1, 5)
FACTOR, OFFSET, ROWS = st.integers(-2, 3), st.integers(-8, 24), st.integers(1, 16)


@given(START, STOP, STEP, FACTOR, OFFSET, ROWS)
def test_a_loop_of_windows(start: int, stop: int, step: int, factor: int, offset: int, rows: int) -> None:
    """Told exactly when the first or last round, run by Python, leaves the 16 rows."""
    body = f"""
        for i in pl.range({start}, {stop}, {step}):
            k: pl.Scalar[pl.INDEX] = i * {factor} + {offset}
            w = pl.tile.slice(t, [{rows}, 8], [k, 0])
    """
    places = [i * factor + offset for i in range(start, stop, step)]
    told = [window.round for window in outside(body)]
    assert bool(told) == any(not 0 <= place <= 16 - rows for place in places)


PROVED = [
    (
        "a literal through an alias",
        "a: pl.Scalar[pl.INDEX] = 9\nb: pl.Scalar[pl.INDEX] = a\nw = pl.tile.slice(t, [8, 8], [b, 0])",
    ),
    ("the range of a remainder", "k: pl.Scalar[pl.INDEX] = n % 4 + 9\nw = pl.tile.slice(t, [8, 8], [k, 0])"),
    ("always negative", "k: pl.Scalar[pl.INDEX] = n % 4 - 8\nw = pl.tile.slice(t, [8, 8], [k, 0])"),
    ("an extract", "for i in pl.range(3):\n    w = pl.tile.extract(t, i * 8, 0, [8, 8], target_memory=pl.Mem.Vec)"),
    ("a load", "for i in pl.range(5):\n    w = pl.tile.load(g, [i * 16, 0], [16, 64])"),
    ("the second axis", "for i in pl.range(9):\n    w = pl.tile.slice(t, [16, 8], [0, i * 8])"),
    (
        "an outer and an inner loop",
        "for i in pl.range(2):\n    for j in pl.range(2):\n        w = pl.tile.slice(t, [8, 8], [i * 8 + j, 0])",
    ),
]

NOT_PROVED = [
    ("what fits", "for i in pl.range(2):\n    w = pl.tile.slice(t, [8, 8], [i * 8, 0])"),
    ("an unknown", "w = pl.tile.slice(t, [8, 8], [n, 0])"),
    ("a loop that may not run so far", "for i in pl.range(n):\n    w = pl.tile.slice(t, [8, 8], [i * 8, 0])"),
    ("a branch in a loop", "for i in pl.range(3):\n    if i < 2:\n        w = pl.tile.slice(t, [8, 8], [i * 8, 0])"),
    ("a loop that never runs", "for i in pl.range(4, 4):\n    w = pl.tile.slice(t, [8, 8], [i * 8, 0])"),
    ("a load with less valid data", "for i in pl.range(5):\n    w = pl.tile.load(g, [i * 14, 0], [16, 64], [8, 64])"),
    ("a clamped load", "for i in pl.range(5):\n    w = pl.tile.load(g, [i * 16, 0], [16, 64], clamp=True)"),
    ("a remainder that may fit", "w = pl.tile.slice(t, [8, 8], [n % 16, 0])"),
]


@pytest.mark.parametrize(("name", "body"), PROVED, ids=[row[0] for row in PROVED])
def test_proved(name: str, body: str) -> None:
    assert len(outside(body)) == 1, name


@pytest.mark.parametrize(("name", "body"), NOT_PROVED, ids=[row[0] for row in NOT_PROVED])
def test_not_proved(name: str, body: str) -> None:
    assert outside(body) == (), name


def test_a_branch_keeps_what_does_not_depend_on_the_round() -> None:
    loop = "for i in pl.range(3):\n    if i < 2:\n        w = pl.tile.slice(t, [8, 8], [a, 0])"
    (window,) = outside(f"a: pl.Scalar[pl.INDEX] = 9\n{loop}")
    assert (window.value, window.extent, window.available, window.round) == (9, 8, 16, "always")
