"""Good kernels of which `test_one_line_changes` changes one line each; public kernels look like them."""

from __future__ import annotations

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

COLUMNS = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def scaled(
        self,
        x: pl.Tensor[[16, 128], pl.FP32],
        g: pl.Tensor[[1, 64], pl.FP32],
        n: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ):
        table = pl.load(x, [0, 0], [16, 128])
        gamma = pl.load(g, [0, 0], [1, 64])
        part = pl.load(x, [0, 64], [16, 64])
        y = pl.store(pl.col_expand_mul(part, gamma), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def strips(self, x: pl.Tensor[[16, 128], pl.FP32], y: pl.Out[pl.Tensor[[16, 128], pl.FP32]]):
        table = pl.load(x, [0, 0], [16, 128])
        for c in pl.range(0, 128, 8):
            strip = pl.tile.slice(table, [16, 8], [0, c // 8 * 8])
            y = pl.store(pl.mul(strip, 2.0), [0, c], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def best(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.INT32]]):
        table = pl.load(x, [0, 0], [16, 64])
        scratch = pl.create_tile([16, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        y = pl.store(pl.col_argmax(table, scratch), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def masked(self, x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        scores = pl.load(x, [0, 0], [16, 64])
        live = pl.set_validshape(scores, 16, n)
        filled = pl.fillpad(live, pad_value=pl.PadValue.min)
        y = pl.store(filled, [0, 0], y)
        return y
"""

SPLIT_K = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def product(
        self,
        a: pl.Tensor[[32, 128], pl.FP16],
        b: pl.Tensor[[128, 64], pl.FP16],
        y: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ):
        acc = pl.tile.create([32, 64], pl.FP32, target_memory=pl.Mem.Acc)
        for k in pl.range(0, 128, 32):
            am = pl.load(a, [0, k], [32, 32], target_memory=pl.Mem.Mat)
            bm = pl.load(b, [k, 0], [32, 64], target_memory=pl.Mem.Mat)
            left = pl.move(am, target_memory=pl.Mem.Left)
            right = pl.move(bm, target_memory=pl.Mem.Right)
            acc = pl.tile.matmul_acc(acc, left, right, init_cond=(k == 0))
        y = pl.store(acc, [0, 0], y)
        return y
"""

RINGS = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def rows(self, x: pl.Tensor[[512, 64], pl.FP32], y: pl.Out[pl.Tensor[[512, 64], pl.FP32]]):
        for i in pl.range(64):
            s: pl.Tile[[8, 64], pl.FP32, pl.MemRef("s", slots=3)[i % 3], pl.Mem.Vec] = pl.load(x, [i * 8, 0], [8, 64])
            t: pl.Tile[[8, 64], pl.FP32, pl.MemRef("t", slots=3)[i % 3], pl.Mem.Vec] = pl.load(x, [i * 8, 0], [8, 64])
            u: pl.Tile[[8, 64], pl.FP32, pl.MemRef("u", slots=3)[i % 3], pl.Mem.Vec] = pl.load(x, [i * 8, 0], [8, 64])
            v: pl.Tile[[8, 64], pl.FP32, pl.MemRef("v", slots=2)[i % 2], pl.Mem.Vec] = pl.load(x, [i * 8, 0], [8, 64])
            y = pl.store(pl.exp(s), [i * 8, 0], y)
            y = pl.store(pl.exp(t), [i * 8, 0], y)
            y = pl.store(pl.exp(u), [i * 8, 0], y)
            y = pl.store(pl.exp(v), [i * 8, 0], y)
        return y
"""

PAIRS = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def pairs(
        self,
        x: pl.Tensor[[64, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
        z: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ):
        for i in pl.range(7):
            now: pl.Tile[[8, 64], pl.FP32, pl.MemRef("r", slots=2)[i % 2], pl.Mem.Vec] = pl.load(x, [i * 8, 0], [8, 64])
            later: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec] = pl.load(x, [i * 8 + 8, 0], [8, 64])
            y = pl.store(pl.exp(now), [i * 8, 0], y)
            z = pl.store(later, [i * 8 + 8, 0], z)
        return y, z
"""

ATOMIC = """\
import pypto.language as pl


@pl.jit
def gathered(x: pl.Tensor[[16, 64], pl.BF16], y: pl.InOut[pl.Tensor[[16, 64], pl.BF16]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        rows = pl.load(x, [0, 0], [16, 64])
        pl.store(rows, [0, 0], y)
    return y
"""

SCALED = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def product(
        self,
        a: pl.Tensor[[16, 64], pl.FP8E4M3FN],
        s: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[64, 32], pl.FP8E4M3FN],
        t: pl.Tensor[[2, 32], pl.FP8E8M0, pl.MX_B_NN],
        y: pl.Out[pl.Tensor[[16, 32], pl.FP32]],
    ):
        left = pl.move(pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)
        ls = pl.move(pl.load(s, [0, 0], [16, 2], target_memory=pl.Mem.Mat), target_memory=pl.Mem.LeftScale)
        right = pl.move(pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
        rs = pl.move(pl.load(t, [0, 0], [2, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.RightScale)
        product = pl.matmul(left, right)
        y = pl.store(product, [0, 0], y)
        return y
"""

LAUNCH = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def part(self, x: pl.Tensor[[768, 64], pl.FP32], y: pl.Out[pl.Tensor[[768, 64], pl.FP32]]):
        b = pl.tile.get_block_idx()
        t = pl.load(x, [b * 16, 0], [16, 64])
        y = pl.store(pl.exp(t), [b * 16, 0], y)
        pl.system.syncall(core_type="aiv_only")
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[768, 64], pl.FP32],
        y: pl.InOut[pl.Tensor[[768, 64], pl.FP32]],
        z: pl.InOut[pl.Tensor[[768, 64], pl.FP32]],
    ):
        with pl.spmd(48, sync_start=True):
            y = self.part(x, y)
        with pl.spmd(48, sync_start=True):
            z = self.part(y, z)
        return z
"""

FLAGS = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64])
        pl.system.sync_src(set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V, event_id=0)
        pl.system.sync_dst(set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V, event_id=0)
        e = pl.exp(t)
        pl.system.sync_src(set_pipe=pl.PipeType.V, wait_pipe=pl.PipeType.MTE3, event_id=0)
        pl.system.sync_dst(set_pipe=pl.PipeType.V, wait_pipe=pl.PipeType.MTE3, event_id=0)
        y = pl.store(e, [0, 0], y)
        return y
"""

REMAINDERS = """\
!tile = !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=64, v_row=8, v_col=64, blayout=row_major, slayout=none_box>
!part = !pto.partition_tensor_view<8x64xf32>
module {
  func.func @rest(%x: !part, %y: !part) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c0 = arith.constant 0 : i64
    %c2048 = arith.constant 2048 : i64
    %c4096 = arith.constant 4096 : i64
    %a = pto.alloc_tile addr = %c0 : !tile
    %b = pto.alloc_tile addr = %c2048 : !tile
    %c = pto.alloc_tile addr = %c4096 : !tile
    pto.tload ins(%x : !part) outs(%a : !tile)
    pto.tload ins(%y : !part) outs(%b : !tile)
    pto.tfmod ins(%a, %b : !tile, !tile) outs(%c : !tile)
    pto.tstore ins(%c : !tile) outs(%y : !part)
    return
  }
}
"""


KERNELS = {
    "rows": ROWS,
    "product": PRODUCT,
    "tiles": TILES,
    "tasks": TASKS,
    "projection": PROJECTION,
    "open": OPEN,
    "columns": COLUMNS,
    "split_k": SPLIT_K,
    "rings": RINGS,
    "pairs": PAIRS,
    "atomic": ATOMIC,
    "scaled": SCALED,
    "launch": LAUNCH,
    "flags": FLAGS,
    "remainders": REMAINDERS,
}
"""By name; those that are no Python are `.pto` text."""
