"""PTO107: the window is aligned, but the compiler cannot see it; spelled another way, the copy goes away."""

import pypto.language as pl


@pl.program
class Blocks:
    @pl.function(type=pl.FunctionType.InCore)
    def steps_of_eight(
        self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
        for i in pl.range(0, 64, 8):
            w = pl.tile.slice(t, [16, 8], [0, i])  #! PTO104 PTO107
            y = pl.store(pl.mul(w, 3.0), [0, i], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def eight_blocks(
        self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
        for b in pl.range(8):
            w = pl.tile.slice(t, [16, 8], [0, b * 8])
            y = pl.store(pl.mul(w, 3.0), [0, b * 8], y)
        return y
