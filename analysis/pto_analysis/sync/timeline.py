"""When the ops of a trace would run, with made-up durations: for pictures only.

Every queue runs one op at a time; waits, barriers and the scalar unit hold queues back as in the trace. Durations are
by size, so that overlap and waiting show, but they are no measurement.
"""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frozen import frozen
from pto_analysis.sync.items import UNBOUNDED, BarrierItem, Item, OpItem, SetItem, WaitItem
from pto_analysis.sync.program import Pipe

_STARTUP = {Pipe.MTE2: 60, Pipe.MTE3: 60, Pipe.FIX: 60, Pipe.MTE1: 30, Pipe.V: 30, Pipe.M: 40, Pipe.S: 20}
_BYTES_PER_STEP = {Pipe.MTE2: 24, Pipe.MTE3: 24, Pipe.FIX: 32, Pipe.MTE1: 64, Pipe.V: 128, Pipe.M: 32, Pipe.S: 64}
_LONGEST = 400
_SYNC = 4


@frozen
class Span:
    """An op on its queue from `start` to `end`; `waited` is how long the queue stood still for it."""

    at: int
    op: OpItem
    start: int
    end: int
    waited: int = 0


@frozen
class Arrow:
    """A pair of one run: the set (item number and time) and its wait. `held` tells whether the wait cost time."""

    set_at: int
    wait_at: int
    source: Pipe
    target: Pipe
    event: int
    start: int
    end: int
    held: bool


@frozen
class Barrier:
    at: int
    pipe: Pipe
    time: int


@frozen
class Timeline:
    spans: tuple[Span, ...]
    arrows: tuple[Arrow, ...]
    barriers: tuple[Barrier, ...]
    length: int


def simulate(items: Sequence[Item]) -> Timeline:
    """Run the trace with a clock per queue. A wait without a set is passed over."""
    machine = _Machine()
    for at, item in enumerate(items):
        machine.step(at, item)
    length = max((span.end for span in machine.spans), default=0)
    return Timeline(tuple(machine.spans), tuple(machine.arrows), tuple(machine.barriers), length)


class _Machine:
    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.arrows: list[Arrow] = []
        self.barriers: list[Barrier] = []
        self._free = {pipe: 0 for pipe in Pipe if pipe is not Pipe.ALL}
        self._ready = dict(self._free)
        self._flags: dict[tuple[Pipe, Pipe, int], tuple[int, int]] = {}
        self._issue = 0

    def step(self, at: int, item: Item) -> None:
        if isinstance(item, OpItem):
            self._op(at, item)
        elif isinstance(item, SetItem):
            time = max(self._free[item.source], self._issue)
            self._flags[item.source, item.target, item.event] = (at, time)
        elif isinstance(item, WaitItem):
            self._wait(at, item)
        else:
            self._barrier(at, item)

    def _op(self, at: int, op: OpItem) -> None:
        pipe = op.pipe
        free = max(self._free[pipe], self._issue)
        start = max(free, self._ready[pipe])
        end = start + duration(op)
        self.spans.append(Span(at, op, start, end, start - free))
        self._free[pipe] = end
        if pipe is Pipe.S:
            self._issue = end

    def _wait(self, at: int, item: WaitItem) -> None:
        found = self._flags.pop((item.source, item.target, item.event), None)
        if found is None:
            return
        set_at, set_time = found
        reached = max(self._free[item.target], self._issue, self._ready[item.target])
        time = max(reached, set_time + _SYNC)
        held = set_time + _SYNC > reached
        self.arrows.append(Arrow(set_at, at, item.source, item.target, item.event, set_time, time, held))
        self._ready[item.target] = time
        if item.target is Pipe.S:
            self._issue = max(self._issue, time)

    def _barrier(self, at: int, item: BarrierItem) -> None:
        pipes = list(self._free) if item.pipe is Pipe.ALL else [item.pipe]
        time = max(self._free[pipe] for pipe in pipes) + _SYNC
        for pipe in pipes:
            self._ready[pipe] = max(self._ready[pipe], time)
        self.barriers.append(Barrier(at, item.pipe, time - _SYNC))


def duration(op: OpItem) -> int:
    """Steps that an op takes: a start-up time of its queue and its bytes."""
    sizes = [one.high - one.low for one in (*op.reads, *op.writes) if one.high < UNBOUNDED]
    return min(_LONGEST, _STARTUP[op.pipe] + max(sizes, default=0) // _BYTES_PER_STEP[op.pipe])
