"""Kernels of two tiles whose steps stand on paths, and which queues of them hand over."""

from __future__ import annotations

from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.checker import Rules
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import Pipe, TileShape
from pto_analysis.sync.verify import verify

ROW = TileShape(1, 64)


class Kernel:
    """Two tiles, an argument to load from and one to store to."""

    def __init__(self) -> None:
        self.build = build = ProgramBuilder("k")
        build.tensor("x")
        build.tensor("y")
        for number_, name in enumerate("ab"):
            build.tile(name, "vec", ROW, base=256 * number_)

    def load(self, tile: str) -> None:
        self.build.op("tload", Pipe.MTE2, ["x"], [tile])

    def add(self, source: str, target: str) -> None:
        self.build.op("tadds", Pipe.V, [source], [target])

    def store(self, tile: str) -> None:
        self.build.op("tstore", Pipe.MTE3, [tile], ["y"])

    def pairs(self) -> list[str]:
        """Queue pairs with a hand-over; the plan is sound whatever the machine says of the scalar unit."""
        program = self.build.build()
        plan = plan_precise(program)
        outcome = verify(program, plan, Rules(program.target, scalar_at_issue=False), runs=400)
        assert outcome.ok
        return sorted(f"{pair.source.value}>{pair.target.value}" for pair in plan.pairs)


def drain(kernel: Kernel) -> None:
    kernel.build.manual("barrier", Pipe.ALL)
