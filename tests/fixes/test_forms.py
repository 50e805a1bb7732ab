"""Refused Python in the form that the DSL has: what each statement becomes, and that nothing is left to do."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from pto_analysis.findings import Applicability
from tests.fixes.fixing import findings, fixed

HEAD = """\
import pypto.language as pl

STEP = 16


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[64, 64], pl.FP32],
        n: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [64, 64])
"""
END = """\
        y = pl.store(t, [0, 0], y)
        return y
"""


def module(body: str) -> str:
    return HEAD + indent(dedent(body).strip("\n") + "\n", " " * 8) + END


SAFE = [
    ("PTO004", "k = n\nk += 2\nt = pl.add(t, 1.0)", "k = n\nk = k + 2\nt = pl.add(t, 1.0)"),
    ("PTO004", "k = n\nk *= n + 1  # often", "k = n\nk = k * (n + 1)  # often"),
    ("PTO004", "k = n\nk -= (n + 1)", "k = n\nk = k - (n + 1)"),
    ("PTO004", "k = n\nk+=2; m = k", "k = n\nk= k +2; m = k"),
    ("PTO004", "t += t", "t = pl.add(t, t)"),
    ("PTO004", "t *= 2.0  # twice", "t = pl.mul(t, 2.0)  # twice"),
    ("PTO004", "t -= pl.exp(\n    t,  # the tile\n)", "t = pl.sub(t, pl.exp(\n    t,  # the tile\n))"),
    ("PTO004", "for i in range(4):\n    t = pl.exp(t)", "for i in pl.range(4):\n    t = pl.exp(t)"),
    ("PTO004", "for i in range(0, 4, 2):\n    t = pl.exp(t)", "for i in pl.range(0, 4, 2):\n    t = pl.exp(t)"),
    (
        "PTO304",
        "for i in pl.range(0, 64, 16):\n    w = pl.exp(t[i : i + 16, :])  # a band",
        "for i in pl.range(0, 64, 16):\n    w = pl.exp(pl.slice(t, [16, 64], [i, 0]))  # a band",
    ),
    (
        "PTO304",
        "for i in pl.range(4):\n    w = pl.exp(t[i * STEP : STEP + i * STEP])",
        "for i in pl.range(4):\n    w = pl.exp(pl.slice(t, [STEP, 64], [i * STEP, 0]))",
    ),
    (
        "PTO304",
        "for i in pl.range(4):\n    w = pl.exp(t[8:, i * 16 : i * 16 + 16])",
        "for i in pl.range(4):\n    w = pl.exp(pl.slice(t, [56, 16], [8, i * 16]))",
    ),
    (
        "PTO301",
        "m = pl.row_sum(t)  # sums",
        "tmp = pl.create_tile([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)\nm = pl.row_sum(t, tmp)  # sums",
    ),
    (
        "PTO301",
        "tmp = n + 1\nm = pl.row_max(\n    t,  # all\n)",
        "tmp = n + 1\ntmp2 = pl.create_tile([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)\n"
        "m = pl.row_max(\n    t, tmp2,  # all\n)",
    ),
    ("PTO304", "t[2, 3] = (1.0); u = t", "pl.write(t, [2, 3], (1.0)); u = t"),
    ("PTO304", "t[2, 3] = 1.0", "pl.write(t, [2, 3], 1.0)"),
    ("PTO304", "t[n, 3]=pl.read(t, [0, 0])  # one", "pl.write(t, [n, 3], pl.read(t, [0, 0]))  # one"),
    ("PTO305", "t = t + t", "t = pl.add(t, t)"),
    ("PTO305", "t = (t - 1.0)", "t = (pl.sub(t, 1.0))"),
    ("PTO305", "t = 2.0 * t", "t = pl.mul(t, 2.0)"),
    ("PTO305", "t = t * 2.0 + t", "t = pl.add(pl.mul(t, 2.0), t)"),
    ("PTO305", "t = t * (t + 1.0)", "t = pl.mul(t, (pl.add(t, 1.0)))"),
    ("PTO305", "t = ((t + 1.0) * t)", "t = (pl.mul((pl.add(t, 1.0)), t))"),
    ("PTO305", "if n:\n    t = pl.exp(t)", "if n != 0:\n    t = pl.exp(t)"),
    ("PTO305", "if n % 2:  # odd\n    t = pl.exp(t)", "if n % 2 != 0:  # odd\n    t = pl.exp(t)"),
]

UNSAFE = [
    ("PTO306", "u: pl.Tile[[64, 64], pl.FP16] = pl.exp(t)", "u: pl.Tile[[64, 64], pl.FP32] = pl.exp(t)"),
    ("PTO306", "u: pl.Tile[[64, 32], pl.FP32] = pl.exp(t)", "u: pl.Tile[[64, 64], pl.FP32] = pl.exp(t)"),
    (
        "PTO306",
        "u: pl.Tile[[32, 64], pl.BF16, pl.Mem.Vec] = pl.exp(t)  # all",
        "u: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec] = pl.exp(t)  # all",
    ),
    ("PTO308", "for i in pl.pipeline(4):\n    t = pl.exp(t)", "for i in pl.pipeline(4, stage=2):\n    t = pl.exp(t)"),
    (
        "PTO308",
        "for i in pl.pipeline(0, (4)):\n    t = pl.exp(t)",
        "for i in pl.pipeline(0, (4), stage=2):\n    t = pl.exp(t)",
    ),
    ("PTO309", "total = pl.exp(t)\nu = pl.add(totl, t)", "total = pl.exp(t)\nu = pl.add(total, t)"),
]


@pytest.mark.parametrize(
    ("code", "before", "after", "applicability"),
    [*((*row, Applicability.SAFE) for row in SAFE), *((*row, Applicability.UNSAFE) for row in UNSAFE)],
)
def test_refused_python_gets_the_form_that_the_dsl_has(
    code: str, before: str, after: str, applicability: Applicability
) -> None:
    text = module(before)
    assert {finding.fix.applicability for finding in findings(text, code) if finding.fix} == {applicability}
    assert fixed(text, code) == module(after)


LEFT_ALONE = [
    ("PTO305", "t = (\n    t  # one\n    + t\n)"),
    ("PTO004", "k = n\nk **= 2"),
    ("PTO004", "t //= 2.0"),
    ("PTO004", "t = pl.exp(t) if n > 1 else t"),
    ("PTO004", "for i in range(*STEPS):\n    t = pl.exp(t)"),
    ("PTO304", "for i in pl.range(4):\n    w = pl.exp(t[i : n, :])"),
    ("PTO304", "for i in pl.range(0, 64, 16):\n    w = t[i : i + n, :]"),
    ("PTO304", "for i in pl.range(0, 64, 16):\n    w = pl.exp(t[i : i + 16 :, 2])"),
    ("PTO305", "t = 1.0 - t"),
    ("PTO305", "t = t // 2.0"),
    ("PTO309", "u = pl.add(elsewhere, t)"),
]


@pytest.mark.parametrize(("code", "body"), LEFT_ALONE)
def test_nothing_is_guessed(code: str, body: str) -> None:
    found = findings(module(body), code)
    assert found
    assert [finding.fix for finding in found] == [None] * len(found)


ROUNDED = """\
import pypto.language as pl


@pl.jit
def blocks(n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    for i in pl.range(pl.max(n,{comment}
                             16) // 16):
        with pl.at(level=pl.Level.CORE_GROUP):
            y[i * 16 : i * 16 + 16, :] = pl.add(x[i * 16 : i * 16 + 16, :], 1.0)
    return y
"""


@pytest.mark.parametrize(("comment", "count"), [("", 1), ("  # at least one block", 0)])
def test_a_fix_that_would_lose_a_comment_is_not_offered(comment: str, count: int) -> None:
    found = findings(ROUNDED.format(comment=comment), "PTO603")
    assert [finding.fix is not None for finding in found] == [bool(count)]


TENSOR_MAX = """\
import pypto.language as pl


@pl.jit
def maxima(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 1], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        tmp = pl.create_tensor([16, 64], dtype=pl.FP32)
        y[:, :] = pl.row_max({arguments})
    return y
"""


@pytest.mark.parametrize("arguments", ["x, tmp", "x, tmp_tile=tmp", "x,\n            tmp"])
def test_tensors_take_no_scratch(arguments: str) -> None:
    assert fixed(TENSOR_MAX.format(arguments=arguments), "PTO003") == TENSOR_MAX.format(arguments="x")
