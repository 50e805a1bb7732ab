"""The acceptance matrix of PTOAS #1587 for rotating loops (sync.md 7.5 to 7.10): stages, guards, chains, readers."""

from __future__ import annotations

from itertools import product

import pytest

from pto_analysis.sync.interpreter import adversarial_schedules, differences
from pto_analysis.sync.items import OpItem
from pto_analysis.sync.model import CORE_QUEUES
from tests.sync.pipelines import Pipeline, Spelling
from tests.sync.runs import Run, barriers, lanes, pairs, precise, program, run_program

SPELLINGS: tuple[Spelling, ...] = ("slots", "rows")


def runs(pipeline: Pipeline) -> dict[int, Run]:
    """One run per trip count: none, one, around the stages, several wraps, and past 64."""
    stages = pipeline.stages
    trips = (0, 1, stages - 1, stages, stages + 1, 2 * stages + 1, 3 * stages + 2, 67)
    text = pipeline.text()
    return {n: run_program(program(text), precise(text), {"n": n}) for n in dict.fromkeys(trips)}


def in_round(seen: Run, op: str, number: int) -> int | None:
    """The last item of that name in that round of the loop."""
    found = [
        at
        for at, item in enumerate(seen.trace.items)
        if isinstance(item, OpItem) and item.op == op and item.context and item.context[-1][1] == number
    ]
    return found[-1] if found else None


MATRIX = [
    Pipeline(stages, spelling, guarded, chain, stored, None, alias)
    for stages, spelling, guarded, (chain, stored, alias) in product(
        (2, 3, 4), SPELLINGS, (True, False), ((1, False, False), (1, True, False), (2, True, False), (2, True, True))
    )
]


@pytest.mark.parametrize("pipeline", MATRIX, ids=str)
def test_rotating_pipeline(pipeline: Pipeline) -> None:
    stages, plan = pipeline.stages, precise(pipeline.text())
    assert barriers(plan, "ALL") == 0
    assert plan.degradations == ()
    for source, target in (("MTE2", "V"), ("V", "MTE2"), ("MTE3", "MTE2"), ("V", "MTE3")):
        assert lanes(plan, source, target) <= stages
    if pipeline.stored:
        assert pairs(plan, "V", "MTE2") == 0, "the store is the last reader: it releases the slot"
    for n, seen in runs(pipeline).items():
        assert seen.verdict.faults == (), n
        assert seen.trace.problems == ()
        for u in range(n):
            _check_round(pipeline, seen, u, n)


def _check_round(pipeline: Pipeline, seen: Run, u: int, n: int) -> None:
    stages = pipeline.stages
    compute, reader = in_round(seen, "tadds", u), in_round(seen, "tstore" if pipeline.stored else "tadds", u)
    assert compute is not None
    assert reader is not None
    ahead, following = in_round(seen, "tload", u), in_round(seen, "tload", u + 1)
    own = in_round(seen, "tload", u - stages + 1)
    if own is not None:
        assert seen.verdict.ordered(own, compute), f"round {u} reads what round {u - stages + 1} loaded"
    if following is not None:
        assert seen.verdict.ordered(reader, following), f"round {u + 1} overwrites what round {u} read"
    if ahead is not None:
        assert seen.verdict.may_overlap(ahead, compute), f"the load ahead and the work of round {u} of {n}"


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_both_spellings_order_the_same(spelling: Spelling) -> None:
    """Rows of one tile and slots of a ring: identical clocks in every run."""
    other: Spelling = "rows" if spelling == "slots" else "slots"
    for stages, guarded in product((2, 3, 4), (True, False)):
        one = runs(Pipeline(stages, spelling, guarded, 2))
        two = runs(Pipeline(stages, other, guarded, 2))
        for n, seen in one.items():
            ops = [
                [clock for clock, item in zip(r.verdict.starts, r.trace.items, strict=True) if isinstance(item, OpItem)]
                for r in (seen, two[n])
            ]
            assert ops[0] == ops[1], (stages, guarded, n)


@pytest.mark.parametrize(
    ("stages", "modulus", "rotates"), [(2, 64, True), (4, 64, True), (3, 63, True), (3, 64, False), (3, 4, False)]
)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_normalised_rounds(stages: int, modulus: int, rotates: bool, spelling: Spelling) -> None:
    """`i % modulus` picks a rotation only when the slot count divides it; it is sound in any case (B.6)."""
    pipeline = Pipeline(stages, spelling, True, 1, True, modulus)
    text = pipeline.text()
    for n in (0, 1, stages, modulus - 1, modulus, modulus + 1, 2 * modulus + 3):
        seen = run_program(program(text), precise(text), {"n": n})
        assert seen.verdict.faults == (), n
    if rotates:
        assert barriers(precise(text), "ALL") == 0


@pytest.mark.parametrize("pipeline", MATRIX[::3], ids=str)
def test_numbers(pipeline: Pipeline) -> None:
    text = pipeline.text()
    for n in (0, 1, pipeline.stages, 2 * pipeline.stages + 1):
        items = run_program(program(text), precise(text), {"n": n}).trace.items
        for schedule in adversarial_schedules(CORE_QUEUES["vector"], 1):
            assert differences(items, schedule) == ()
