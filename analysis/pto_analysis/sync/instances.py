"""Sets of step instances, as bits of one integer: which runs of which steps are meant, seen from one place.

An instance is a step and how long ago it ran: in the present iteration of every loop that it shares with the place, or
`age` iterations ago in one of them, and then the loops inside that one do not matter. The bits of one age of all steps
lie together, a *plane*; plane 0 is the present iteration, and behind it come the ages of each level of loops. The last
plane of a level stands for its age and all greater ones.

Since a set, a wait or a barrier orders whole prefixes of a queue, such sets say all there is to know; and since every
path is followed by itself, a step that a path leaves out is never waited for on it.
"""

from __future__ import annotations

from bisect import bisect_right

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.sync.model import QUEUES
from pto_analysis.sync.outline import LoopNode, Outline
from pto_analysis.sync.program import Pipe

NUMBER: dict[Pipe, int] = {pipe: index for index, pipe in enumerate(QUEUES)}
QUEUE_COUNT = len(QUEUES)
NOTHING = 0


@frozen
class _LoopMasks:
    """The bits of a loop's own steps: of its present iteration, of all ages but the last, of the last, of all ages, of
    both; `first`: where its level begins."""

    now: int
    younger: int
    oldest: int
    past: int
    all: int
    first: int


@define(eq=False)
class Instances:
    """The layout for a program of `count` steps; `ages[level]` is how many ages that level of loops tells apart."""

    count: int
    ages: tuple[int, ...]
    everything: int
    _offsets: tuple[int, ...]
    _queues: dict[Pipe, int]
    numbers: tuple[int, ...]
    """The queues that have steps: the others never ask what is unfinished."""
    _loops: dict[LoopNode, _LoopMasks] = field(factory=dict["LoopNode", _LoopMasks])

    @staticmethod
    def of(tree: Outline, ages: tuple[int, ...]) -> Instances:
        count = len(tree.steps)
        offsets: list[int] = [0]
        planes = 1
        for most in ages[1:]:
            offsets.append(planes * count)
            planes += most
        queues: dict[Pipe, int] = {}
        for step in tree.steps:
            queues[step.pipe] = queues.get(step.pipe, 0) | 1 << step.order
        spread = sum(1 << plane * count for plane in range(planes))
        everything = (1 << planes * count) - 1
        return Instances(
            count,
            ages,
            everything,
            tuple(offsets),
            {pipe: mask * spread for pipe, mask in queues.items()},
            tuple(NUMBER[pipe] for pipe in queues),
        )

    @property
    def queues(self) -> tuple[int, ...]:
        """The instances of each queue, by its number."""
        return tuple(self.queue(pipe) for pipe in QUEUES)

    def queue(self, pipe: Pipe) -> int:
        """All instances of the steps of one queue."""
        return self._queues.get(pipe, NOTHING)

    def older(self, steps: int, level: int, age: int) -> int:
        """Instances of `steps`, given as bits of plane 0, that ran at least `age` iterations ago at that level."""
        most = self.ages[level]
        lowest = min(age, most) - 1
        found = NOTHING
        for plane in range(lowest, most):
            found |= steps << (self._offsets[level] + plane * self.count)
        return found

    def younger(self, loop: LoopNode, age: int) -> int:
        """Instances of the loop's steps from its earlier iterations that are less than `age` old."""
        masks = self._masks(loop)
        found = NOTHING
        for plane in range(min(age, self.ages[loop.body.level]) - 1):
            found |= masks.now << (masks.first + plane * self.count)
        return found

    def aged(self, bits: int, loop: LoopNode, rounds: int = 1) -> int:
        """What was seen at the end of an iteration, seen from the begin of a later one."""
        masks = self._masks(loop)
        for _ in range(rounds):
            mine = bits & masks.all
            if not mine:
                break
            moved = (mine & masks.now) << masks.first | (mine & masks.younger) << self.count | mine & masks.oldest
            bits = bits ^ mine | moved
        return bits

    def aged_each(self, sets: list[int], loop: LoopNode) -> list[int]:
        """What several queues have seen at the end of an iteration, seen from the begin of the next one."""
        own = self._masks(loop).all
        return [self.aged(bits, loop) if bits & own else bits for bits in sets]

    def left_each(self, sets: list[int], loop: LoopNode) -> list[int]:
        """What several queues have seen inside a loop, seen from behind it."""
        past = self._masks(loop).past
        return [self.left(bits, loop) if bits & past else bits for bits in sets]

    def left(self, bits: int, loop: LoopNode) -> int:
        """What was seen inside a loop, seen from behind it: all its iterations belong to the present one outside."""
        masks = self._masks(loop)
        past = bits & masks.past
        if not past:
            return bits
        bits ^= past
        for plane in range(self.ages[loop.body.level]):
            bits |= past >> (masks.first + plane * self.count) & masks.now
        return bits

    def inside(self, loop: LoopNode) -> int:
        """Instances of the loop's steps that its own rounds and those of loops inside it tell apart."""
        now = between(loop.first, loop.stop)
        planes = range(self._offsets[loop.body.level] // self.count, 1 + sum(self.ages[1:]))
        return now | sum(now << plane * self.count for plane in planes)

    def newest(self, bits: int) -> tuple[int, int]:
        """The youngest instance: the order of its step and its plane (plane 0 before the others)."""
        plane = 0
        full = (1 << self.count) - 1
        while not bits & full:
            bits >>= self.count
            plane += 1
        return (bits & full).bit_length() - 1, plane

    def level(self, plane: int) -> int:
        """The level of loops that the plane's ages are of; 0 for the present iteration."""
        return bisect_right(self._offsets, plane * self.count) - 1

    def _masks(self, loop: LoopNode) -> _LoopMasks:
        masks = self._loops.get(loop)
        if masks is None:
            level = loop.body.level
            now, first, most = between(loop.first, loop.stop), self._offsets[level], self.ages[level]
            younger = sum(now << (first + plane * self.count) for plane in range(most - 1))
            oldest = now << (first + (most - 1) * self.count)
            masks = _LoopMasks(now, younger, oldest, younger | oldest, now | younger | oldest, first)
            self._loops[loop] = masks
        return masks


def between(first: int, stop: int) -> int:
    """The steps from one number up to another, in the present iteration."""
    return (1 << stop) - (1 << first)
