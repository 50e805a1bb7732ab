"""The stock assembler's plan beside the precise one: wherever it is sound, the precise plan orders no more."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings

from pto_analysis.sync.checker import QUEUES, Rules, check
from pto_analysis.sync.items import OpItem
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.stock import plan_stock
from pto_analysis.sync.verify import verify
from tests.sync.random_programs import kernels
from tests.sync.runs import HERE, barriers, precise, program, run, run_program
from tests.sync.test_properties import SLOW


@cache
def stock(text: str) -> Plan:
    return plan_stock(program(text))


def more_ordered(text: str, arguments: dict[str, int]) -> list[tuple[str, str]]:
    """(queue, op) where the precise plan waits for more of a queue than the stock plan does in this run."""
    code = program(text)
    rules = Rules(code.target)
    ours, theirs = (run_program(code, plan, arguments) for plan in (precise(text), stock(text)))
    clocks = [
        [(item, seen.verdict.starts[at]) for at, item in enumerate(seen.trace.items) if isinstance(item, OpItem)]
        for seen in (ours, theirs)
    ]
    assert check(ours.trace.items, rules).ok
    return [
        (QUEUES[queue].value, mine.op)
        for (mine, before), (_, stock_before) in zip(*clocks, strict=True)
        for queue in range(len(QUEUES))
        if before[queue] > stock_before[queue]
    ]


def is_sound(text: str, runs: int) -> bool:
    """Whether the stock plan passes the checker in every run. A run that it cannot be followed through does not pass:
    it keys flags by slots that a branch computes, which have no value where the branch is not taken."""
    outcome = verify(program(text), stock(text), Rules(program(text).target, long_chains=True), runs=runs)
    return outcome.ok and outcome.skipped == 0


@settings(SLOW, max_examples=40)
@given(kernels(free=True))
def test_precise_never_orders_more_than_a_sound_stock_plan(text: str) -> None:
    """With all ops, on kernels in which every path can be taken. Where conditions rule paths out, ours still plans for
    them, and the stock plan may be sound without."""
    if not is_sound(text, 24):
        return
    for n, c in product((0, 1, 2, 3, 5), (0, 1)):
        more = more_ordered(text, {"n": n, "m": 2, "i": 3, "c": c})
        assert not more or not is_sound(text, 3000), text


@pytest.mark.parametrize("name", ["static_rows", "same_slot"])
def test_stock_agrees_where_it_is_precise(name: str) -> None:
    text = (HERE / "seed" / f"{name}.pto").read_text()
    ours, theirs = run(text, i=3), run(text, stock(text), i=3)
    assert theirs.verdict.ok
    for pair in product(("tload#0", "tload#1", "tadds#0"), ("tstore#0", "tstore#1", "tadds#0")):
        if pair[0] != pair[1]:
            assert ours.ordered(*pair) == theirs.ordered(*pair), pair


def test_stock_serialises_the_dynamic_slots() -> None:
    """The report of PTOAS #1587: the vector op waits for the other slot's load as well."""
    text = (HERE / "seed" / "dynamic_disjoint.pto").read_text()
    seen = run(text, stock(text), i=3)
    assert seen.verdict.ok
    assert seen.ordered("tload#1", "tadds#0")
    assert not run(text, i=3).ordered("tload#1", "tadds#0")


def test_stock_omits_barriers_in_long_chains_only() -> None:
    """Sync section 5.6: sixteen repeats on one contiguous tile."""
    for name, count in (("40_long_chain", 0), ("40b_short_chain", 1), ("40c_shared_scratch", 1)):
        text = (HERE / "lit" / f"{name}.pto").read_text()
        assert barriers(stock(text), "V") == count, name
        assert verify(program(text), stock(text), Rules(long_chains=True)).ok
