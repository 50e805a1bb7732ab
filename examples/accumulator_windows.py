"""PTO201: the MAD writes an accumulator window compactly, so a row band of a wide accumulator comes out wrong."""

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
        pl.tile.matmul_acc(band, left, right)  #! PTO201
        c = pl.store(acc, [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def column_bands(
        self,
        a: pl.Tensor[[16, 64], pl.BF16],
        b: pl.Tensor[[64, 64], pl.BF16],
        c: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        am = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        left = pl.tile.move(am, target_memory=pl.Mem.Left)
        right = pl.tile.move(bm, target_memory=pl.Mem.Right)
        acc = pl.tile.create([16, 128], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(acc, [16, 64], [0, 64])
        pl.tile.matmul_acc(band, left, right)
        c = pl.store(acc, [0, 0], c)
        return c
