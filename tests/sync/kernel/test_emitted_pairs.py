"""Kernels and what the real compiler emitted for them: the same operations of the same lines on the same queues."""

from __future__ import annotations

import pytest

from pto_analysis.pto.lower import lower_pto
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import SyncProgram, operations
from pto_analysis.sync.verify import verify
from tests.pto.cases import PtoCase, pto_cases
from tests.sync.kernel.kernels import programs

Queued = set[tuple[int, str, str]]


def _written(program: SyncProgram) -> Queued:
    return {(op.where.span.line + 1, op.name, phase.pipe.value) for op in operations(program) for phase in op.phases}


def _emitted(program: SyncProgram) -> Queued:
    found: Queued = set()
    for op in operations(program):
        assert op.where.python is not None
        found |= {(op.where.python[1] + 1, op.name, phase.pipe.value) for phase in op.phases}
    return found


@pytest.mark.parametrize("case", pto_cases(), ids=lambda case: case.id)
def test_same_operations_as_emitted(case: PtoCase) -> None:
    written = {program.core: _written(program) for program in programs(case.python)}
    emitted = {program.core: _emitted(program) for program in lower_pto(case.pto, "a2a3").programs}
    assert written.keys() == emitted.keys()
    for core, queued in written.items():
        assert queued == emitted[core]


@pytest.mark.parametrize("case", pto_cases(), ids=lambda case: case.id)
def test_plan_is_sound(case: PtoCase) -> None:
    for program in programs(case.python):
        plan = plan_precise(program)
        assert plan.degradations == ()
        assert verify(program, plan, runs=40).ok


@pytest.mark.parametrize("case", pto_cases(), ids=lambda case: case.id)
def test_mixed_kernels_are_named_by_core(case: PtoCase) -> None:
    found = programs(case.python)
    names = [program.name for program in lower_pto(case.pto, "a2a3").programs]
    assert [program.name for program in found] == names
    assert any("tpush" in note for program in found for note in program.notes) == (len(found) == 2)
