"""Kernels with accumulators in row windows, run both ways: as the author meant them, and on a MAD without stride."""

from __future__ import annotations

import re
from textwrap import dedent, indent

import numpy as np

from tests.fixes.fixing import findings
from tests.fixes.machine import Array, Machine

HEAD = """\
import pypto.language as pl

ROWS = 16
T = 4
N = 48
WHOLE = [T * ROWS, N]
BAND = (ROWS, N)
SECOND = (16, 0)


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[{height}, 32], pl.FP16],
        b: pl.Tensor[[32, {width}], pl.FP16],
        c: pl.Out[pl.Tensor[[{height}, {width}], pl.FP32]],
    ) -> pl.Tensor[[{height}, {width}], pl.FP32]:
        bm = pl.move(pl.load(b, [0, 0], [32, {width}], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
"""
LEFT = "am = pl.move(pl.load(a, [{}, 0], [16, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)"


def module(body: str, height: int = 64, width: int = 48) -> str:
    """`LEFT(row)` in a body loads the left operand's 16 rows from there."""
    lines = dedent(body).strip("\n")
    while "LEFT(" in lines:
        head, _, rest = lines.partition("LEFT(")
        row, _, tail = rest.partition(")@")
        lines = head + LEFT.format(row) + tail
    return HEAD.format(height=height, width=width) + indent(lines, " " * 8) + "\n"


def region(text: str) -> str:
    """The same kernel as a tensor-level function whose region is written in tile operations."""
    head, _, body = text.partition("        bm = ")
    head = head.replace("@pl.program\nclass K:\n", "").replace("@pl.function(type=pl.FunctionType.InCore)", "@pl.jit")
    head = head.replace("        self,\n", "")
    outer, inner = head.partition("    @pl.jit")[0], dedent("    @pl.jit" + head.partition("    @pl.jit")[2])
    inner = re.sub(r" -> .*:\n$", ":\n", inner)
    inside = body.removesuffix("        return c\n")
    return f"{outer}{inner}    with pl.at(level=pl.Level.CORE_GROUP):\n        bm = {inside}    return c\n"


def results(text: str, packed: str, height: int, width: int) -> tuple[Array, Array, Array]:
    """What the author means, what the hardware does with it, and what it does with the packed form."""
    random = np.random.default_rng(7)
    arrays = [random.integers(-4, 5, shape).astype(float) for shape in ((height, 32), (32, width), (height, width))]
    meant = Machine(is_ideal=True).run(text, *arrays)
    return meant, Machine(is_ideal=False).run(text, *arrays), Machine(is_ideal=False).run(packed, *arrays)


LOOP = """
for i in pl.range(4):
    LEFT(i * 16)@
    band = {window}
    {use}
"""
USE = "band = pl.tile.matmul_acc(band, am, bm)"
CREATE = "acc = pl.tile.create([64, 48], pl.FP32, target_memory=pl.Mem.Acc)"
STORE = "c = pl.store(acc, [0, 0], c)\nreturn c"


def looped(window: str, use: str = USE, create: str = CREATE, end: str = STORE) -> str:
    return create + LOOP.format(window=window, use=use) + end


CONSTANT = f"""
{CREATE}
LEFT(0)@
w0 = pl.tile.slice(acc, [16, 48], [0, 0])
w0 = pl.tile.matmul_acc(w0, am, bm)
LEFT(16)@
w1 = pl.tile.slice(acc, [16, 48], [16, 0])
w1 = pl.tile.matmul_acc(w1, am, bm)
LEFT(48)@
w3 = pl.tile.slice(acc, [16, 48], [48, 0])
w3 = pl.tile.matmul_acc(w3, am, bm)
{STORE}
"""


def titles(text: str, code: str = "PTO201") -> list[tuple[str, str] | None]:
    fixes = [finding.fix for finding in findings(text, code)]
    return [None if fix is None else (fix.title, fix.applicability.value) for fix in fixes]
