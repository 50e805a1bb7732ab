"""Is a trace ordered enough? Happens-before over the queues of a core: sync.md 7.8.

Works on trace items alone and shares nothing with the planner. Each queue carries a clock: for every queue, how many
of its ops are known to be complete before the next op of this queue may start. That is exact, because every item
that orders anything orders a whole prefix of a queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.sync.chains import is_long_chain
from pto_analysis.sync.conflicts import Conflict, ConflictIndex
from pto_analysis.sync.items import BarrierItem, Item, OpItem, SetItem, WaitItem
from pto_analysis.sync.program import Pipe, Target

QUEUES: tuple[Pipe, ...] = tuple(pipe for pipe in Pipe if pipe is not Pipe.ALL)
_NUMBER = {pipe: number for number, pipe in enumerate(QUEUES)}
_SCALAR = _NUMBER[Pipe.S]

_EVENT_IDS = 8
_SCALAR_VECTOR_IDS = 7

Clock = tuple[int, ...]
Key = tuple[Pipe, Pipe, int]


@frozen
class Rules:
    """What the machine guarantees by itself.

    `long_chains`: the vector order of sync.md 5.6 counts, which the stock assembler relies on.
    `scalar_at_issue`: an op of the scalar unit is complete before anything later is issued (7.8 g); the assembler
    orders behind it all the same (8.2, cases 8 to 10), so a plan should hold without it too.
    """

    target: Target = "a2a3"
    long_chains: bool = False
    scalar_at_issue: bool = True

    def keeps_order(self, pipe: Pipe) -> bool:
        """Whether an op of the queue is complete before the next one starts."""
        return pipe is Pipe.S or (pipe is Pipe.V and self.target == "a5")


FaultKind = Literal["race", "hang", "double set", "leftover", "pool", "hidden id"]


@frozen
class Fault:
    """The first thing wrong at item `at`. For a race, `other` is the earlier op and `conflict` what they share."""

    kind: FaultKind
    at: int
    message: str
    other: int | None = None
    conflict: Conflict | None = None


@frozen(eq=False)
class Verdict:
    """The answer for one trace: faults in program order, and the order relation for further questions.

    `starts[i]` is the clock of item i (for ops: what is complete before it starts), `indexes[i]` the op's number in
    its queue.
    """

    items: Sequence[Item]
    faults: tuple[Fault, ...]
    starts: tuple[Clock, ...] = field(repr=False)
    indexes: tuple[int, ...] = field(repr=False)

    @property
    def ok(self) -> bool:
        return not self.faults

    def ordered(self, first: int, second: int) -> bool:
        """Whether op `first` is complete before op `second` starts, in every execution. Both are item numbers."""
        one = self.items[first]
        assert isinstance(one, OpItem)
        return self.starts[second][_NUMBER[one.pipe]] > self.indexes[first]

    def may_overlap(self, first: int, second: int) -> bool:
        """Whether some execution runs both ops at the same time."""
        return not self.ordered(first, second) and not self.ordered(second, first)


def check(items: Sequence[Item], rules: Rules | None = None, *, most: int = 1) -> Verdict:
    """Check one trace; stops collecting after `most` faults, the order relation is complete in any case."""
    machine = _Machine(rules or Rules(), items, most)
    for at, item in enumerate(items):
        machine.step(at, item)
    machine.finish(len(items))
    return Verdict(items, tuple(machine.faults), tuple(machine.starts), tuple(machine.indexes))


class _Machine:
    def __init__(self, rules: Rules, items: Sequence[Item], most: int) -> None:
        self.faults: list[Fault] = []
        self.starts: list[Clock] = []
        self.indexes: list[int] = []
        self._rules = rules
        self._most = most
        self._clocks: list[list[int]] = [[0] * len(QUEUES) for _ in QUEUES]
        self._counts = [0] * len(QUEUES)
        self._tokens: dict[Key, tuple[int, Clock]] = {}
        self._conflicts = ConflictIndex(items)

    def step(self, at: int, item: Item) -> None:
        queue = _NUMBER.get(_queue(item), _SCALAR)
        if isinstance(item, OpItem):
            self.starts.append(tuple(self._clocks[queue]))
            self.indexes.append(self._counts[queue])
            self._op(at, item, queue)
            return
        self.starts.append(tuple(self._clocks[queue]))
        self.indexes.append(-1)
        if isinstance(item, SetItem):
            self._set(at, item)
        elif isinstance(item, WaitItem):
            self._wait(at, item)
        else:
            self._barrier(item)

    def finish(self, end: int) -> None:
        for key, (at, _) in self._tokens.items():
            self._fault(Fault("leftover", at, f"{_spelled(key)} is still up when the kernel returns"))
        self.faults.sort(key=lambda fault: fault.at if fault.kind != "leftover" else end)

    def _op(self, at: int, op: OpItem, queue: int) -> None:
        self._check_races(at, op)
        self._check_hidden(at, op)
        self._conflicts.add(at, op, queue, self._counts[queue])
        self._counts[queue] += 1
        if self._rules.keeps_order(op.pipe):
            self._clocks[queue][queue] = self._counts[queue]
        if queue == _SCALAR and self._rules.scalar_at_issue:
            self._spread(tuple(self._clocks[_SCALAR]))

    def _check_races(self, at: int, op: OpItem) -> None:
        if len(self.faults) >= self._most:
            return
        clock = self.starts[at]
        for newest in self._conflicts.of(op):
            conflict = self._first_open(newest, clock, op)
            if conflict is None:
                continue
            text = f"{op.op} does not wait for {conflict.earlier.op}, {conflict.spelled()}"
            self._fault(Fault("race", at, text, conflict.at, conflict))
            return

    def _first_open(self, conflict: Conflict | None, clock: Clock, op: OpItem) -> Conflict | None:
        """The conflict, or one with an older access of the same bytes, that nothing orders."""
        while conflict is not None and clock[conflict.queue] <= conflict.index:
            if not self._excused(conflict, op):
                return conflict
            conflict = conflict.older(op)
        return None

    def _excused(self, conflict: Conflict, op: OpItem) -> bool:
        return (
            self._rules.long_chains
            and self._rules.target == "a2a3"
            and op.pipe is Pipe.V is conflict.earlier.pipe
            and is_long_chain(conflict.earlier, op)
        )

    def _check_hidden(self, at: int, op: OpItem) -> None:
        for hidden in op.hidden:
            for event in range(hidden.count):
                key = (hidden.source, hidden.target, event)
                if key in self._tokens:
                    self._fault(Fault("hidden id", at, f"{op.op} uses {_spelled(key)} inside while it is up"))

    def _set(self, at: int, item: SetItem) -> None:
        key = (item.source, item.target, item.event)
        if key in self._tokens:
            self._fault(Fault("double set", at, f"{_spelled(key)} is set again before anything waited for it"))
        limit = _SCALAR_VECTOR_IDS if {item.source, item.target} == {Pipe.S, Pipe.V} else _EVENT_IDS
        if not 0 <= item.event < limit:
            self._fault(Fault("pool", at, f"{_spelled(key)}: this queue pair has only {limit} event ids"))
        source = _NUMBER[item.source]
        clock = list(self._clocks[source])
        clock[source] = self._counts[source]
        self._tokens[key] = (at, tuple(clock))

    def _wait(self, at: int, item: WaitItem) -> None:
        key = (item.source, item.target, item.event)
        token = self._tokens.pop(key, None)
        if token is None:
            self._fault(Fault("hang", at, f"nothing sets {_spelled(key)} before this wait"))
            return
        if item.target is Pipe.S:
            self._spread(token[1])
        else:
            self._join(_NUMBER[item.target], token[1])

    def _barrier(self, item: BarrierItem) -> None:
        if item.pipe is Pipe.ALL:
            self._spread(tuple(self._counts))
            return
        queue = _NUMBER[item.pipe]
        self._clocks[queue][queue] = self._counts[queue]

    def _spread(self, clock: Clock) -> None:
        for queue in range(len(QUEUES)):
            self._join(queue, clock)

    def _join(self, queue: int, clock: Clock) -> None:
        own = self._clocks[queue]
        self._clocks[queue] = [max(mine, theirs) for mine, theirs in zip(own, clock, strict=True)]

    def _fault(self, fault: Fault) -> None:
        if len(self.faults) < self._most:
            self.faults.append(fault)


def _queue(item: Item) -> Pipe:
    """The queue that the item stands in."""
    if isinstance(item, (OpItem, BarrierItem)):
        return item.pipe
    return item.source if isinstance(item, SetItem) else item.target


def _spelled(key: Key) -> str:
    return f"flag {key[0].value}→{key[1].value} #{key[2]}"
