"""PTO501: three slots in turn never meet in a round, but the stock assembler waits; slots it can compare avoid that."""

import pypto.language as pl

ROWS = 8
SLOTS = 3


@pl.program
class Ring:
    @pl.function(type=pl.FunctionType.InCore)
    def one_ring(
        self, x: pl.Tensor[[72, 64], pl.FP32], y: pl.Out[pl.Tensor[[72, 64], pl.FP32]]
    ) -> pl.Tensor[[72, 64], pl.FP32]:
        for i in pl.range(7):
            now: pl.Tile[[8, 64], pl.FP32, pl.MemRef("ring", slots=3)[i % SLOTS], pl.Mem.Vec] = pl.load(
                x, [i * ROWS, 0], [8, 64]
            )
            later: pl.Tile[[8, 64], pl.FP32, pl.MemRef("ring", slots=3)[(i + 2) % SLOTS], pl.Mem.Vec] = pl.load(
                x, [i * ROWS + ROWS, 0], [8, 64]
            )
            y = pl.store(pl.exp(now), [i * ROWS, 0], y)  #! PTO501
            y = pl.store(later, [i * ROWS + ROWS, 0], y)  #! PTO501
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def buffers_of_their_own(
        self, x: pl.Tensor[[72, 64], pl.FP32], y: pl.Out[pl.Tensor[[72, 64], pl.FP32]]
    ) -> pl.Tensor[[72, 64], pl.FP32]:
        for i in pl.range(7):
            now = pl.load(x, [i * ROWS, 0], [8, 64])
            later = pl.load(x, [i * ROWS + ROWS, 0], [8, 64])
            y = pl.store(pl.exp(now), [i * ROWS, 0], y)
            y = pl.store(later, [i * ROWS + ROWS, 0], y)
        return y
