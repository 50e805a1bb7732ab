"""The stock assembler's plan beside the precise one: wherever it is sound, the precise plan orders no more."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.sync.checker import Rules
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import plan_precise, plan_stock
from pto_analysis.sync.program import SyncProgram
from pto_analysis.sync.verify import verify
from tests.sync.order import more_ordered
from tests.sync.pipelines import Pipeline
from tests.sync.random_programs import cube_kernels, kernels
from tests.sync.runs import HERE, barriers, program, run
from tests.sync.test_pipelines import MATRIX
from tests.sync.test_properties import SLOW, without_wrapping


@cache
def stock(text: str) -> Plan:
    return plan_stock(program(text))


def is_sound(code: SyncProgram, plan: Plan, runs: int) -> bool:
    """Whether the stock plan passes the checker in every run. A run that it cannot be followed through does not pass:
    it keys flags by slots that a branch computes, which have no value where the branch is not taken. No program runs
    so: a value that does not dominate its use is refused."""
    outcome = verify(code, plan, Rules(code.target, long_chains=True), runs=runs)
    return outcome.ok and outcome.skipped == 0


def assert_no_more_is_ordered(text: str) -> None:
    """Looks for what ours orders in addition, and only then whether the stock plan is sound.

    The stock assembler takes `(i + 1) % 3` and `i % 3` for different slots whatever i is. Ours stays conservative where
    nothing bounds i, as the matrix asks (sync.md 7.3 R2, and 7.10, "non-normalised index"), also where every single
    number happens to do no harm: there the two are not comparable, so arguments are too small for indices to wrap.
    """
    code = without_wrapping(text)
    ours, theirs = plan_precise(code), plan_stock(code)
    for n, m, c in product((0, 1, 2, 3, 5), (0, 2, 3), (0, 1)):
        more = more_ordered(code, ours, theirs, {"n": n, "m": m, "i": 3, "c": c})
        if more:
            sound = is_sound(code, theirs, 24) and is_sound(code, theirs, 3000)
            assert not sound, f"{more} with n = {n}, m = {m}, c = {c}\n{text}"
            return


@settings(SLOW, max_examples=120)
@given(st.one_of(kernels(), cube_kernels()))
def test_precise_never_orders_more_than_a_sound_stock_plan(text: str) -> None:
    """All ops of both cores, conditions and bounds that come up again, handles that change places."""
    assert_no_more_is_ordered(text)


@pytest.mark.parametrize("pipeline", MATRIX[1::2], ids=str)
def test_precise_orders_no_more_than_flags_keyed_by_slots(pipeline: Pipeline) -> None:
    """Sound stock plans with a flag for each slot are left out of what ours is mended by, and hold all the same."""
    assert_no_more_is_ordered(pipeline.text())


@settings(SLOW, max_examples=40)
@given(kernels(free=True))
def test_precise_orders_no_more_where_every_path_is_taken(text: str) -> None:
    assert_no_more_is_ordered(text)


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
