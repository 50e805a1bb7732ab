"""Whether one plan waits for more than another, run by run."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.sync.checker import QUEUES, Rules, check
from pto_analysis.sync.items import OpItem
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.program import SyncProgram
from tests.sync.runs import run_program


def more_ordered(code: SyncProgram, ours: Plan, theirs: Plan, arguments: Mapping[str, int]) -> list[tuple[str, str]]:
    """(queue, op) where our plan waits for more of a queue than theirs does in this run, which it must pass."""
    runs = [run_program(code, plan, arguments) for plan in (ours, theirs)]
    assert check(runs[0].trace.items, Rules(code.target)).ok
    clocks = [
        [(item.op, seen.verdict.starts[at]) for at, item in enumerate(seen.trace.items) if isinstance(item, OpItem)]
        for seen in runs
    ]
    return [
        (QUEUES[queue].value, op)
        for (op, mine), (_, stock) in zip(*clocks, strict=True)
        for queue in range(len(QUEUES))
        if mine[queue] > stock[queue]
    ]
