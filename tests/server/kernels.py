"""Kernels for protocol tests."""

from __future__ import annotations

from pto_analysis.rules.example import incore

CLEAN = incore("""\
    t = pl.load(x, [0, 0], [64, 64])
    y = pl.store(pl.exp(t), [0, 0], y)
    return y
""")

MISSPELT = incore("""\
    t = pl.load(x, [0, 0], [64, 64])
    y = pl.store(pl.expp(t), [0, 0], y)
    return y
""")
"""PTO003 at `expp`."""

COPIED = incore("""\
    t = pl.load(x, [0, 0], [64, 64])
    w = pl.tile.slice(t, [64, 8], [0, 6])
    y = pl.store(pl.mul(w, 3.0), [0, 0], y)
    return y
""")
"""PTO104: a window 24 bytes into a row is copied."""

UNUSED = incore("""\
    t = pl.load(x, [0, 0], [64, 64])  # pto: ignore[PTO201]
    y = pl.store(pl.exp(t), [0, 0], y)
    return y
""")
"""PTO002 with a safe fix."""

STRIDED = """\
import pypto.language as pl


@pl.program
class Accumulators:
    @pl.function(type=pl.FunctionType.InCore)
    def row_bands(
        self,
        a: pl.Tensor[[16, 64], pl.BF16],
        b: pl.Tensor[[64, 64], pl.BF16],
        c: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        am = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        left = pl.tile.move(am, target_memory=pl.Mem.Left)
        right = pl.tile.move(bm, target_memory=pl.Mem.Right)
        acc = pl.tile.create([32, 64], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(acc, [16, 64], [16, 0])
        pl.tile.matmul_acc(band, left, right)
        c = pl.store(acc, [0, 0], c)
        return c
"""
"""PTO201: the accumulator window is strided."""

CONFIG = "ROWS = 64\nOFFSET = 6\n"

USES_CONFIG = incore("""\
    t = pl.load(x, [0, 0], [64, 64])
    w = pl.tile.slice(t, [64, 8], [0, OFFSET])
    y = pl.store(pl.mul(w, 3.0), [0, 0], y)
    return y
""").replace("import pypto.language as pl\n", "import pypto.language as pl\nfrom {module} import OFFSET\n")
"""PTO104 while OFFSET is 6; nothing when it is 8."""

PTO_FILE = """\
func.func @copy(%a: !pto.ptr<f32>) {
  pto.tnonsense %a
  return
}
"""

MODEL = '''\
"""Several kernels that depend on each other and on the Python code around them."""

import pypto.language as pl
import torch

ROWS = 16
HALF = ROWS * 3


@pl.jit.inline
def scale(x: pl.Tensor, gamma: pl.Tensor[[1, HALF], pl.FP32]):
    # the right half
    right = pl.add(x[0:12, HALF : 2 * HALF], 0.5)
    return pl.col_expand_mul(right, gamma)


@pl.jit
def halves(
    src: pl.Tensor[[12, 96], pl.FP32],
    gamma: pl.Tensor[[1, HALF], pl.FP32],
    dst: pl.Out[pl.Tensor[[12, HALF], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="first"):
        body = pl.add(src[0:12, :], 0.5)  # all of it
        right = body[:, HALF : 2 * HALF]

        dst[:, :] = pl.col_expand_mul(right, gamma)
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="second"):
        dst[:, :] = scale(src, gamma)
    for i in pl.range(3):
        # one band
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="third"):
            band = pl.slice(src, [4, HALF], [i * 4, 6])
            dst = pl.assemble(dst, pl.mul(band, 2.0), [i * 4, 0])
    return dst


@pl.jit
def bare(a: pl.Tensor, o: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        t = pl.load(a, [0, 0], [8, 32])  # pto: ignore[PTO104]
        w = pl.tile.slice(t, [8, 8], [0, 6])
        pl.store(pl.exp(w), [0, 0], o)
    return o


def make(rows, cols: int = 8):
    @pl.jit
    def inner(x: pl.Tensor[[rows, cols], pl.FP32], y: pl.Out[pl.Tensor[[rows, cols], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            y[:, :] = pl.add(x[:, :], 1.0)
        return y

    return inner


def run():
    made = make(2 * ROWS)
    return made(torch.zeros(32, 8))


if __name__ == "__main__":
    a = torch.randn(ROWS, 32, dtype=torch.float16)
    out = torch.zeros_like(a).float()
    bare(a, out)
'''
"""Tensor-level kernels with several regions, an inline function, a bare signature and a factory."""
