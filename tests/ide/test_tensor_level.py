"""What editors tell about tensor-level kernels: the tiles that lowering makes of their values."""

from __future__ import annotations

from pto_analysis.ide.hints import hints
from pto_analysis.ide.hover import hover_at
from pto_analysis.ide.outline import symbols
from tests.ide.reading import read

REGION = """\
import pypto.language as pl


@pl.jit
def right_half(
    src: pl.Tensor[[12, 96], pl.FP32], gamma: pl.Tensor[[1, 48], pl.FP32], dst: pl.Out[pl.Tensor[[12, 48], pl.FP32]]
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale_half"):
        body = pl.add(src[0:12, :], 0.5)
        right = body[:, 48:96]
        dst[:, :] = pl.col_expand_mul(right, gamma)
    return dst
"""


def test_hints_name_the_tile_of_a_tensor() -> None:
    found = read(REGION)
    labels = {hint.label for hint in hints(found.unit, found.kernels, frozenset({"types"}))}
    assert labels == {": [12, 96] FP32 Vec", ": [12, 48] FP32 Vec"}


def test_a_hover_tells_where_the_value_lives_and_what_window_it_is() -> None:
    found = read(REGION)
    hover = hover_at(found.unit, found.kernels, *found.place("right = body"))
    assert hover is not None
    assert "on the chip: `[12, 48] FP32 Vec`, in `scale_half`" in hover.markdown
    assert "2304 bytes" in hover.markdown
    assert "at [0, 48]" in hover.markdown


TWO = """import pypto.language as pl


@pl.function(type=pl.FunctionType.InCore)
def twice(x: pl.Tensor[[8, 64], pl.FP32], y: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):
    x__in = pl.load(x, [0, 0], [8, 64])
    x__out = pl.mul(pl.add(x__in, 1.0), 2.0)
    return pl.store(x__out, [0, 0], y)
"""


def test_what_follows_two_underscores_belongs_to_the_name() -> None:
    found = read(TWO)
    assert [symbol.name for symbol in symbols(found.unit, found.kernels)[0].children] == ["x__in", "x__out"]
    hover = hover_at(found.unit, found.kernels, *found.place("x__out, [0"))
    assert hover is not None
    assert "x__out: pl.Tile" in hover.markdown


def test_a_tensor_with_two_underscores_in_its_name_has_its_tile() -> None:
    found = read(REGION.replace("right", "the__right"))
    hover = hover_at(found.unit, found.kernels, *found.place("the__right = body"))
    assert hover is not None
    assert "on the chip: `[12, 48] FP32 Vec`" in hover.markdown


def test_only_the_kinds_that_are_shown_are_worked_out() -> None:
    found = read(REGION)
    assert hints(found.unit, found.kernels, frozenset()) == ()
    assert {hint.kind for hint in hints(found.unit, found.kernels, frozenset({"copies"}))} == {"copies"}
