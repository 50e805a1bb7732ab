"""Moves of slices and rows taken by an index, written as extracts."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from pto_analysis.findings import Applicability
from tests.fixes.fixing import findings, fixed
from tests.fixes.test_extract import body_of, module

CUBE = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[32, 128], pl.FP16],
        w: pl.Tensor[[64, 64], pl.FP16],
        n: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        xm = pl.load(x, [0, 0], [32, 128], target_memory=pl.Mem.Mat)
        right = pl.move(pl.load(w, [0, 0], [64, 64], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
"""
CUBE_END = """
        y = pl.store(pl.matmul({}, right), [0, 0], y)
        return y
"""


def cube(body: str, left: str) -> str:
    return CUBE + indent(dedent(body).strip("\n"), " " * 8) + CUBE_END.format(left)


MOVES = {
    "by name": (
        "lo = pl.tile.slice(xm, [32, 64], [0, n * 16])\nleft = pl.move(lo, target_memory=pl.Mem.Left)",
        "left = pl.tile.extract(xm, 0, n * 16, shape=[32, 64], target_memory=pl.Mem.Left)",
    ),
    "on the spot": (
        "left = pl.move(xm[:, 64:128], target_memory=pl.Mem.Left)  # half",
        "left = pl.tile.extract(xm, 0, 64, shape=[32, 64], target_memory=pl.Mem.Left)  # half",
    ),
}


@pytest.mark.parametrize("name", MOVES)
def test_a_move_of_a_slice_becomes_an_extract(name: str) -> None:
    before, after = MOVES[name]
    text = cube(before, "left")
    (finding,) = findings(text, "PTO106")
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.UNSAFE
    assert fixed(text, "PTO106") == cube(after, "left")


def test_a_slice_with_other_readers_is_left() -> None:
    text = cube(
        "lo = pl.tile.slice(xm, [32, 64], [0, 64])\nleft = pl.move(lo, target_memory=pl.Mem.Left)\n"
        "lo = pl.tile.reshape(lo, [64, 32])",
        "left",
    )
    assert [finding.fix for finding in findings(text, "PTO106")] == [None]


ROWS = [
    ("row = t[n]", "row = pl.tile.extract(t, n, 0, shape=[1, 128], target_memory=pl.Mem.Vec)"),
    ("row = t[n + 1, :]", "row = pl.tile.extract(t, n + 1, 0, shape=[1, 128], target_memory=pl.Mem.Vec)"),
]


@pytest.mark.parametrize(("before", "after"), ROWS)
def test_a_row_taken_by_an_index_becomes_an_extract(before: str, after: str) -> None:
    end = "\ny = pl.store(pl.col_expand_mul(row, gamma), [n, 0], y)"
    (finding,) = findings(module(before + end), "PTO105")
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.UNSAFE
    assert body_of(fixed(module(before + end), "PTO105")) == after + end


@pytest.mark.parametrize("code", ["row = pl.tile.slice(t, [1, 128], [n, 0], valid_shape=[1, 100])"])
def test_a_valid_shape_is_left(code: str) -> None:
    text = module(f"{code}\ny = pl.store(pl.col_expand_mul(row, gamma), [n, 0], y)")
    assert [finding.fix for finding in findings(text, "PTO105")] == [None]
