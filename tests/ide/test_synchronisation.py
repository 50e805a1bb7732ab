"""The waits of a kernel that comments have moved: planned once, shown where its statements stand now."""

from __future__ import annotations

from pto_analysis.check import UnitKernels, kernels_at
from pto_analysis.ide.synchronisation import waits
from pto_analysis.rules.kernel_programs import plans_of
from tests.ide.reading import read

KERNEL = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [8, 64]){comment}
        u = pl.tile.adds(t, 1.0)
        y = pl.store(u, [0, 0], y)
        return y
"""


def test_a_comment_moves_the_waits_and_plans_nothing() -> None:
    before, after = read(KERNEL.format(comment="")), read(KERNEL.format(comment="\n        # a comment"))
    moved = kernels_at(UnitKernels(before.unit, before.kernels), after.unit).kernels
    assert [plans_of(kernel) for kernel in moved] == [plans_of(kernel) for kernel in before.kernels]
    assert waits(moved) == waits(after.kernels) != waits(before.kernels)
