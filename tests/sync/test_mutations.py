"""Every pair and barrier of a plan is needed: without it some small run is a race, a hang or a lost flag."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from pto_analysis.sync.checker import Rules
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.verify import verify
from tests.sync.pipelines import Pipeline
from tests.sync.runs import precise, program
from tests.sync.test_lit import FILES
from tests.sync.test_pipelines import MATRIX


def mutants(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """The plan without one pair or one barrier; the barrier at the end of the kernel stays."""
    groups = dict.fromkeys(item.pair or item.id for item in plan.items if item.role != "tail")
    for group in groups:
        kept = tuple(item for item in plan.items if group not in (item.id, item.pair))
        yield group, evolve(plan, items=kept)


def halves(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """The plan without one set or one wait."""
    for gone in plan.items:
        if gone.kind != "barrier":
            yield gone.id, evolve(plan, items=tuple(item for item in plan.items if item is not gone))


def assert_needed(text: str) -> None:
    code, plan = program(text), precise(text)
    strict = Rules(code.target, long_chains=False, scalar_at_issue=False)
    for group, mutant in mutants(plan):
        assert verify(code, mutant, strict, runs=60).failure is not None, f"{group} is not needed"
    for item, mutant in halves(plan):
        assert verify(code, mutant, strict, runs=20).failure is not None, f"nobody misses {item}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_lit_plans(path: Path) -> None:
    assert_needed(path.read_text())


@pytest.mark.parametrize("pipeline", MATRIX[::2], ids=str)
def test_pipeline_plans(pipeline: Pipeline) -> None:
    assert_needed(pipeline.text())
