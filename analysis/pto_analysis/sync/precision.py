"""What a trace orders without need: sync.md 7.9.

The measure is the order that true hazards alone force, given that a set covers the whole queue before it and a
barrier drains its whole queue. What the plan orders beyond that is excess.
"""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frozen import frozen
from pto_analysis.sync.chains import is_long_chain
from pto_analysis.sync.checker import QUEUES, Rules, Verdict, check
from pto_analysis.sync.conflicts import Conflict, ConflictIndex
from pto_analysis.sync.items import BarrierItem, Item, OpItem
from pto_analysis.sync.program import Pipe

_NUMBER = {pipe: number for number, pipe in enumerate(QUEUES)}


@frozen
class Excess:
    """Op `first` is complete before op `second` starts although no hazard asks for it (item numbers)."""

    first: int
    second: int


def excess(
    items: Sequence[Item], rules: Rules | None = None, authored: frozenset[str] = frozenset()
) -> tuple[Excess, ...]:
    """Every excess pair whose first op is the newest of its queue: older ones follow from it.

    `authored` names barriers that the author wrote: what they order is not the plan's doing.
    """
    rules = rules or Rules()
    verdict = check(items, rules)
    needed = _needed_clocks(items, rules, authored)
    newest = {
        (_NUMBER[item.pipe], verdict.indexes[at]): at for at, item in enumerate(items) if isinstance(item, OpItem)
    }
    found: list[Excess] = []
    for at, item in enumerate(items):
        if isinstance(item, OpItem):
            found.extend(_beyond(at, verdict, needed[at], newest))
    return tuple(found)


def _beyond(at: int, verdict: Verdict, needed: list[int], newest: dict[tuple[int, int], int]) -> list[Excess]:
    return [
        Excess(newest[queue, count - 1], at) for queue, count in enumerate(verdict.starts[at]) if count > needed[queue]
    ]


def _needed_clocks(items: Sequence[Item], rules: Rules, authored: frozenset[str]) -> dict[int, list[int]]:
    """For each op, how much of every queue must be complete before it starts."""
    clocks = [[0] * len(QUEUES) for _ in QUEUES]
    counts = [0] * len(QUEUES)
    starts: dict[int, list[int]] = {}
    index = ConflictIndex(items)
    for at, item in enumerate(items):
        if not isinstance(item, OpItem):
            if isinstance(item, BarrierItem) and item.node in authored:
                _drain(item.pipe, clocks, counts)
            continue
        queue = _NUMBER[item.pipe]
        for newest in index.of(item):
            conflict = _needed(newest, item, rules, clocks[queue])
            if conflict is not None:
                _order(conflict, item, clocks, counts, starts)
        starts[at] = list(clocks[queue])
        index.add(at, item, queue, counts[queue])
        counts[queue] += 1
        if rules.keeps_order(item.pipe):
            clocks[queue][queue] = counts[queue]
        if item.pipe is Pipe.S and rules.scalar_at_issue:
            _spread(clocks, clocks[queue])
    return starts


def _needed(conflict: Conflict | None, op: OpItem, rules: Rules, clock: list[int]) -> Conflict | None:
    """The conflict, or one with an older access of the bytes, that the machine does not keep in order by itself."""
    while conflict is not None and clock[conflict.queue] <= conflict.index:
        vector = op.pipe is Pipe.V is conflict.earlier.pipe
        excused = rules.long_chains and rules.target == "a2a3" and vector and is_long_chain(conflict.earlier, op)
        if not excused:
            return conflict
        conflict = conflict.older(op)
    return None


def _order(
    conflict: Conflict, op: OpItem, clocks: list[list[int]], counts: list[int], starts: dict[int, list[int]]
) -> None:
    queue = _NUMBER[op.pipe]
    if conflict.queue == queue:
        clocks[queue][queue] = counts[queue]
        return
    passed = list(starts[conflict.at])
    passed[conflict.queue] = conflict.index + 1
    if op.pipe is Pipe.S:
        _spread(clocks, passed)
    else:
        clocks[queue] = [max(pair) for pair in zip(clocks[queue], passed, strict=True)]


def _drain(pipe: Pipe, clocks: list[list[int]], counts: list[int]) -> None:
    if pipe is Pipe.ALL:
        _spread(clocks, counts)
    else:
        clocks[_NUMBER[pipe]][_NUMBER[pipe]] = counts[_NUMBER[pipe]]


def _spread(clocks: list[list[int]], passed: list[int]) -> None:
    for queue, own in enumerate(clocks):
        clocks[queue] = [max(pair) for pair in zip(own, passed, strict=True)]
