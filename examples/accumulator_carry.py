"""PTO202: the first iteration accumulates into a good window, every later one into a strided one."""

import pypto.language as pl


@pl.program
class Carried:
    @pl.function(type=pl.FunctionType.InCore)
    def changes_its_window(
        self,
        a: pl.Tensor[[16, 64], pl.BF16],
        b: pl.Tensor[[64, 64], pl.BF16],
        c: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        am = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        left = pl.tile.move(am, target_memory=pl.Mem.Left)
        right = pl.tile.move(bm, target_memory=pl.Mem.Right)
        wide = pl.tile.create([16, 128], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        tall = pl.tile.create([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        start = pl.tile.slice(wide, [16, 64], [0, 64])
        band = pl.tile.slice(tall, [16, 64], [16, 0])
        for k, (acc,) in pl.range(4, init_values=(start,)):
            done = pl.tile.matmul_acc(acc, left, right)
            last = pl.yield_(band)  #! PTO202
        c = pl.store(last, [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def keeps_its_window(
        self,
        a: pl.Tensor[[16, 64], pl.BF16],
        b: pl.Tensor[[64, 64], pl.BF16],
        c: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        am = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        left = pl.tile.move(am, target_memory=pl.Mem.Left)
        right = pl.tile.move(bm, target_memory=pl.Mem.Right)
        wide = pl.tile.create([16, 128], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        start = pl.tile.slice(wide, [16, 64], [0, 64])
        for k, (acc,) in pl.range(4, init_values=(start,)):
            last = pl.yield_(pl.tile.matmul_acc(acc, left, right))
        c = pl.store(last, [0, 0], c)
        return c
