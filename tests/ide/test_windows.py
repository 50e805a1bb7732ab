"""What hovers tell about windows: where they start, whether they are one piece, and what the compiler makes of them."""

from __future__ import annotations

import pytest

from pto_analysis.ide.hover import hover_at
from pto_analysis.rules.example import incore
from tests.ide.reading import read

WINDOWS = [
    ("pl.tile.slice(t, [64, 16], [0, 8])", "pl.mul(w, 2.0)", ["starts at a multiple of 32 bytes", "stays a view"]),
    ("pl.tile.slice(t, [1, 32], [3, 0])", "pl.mul(w, 2.0)", ["contiguous", "stays a view"]),
    ("pl.tile.slice(t, [8, 64], [8, 0])", "pl.mul(w, 2.0)", ["contiguous", "stays a view"]),
    (
        "pl.tile.slice(t, [64, 16], [0, 6])",
        "pl.mul(w, 2.0)",
        ["starts 24 bytes past a multiple of 32", "the compiler copies it for `muls`"],
    ),
    (
        "pl.tile.slice(t, [64, 16], [0, 16])",
        "pl.tile.col_expand_mul(w, pl.tile.slice(t, [1, 16], [0, 0]))",
        [
            "starts at a multiple of 32 bytes",
            "not contiguous: 64 rows of 16 of the 64 columns",
            "the compiler copies it for `col_expand_mul`: not contiguous",
        ],
    ),
]


@pytest.mark.parametrize(("window", "use", "facts"), WINDOWS)
def test_a_hover_tells_what_becomes_of_a_window(window: str, use: str, facts: list[str]) -> None:
    found = read(incore(f"t = pl.load(x, [0, 0], [64, 64])\nw = {window}\nu = {use}\nreturn y\n"))
    shown = hover_at(found.unit, found.kernels, *found.place("w = pl"))
    assert shown is not None
    lines = [line.strip() for line in shown.markdown.splitlines()]
    assert [fact for fact in facts if not any(line.startswith(fact) for line in lines)] == []
