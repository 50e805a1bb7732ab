"""Fixes inside the regions of tensor-level kernels: offsets respelled, and copies where tile operations are written."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.fixes.fixing import findings, fixed

HEAD = """\
import pypto.language as pl


@pl.jit
def k(
    x: pl.Tensor[[16, 64], pl.FP32], g: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]
):
    with pl.at(level=pl.Level.CORE_GROUP):
"""


def region(body: str) -> str:
    return HEAD + indent(body, " " * 8) + "    return y\n"


IN_STEPS = """\
t = pl.{read}
for i in pl.range(0, 64, 8):
    w = {window}
    {write}
"""
TENSOR_WRITE = "y[:, i : i + 8] = pl.mul(w, 2.0)"

RESPELLED = [
    ("pl.slice(t, [16, 8], [0, i])", "pl.slice(t, [16, 8], [0, i // 8 * 8])", "add(x, 1.0)", TENSOR_WRITE),
    ("t[:, i : i + 8]", "t[:, i // 8 * 8 : i // 8 * 8 + 8]", "add(x, 1.0)", TENSOR_WRITE),
    ("t[:, i : 8 + i]", "t[:, i // 8 * 8 : 8 + i // 8 * 8]", "add(x, 1.0)", TENSOR_WRITE),
    (
        "pl.tile.slice(t, [16, 8], [0, i])",
        "pl.tile.slice(t, [16, 8], [0, i // 8 * 8])",
        "load(x, [0, 0], [16, 64])",
        "y = pl.store(pl.mul(w, 2.0), [0, i], y)",
    ),
]


@pytest.mark.parametrize(("before", "after", "read", "write"), RESPELLED, ids=[row[0] for row in RESPELLED])
def test_offsets_are_respelled_in_regions(before: str, after: str, read: str, write: str) -> None:
    text = region(IN_STEPS.format(read=read, window=before, write=write))
    assert fixed(text, "PTO107") == text.replace(before, after)


def test_bounds_that_do_not_belong_together_are_left_alone() -> None:
    text = region(
        "t = pl.add(x, 1.0)\nfor i in pl.range(0, 64, 8):\n    end = i + 8\n    w = t[:, i:end]\n    "
        + TENSOR_WRITE
        + "\n"
    )
    assert all(finding.fix is None for finding in findings(text, "PTO107"))


TILES = "t = pl.load(x, [0, 0], [16, 64])\n{}\ny = pl.store(u, [0, 0], y)\n"
EXTRACT = "pl.tile.extract(t, 0, {}, shape=[16, 8], target_memory=pl.Mem.Vec)"

COPIED = [
    ("PTO104", "w = pl.tile.slice(t, [16, 8], [0, 4])\nu = pl.mul(w, 2.0)", f"w = {EXTRACT.format(4)}"),
    (
        "PTO103",
        "e = pl.load(g, [0, 0], [1, 8])\nw = pl.tile.slice(t, [16, 8], [0, 8])\nu = pl.tile.col_expand_mul(w, e)",
        f"w = {EXTRACT.format(8)}",
    ),
    (
        "PTO104",
        "w = pl.tile.slice(t, [16, 8], [0, 4])\nv = pl.mul(w, 2.0)\nu = pl.add(v, w)",
        f"w_copy = {EXTRACT.format(4)}",
    ),
]


@pytest.mark.parametrize(("code", "body", "part"), COPIED)
def test_copies_of_tile_operations_are_written_out_in_regions(code: str, body: str, part: str) -> None:
    assert part in fixed(region(TILES.format(body)), code)


def test_a_tensor_has_no_extract() -> None:
    text = region("t = pl.add(x, 1.0)\nw = t[:, 4:12]\ny[:, 0:8] = pl.mul(w, 2.0)\n")
    assert [finding.fix for finding in findings(text, "PTO104")] == [None]


INLINE = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.Inline)
    def half(self, t: pl.Tensor[[16, 64], pl.FP32], at: pl.Scalar[pl.INDEX]):
        w = pl.slice(t, [16, 8], [0, at])
        return pl.mul(w, 2.0)

    @pl.function(type=pl.FunctionType.Opaque)
    def kernel(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            t = pl.add(x, 1.0)
            for i in pl.range(0, 64, 8):
                u = self.half(t, i)
                y = pl.assemble(y, u, [0, i])
        return y
"""


def test_an_inline_function_is_left_alone_since_other_calls_may_be_otherwise() -> None:
    assert findings(INLINE, "PTO107")
    assert all(finding.fix is None for finding in findings(INLINE, "PTO107"))
