"""The three inputs of PTOAS #1587, verbatim, and its acceptance checks on structure, traces and numbers."""

from __future__ import annotations

import pytest

from pto_analysis.sync.interpreter import adversarial_schedules, differences
from pto_analysis.sync.model import CORE_QUEUES
from pto_analysis.sync.verify import verify
from tests.sync.runs import HERE, lanes, pairs, precise, program, run, run_program

SEED = {path.stem: path.read_text() for path in (HERE / "seed").glob("*.pto")}
DYNAMIC, STATIC, SAME = SEED["dynamic_disjoint"], SEED["static_rows"], SEED["same_slot"]

ARGUMENTS = [*range(201), *(2**63 + near for near in range(-70, 71)), *(2**64 - near for near in range(1, 70))]


@pytest.mark.parametrize("text", [DYNAMIC, STATIC], ids=["dynamic", "static"])
def test_vector_op_waits_for_its_own_load_only(text: str) -> None:
    for i in ARGUMENTS:
        seen = run(text, i=i)
        assert seen.verdict.faults == (), i
        assert seen.ordered("tload#0", "tadds#0")
        assert not seen.ordered("tload#1", "tadds#0")
        assert seen.ordered("tadds#0", "tstore#0")
        assert seen.ordered("tload#1", "tstore#1")
        assert not seen.ordered("tadds#0", "tload#1")


def test_same_slot_waits_for_both_loads() -> None:
    for i in ARGUMENTS:
        seen = run(SAME, i=i)
        assert seen.verdict.faults == (), i
        assert seen.ordered("tload#0", "tadds#0")
        assert seen.ordered("tload#1", "tadds#0")
        assert seen.ordered("tadds#0", "tstore#0")
        assert seen.ordered("tload#1", "tstore#1")


@pytest.mark.parametrize("text", [DYNAMIC, STATIC], ids=["dynamic", "static"])
def test_shape_of_the_plan(text: str) -> None:
    plan = precise(text)
    assert pairs(plan, "MTE2", "V") == 1
    assert pairs(plan, "V", "MTE3") == 1
    assert pairs(plan, "MTE2", "MTE3") == 1
    assert lanes(plan, "MTE2", "V") == 1
    kinds = [item.kind for item in plan.items]
    assert kinds.count("barrier") == 1


def test_same_slot_needs_no_pair_for_the_second_store() -> None:
    plan = precise(SAME)
    assert pairs(plan, "MTE2", "V") == 1
    assert pairs(plan, "V", "MTE3") == 1
    assert pairs(plan, "MTE2", "MTE3") == 0


@pytest.mark.parametrize("text", [DYNAMIC, STATIC, SAME], ids=["dynamic", "static", "same"])
def test_numbers_survive_every_schedule(text: str) -> None:
    for i in (0, 1, 62, 63, 64, 2**63 - 1, 2**64 - 1):
        items = run(text, i=i).trace.items
        for schedule in adversarial_schedules(CORE_QUEUES["vector"], 4):
            assert differences(items, schedule) == ()


def test_a_plan_for_disjoint_slots_breaks_the_same_slot_kernel() -> None:
    """The negative control bites: the dynamic plan on the same-slot program is a race, by order and by numbers."""
    seen = run_program(program(SAME), precise(DYNAMIC), {"i": 5})
    assert {fault.kind for fault in seen.verdict.faults} == {"race"}
    items = seen.trace.items
    assert any(differences(items, schedule) for schedule in adversarial_schedules(CORE_QUEUES["vector"], 4))


@pytest.mark.parametrize("text", [DYNAMIC, STATIC, SAME], ids=["dynamic", "static", "same"])
def test_verification_finds_nothing(text: str) -> None:
    outcome = verify(program(text), precise(text))
    assert outcome.ok
    assert outcome.complete
