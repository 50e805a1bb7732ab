"""PTO104 by constants of another module: column 30 of FP32 is not aligned, column 32 is."""

import pypto.language as pl
from sizes import CFG, HALF, ODD


@pl.program
class Sized:
    @pl.function(type=pl.FunctionType.InCore)
    def odd(
        self, x: pl.Tensor[[CFG.rows, CFG.width], pl.FP32], y: pl.Out[pl.Tensor[[CFG.rows, HALF], pl.FP32]]
    ) -> pl.Tensor[[CFG.rows, HALF], pl.FP32]:
        t = pl.load(x, [0, 0], [CFG.rows, CFG.width])
        w = pl.tile.slice(t, [CFG.rows, HALF], [0, ODD])  #! PTO104
        y = pl.store(pl.mul(w, 2.0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def even(
        self, x: pl.Tensor[[CFG.rows, CFG.width], pl.FP32], y: pl.Out[pl.Tensor[[CFG.rows, HALF], pl.FP32]]
    ) -> pl.Tensor[[CFG.rows, HALF], pl.FP32]:
        t = pl.load(x, [0, 0], [CFG.rows, CFG.width])
        w = pl.tile.slice(t, [CFG.rows, HALF], [0, HALF])
        y = pl.store(pl.mul(w, 2.0), [0, 0], y)
        return y
