"""PTO105: a row taken by a run-time index loses a dimension, which the column broadcast cannot repair."""

import pypto.language as pl


@pl.program
class Rows:
    @pl.function(type=pl.FunctionType.InCore)
    def by_index(
        self,
        x: pl.Tensor[[8, 128], pl.FP32],
        g: pl.Tensor[[1, 128], pl.FP32],
        y: pl.Out[pl.Tensor[[8, 128], pl.FP32]],
    ) -> pl.Tensor[[8, 128], pl.FP32]:
        table = pl.load(x, [0, 0], [8, 128])
        gamma = pl.load(g, [0, 0], [1, 128])
        for r in pl.range(8):
            y = pl.store(pl.col_expand_mul(table[r], gamma), [r, 0], y)  #! PTO105
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def by_extract(
        self,
        x: pl.Tensor[[8, 128], pl.FP32],
        g: pl.Tensor[[1, 128], pl.FP32],
        y: pl.Out[pl.Tensor[[8, 128], pl.FP32]],
    ) -> pl.Tensor[[8, 128], pl.FP32]:
        table = pl.load(x, [0, 0], [8, 128])
        gamma = pl.load(g, [0, 0], [1, 128])
        for r in pl.range(8):
            row = pl.tile.extract(table, r, 0, [1, 128], target_memory=pl.Mem.Vec)
            y = pl.store(pl.col_expand_mul(row, gamma), [r, 0], y)
        return y
