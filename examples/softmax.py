"""A kernel about which there is nothing to say."""

import pypto.language as pl


@pl.program
class Softmax:
    @pl.function(type=pl.FunctionType.InCore)
    def rows(
        self, x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]
    ) -> pl.Tensor[[64, 128], pl.FP32]:
        for i in pl.range(4):
            t = pl.load(x, [i * 16, 0], [16, 128])
            scratch = pl.tile.create([16, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
            peak = pl.row_max(t, scratch)
            powers = pl.exp(pl.row_expand_sub(t, peak))
            total = pl.row_sum(powers, scratch)
            y = pl.store(pl.row_expand_div(powers, total), [i * 16, 0], y)
        return y
