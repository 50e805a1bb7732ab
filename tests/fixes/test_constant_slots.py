"""Loops over slots that the stock assembler cannot tell apart, written so that it can: same operations, fewer waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from textwrap import dedent, indent

import pytest

from pto_analysis.findings import Applicability
from pto_analysis.sync.interpreter import run_in_order
from pto_analysis.sync.items import ByteRange, OpItem
from pto_analysis.sync.policies import plan_precise, plan_stock
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.trace import unroll
from pto_analysis.sync.typical import Typical
from pto_analysis.sync.verify import verify
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
    "slots counted by a name": ring("pl.range(66)", "i % SLOTS", "(i + 2) % SLOTS"),
    "rounds that do not come out even": ring("pl.range(67)"),
    "a start inside a round": ring("pl.range(2, 70)"),
    "a count that nobody knows": ring("pl.range(n)"),
    "a count that nobody knows, from inside a round": ring("pl.range(1, n + 1)"),
    "a count that nobody knows, in a loop": ring("pl.range(n)")
    .replace("        for i", "        for j in pl.range(n):\n          for i")
    .replace("\n            ", "\n              ")
    .replace("(i + 2)", "(i + 1)"),
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_the_same_operations_and_no_wait_for_another_slot(text: str) -> None:
    assert avoidable(text)
    result = fixed_once(text, "PTO501")
    assert "pl.unroll(" in result
    assert avoidable(result) == []
    assert run(result) == run(text)
    assert fixed_once(result, "PTO501") == result
    assert comments(result)[: len(comments(text))] == comments(text)
    assert set(comments(result)) == set(comments(text))
    assert Counter(each.code for each in findings(result)) <= Counter(each.code for each in findings(text))
    for program in programs(result):
        assert verify(program, plan_stock(program), runs=30).ok


def comments(text: str) -> list[str]:
    return [line.split("#", 1)[1] for line in text.splitlines() if "#" in line]


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


CARRIED = """
for i in pl.range({stop}):
    now: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots=3)[i % 3], pl.Mem.Vec] = pl.load(x, [i, 0], [1, 64])
    later: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots=3)[(i + 2) % 3], pl.Mem.Vec] = pl.load(
        x, [i + 2, 0], [1, 64]
    )
    total = pl.add(total, now)
    y = pl.store(later, [i, 0], y)
y = pl.store(total, [0, 0], y)
return y
"""


def carried(stop: str) -> str:
    return module("total = pl.load(x, [0, 0], [1, 64])" + CARRIED.format(stop=stop))


NOT_OFFERED = {
    "a tile that a turn leaves to the next, where some turns may not run": carried("n"),
    "an end that the body changes": ring("pl.range(n)").replace(
        "            y = pl.store(later", "            n = n + 1\n            y = pl.store(later"
    ),
    "a slot that also depends on something else": ring("pl.range(6)", "(i + n) % 3", "(i + n + 2) % 3"),
}


def test_what_does_not_fill_a_round_is_written_out_behind() -> None:
    text = fixed_once(ring("pl.range(1, 69)"), "PTO501")
    body = dedent(text.split("FP32]:\n")[1])
    assert "for i_first in pl.range(1, 67, 3):  # one row each\n    for slot in pl.unroll(3):\n" in body
    assert "slots=3)[(slot + 1) % 3]" in body
    assert "slots=3)[(slot + 1 + 2) % 3]" in body
    assert "\nfor i in pl.unroll(67, 69):\n    now:" in body


def test_a_tile_that_goes_from_turn_to_turn_stays_where_all_rounds_are_whole() -> None:
    """The guard would make a choice between two tiles of it, and a copy."""
    text = carried("66")
    assert "pl.unroll(3)" in fixed_once(text, "PTO501")


def test_turns_ask_for_the_end_that_only_run_time_knows() -> None:
    text = fixed_once(ring("pl.range(n)"), "PTO501")
    assert dedent(text.split("FP32]:\n")[1]).startswith(
        dedent("""\
        for i_first in pl.range(0, n, 3):  # one row each
            for slot in pl.unroll(3):
                i = i_first + slot
                if i < n:
                    now: pl.Tile""")
    )


@pytest.mark.parametrize("text", NOT_OFFERED.values(), ids=NOT_OFFERED)
def test_no_fix_where_the_slots_would_stay_unknown(text: str) -> None:
    assert fixed_once(text, "PTO501") == text
