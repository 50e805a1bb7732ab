"""PTO102 and PTO103: a column broadcast cannot read a view, so the compiler copies what is not one whole run."""

import pypto.language as pl


@pl.program
class Broadcast:
    @pl.function(type=pl.FunctionType.InCore)
    def one_row_at_a_time(
        self,
        x: pl.Tensor[[8, 128], pl.FP32],
        g: pl.Tensor[[1, 128], pl.FP32],
        y: pl.Out[pl.Tensor[[8, 128], pl.FP32]],
    ) -> pl.Tensor[[8, 128], pl.FP32]:
        table = pl.load(x, [0, 0], [8, 128])
        gamma = pl.load(g, [0, 0], [1, 128])
        for r in pl.range(8):
            row = pl.tile.slice(table, [1, 128], [r, 0])  #! PTO102
            y = pl.store(pl.col_expand_mul(row, gamma), [r, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def right_half(
        self,
        x: pl.Tensor[[16, 128], pl.FP32],
        g: pl.Tensor[[1, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 128])
        gamma = pl.load(g, [0, 0], [1, 64])
        half = pl.tile.slice(t, [16, 64], [0, 64])  #! PTO103
        y = pl.store(pl.col_expand_mul(half, gamma), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def all_rows_at_once(
        self,
        x: pl.Tensor[[8, 128], pl.FP32],
        g: pl.Tensor[[1, 128], pl.FP32],
        y: pl.Out[pl.Tensor[[8, 128], pl.FP32]],
    ) -> pl.Tensor[[8, 128], pl.FP32]:
        table = pl.load(x, [0, 0], [8, 128])
        gamma = pl.load(g, [0, 0], [1, 128])
        y = pl.store(pl.col_expand_mul(table, gamma), [0, 0], y)
        return y
