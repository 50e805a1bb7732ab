"""The properties of `test_properties` and `test_policies` on many more kernels: `make soak`."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pto_analysis.sync.verify import verify
from tests.sync.random_programs import cube_kernels, kernels
from tests.sync.runs import precise, program
from tests.sync.test_policies import assert_no_more_is_ordered
from tests.sync.test_properties import assert_no_group_is_spare, strict

LONG = settings(
    max_examples=3000,
    deadline=None,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)


@pytest.mark.soak
@LONG
@given(st.one_of(kernels(), cube_kernels()))
def test_every_small_run_is_sound_and_token_safe(text: str) -> None:
    plan = precise(text)
    outcome = verify(program(text), plan, strict(text), runs=24)
    assert outcome.failure is None, text + "\n".join(outcome.failure.schedule)
    assert plan.degradations == (), text


@pytest.mark.soak
@LONG
@given(st.one_of(kernels(), cube_kernels()))
def test_precise_never_orders_more_than_a_sound_stock_plan(text: str) -> None:
    assert_no_more_is_ordered(text)


@pytest.mark.soak
@LONG
@given(st.one_of(kernels(plain=True), cube_kernels(plain=True)))
def test_every_item_is_needed_by_possible_paths(text: str) -> None:
    assert_no_group_is_spare(text)
