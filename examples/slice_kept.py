"""PTO106: a slice of an L1 tile that the compiler keeps as a view, because a move reads it."""

import pypto.language as pl


@pl.program
class Moved:
    @pl.function(type=pl.FunctionType.InCore)
    def by_slice_and_move(
        self,
        a: pl.Tensor[[32, 128], pl.BF16],
        b: pl.Tensor[[64, 64], pl.BF16],
        c: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        am = pl.load(a, [0, 0], [32, 128], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        part = pl.tile.slice(am, [32, 64], [0, 64])  #! PTO106
        left = pl.tile.move(part, target_memory=pl.Mem.Left)
        right = pl.tile.move(bm, target_memory=pl.Mem.Right)
        c = pl.store(pl.tile.matmul(left, right), [0, 0], c)
        return c

    @pl.function(type=pl.FunctionType.InCore)
    def by_extract(
        self,
        a: pl.Tensor[[32, 128], pl.BF16],
        b: pl.Tensor[[64, 64], pl.BF16],
        c: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        am = pl.load(a, [0, 0], [32, 128], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        left = pl.tile.extract(am, 0, 64, [32, 64], target_memory=pl.Mem.Left)
        right = pl.tile.move(bm, target_memory=pl.Mem.Right)
        c = pl.store(pl.tile.matmul(left, right), [0, 0], c)
        return c
