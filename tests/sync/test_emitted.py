"""The 54 files that the real compiler emitted: lowered without a complaint, planned, and every small run sound."""

from __future__ import annotations

import pytest

from pto_analysis.pto.lower import lower_pto
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import operations
from pto_analysis.sync.verify import verify
from tests.pto.cases import PtoCase, pto_cases


@pytest.mark.parametrize("case", pto_cases(), ids=lambda case: case.id)
def test_precise_plan_is_sound(case: PtoCase) -> None:
    lowered = lower_pto(case.pto)
    assert lowered.complaints == ()
    assert lowered.programs
    for program in lowered.programs:
        plan = plan_precise(program)
        assert plan.degradations == ()
        outcome = verify(program, plan, runs=40)
        assert outcome.runs > outcome.skipped
        assert outcome.failure is None, "\n".join(outcome.failure.schedule)
        for op in operations(program):
            assert not op.unknown
            assert op.where.python is not None
            assert op.where.python[0] == f"{case.id}.py"
