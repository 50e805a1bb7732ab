"""Loops over slots that the stock assembler cannot tell apart, written so that it can: same operations, fewer waits."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import dedent, indent

import pytest

from pto_analysis.findings import Applicability
from pto_analysis.sync.interpreter import run_in_order
from pto_analysis.sync.items import ByteRange, OpItem
from pto_analysis.sync.precise import plan_precise
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.trace import unroll
from pto_analysis.sync.typical import Typical
from tests.fixes.fixing import findings, fixed_once
from tests.sync.kernel.kernels import programs

HEAD = """\
import pypto.language as pl

SLOTS = 3


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[80, 64], pl.FP32], y: pl.Out[pl.Tensor[[80, 64], pl.FP32]]
    ) -> pl.Tensor[[80, 64], pl.FP32]:
"""

RING = """
for i in {loop}:  # one row each
    now: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots=3)[{now}], pl.Mem.Vec] = pl.load(
        x, [i, 0], [1, 64]
    )

    # the next but one
    later: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots=3)[{later}], pl.Mem.Vec] = pl.load(
        x, [i + 2, 0], [1, 64]
    )
    y = pl.store(pl.exp(now), [i, 0], y)
    y = pl.store(later, [i + 2, 0], y)
return y
"""


ROWS = """
table = pl.load(x, [0, 0], [4, 64])
for i in pl.range(8):
    a = pl.tile.slice(table, [1, 64], [i % 4, 0])
    y = pl.store(a, [i, 0], y)
    table = pl.tile.assemble(table, pl.exp(pl.load(x, [i, 0], [1, 64])), [(i + 1) % 4, 0])
return y
"""


def module(body: str) -> str:
    return HEAD + indent(dedent(body).strip("\n"), " " * 8) + "\n"


def ring(loop: str, now: str = "i % 3", later: str = "(i + 2) % 3") -> str:
    return module(RING.format(loop=loop, now=now, later=later))


def run(text: str) -> tuple[Sequence[tuple[object, ...]], object]:
    """The operations of one run in order with the bytes they touch, by names of the source, and the output after it."""
    (program,) = programs(text)
    items = unroll(program, plan_precise(program), {arg.symbol.name: 6 for arg in program.arguments}, Typical()).items
    ops = [(each.op, each.pipe, *map(touched, (each.reads, each.writes))) for each in items if isinstance(each, OpItem)]
    return ops, run_in_order(items).memory["gm", "y__ssa_v0"]


def touched(ranges: Sequence[ByteRange]) -> list[tuple[str, str, int, int]]:
    return [(each.space, each.region.partition("__")[0], each.low, each.high) for each in ranges]


def avoidable(text: str) -> list[str]:
    """False dependences that another spelling avoids, by region."""
    return [str(each.data["region"]) for each in findings(text, "PTO501") if each.data["remedy"] != "none"]


CASES = {
    "a short loop": ring("pl.range(6)"),
    "with a start and a step": ring("pl.range(1, 9, 2)"),
    "slots by way of a name": ring("pl.range(6)")
    .replace("    now: pl", "    s = i % 3\n            now: pl", 1)
    .replace("[i % 3]", "[s]"),
    "a longer loop, in rounds": ring("pl.range(66)"),
    "a longer loop that starts at a round": ring("pl.range(3, 75)"),
    "as many rounds as run time says": ring("pl.range(0, n * 3)"),
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_the_same_operations_and_no_wait_for_another_slot(text: str) -> None:
    assert avoidable(text)
    result = fixed_once(text, "PTO501")
    assert "pl.unroll(" in result
    assert avoidable(result) == []
    assert run(result) == run(text)
    assert fixed_once(result, "PTO501") == result
    assert [line.split("#", 1)[1] for line in text.splitlines() if "#" in line] == [
        line.split("#", 1)[1] for line in result.splitlines() if "#" in line
    ]


def test_rows_of_one_tile_are_told_apart_too() -> None:
    """Written out, the loop also makes no copies of the tile that it carries; all else is the same."""
    text = module(ROWS)
    assert avoidable(text) == ["table__ssa_v0"]
    result = fixed_once(text, "PTO501")
    assert avoidable(result) == []
    carried = ("tmov", Pipe.V, [("vec", "table", 0, 1024)], [("vec", "table", 0, 1024)])
    assert [op for op in run(text)[0] if op != carried] == list(run(result)[0])


def test_a_longer_loop_becomes_two() -> None:
    text = fixed_once(ring("pl.range(66)"), "PTO501")
    assert dedent(text.split("FP32]:\n")[1]).startswith(
        dedent("""\
        for i_first in pl.range(0, 66, 3):  # one row each
            for slot in pl.unroll(3):
                i = i_first + slot
                now: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots=3)[slot], pl.Mem.Vec] = pl.load(
                    x, [i, 0], [1, 64]
                )

                # the next but one
                later: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots=3)[(slot + 2) % 3], pl.Mem.Vec] = pl.load(
                    x, [i + 2, 0], [1, 64]
                )
    """)
    )


def test_it_costs_code_and_is_not_done_unasked() -> None:
    fixes = [each.fix for each in findings(ring("pl.range(6)"), "PTO501") if each.data["remedy"] != "none"]
    assert {fix.applicability for fix in fixes if fix is not None} == {Applicability.UNSAFE}


NOT_OFFERED = {
    "rounds that do not come out even": ring("pl.range(65)"),
    "a start inside a round": ring("pl.range(1, 67)"),
    "a count that nobody knows": ring("pl.range(n)"),
    "a slot that also depends on something else": ring("pl.range(6)", "(i + n) % 3", "(i + n + 2) % 3"),
}


@pytest.mark.parametrize("text", NOT_OFFERED.values(), ids=NOT_OFFERED)
def test_no_fix_where_the_slots_would_stay_unknown(text: str) -> None:
    assert fixed_once(text, "PTO501") == text
