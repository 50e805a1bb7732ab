"""PTO302, PTO303 and PTO304: what the compiler's typing refuses, said at the line that was written."""

import pypto.language as pl


@pl.program
class Types:
    @pl.function(type=pl.FunctionType.InCore)
    def refused(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [64, 64])
        narrow = pl.load(x, [0, 0], [64, 32])
        summed = pl.add(t, narrow)  #! PTO302
        last = pl.tile.slice(t, [64, 32], [0, 48])  #! PTO303
        for i in pl.range(0, 64, 16):
            y = pl.store(pl.exp(t[i : i + 16, :]), [i, 0], y)  #! PTO304
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def accepted(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [64, 64])
        for i in pl.range(4):
            y = pl.store(pl.exp(pl.slice(t, [16, 64], [i * 16, 0])), [i * 16, 0], y)
        return y
