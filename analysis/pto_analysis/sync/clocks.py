"""Clocks: what a queue is known to have waited for, at one place of the program.

A clock holds one point for each queue. Points are positions in program order with the iteration they belong to:

    level r, lag k, position p  =  "all rounds of the loop at level r before the current one less k, and of that one
                                    everything up to p"

(level 0 is the function). They are packed into one integer, so that later means greater and the meet of two paths is
the minimum. "Up to a point inside a loop" always includes everything before the loop.
"""

from __future__ import annotations

from attrs import define, field

from pto_analysis.sync.dependences import Hazard
from pto_analysis.sync.links import Link, Schedule
from pto_analysis.sync.model import QUEUES
from pto_analysis.sync.outline import BlockNode, LoopNode
from pto_analysis.sync.program import Pipe

Point = int
Clock = tuple[Point, ...]

NUMBER: dict[Pipe, int] = {pipe: index for index, pipe in enumerate(QUEUES)}
QUEUE_COUNT = len(QUEUES)
_POSITION_BITS = 32
_LAG_BITS = 8
_MOST_LAG = (1 << _LAG_BITS) - 1


def point(level: int, lag: int, position: int) -> Point:
    return (level << (_POSITION_BITS + _LAG_BITS)) | ((_MOST_LAG - lag) << _POSITION_BITS) | position


def level_of(value: Point) -> int:
    return value >> (_POSITION_BITS + _LAG_BITS)


def needed(hazard: Hazard) -> Point:
    """The point that the source's queue must have passed before the target starts."""
    if hazard.loop is not None:
        return point(hazard.loop.body.level, min(hazard.distance, _MOST_LAG), hazard.rank)
    depth = 0
    for one, other in zip(hazard.source.loops, hazard.target.loops, strict=False):
        if one is not other:
            break
        depth += 1
    return point(depth, 0, hazard.rank)


UNKNOWN: Clock = (point(0, 0, 0),) * QUEUE_COUNT


@define
class State:
    """Clocks of all queues at one place, the last point issued to each, and the clocks that flags carry."""

    level: int
    now: int
    clocks: list[Clock]
    issued: list[Point]
    tokens: dict[Link, Clock] = field(factory=dict["Link", Clock])

    def copy(self) -> State:
        return self.into(dict(self.tokens))

    def into(self, tokens: dict[Link, Clock]) -> State:
        """The same knowledge with other flags: those that matter inside a branch or loop."""
        return State(self.level, self.now, list(self.clocks), list(self.issued), tokens)

    def so_far(self) -> Point:
        return point(self.level, 0, self.now)

    def join(self, pipe: Pipe, clock: Clock) -> None:
        """The queue has waited for what the clock says; the scalar unit holds all later issue back (sync.md 7.8 c)."""
        if pipe is Pipe.S:
            for number in range(QUEUE_COUNT):
                self.clocks[number] = latest(self.clocks[number], clock)
            return
        number = NUMBER[pipe]
        self.clocks[number] = latest(self.clocks[number], clock)

    def snapshot(self, pipe: Pipe) -> Clock:
        """What is complete when a set in that queue runs: what the queue waited for, and the queue itself."""
        return snapshot_of(self.clocks, pipe, self.so_far())

    def bar(self, pipe: Pipe) -> None:
        """A barrier: later ops of the queue (of every queue, for ALL) find all earlier ones complete."""
        here = self.so_far()
        if pipe is Pipe.ALL:
            self.clocks = [(here,) * QUEUE_COUNT for _ in self.clocks]
            return
        number = NUMBER[pipe]
        self.clocks[number] = snapshot_of(self.clocks, pipe, here)

    def complete(self, clock: Clock, value: Point) -> Clock:
        """The clock with `value` wherever it covers all that was issued."""
        pairs = zip(clock, self.issued, strict=True)
        return tuple([value if known >= issued and value > known else known for known, issued in pairs])

    def promote(self) -> None:
        """State every complete knowledge as "everything so far"."""
        here = self.so_far()
        self.clocks = [self.complete(clock, here) for clock in self.clocks]
        for link, clock in self.tokens.items():
            if link.loop is not None:
                self.tokens[link] = self.complete(clock, here)


def snapshot_of(clocks: list[Clock], pipe: Pipe, here: Point) -> Clock:
    number = NUMBER[pipe]
    clock = clocks[number]
    return (*clock[:number], here, *clock[number + 1 :])


def latest(one: Clock, other: Clock) -> Clock:
    return tuple(map(max, one, other))


def earliest(one: Clock, other: Clock) -> Clock:
    return tuple(map(min, one, other))


def start_state(block: BlockNode) -> State:
    """Nothing is known of what came before the block, and nothing that came before is asked for."""
    return State(block.level, block.begin, [UNKNOWN] * QUEUE_COUNT, list(UNKNOWN))


def settled_state(node: LoopNode, schedule: Schedule) -> State:
    """Before a loop, with everything before it complete: what remains to ask is about the loop's own iterations."""
    everything = (point(node.block.level, 0, node.begin),) * QUEUE_COUNT
    tokens = dict.fromkeys(schedule.carried_by(node), everything)
    return State(node.block.level, node.begin, [everything] * QUEUE_COUNT, list(UNKNOWN), tokens)


def lagged(clock: Clock, node: LoopNode, rounds: int) -> Clock:
    """A clock of this round as seen `rounds` rounds later."""
    level = node.body.level
    lowest, behind = point(level, _MOST_LAG, 0), point(level + 1, _MOST_LAG, 0)
    step, floor = rounds << _POSITION_BITS, point(level - 1, 0, node.begin)
    return tuple(
        [
            value if not lowest <= value < behind else value - step if value - lowest >= step else floor
            for value in clock
        ]
    )
