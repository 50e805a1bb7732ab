"""Rings whose tiles keep to slots of their own, as one ring each: the assembler tells buffers apart."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from pto_analysis.findings import Applicability
from pto_analysis.sync.difference import compare
from pto_analysis.sync.interpreter import run_in_order
from pto_analysis.sync.items import OpItem
from pto_analysis.sync.policies import Policies, plan_precise, plan_stock
from pto_analysis.sync.trace import unroll
from pto_analysis.sync.typical import Typical
from pto_analysis.sync.verify import verify
from tests.fixes.fixing import findings, fixed, fixed_once
from tests.sync.kernel.kernels import programs

HEAD = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[80, 64], pl.FP32], y: pl.Out[pl.Tensor[[80, 64], pl.FP32]]
    ) -> pl.Tensor[[80, 64], pl.FP32]:
"""

BODY = """
for i in pl.range(n):
    # halves of a ring
    now: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots={slots})[{now}], pl.Mem.Vec] = pl.load(x, [i, 0], [1, 64])
    later: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots={slots})[
        {later}  # behind the others
    ], pl.Mem.Vec] = pl.load(x, [i + 2, 0], [1, 64])
    y = pl.store(pl.exp(now), [i, 0], y)
    y = pl.store(later, [i + 2, 0], y)
return y
"""


def module(now: str, later: str, slots: int = 4) -> str:
    return HEAD + indent(dedent(BODY.format(now=now, later=later, slots=slots)).strip("\n"), " " * 8) + "\n"


CASES = {
    "two halves": (module("i % 2", "2 + i % 2"), ('"ring", slots=2)[i % 2]', '"ring_2", slots=2)[')),
    "a constant at the other side": (module("i % 2", "i % 2 + 2"), ('"ring", slots=2)[i % 2]', '"ring_2", slots=2)[')),
    "one slot beside a ring": (module("i % 3", "3"), ('"ring", slots=3)[i % 3]', 'pl.MemRef("ring_2"), pl.Mem')),
    "a gap": (module("i % 2", "i % 2 + 4", 6), ('"ring", slots=2)[i % 2]', '"ring_2", slots=2)[')),
    "not a plain sum": (module("i % 2", "3 - i % 2"), ('"ring_2", slots=2)[', "3 - i % 2 - 2")),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_the_assembler_sees_two_buffers(text: str, expected: tuple[str, ...]) -> None:
    assert between_slots(text)
    result = fixed(text, "PTO501", partly=True)
    assert all(piece in result for piece in expected)
    (rewritten,) = programs(result)
    assert not between_slots(result)
    assert verify(rewritten, plan_stock(rewritten), runs=40).ok
    assert "# halves of a ring" in result
    for rounds in (0, 1, 2, 5):
        assert ran(result, rounds) == ran(text, rounds)


def between_slots(text: str) -> bool:
    """Whether the stock assembler waits for another slot somewhere; stores to one output are another matter."""
    (program,) = programs(text)
    return any(program.regions[one.region].space != "gm" for one in compare(Policies(program)))


def ran(text: str, rounds: int) -> tuple[list[tuple[str, str]], object]:
    """The operations of one run, and what the output holds behind it."""
    (program,) = programs(text)
    items = unroll(program, plan_precise(program), {arg.symbol.name: rounds for arg in program.arguments}, Typical())
    ops = [(each.op, each.pipe.value) for each in items.items if isinstance(each, OpItem)]
    return ops, run_in_order(items.items).memory["gm", "y__ssa_v0"] if rounds else None


def test_it_means_the_same() -> None:
    fixes = [each.fix for each in findings(CASES["two halves"][0], "PTO501")]
    assert {fix.applicability for fix in fixes if fix is not None} == {Applicability.SAFE}


OTHERWISE = {
    "slots that meet": module("i % 3", "(i + 1) % 4"),
    "any slot": module("i % 2", "n"),
}


@pytest.mark.parametrize("text", OTHERWISE.values(), ids=OTHERWISE)
def test_a_ring_that_is_shared_stays(text: str) -> None:
    assert "ring_2" not in fixed_once(text, "PTO501")
