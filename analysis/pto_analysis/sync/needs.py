"""What each step must find complete: all of it, as sets of instances (sync.md 7.4, 7.8).

`dependences` names the newest source for each queue, which is what a reader wants to know and where hand-overs begin.
That is no measure of soundness: the newest source may stand in a branch that is not taken. Here every pair counts.
Accesses of equal bytes are one group, and groups are compared, not accesses.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.sync.access_log import LinesBySpace, Mode, line_of, may_meet, mode_of
from pto_analysis.sync.accesses import Guard, Reach, contradict
from pto_analysis.sync.cases import Case, Cases
from pto_analysis.sync.dependences import Hazard, are_apart, distance_of, hazard_kind, kind_of, newest_first
from pto_analysis.sync.instances import NOTHING, Instances, between
from pto_analysis.sync.outline import BlockNode, LoopNode, Outline, Step, blocks_of, common_block, rank_in
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.slots import Line
from pto_analysis.sync.values import Values

_MOST_AGE = 32
_MOST_GUARDS = 8


@define(eq=False)
class _Group:
    """All steps that touch the same place in the same way."""

    reach: Reach
    mode: Mode
    steps: int = 0
    meets: list[tuple[_Group, bool]] | None = None
    """Groups in conflict as seen from a later access of this one; whether they may meet in one iteration."""


@frozen
class Row:
    """What a step must find complete under some conditions."""

    order: int
    guard: Guard
    mask: int


@frozen(eq=False)
class Needs:
    """`of[step.order]`: the instances that must be complete before the step starts, whatever is chosen.

    `rows` tells them apart by what they depend on: one row for each step, in their order, and behind those the further
    ones of steps that touch chosen places; `more[step.order]` are their numbers.
    """

    tree: Outline
    instances: Instances
    of: tuple[int, ...]
    cases: Cases
    rows: tuple[Row, ...]
    more: Mapping[int, tuple[int, ...]]

    def under(self, order: int, known: Case) -> int:
        """The instances that must be complete before a step starts, where some conditions are known."""
        if order not in self.more:
            return self.of[order]
        found = NOTHING
        for row in self.rows_of(order, known):
            found |= self.rows[row].mask
        return found

    def rows_of(self, order: int, known: Case) -> Iterator[int]:
        """The numbers of the rows that hold for a step where some conditions are known."""
        yield order
        for row in self.more.get(order, ()):
            if all(known.get(condition, outcome) is outcome for condition, outcome in self.rows[row].guard):
                yield row

    def newest(self, target: Step, missing: int) -> tuple[Step, LoopNode | None]:
        """The newest step among the instances, and the loop of the target in whose earlier iteration it ran."""
        order, plane = self.instances.newest(missing)
        level = self.instances.level(plane)
        return self.tree.steps[order], target.loops[level - 1] if level else None

    def bits(self, hazard: Hazard) -> int:
        """The instances that the hazard's target must find complete."""
        source = 1 << hazard.source.order
        if hazard.loop is None:
            return source
        return self.instances.older(source, hazard.loop.body.level, hazard.distance)

    def hazard(self, source: Step, target: Step, loop: LoopNode | None = None) -> Hazard:
        """The pair as a hazard, RAW before the others."""
        return newest_first(_between(self.tree, source, target, loop))[0]


def find_needs(tree: Outline, cases: Cases) -> Needs:
    """All pairs of the program that conflict."""
    finder = _Finder(tree, Values(tree.scalars, cases.limits))
    wanted = [finder.step(step) for step in tree.steps]
    ages = [1] * (1 + _depth(tree.root))
    for pairs in wanted:
        for level, age, _, _ in pairs:
            ages[level] = max(ages[level], min(age, _MOST_AGE))
    instances = Instances.of(tree, tuple(ages))
    rows: list[Row] = []
    further: list[Row] = []
    for order, pairs in enumerate(wanted):
        masks: dict[Guard, int] = {(): NOTHING}
        for level, age, steps, guard in pairs:
            mask = instances.older(steps, level, age) if level else steps
            key = guard if len(masks) <= _MOST_GUARDS else ()
            masks[key] = masks.get(key, NOTHING) | mask
        rows.append(Row(order, (), masks.pop(())))
        further.extend(Row(order, guard, mask) for guard, mask in masks.items())
    more: dict[int, tuple[int, ...]] = {}
    of = [row.mask for row in rows]
    for number, row in enumerate(further, len(rows)):
        more[row.order] = (*more.get(row.order, ()), number)
        of[row.order] |= row.mask
    return Needs(tree, instances, tuple(of), cases, (*rows, *further), more)


def _depth(block: BlockNode) -> int:
    """The level of the innermost loop inside."""
    return max((_depth(inner) for child in block.children for inner in blocks_of(child)), default=block.level)


class _Lines:
    """Groups by the bytes they lie on."""

    def __init__(self, groups: Iterable[_Group]) -> None:
        self._lines: dict[Line, list[_Group]] = {}
        self._spaces = LinesBySpace()
        for group in groups:
            line = line_of(group.reach)
            if line not in self._lines:
                self._lines[line] = []
                self._spaces.add(group.reach.space, line)
            self._lines[line].append(group)
        self._cuts: dict[Line, list[int]] = {}
        self._pieces: dict[Line, list[list[_Group]]] = {}
        for line, found in self._lines.items():
            self._cuts[line] = sorted({end for group in found for ends in group.reach.segments for end in ends})
            self._pieces[line] = [[] for _ in pairwise(self._cuts[line])]
            for group in found:
                for piece in self._covered(line, group.reach):
                    piece.append(group)

    def over(self, reach: Reach) -> Iterator[_Group]:
        """Groups that may share bytes with the reach (sync.md 4.3)."""
        if not reach.anywhere:
            yield from {group: None for piece in self._covered(reach.line, reach) for group in piece}
        for line in self._spaces.beside(reach):
            yield from self._lines[line]

    def _covered(self, line: Line, reach: Reach) -> Iterator[list[_Group]]:
        cuts, pieces = self._cuts[line], self._pieces[line]
        for low, high in reach.segments:
            yield from pieces[bisect_left(cuts, low) : bisect_left(cuts, high)]


Wanted = tuple[int, int, int, Guard]
"""The level of a loop (0: in the same iteration), the least age, the steps, and the conditions under which."""


@define
class _Finder:
    tree: Outline
    values: Values
    groups: dict[tuple[Reach, Mode], _Group] = field(factory=dict["tuple[Reach, Mode]", _Group])
    touched: dict[Step, tuple[_Group, ...]] = field(factory=dict["Step", "tuple[_Group, ...]"])
    queues: dict[Pipe, int] = field(factory=dict[Pipe, int])
    lines: _Lines = field(init=False)
    asked: dict[tuple[_Group, Pipe | None], dict[Guard, int]] = field(
        factory=dict["tuple[_Group, Pipe | None]", "dict[Guard, int]"]
    )
    rounds: dict[tuple[_Group, Pipe | None, LoopNode], tuple[Wanted, ...]] = field(
        factory=dict["tuple[_Group, Pipe | None, LoopNode]", "tuple[Wanted, ...]"]
    )

    def __attrs_post_init__(self) -> None:
        for step in self.tree.steps:
            bit = 1 << step.order
            self.queues[step.pipe] = self.queues.get(step.pipe, NOTHING) | bit
            mine: dict[_Group, None] = {}
            for touch in step.touches:
                key = (touch.reach, mode_of(step, touch))
                group = self.groups.get(key)
                if group is None:
                    group = self.groups[key] = _Group(*key)
                group.steps |= bit
                mine[group] = None
            self.touched[step] = tuple(mine)
        self.lines = _Lines(self.groups.values())

    def step(self, step: Step) -> list[Wanted]:
        """The steps that must be complete in the same iteration, and those of earlier ones."""
        earlier = between(0, step.order - step.phase)
        same: dict[Guard, int] = {}
        carried: dict[Wanted, None] = {}
        for group in self.touched[step]:
            pipe = step.pipe if group.reach.space == "acc" else None
            for guard, steps in self.same(group, pipe).items():
                same[guard] = same.get(guard, NOTHING) | steps
            for loop in step.loops:
                carried.update(dict.fromkeys(self.carried(group, pipe, loop)))
        return [*((0, 0, steps & earlier, guard) for guard, steps in same.items() if steps & earlier), *carried]

    def same(self, group: _Group, pipe: Pipe | None) -> dict[Guard, int]:
        key = (group, pipe)
        found = self.asked.get(key)
        if found is None:
            found = self.asked[key] = {}
            for other, together in self.meets(group):
                guard = _both(group.reach.when, other.reach.when)
                for met in self.values.meetings(other.reach, group.reach) if together else ():
                    both = _both(guard, met)
                    if not contradict(both):
                        found[both] = found.get(both, NOTHING) | self.steps_of(other, group, pipe)
        return found

    def carried(self, group: _Group, pipe: Pipe | None, loop: LoopNode) -> tuple[Wanted, ...]:
        key = (group, pipe, loop)
        found = self.rounds.get(key)
        if found is None:
            found = self.rounds[key] = tuple(self._carried(group, pipe, loop))
        return found

    def _carried(self, group: _Group, pipe: Pipe | None, loop: LoopNode) -> Iterator[Wanted]:
        inside = between(loop.first, loop.stop)
        if loop.most is not None and loop.most <= 1:
            return
        found: dict[tuple[int, Guard], int] = {}
        for other, _ in self.meets(group):
            steps = self.steps_of(other, group, pipe) & inside
            guard = _both(group.reach.when, self.lasting(other.reach.when, loop))
            judged = distance_of(other.reach, group.reach, loop, self.tree.scalars) if steps else None
            if judged is not None and (loop.most is None or judged[0] < loop.most) and not contradict(guard):
                found[judged[0], guard] = found.get((judged[0], guard), NOTHING) | steps
        for (age, guard), steps in found.items():
            yield loop.body.level, age, steps, guard

    def lasting(self, guard: Guard, loop: LoopNode) -> Guard:
        """The conditions that come out the same in all rounds of the loop."""
        if not guard:
            return guard
        changing = {loop.id, *loop.inner}
        return tuple(one for one in guard if not self.tree.scalars.loops_of(one[0]) & changing)

    def meets(self, group: _Group) -> list[tuple[_Group, bool]]:
        if group.meets is None:
            group.meets = [
                (other, not are_apart(other.reach, group.reach, self.tree.scalars))
                for other in self.lines.over(group.reach)
                if self.matters(other, group)
            ]
        return group.meets

    def matters(self, other: _Group, group: _Group) -> bool:
        kind = kind_of(other.mode, group.mode)
        return kind is not None and (kind != "RAR" or group.reach.space == "acc")

    def steps_of(self, other: _Group, group: _Group, pipe: Pipe | None) -> int:
        """The other group's steps; two reads of an accumulator only matter to each other on different queues."""
        both_read = other.mode == "read" == group.mode
        return other.steps & ~self.queues[pipe] if both_read and pipe is not None else other.steps


def _both(one: Guard, other: Guard) -> Guard:
    """The conditions of two guards together."""
    if not one or not other:
        return one or other
    return tuple(dict.fromkeys((*one, *other)))


def _between(tree: Outline, source: Step, target: Step, loop: LoopNode | None) -> Iterator[Hazard]:
    """Every way in which the target conflicts with the source, in one iteration or over iterations of the loop."""
    for first in source.touches:
        for second in target.touches:
            kind = hazard_kind(source, first, target, second)
            if kind is None or not _shares_bytes(first.reach, second.reach):
                continue
            if loop is None:
                rank = rank_in(common_block(source, target)[0], source)
                if not are_apart(first.reach, second.reach, tree.scalars):
                    yield Hazard(source, target, kind, first, second, rank)
                continue
            judged = distance_of(first.reach, second.reach, loop, tree.scalars)
            if judged is not None:
                rank = rank_in(loop.body, source)
                yield Hazard(source, target, kind, first, second, rank, loop, *judged)


def _shares_bytes(one: Reach, other: Reach) -> bool:
    if one.space != other.space:
        return False
    if one.line != other.line or one.anywhere or other.anywhere:
        return may_meet(one, other)
    return any(low < end and start < high for low, high in one.segments for start, end in other.segments)
