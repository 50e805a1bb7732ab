"""Races that the flags of an author leave: ops on the same bytes that nothing orders in some small run (sync.md B.7).

Beside manual flags the assembler inserts nothing, so whatever they leave out is missing. A race is told only from a run
that happens: programs that are not wholly understood, flags with a run-time id and branches that nothing decides may
hide an order, and are left alone.
"""

from __future__ import annotations

from pto_analysis.frozen import frozen
from pto_analysis.sync.assembly import MANUAL, no_plan
from pto_analysis.sync.checker import Fault, Rules, check
from pto_analysis.sync.items import OpItem, Trace
from pto_analysis.sync.program import Branch, Manual, Op, SyncProgram, has_manual_flags, statements
from pto_analysis.sync.verify import verify

_RUNS = 40
_MOST_RACES = 16


@frozen
class Race:
    """`target` starts although `source`, which has the bytes of region `region`, may not be complete; ids of ops."""

    source: str
    target: str
    region: str
    kind: str


def manual_races(program: SyncProgram) -> tuple[Race, ...]:
    """The races of the first small run that has any."""
    if not has_manual_flags(program) or not _is_understood(program):
        return ()
    # The vector unit's own order counts: who writes flags by hand relies on the machine, as the assembler does.
    rules = Rules(program.target, long_chains=True)
    failure = verify(program, no_plan("precise", MANUAL), rules, _RUNS).failure
    if failure is None or failure.fault.kind != "race":
        return ()
    faults = check(failure.trace.items, rules, most=_MOST_RACES).faults
    return tuple(dict.fromkeys(race for fault in faults if (race := _race(failure.trace, fault)) is not None))


def _is_understood(program: SyncProgram) -> bool:
    for statement in statements(program.body):
        if isinstance(statement, Op) and statement.unknown:
            return False
        if isinstance(statement, Branch) and statement.condition is None:
            return False
        if isinstance(statement, Manual) and statement.kind != "barrier" and not isinstance(statement.event, int):
            return False
    return True


def _race(trace: Trace, fault: Fault) -> Race | None:
    if fault.kind != "race" or fault.other is None or fault.conflict is None:
        return None
    source, target = trace.items[fault.other], trace.items[fault.at]
    if not isinstance(source, OpItem) or not isinstance(target, OpItem):
        return None
    return Race(source.node, target.node, fault.conflict.shared.region, fault.conflict.kind)
