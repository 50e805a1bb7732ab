"""Whatever a text is cut to, it is read without an exception, and what still parses keeps its facts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.ir.types import TileType
from pto_analysis.source.text import mentions_dsl
from tests.frontend.reader import kernels, read, read_body, type_named
from tests.frontend.test_sketches import CFG, SKETCHES
from tests.support.cases import load_cases

TEXTS = [*SKETCHES.values(), *(case.source for case in load_cases("canonicalize")[::40])]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TEXTS), st.floats(0, 1), st.floats(0, 1))
def test_cut_texts_are_read(text: str, start: float, end: float) -> None:
    first, last = sorted((int(start * len(text)), int(end * len(text))))
    read(text[:first] + text[last:], cfg=CFG)
    read(text[:last], cfg=CFG)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(TEXTS), st.lists(st.tuples(st.floats(0, 1), st.sampled_from("()[]{}:,.=\n\t '\"@#\\*")), max_size=6)
)
def test_texts_with_strange_characters_are_read(text: str, changes: list[tuple[float, str]]) -> None:
    for place, character in changes:
        at = int(place * len(text))
        text = text[:at] + character + text[at + 1 :]
    read(text, cfg=CFG)


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 150 + "n" + ")" * 150,
        "pl.exp(" * 150 + "x" + ")" * 150,
        "pl.exp(" * 5000 + "x" + ")" * 5000,
        "n" + " + n" * 180,
        "n" + " + n" * 20_000,
        "n" + "[0]" * 150,
        "-" * 150 + "n",
        "not " * 150 + "n",
        "x[" * 100 + "0" + "]" * 100,
        "n" + " and n == 1" * 150,
        "pl.min(n, " * 100 + "n" + ")" * 100,
    ],
    ids=lambda text: text[:12],
)
def test_deep_and_long_expressions(expression: str) -> None:
    facts = read_body(f"v = {expression}\nt = pl.load(x, [0, 0], [8, 64])")
    assert isinstance(type_named(facts, "t"), TileType)


def test_deep_blocks_and_long_chains() -> None:
    deep = "".join(f"{'    ' * level}for k{level} in pl.range(2):\n" for level in range(90))
    read_body(f"{deep}{'    ' * 90}y = n")
    chain = "if n == 0:\n    y = n\n" + "".join(f"elif n == {k}:\n    y = n + {k}\n" for k in range(1, 300))
    facts = read_body(f"{chain}t = pl.load(x, [0, 0], [8, 64])")
    assert isinstance(type_named(facts, "t"), TileType)


def test_kernels_that_call_each_other_are_read() -> None:
    facts = read(
        "import pypto.language as pl\n"
        "@pl.jit.inline\ndef a(x: pl.Tensor[[8, 8], pl.FP32]):\n    y = b(x)\n    return y\n"
        "@pl.jit.inline\ndef b(x: pl.Tensor[[8, 8], pl.FP32]):\n    y = a(x)\n    return y\n"
        "@pl.jit.inline\ndef c(x: pl.Tensor):\n    y = c(x)\n    return y\n"
    )
    assert len(kernels(facts)) == 3


def test_constants_defined_by_themselves_are_unknown() -> None:
    facts = read(
        "import pypto.language as pl\nN = M\nM = N\n"
        "def make(k):\n    k = k\n    j = i\n    i = j\n"
        "    @pl.jit\n    def f(x: pl.Tensor[[N, k, j], pl.FP32]):\n        y = pl.add(x, 1.0)\n        return y\n"
        "    return f\n"
    )
    assert len(kernels(facts)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import pypto.language as pl\n", True),
        ("from pypto import language as X\n", True),
        ("import torch\nx = torch.ones(3)\n", False),
        ("", False),
    ],
)
def test_files_without_the_dsl_are_passed_over(text: str, expected: bool) -> None:
    assert mentions_dsl(text) is expected
