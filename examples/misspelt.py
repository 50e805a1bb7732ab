"""PTO003, PTO004 and PTO309: names that do not exist, and Python that the DSL does not have."""

import pypto.language as pl


@pl.program
class Typos:
    @pl.function(type=pl.FunctionType.InCore)
    def written_in_a_hurry(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [64, 64])
        u = pl.maximun(t, t)  #! PTO003
        v = pl.add(t, tt)  #! PTO309 `tt`
        t += t  #! PTO004
        y = pl.store(t, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def read_once_more(
        self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [64, 64])
        u = pl.maximum(t, t)
        t = pl.add(t, u)
        y = pl.store(t, [0, 0], y)
        return y
