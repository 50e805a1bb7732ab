"""Which step must wait for which: RAW, WAR, WAW (and two queues reading one accumulator), sync.md 5.2 and 7.4.

For every step and every queue only the newest conflicting step counts, once for the same iteration and once for each
enclosing loop, since whatever orders a step orders everything before it in its queue. A pair whose slots are proved
different in one iteration is dropped there and looked at again as carried by every enclosing loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import define, field

from pto_analysis.arith.linear import combine
from pto_analysis.arith.scalars import Scalars
from pto_analysis.frozen import frozen
from pto_analysis.sync.access_log import AccessLog, Entry, Mode, mode_of
from pto_analysis.sync.accesses import Guard, Reach
from pto_analysis.sync.outline import BlockNode, ForkNode, LoopNode, Outline, Step, Touch
from pto_analysis.sync.plan import Kind
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.slots import carried_distance, relation


@frozen
class Hazard:
    """`target` must start after `source` is complete.

    Without a loop: in the same iteration of every common loop. With one: the target `distance` iterations later.
    `rank` is the position that the source's queue must have passed. `known` is false where no single distance is
    proved and the next iteration is assumed.
    """

    source: Step
    target: Step
    kind: Kind
    first: Touch
    second: Touch
    rank: int
    loop: LoopNode | None = None
    distance: int = 0
    known: bool = True

    @property
    def order(self) -> tuple[int, int]:
        """Later sources are greater: what waits for them has waited for the smaller ones of the same queue."""
        return -self.distance, self.rank


@frozen
class Disproved:
    """A pair that shares a buffer but never a byte in one iteration."""

    source: Step
    target: Step
    kind: Kind
    first: Touch
    second: Touch


Filter = Callable[["Touch", "Touch"], bool]


@define
class Hazards:
    """All hazards that count, by target step; `dropped` are the pairs that slots disproved."""

    same: dict[Step, list[Hazard]] = field(factory=dict["Step", "list[Hazard]"])
    carried: dict[LoopNode, list[Hazard]] = field(factory=dict["LoopNode", "list[Hazard]"])
    dropped: list[Disproved] = field(factory=list[Disproved])


@frozen
class Precision:
    """How hazards are judged: `apart` for two accesses of one iteration, `distance` for accesses of different ones.

    `distance` gives None where they never meet, else the iterations between them and whether that is proved.
    """

    apart: Callable[[Touch, Touch, Scalars], bool]
    distance: Callable[[Touch, Touch, LoopNode, Scalars], tuple[int, bool] | None]
    counts_trips: bool = True


Meet = Callable[[Step, Step, "LoopNode | None", Guard], bool]
"""Whether some run comes to both steps, the target in a later iteration of the loop, if one is given, under these
conditions."""


def _always(_source: Step, _target: Step, _loop: LoopNode | None, _guard: Guard) -> bool:
    return True


def find_hazards(tree: Outline, precision: Precision, meet: Meet = _always) -> Hazards:
    """The hazards of a program under one way of judging them; between steps that no run comes to both of, none."""
    finder = _Finder(tree, precision, meet)
    finder.block(tree.root, ())
    return finder.found


@define
class _Finder:
    tree: Outline
    precision: Precision
    meet: Meet
    found: Hazards = field(factory=Hazards)

    def block(self, block: BlockNode, outer: tuple[AccessLog, ...]) -> AccessLog:
        """Find the hazards of the block's steps; gives what the block touched."""
        log = AccessLog()
        logs = (*outer, log)
        children = block.children
        index = 0
        while index < len(children):
            child = children[index]
            index += 1
            if isinstance(child, Step):
                phases = [child]
                while index < len(children) and _same_op(child, children[index]):
                    phases.append(children[index])  # pyright: ignore[reportArgumentType]
                    index += 1
                self.steps(phases, logs, log)
            elif isinstance(child, LoopNode):
                self.loop(child, logs, log)
            elif isinstance(child, ForkNode):
                for arm in [self.block(arm, logs) for arm in child.arms]:
                    for entry in arm.entries:
                        log.add(entry)
        return log

    def steps(self, phases: list[Step], logs: tuple[AccessLog, ...], log: AccessLog) -> None:
        """The phases of one op: they are not ordered against each other, so all look before any is noted."""
        for step in phases:
            # Each enclosing block asks for itself: what covers a source inside may not run, and then says nothing
            # about older sources outside.
            hazards: list[Hazard] = []
            for layer in logs:
                newest = _Newest()
                for touch in step.touches:
                    self.same_iteration(step, touch, layer, newest)
                hazards.extend(newest.best.values())
            if hazards:
                self.found.same[step] = newest_first(hazards)
        for step in phases:
            for touch in step.touches:
                log.add(Entry(step.begin, step, touch))

    def same_iteration(self, step: Step, touch: Touch, layer: AccessLog, newest: _Newest) -> None:
        for _, entry in layer.over(touch.reach):
            kind = hazard_kind(entry.step, entry.touch, step, touch)
            if kind is None or not newest.beats(entry, kind, 0) or not self.meets(entry, step, touch, None):
                continue
            if self.precision.apart(entry.touch, touch, self.tree.scalars):
                self.found.dropped.append(Disproved(entry.step, step, kind, entry.touch, touch))
                continue
            newest.keep(Hazard(entry.step, step, kind, entry.touch, touch, entry.rank))

    def meets(self, entry: Entry, step: Step, touch: Touch, loop: LoopNode | None) -> bool:
        return self.meet(entry.step, step, loop, (*entry.touch.reach.when, *touch.reach.when))

    def loop(self, node: LoopNode, logs: tuple[AccessLog, ...], log: AccessLog) -> None:
        inside = self.block(node.body, logs)
        if not (self.precision.counts_trips and node.most is not None and node.most <= 1):
            self.carried(node, inside)
        for entry in inside.entries:
            log.add(Entry(node.end, entry.step, entry.touch))

    def carried(self, node: LoopNode, inside: AccessLog) -> None:
        """Each step of the body against everything that the body did in an earlier iteration."""
        hazards: list[Hazard] = []
        for step in dict.fromkeys(entry.step for entry in inside.entries):
            newest = _Newest()
            for touch in step.touches:
                for _, entry in inside.over(touch.reach):
                    self.carried_pair(node, entry, step, touch, newest)
            hazards.extend(newest.sorted())
        if hazards:
            self.found.carried[node] = hazards

    def carried_pair(self, node: LoopNode, entry: Entry, step: Step, touch: Touch, newest: _Newest) -> None:
        kind = hazard_kind(entry.step, entry.touch, step, touch)
        if kind is None or not newest.beats(entry, kind, 1) or not self.meets(entry, step, touch, node):
            return
        judged = self.precision.distance(entry.touch, touch, node, self.tree.scalars)
        if judged is None:
            return
        distance, known = judged
        if self.precision.counts_trips and node.most is not None and distance >= node.most:
            return
        newest.keep(Hazard(entry.step, step, kind, entry.touch, touch, entry.rank, node, distance, known))


@define
class _Newest:
    """The newest hazard for each queue and kind."""

    best: dict[tuple[Pipe, Kind], Hazard] = field(factory=dict[tuple[Pipe, Kind], Hazard])

    def beats(self, entry: Entry, kind: Kind, least: int) -> bool:
        """Whether the entry could be newer than what is kept."""
        kept = self.best.get((entry.step.pipe, kind))
        return kept is None or (-least, entry.rank) > kept.order

    def keep(self, hazard: Hazard) -> None:
        kept = self.best.get((hazard.source.pipe, hazard.kind))
        if kept is None or hazard.order > kept.order:
            self.best[(hazard.source.pipe, hazard.kind)] = hazard

    def sorted(self) -> list[Hazard]:
        """Newest first; for equal places RAW before the others."""
        return newest_first(self.best.values())


def newest_first(hazards: Iterable[Hazard]) -> list[Hazard]:
    """Sorted from the newest source to the oldest; for equal places RAW before the others."""
    return sorted(hazards, key=lambda one: (one.order, one.kind == "RAW"), reverse=True)


def _same_op(step: Step, node: object) -> bool:
    return isinstance(node, Step) and node.op is step.op


def hazard_kind(source: Step, first: Touch, target: Step, second: Touch) -> Kind | None:
    """The hazard between an earlier access and a later one."""
    kind = kind_of(mode_of(source, first), mode_of(target, second))
    if kind != "RAR":
        return kind
    return kind if second.reach.space == "acc" and source.pipe is not target.pipe else None


def kind_of(earlier: Mode, later: Mode) -> Kind | None:
    """The hazard between accesses of the same bytes; two reads only matter to queues that share an accumulator."""
    if later == "read":
        return "RAR" if earlier == "read" else "RAW"
    if earlier == "read":
        return "WAR"
    return None if earlier == "load" == later else "WAW"


# The two ways of judging


def _never_apart(_first: Touch, _second: Touch, _scalars: Scalars) -> bool:
    return False


def are_apart(one: Reach, other: Reach, scalars: Scalars) -> bool:
    """Different slots of one ring, or different bytes of one argument, in the same iteration (sync.md 7.4)."""
    if one.slot is not None and other.slot is not None:
        return relation(one.slot, other.slot, scalars) == "disjoint"
    return _windows_apart(one, other, scalars)


def _windows_apart(one: Reach, other: Reach, scalars: Scalars) -> bool:
    """Two views of one argument at offsets that differ by a known amount."""
    if one.offset is None or other.offset is None or one.line != other.line:
        return False
    difference = combine(other.offset, one.offset, -1).single
    fits = scalars.fits_unsigned(one.offset) and scalars.fits_unsigned(other.offset)
    return fits and difference is not None and (difference >= one.extent or -difference >= other.extent)


def distance_of(one: Reach, other: Reach, loop: LoopNode, scalars: Scalars) -> tuple[int, bool] | None:
    """Iterations of the loop from one access until the other meets it, and whether that is proved; None: never."""
    if one.slot is not None and other.slot is not None:
        found = carried_distance(one.slot, other.slot, loop.id, loop.inner, scalars)
        if found is not None:
            return None if found.never else (found.iterations, True)
    if _windows_march(one, other, loop, scalars):
        return None
    return 1, one.slot is None and other.slot is None


def _windows_march(one: Reach, other: Reach, loop: LoopNode, scalars: Scalars) -> bool:
    """Views of one argument that move on by at least their own size each iteration, and so never meet again."""
    if one.offset is None or other.offset is None or one.line != other.line:
        return False
    if not (scalars.fits_unsigned(one.offset) and scalars.fits_unsigned(other.offset)):
        return False
    step = 0
    for atom, factor in one.offset.terms:
        counter = scalars.counter(atom)
        if counter is not None and counter.loop == loop.id and counter.signed:
            stride = _stride(atom, counter.following.terms, counter.following.constant)
            if stride is None:
                return False
            step += factor * stride
        elif scalars.atom_loops(atom) & ({loop.id, "?"} | loop.inner):
            return False
    difference = combine(other.offset, one.offset, -1).single
    if difference is None or step == 0:
        return False
    ahead = difference + step
    return ahead >= one.extent if step > 0 else -ahead >= other.extent


def _stride(atom: int, terms: tuple[tuple[int, int], ...], constant: int) -> int | None:
    return constant if terms == ((atom, 1),) else None


PRECISE = Precision(
    lambda first, second, scalars: are_apart(first.reach, second.reach, scalars),
    lambda first, second, loop, scalars: distance_of(first.reach, second.reach, loop, scalars),
)
"""Every proof counts."""

WHOLE = Precision(_never_apart, lambda _first, _second, _loop, _scalars: (1, True), counts_trips=False)
"""Bytes only: what is not a constant window is the whole buffer."""
