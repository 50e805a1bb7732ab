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
