"""Runs a trace with numbers, in program order and in orders that only happens-before forbids, and compares.

A simulated core: every queue runs its items in order, ops take time (they start and later complete), flags and
barriers hold queues back, the scalar unit issues everything. Each op reads its bytes when it starts or when it
completes, and writes likewise: whatever a real queue may do, one of the choices shows it. Shares nothing with the
checker's clocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd
from random import Random
from typing import Literal
from zlib import crc32

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.sync.chains import are_loads, is_long_chain
from pto_analysis.sync.items import UNBOUNDED, BarrierItem, ByteRange, Item, OpItem, SetItem, WaitItem
from pto_analysis.sync.program import Pipe, Target

_PRIME = 2_147_483_647
_COPIES = ("tload", "tstore", "tmov", "textract", "tinsert", "tpush", "tpop", "treshape", "tprefetch")

Memory = dict[tuple[str, str], list[int]]
Flavour = Literal["random", "lazy", "eager"]


@frozen
class Schedule:
    """How the simulated core chooses among the steps that may come next.

    "lazy" completes ops as late as it can, "eager" as early; `favourite` is a queue that goes first whenever it can.
    """

    seed: int
    flavour: Flavour = "random"
    favourite: Pipe | None = None


@frozen
class Execution:
    """Memory after the run, and the items that never ran: a hang when there are any."""

    memory: Memory
    stuck: tuple[int, ...] = ()


@frozen
class Difference:
    """A cell that came out different: bytes [low, high) of a region."""

    space: str
    region: str
    low: int
    high: int


def run_in_order(items: Sequence[Item]) -> Execution:
    """The meaning of the program: one item after the other."""
    cells = _Cells(items)
    for item in items:
        if isinstance(item, OpItem):
            cells.store(item, cells.result(item))
    return Execution(cells.memory)


def run(items: Sequence[Item], schedule: Schedule, target: Target = "a2a3") -> Execution:
    """One execution that the queues, flags and barriers allow."""
    return _Core(items, schedule, target).run()


def differences(items: Sequence[Item], schedule: Schedule, target: Target = "a2a3") -> tuple[Difference, ...] | None:
    """Where that execution differs from program order; None when it hangs."""
    expected, actual = run_in_order(items), run(items, schedule, target)
    if actual.stuck:
        return None
    size = _Cells(items).granule
    return tuple(
        Difference(space, region, at * size, (at + 1) * size)
        for (space, region), cells in expected.memory.items()
        for at, value in enumerate(cells)
        if actual.memory[space, region][at] != value
    )


class _Cells:
    """Memory as numbers: one for each run of bytes that no access splits."""

    def __init__(self, items: Sequence[Item]) -> None:
        ranges = [one for item in items if isinstance(item, OpItem) for one in (*item.reads, *item.writes)]
        bounds = [bound for one in ranges for bound in (one.low, one.high) if bound < UNBOUNDED]
        self.granule = gcd(*bounds) or 1 if bounds else 1
        ends: dict[tuple[str, str], int] = {}
        for one in ranges:
            key = (one.space, one.region)
            end = one.low + self.granule if one.high >= UNBOUNDED else one.high
            ends[key] = max(ends.get(key, 0), end)
        self.memory: Memory = {
            (space, region): [crc32(f"{space}.{region}.{at}".encode()) % _PRIME for at in range(end // self.granule)]
            for (space, region), end in sorted(ends.items())
        }

    def load(self, one: ByteRange) -> list[int]:
        return self.memory[one.space, one.region][one.low // self.granule : one.high // self.granule]

    def result(self, op: OpItem) -> list[list[int]]:
        """What the op writes into each of its ranges, from what memory holds now."""
        inputs = [self.load(one) for one in op.reads]
        compute = _meaning(op)
        return [compute(op, inputs, len(self.load(one))) for one in op.writes]

    def store(self, op: OpItem, results: list[list[int]]) -> None:
        for one, values in zip(op.writes, results, strict=True):
            start = one.low // self.granule
            self.memory[one.space, one.region][start : start + len(values)] = values


Meaning = Callable[[OpItem, "list[list[int]]", int], "list[int]"]


def _meaning(op: OpItem) -> Meaning:
    if op.op.startswith(_COPIES) and op.reads:
        return _copy
    if op.op.startswith(("tmatmul", "tgemv")) and len(op.reads) >= 2:
        return _multiply_matrices
    return _products if op.op.startswith("tmul") else _sums


def _copy(_op: OpItem, inputs: list[list[int]], size: int) -> list[int]:
    source = inputs[0] or [0]
    return [source[at % len(source)] for at in range(size)]


def _sums(op: OpItem, inputs: list[list[int]], size: int) -> list[int]:
    """Adds with weights; the constant tells ops apart that read nothing."""
    constant = crc32(f"{op.op}.{op.instance}".encode())
    filled = [values for values in inputs if values]
    return [
        (constant + sum((2 * number + 3) * values[at % len(values)] for number, values in enumerate(filled))) % _PRIME
        for at in range(size)
    ]


def _products(op: OpItem, inputs: list[list[int]], size: int) -> list[int]:
    found = [crc32(op.op.encode())] * size
    for values in inputs:
        if values:
            found = [(value * values[at % len(values)] + 1) % _PRIME for at, value in enumerate(found)]
    return found


def _multiply_matrices(op: OpItem, inputs: list[list[int]], size: int) -> list[int]:
    """Left times right (as a correlation of the cells), on top of the accumulator for `.acc`."""
    accumulated = inputs[0] if op.op.endswith(".acc") and len(inputs) > 2 else [0]
    left, right = inputs[-2], inputs[-1]
    if not left or not right or not accumulated:
        return [0] * size
    return [
        (
            accumulated[at % len(accumulated)]
            + sum(value * right[(at + number) % len(right)] for number, value in enumerate(left))
        )
        % _PRIME
        for at in range(size)
    ]


@frozen(eq=False)
class _Running:
    """An op between start and completion: `results` once it has read its bytes, None before."""

    at: int
    op: OpItem
    results: list[list[int]] | None
    writes_late: bool


@frozen(eq=False)
class _Armed:
    """A set that its queue has passed: it raises its flag once the ops before it are complete."""

    at: int
    item: SetItem
    behind: tuple[int, ...]


@frozen
class _Step:
    kind: Literal["start", "complete", "raise"]
    at: int
    pipe: Pipe


@frozen(eq=False)
class _Queue:
    items: list[int] = field(factory=list[int])
    running: dict[int, _Running] = field(factory=dict[int, _Running])


class _Core:
    def __init__(self, items: Sequence[Item], schedule: Schedule, target: Target) -> None:
        self._items = items
        self._schedule = schedule
        self._random = Random(schedule.seed)
        self._target = target
        self._cells = _Cells(items)
        self._queues = {pipe: _Queue() for pipe in Pipe if pipe is not Pipe.ALL}
        self._next = dict.fromkeys(self._queues, 0)
        self._flags: dict[tuple[Pipe, Pipe, int], int] = {}
        self._armed: dict[int, _Armed] = {}
        self._done = [False] * len(items)
        self._unfinished = 0
        self._blockers: list[int] = []
        self._blocker = 0
        for at, item in enumerate(items):
            self._enqueue(at, item)

    def _enqueue(self, at: int, item: Item) -> None:
        pipe = _pipe(item)
        if pipe is Pipe.ALL or pipe is Pipe.S:
            self._blockers.append(at)
        self._queues[Pipe.S if pipe is Pipe.ALL else pipe].items.append(at)

    def run(self) -> Execution:
        while True:
            steps = self._steps()
            if not steps:
                break
            self._take(self._chosen(steps))
        stuck = tuple(at for at, done in enumerate(self._done) if not done)
        return Execution(self._cells.memory, stuck)

    def _steps(self) -> list[_Step]:
        steps = [_Step("complete", at, pipe) for pipe, queue in self._queues.items() for at in queue.running]
        steps.extend(
            _Step("raise", at, armed.item.source)
            for at, armed in self._armed.items()
            if all(self._done[before] for before in armed.behind)
        )
        while self._blocker < len(self._blockers) and self._done[self._blockers[self._blocker]]:
            self._blocker += 1
        while self._unfinished < len(self._done) and self._done[self._unfinished]:
            self._unfinished += 1
        barred = self._blockers[self._blocker] if self._blocker < len(self._blockers) else len(self._items)
        for pipe, queue in self._queues.items():
            if self._next[pipe] < len(queue.items):
                at = queue.items[self._next[pipe]]
                if at <= barred and self._may_start(at, queue):
                    steps.append(_Step("start", at, pipe))
        return steps

    def _may_start(self, at: int, queue: _Queue) -> bool:
        item = self._items[at]
        if isinstance(item, OpItem):
            return self._op_may_start(at, item, queue)
        if isinstance(item, WaitItem):
            return self._flags.get((item.source, item.target, item.event), 0) > 0
        if isinstance(item, BarrierItem) and item.pipe is Pipe.ALL:
            return self._unfinished >= at
        return isinstance(item, SetItem) or not queue.running

    def _op_may_start(self, at: int, op: OpItem, queue: _Queue) -> bool:
        if op.phase and not self._done[self._phase_before(at, op)]:
            return False
        in_order = op.pipe is Pipe.S or (op.pipe is Pipe.V and self._target == "a5")
        return not any(in_order or self._kept_apart(other.op, op) for other in queue.running.values())

    def _phase_before(self, at: int, op: OpItem) -> int:
        """The library keeps the phases of a macro op in order."""
        for earlier in range(at - 1, -1, -1):
            item = self._items[earlier]
            if isinstance(item, OpItem) and item.instance == op.instance:
                return earlier
        return at

    def _kept_apart(self, first: OpItem, second: OpItem) -> bool:
        """Whether the queue itself holds the second op back."""
        if are_loads(first, second):
            return any(one.overlap(other) is not None for one in first.writes for other in second.writes)
        return self._target == "a2a3" and first.pipe is Pipe.V and is_long_chain(first, second)

    def _chosen(self, steps: list[_Step]) -> _Step:
        """A step by the schedule's taste; the favourite queue is rushed, its producers are slow."""
        favourite = [step for step in steps if step.pipe is self._schedule.favourite]
        if favourite and self._random.random() < 0.9:
            steps = favourite
        wanted = {"lazy": "start", "eager": "complete"}.get(self._schedule.flavour)
        preferred = [step for step in steps if step.kind == wanted]
        return self._random.choice(preferred or steps)

    def _take(self, step: _Step) -> None:
        if step.kind == "complete":
            self._complete(self._queues[step.pipe].running.pop(step.at))
            return
        if step.kind == "raise":
            self._change_flag(self._armed.pop(step.at).item, 1)
            self._done[step.at] = True
            return
        item = self._items[step.at]
        self._next[step.pipe] += 1
        if isinstance(item, OpItem):
            self._start(step.at, item, self._queues[step.pipe])
            return
        if isinstance(item, SetItem):
            self._armed[step.at] = _Armed(step.at, item, tuple(self._queues[step.pipe].running))
            return
        self._done[step.at] = True
        if isinstance(item, WaitItem):
            self._change_flag(item, -1)

    def _change_flag(self, item: SetItem | WaitItem, by: int) -> None:
        key = (item.source, item.target, item.event)
        self._flags[key] = self._flags.get(key, 0) + by

    def _start(self, at: int, op: OpItem, queue: _Queue) -> None:
        results = None if self._random.random() < 0.5 else self._cells.result(op)
        writes_late = results is None or self._random.random() < 0.5
        if results is not None and not writes_late:
            self._cells.store(op, results)
        queue.running[at] = _Running(at, op, results, writes_late)

    def _complete(self, running: _Running) -> None:
        results = running.results if running.results is not None else self._cells.result(running.op)
        if running.writes_late:
            self._cells.store(running.op, results)
        self._done[running.at] = True


def _pipe(item: Item) -> Pipe:
    if isinstance(item, (OpItem, BarrierItem)):
        return item.pipe
    return item.source if isinstance(item, SetItem) else item.target


def adversarial_schedules(pipes: Sequence[Pipe], seeds: int) -> tuple[Schedule, ...]:
    """A spread of schedules: every queue as favourite, ops completing late, early and at random."""
    flavours: tuple[Flavour, ...] = ("lazy", "random", "eager")
    return tuple(
        Schedule(seed, flavour, favourite)
        for seed in range(seeds)
        for flavour in flavours
        for favourite in (None, *pipes)
    )
