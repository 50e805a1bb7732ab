"""Running a `.pto` text through reader, lowering, planner and tracer, and asking about single ops of one run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from attrs import frozen

from pto_analysis.pto.lower import lower_pto
from pto_analysis.sync.checker import Rules, Verdict, check
from pto_analysis.sync.items import OpItem, Trace
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import SyncProgram
from pto_analysis.sync.trace import Oracle, unroll

HERE = Path(__file__).parent


@frozen(eq=False)
class Run:
    """One trace with its verdict. Ops are named `name#k`: the k-th item of that name, from 0."""

    trace: Trace
    verdict: Verdict

    def item(self, name: str) -> int:
        op, _, number = name.partition("#")
        found = [at for at, item in enumerate(self.trace.items) if isinstance(item, OpItem) and item.op == op]
        assert len(found) > int(number), f"{name} is not in the trace"
        return found[int(number)]

    def ordered(self, first: str, second: str) -> bool:
        return self.verdict.ordered(self.item(first), self.item(second))


@cache
def program(text: str) -> SyncProgram:
    """The only program of a text that is read without a complaint."""
    lowered = lower_pto(text)
    assert lowered.complaints == ()
    assert len(lowered.programs) == 1
    return lowered.programs[0]


@cache
def precise(text: str) -> Plan:
    return plan_precise(program(text))


def run(text: str, plan: Plan | None = None, oracle: Oracle | None = None, **arguments: int) -> Run:
    """Unroll under `plan` (the precise one by default) for these arguments."""
    return run_program(program(text), plan or precise(text), arguments, oracle)


def run_program(
    code: SyncProgram, plan: Plan | None, arguments: Mapping[str, int], oracle: Oracle | None = None
) -> Run:
    trace = unroll(code, plan, arguments, oracle)
    return Run(trace, check(trace.items, Rules(code.target), most=5))


def pairs(plan: Plan, source: str, target: str) -> int:
    """How many pairs the plan has from one queue to another."""
    return sum(1 for pair in plan.pairs if pair.source.value == source and pair.target.value == target)


def lanes(plan: Plan, source: str, target: str) -> int:
    found = [pool.lanes for pool in plan.pools if pool.source.value == source and pool.target.value == target]
    return found[0] if found else 0


def barriers(plan: Plan, pipe: str) -> int:
    """Barriers inside the code; the one at the end of the kernel does not count."""
    return sum(1 for item in plan.items if item.kind == "barrier" and item.source.value == pipe and item.role == "body")
