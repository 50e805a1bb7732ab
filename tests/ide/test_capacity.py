"""The budget in lenses and hovers: what is live where the cursor stands, and at the worst point."""

from __future__ import annotations

import pytest

from pto_analysis.ide.capacity import capacity_title
from pto_analysis.ide.hover import hover_at
from pto_analysis.rules.example import incore
from tests.ide.reading import Read, read
from tests.ide.test_tensor_level import REGION

THREE_TILES = incore("""\
    first = pl.load(x, [0, 0], [64, 64])
    small = pl.load(x, [0, 0], [8, 64])
    second = pl.exp(first)
    y = pl.store(pl.add(first, second), [0, 0], y)
    y = pl.store(small, [0, 0], y)
    return y
""")
"""16 KiB, 2 KiB, 16 KiB; the sum takes a dying operand's place."""


def hover(found: Read, at: str) -> str:
    shown = hover_at(found.unit, found.kernels, *found.place(at))
    assert shown is not None
    return shown.markdown


def test_a_lens_tells_the_worst_point() -> None:
    found = read(THREE_TILES)
    assert capacity_title(found.kernels, found.kernels[0]) == "Vec 34 of 184 KiB"


def test_a_hover_tells_what_is_live_at_its_own_place() -> None:
    found = read(THREE_TILES)
    first = hover(found, "first = pl.load")
    assert "live in Vec here: `first` 16,384\n" in first.replace("  \n", "\n")
    assert "together 16,384 of 188,416 bytes (9%); at most 34,816 (18%) in this kernel" in first
    second = hover(found, "second = pl.exp")
    assert "`first` 16,384, `second` 16,384, `small` 2,048" in second
    assert "the most that this kernel needs" in second


def test_a_lens_says_what_does_not_fit() -> None:
    found = read(THREE_TILES.replace("[64, 64])", "[512, 64])").replace("pl.Tensor[[64, 64]", "pl.Tensor[[512, 64]"))
    assert capacity_title(found.kernels, found.kernels[0]) == "Vec 258 of 184 KiB: too much"


def test_a_lens_counts_the_regions_of_a_tensor_level_kernel() -> None:
    found = read(REGION)
    assert capacity_title(found.kernels, found.kernels[0]) == "Vec 6.94 of 184 KiB"
    assert "live in Vec here" in hover(found, "body = pl.add")


def test_a_lens_of_a_kernel_without_tiles() -> None:
    found = read(incore("return y\n"))
    assert capacity_title(found.kernels, found.kernels[0]) == "no tiles"


SYMBOLIC = "n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"


def test_tiles_of_symbolic_size_are_told_apart_from_none() -> None:
    some = "some = pl.load(x, [0, 0], [n, 64])\ny = pl.store(some, [0, 0], y)\n"
    found = read(incore(f"{some}return y\n", SYMBOLIC))
    assert capacity_title(found.kernels, found.kernels[0]) == "Vec 1 tile of unknown size"
    assert "not counted: 1 tile of unknown size in Vec" in hover(found, "some = ")
    found = read(
        incore(f"all = pl.load(x, [0, 0], [64, 64])\n{some}y = pl.store(all, [0, 0], y)\nreturn y\n", SYMBOLIC)
    )
    assert capacity_title(found.kernels, found.kernels[0]) == "Vec 16 of 184 KiB and 1 tile of unknown size"
    assert "not counted: 1 tile of unknown size in Vec" in hover(found, "all = ")


LOWER_BOUNDS = [
    "if n > 1:\n    t = pl.load(x, [0, 0], [64, 64])\nelse:\n    t = pl.load(x, [0, 0], [32, 64])\n",
    "t = pl.load(x, [0, 0], [64, 64])\nu = pl.tile.create([64, 64], pl.FP33, target_memory=pl.Mem.Vec)\n",
    "t = pl.load(x, [0, 0], [64, 64])\nu = pl.tile.create([-64, 64], pl.FP32, target_memory=pl.Mem.Vec)\n",
    "t = pl.load(x, [0, 0], [64, 64])\nu = pl.tile.create([64, 64] if n > 1 else [32, 64], pl.FP32)\n",
]


@pytest.mark.parametrize("body", LOWER_BOUNDS)
def test_what_is_refused_may_need_more(body: str) -> None:
    found = read(incore(f"{body}y = pl.store(t, [0, 0], y)\nreturn y\n", SYMBOLIC))
    assert capacity_title(found.kernels, found.kernels[0]) == "at least Vec 16 of 184 KiB"
    assert "together at least 16,384 of" in hover(found, "t, [0, 0], y")


def test_a_negative_extent_has_no_size() -> None:
    function = "x: pl.Tile[[-4, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"
    found = read(incore("t = x\ny = pl.store(t, [0, 0], y)\nreturn y\n", function))
    assert "bytes" not in hover(found, "t = x").replace("boxes of", "")


def test_tiles_that_are_not_understood_are_not_called_none() -> None:
    found = read(incore("t = pl.load(x, [0, 0], [64, 64], valid=1)\ny = pl.store(t, [0, 0], y)\nreturn y\n"))
    assert capacity_title(found.kernels, found.kernels[0]) == "tiles not known"
