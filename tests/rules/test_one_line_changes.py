"""Rules speak up when one line of a good kernel changes. The same changes were tried on public kernels."""

from __future__ import annotations

from datetime import date

import pytest

from pto_analysis.findings import Finding, Severity
from pto_analysis.report import CheckOptions
from pto_analysis.rules.selection import Selection, resolve
from pto_analysis.toolchain import NEWEST, CompilerVersion, Toolchain
from tests.support.checking import check_text

ROWS = """\
import pypto.language as pl

ROWS = 256
WIDE = 128
STEP = 32


@pl.jit
def centre(
    x: pl.Tensor[[ROWS, WIDE], pl.FP32],
    scale: pl.Tensor[[1], pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, WIDE], pl.FP32]],
):
    for r in pl.parallel(0, ROWS, STEP):
        with pl.at(level=pl.Level.CORE_GROUP):
            rows = x[r : r + STEP, :]
            factor = pl.read(scale, [0])
            mean = pl.mul(pl.row_sum(rows), 1.0 / WIDE)
            centred = pl.mul(pl.row_expand_sub(rows, mean), factor)
            y[r : r + STEP, :] = centred
    return y
"""

PRODUCT = """\
import pypto.language as pl

M = 64
K = 256
N = 64
BLOCK = 64


@pl.jit
def product(
    a: pl.Tensor[[M, K], pl.BF16],
    b: pl.Tensor[[K, N], pl.BF16],
    c: pl.Out[pl.Tensor[[M, N], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc = pl.create_tensor([M, N], dtype=pl.FP32)
        for j in pl.pipeline(K // BLOCK, stage=2):
            k = j * BLOCK
            if j == 0:
                acc = pl.matmul(a[:, k : k + BLOCK], b[k : k + BLOCK, :], out_dtype=pl.FP32)
            else:
                acc = pl.matmul_acc(acc, a[:, k : k + BLOCK], b[k : k + BLOCK, :])
        c[:] = acc
    return c
"""

TILES = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[32, 64], pl.FP16],
        b: pl.Tensor[[64, 32], pl.FP16],
        s: pl.Tensor[[32, 1], pl.FP32],
        y: pl.Out[pl.Tensor[[32, 32], pl.FP32]],
    ):
        am = pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat)
        left = pl.tile.extract(am, 0, 0, [32, 64], target_memory=pl.Mem.Left)
        right = pl.move(bm, target_memory=pl.Mem.Right)
        acc = pl.tile.create([32, 32], pl.FP32, target_memory=pl.Mem.Acc)
        acc = pl.tile.matmul_acc(acc, left, right, init_cond=True)
        y = pl.store(acc, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def vector(
        self, x: pl.Tensor[[32, 64], pl.FP32], s: pl.Tensor[[32, 1], pl.FP32], y: pl.Out[pl.Tensor[[32, 64], pl.FP32]]
    ):
        for i in pl.range(2):
            if i > 1:
                break
            t = pl.load(x, [0, 0], [32, 64])
            u = pl.exp(t)
            v = pl.set_validshape(u, 16, 64)
            c = pl.load(s, [0, 0], [32, 1])
            y = pl.store(pl.row_expand_mul(v, c), [0, 0], y)
        return y
"""

TASKS = """\
import pypto.language as pl

N = pl.dynamic("N")


@pl.jit
def rounds(x: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]):
    n = pl.tensor.dim(x, 0)
    blocks = (n + 15) // 16
    buf = pl.create_tensor([16, 64], dtype=pl.FP32)
    for i in pl.range(blocks):
        left = pl.min(16, n - i * 16)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill"):
            buf = pl.assemble(buf, pl.slice(x, [16, 64], [i * 16, 0], valid_shape=[left, 64]), [0, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
            y = pl.assemble(y, pl.mul(buf, 2.0), [i * 16, 0])
            buf[:] = pl.mul(buf, 0.0)
    return y
"""

PROJECTION = """\
import pypto.language as pl

DEPTH = 1024
BLOCK = 256


@pl.jit
def project(
    x: pl.Tensor[[64, DEPTH], pl.BF16],
    w: pl.Tensor[[DEPTH, DEPTH], pl.BF16],
    y: pl.Out[pl.Tensor[[64, DEPTH], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        for n in pl.range(0, DEPTH, BLOCK):
            s = pl.create_tensor([64, BLOCK], dtype=pl.FP32)
            for k in pl.pipeline(0, DEPTH, BLOCK, stage=2):
                if k == 0:
                    s = pl.matmul(x[:, k : k + BLOCK], w[k : k + BLOCK, n : n + BLOCK], out_dtype=pl.FP32)
                else:
                    s = pl.matmul_acc(s, x[:, k : k + BLOCK], w[k : k + BLOCK, n : n + BLOCK])
            y[:, n : n + BLOCK] = s
    return y
"""

OPEN = """\
import pypto.language as pl

WIDE = 128


@pl.jit.incore
def product(a: pl.Tensor, b: pl.Tensor[[256, WIDE], pl.FP16], y: pl.Out[pl.Tensor]):
    bm = pl.load(b, [0, 0], [256, WIDE], target_memory=pl.Mem.Mat)
    right = pl.move(bm, target_memory=pl.Mem.Right)
    am = pl.load(a, [0, 0], [64, 256], target_memory=pl.Mem.Mat)
    left = pl.move(am, target_memory=pl.Mem.Left)
    y = pl.store(pl.matmul(left, right), [0, 0], y)
    return y
"""

KERNELS = {
    "rows": ROWS,
    "product": PRODUCT,
    "tiles": TILES,
    "tasks": TASKS,
    "projection": PROJECTION,
    "open": OPEN,
}

AUGUST, JUNE = date(2026, 8, 21), date(2026, 6, 30)

CHANGES = [
    ("PTO303", "rows", "rows = x[r : r + STEP, :]", "rows = x[r + 8 : r + 8 + STEP, :]", NEWEST),
    ("PTO309", "rows", "mean = pl.mul(pl.row_sum(rows), 1.0 / WIDE)", "mean = pl.row_sum(row)", NEWEST),
    ("PTO301", "rows", "mean = pl.mul(pl.row_sum(rows), 1.0 / WIDE)", "mean = pl.row_sum(rows, rows, rows)", NEWEST),
    ("PTO320", "rows", "factor = pl.read(scale, [0])", "factor = pl.read(scale, [1])", NEWEST),
    ("PTO316", "rows", "mean = pl.mul(pl.row_sum(rows), 1.0 / WIDE)", "mean = x[r : r + STEP, 3:4]", NEWEST),
    ("PTO401", "rows", "STEP = 32", "STEP = 256", NEWEST),
    ("PTO601", "rows", "y[r : r + STEP, :] = centred", "y = pl.mul(rows, factor)", NEWEST),
    (
        "PTO605",
        "rows",
        "y: pl.Out[pl.Tensor[[ROWS, WIDE], pl.FP32]],",
        "y: pl.Tensor[[ROWS, WIDE], pl.FP32],",
        NEWEST,
    ),
    ("PTO602", "product", "BLOCK = 64", "BLOCK = 96", NEWEST),
    ("PTO313", "product", "BLOCK = 64", "BLOCK = 8", NEWEST),
    ("PTO314", "product", "M = 64", "M = 24", AUGUST),
    ("PTO402", "open", "WIDE = 128", "WIDE = 256", NEWEST),
    (
        "PTO403",
        "projection",
        "for n in pl.range(0, DEPTH, BLOCK):",
        "for n in pl.pipeline(0, DEPTH, BLOCK, stage=2):",
        NEWEST,
    ),
    ("PTO404", "product", "M = 64", "M = 320", JUNE),
    ("PTO310", "tiles", "y: pl.Out[pl.Tensor[[32, 32], pl.FP32]],", "y: pl.Out[pl.Tensor[[32, 32], pl.INT8]],", NEWEST),
    (
        "PTO318",
        "tiles",
        "left = pl.tile.extract(am, 0, 0, [32, 64], target_memory=pl.Mem.Left)",
        "left = pl.move(pl.move(am, target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)",
        NEWEST,
    ),
    (
        "PTO201",
        "tiles",
        "acc = pl.tile.create([32, 32], pl.FP32, target_memory=pl.Mem.Acc)",
        "acc = pl.tile.slice(pl.tile.create([64, 32], pl.FP32, target_memory=pl.Mem.Acc), [32, 32], [32, 0])",
        NEWEST,
    ),
    ("PTO312", "tiles", "for i in pl.range(2):", "for i in pl.parallel(2):", NEWEST),
    ("PTO315", "tiles", "t = pl.load(x, [0, 0], [32, 64])", "t = pl.load(x, [0, 0], [32, 60])", NEWEST),
    ("PTO317", "tiles", "u = pl.exp(t)", "u = pl.tile.slice(t, [32, 64], [0, 0])", NEWEST),
    ("PTO603", "tasks", "blocks = (n + 15) // 16", "blocks = pl.max(n, 16) // 16", NEWEST),
    ("PTO604", "tasks", "buf[:] = pl.mul(buf, 0.0)", "spare = pl.mul(buf, 0.0)", NEWEST),
]


def findings(text: str, code: str, pypto: CompilerVersion = NEWEST) -> list[Finding]:
    options = CheckOptions(Toolchain(pypto=pypto))
    return list(check_text(text, options, resolve(Selection(extend_select=(code,)))).findings)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("pypto", [NEWEST, AUGUST, JUNE], ids=str)
def test_the_kernels_are_good(name: str, pypto: CompilerVersion) -> None:
    heard = findings(KERNELS[name], "PTO001", pypto)
    assert [each for each in heard if each.severity in (Severity.ERROR, Severity.WARNING)] == []


@pytest.mark.parametrize(("code", "name", "line", "changed", "pypto"), CHANGES)
def test_a_rule_sees_the_changed_line(code: str, name: str, line: str, changed: str, pypto: CompilerVersion) -> None:
    text = KERNELS[name]
    assert text.count(line) == 1
    assert code in {each.code for each in findings(text.replace(line, changed), code, pypto)}
    assert code not in {each.code for each in findings(text, code, pypto)}
