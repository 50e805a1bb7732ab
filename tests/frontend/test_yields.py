"""What `pl.yield_` may hand on: once, last in its block, as many values of the same types as its loop or arms name."""

from __future__ import annotations

import pytest

from tests.support.checking import check_text

HEAD = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ):
        t = pl.load(x, [0, 0], [64, 64])
        u = pl.exp(t)
"""
TAIL = """
        y = pl.store(t, [0, 0], y)
        return y
"""
LOOP = "for i, (c,) in pl.range(4, init_values=(t,)):\n    "
TWO = "for i, (c, d) in pl.range(4, init_values=(t, u)):\n    "

REFUSED = [
    (LOOP + "d = pl.exp(c)\n    e = pl.yield_(d, d)", "PTO308", "e = pl.yield_(d, d)"),
    (LOOP + "e, f = pl.yield_(c)", "PTO308", "e, f = pl.yield_(c)"),
    (TWO + "e, f = pl.yield_(c)", "PTO308", "e, f = pl.yield_(c)"),
    (LOOP + "e = pl.yield_(c)\n    d = pl.exp(c)", "PTO308", "e = pl.yield_(c)"),
    (LOOP + "e = pl.yield_(c)\n    e = pl.yield_(c)", "PTO308", "e = pl.yield_(c)"),
    (
        LOOP + "e = pl.yield_(pl.cast(c, target_type=pl.FP16))",
        "PTO307",
        "e = pl.yield_(pl.cast(c, target_type=pl.FP16))",
    ),
    (LOOP + "e = pl.yield_(pl.row_max(c, u))", "PTO307", "e = pl.yield_(pl.row_max(c, u))"),
    (TWO + "e, f = pl.yield_(n, c)", "PTO307", "e, f = pl.yield_(n, c)"),
    ("if n > 1:\n    e = pl.yield_(t)\nelse:\n    e = pl.yield_(t, u)", "PTO308", "e = pl.yield_(t, u)"),
    ("if n > 1:\n    e = pl.yield_(t)\nelse:\n    f = pl.yield_(u)", "PTO308", "f = pl.yield_(u)"),
    ("if n > 1:\n    e = pl.yield_(t)", "PTO308", "if n > 1:"),
    ("if n > 1:\n    e = pl.yield_(t)\n    u = pl.exp(t)\nelse:\n    e = pl.yield_(u)", "PTO308", "e = pl.yield_(t)"),
    ("if n > 1:\n    e = pl.yield_(t)\nelse:\n    e = pl.yield_(n)", "PTO307", "e = pl.yield_(n)"),
]
ACCEPTED = [
    LOOP + "d = pl.exp(c)\n    e = pl.yield_(d)",
    TWO + "e, f = pl.yield_(d, c)",
    LOOP + "c = pl.exp(c)",
    LOOP + "if n > 1:\n        d = pl.yield_(c)\n    else:\n        d = pl.yield_(u)\n    e = pl.yield_(d)",
    LOOP + "with pl.scope():\n        e = pl.yield_(c)",
    "if n > 1:\n    e = pl.yield_(t)\nelse:\n    e = pl.yield_(u)",
    "if n > 1:\n    e, f = pl.yield_(t, n)\nelse:\n    e, f = pl.yield_(u, 1)",
    "if n > 1:\n    t = pl.exp(t)",
    "for (c,) in pl.while_(init_values=(n,)):\n    pl.cond(c < 4)\n    c = pl.yield_(c + 1)",
]


def module(text: str) -> str:
    return HEAD + "\n".join(" " * 8 + line for line in text.split("\n")) + TAIL


@pytest.mark.parametrize(("text", "code", "place"), REFUSED)
def test_a_yield_that_does_not_fit(text: str, code: str, place: str) -> None:
    whole = module(text)
    found = check_text(whole).findings
    assert {each.code for each in found} == {code}
    assert place in {whole.split("\n")[each.span.line].strip() for each in found}


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_yield_that_fits(text: str) -> None:
    assert list(check_text(module(text)).findings) == []
