"""PTO104: a vector operand must start at a multiple of 32 bytes; column 6 of FP32 does not, column 8 does."""

import pypto.language as pl


@pl.program
class Columns:
    @pl.function(type=pl.FunctionType.InCore)
    def copied(
        self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 8], pl.FP32]]
    ) -> pl.Tensor[[16, 8], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
        w = pl.tile.slice(t, [16, 8], [0, 6])  #! PTO104
        y = pl.store(pl.mul(w, 3.0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def free_of_charge(
        self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 8], pl.FP32]]
    ) -> pl.Tensor[[16, 8], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
        for block in pl.range(8):
            w = pl.tile.slice(t, [16, 8], [0, block * 8])
            y = pl.store(pl.mul(w, 3.0), [0, 0], y)
        return y
