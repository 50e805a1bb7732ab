"""PTO101: a window of an L1 tile goes straight into a matmul, and the compiler folds it away."""

import pypto.language as pl


@pl.program
class TwoK:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[32, 256], pl.BF16],
        b: pl.Tensor[[256, 64], pl.BF16],
        c: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        am = pl.load(a, [0, 0], [32, 256], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [256, 64], target_memory=pl.Mem.Mat)
        left = pl.tile.slice(am, [32, 128], [0, 128])  #! PTO101
        right = pl.tile.slice(bm, [128, 64], [128, 0])  #! PTO101
        c = pl.store(pl.tile.matmul(left, right), [0, 0], c)
        return c
