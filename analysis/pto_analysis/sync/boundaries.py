"""Where the flags of loops are raised before the first round and lowered behind the last one.

A flag that is raised early carries little and one that is lowered late holds back little; next to their loop they are
easiest to read, and for the shortest time in the way of others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from pto_analysis.frozen import frozen
from pto_analysis.sync.instances import NUMBER
from pto_analysis.sync.links import Link, Place, Schedule
from pto_analysis.sync.needs import Needs
from pto_analysis.sync.outline import ForkNode, LoopNode, Outline
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.remembering import uncovered

_ALL_PIPES = tuple(NUMBER)


def scope_around(loop: LoopNode, first: int, last: int) -> LoopNode | ForkNode:
    """Where a single flag of a loop may stay up without ordering more than the loop needs: outside all loops, and
    outside branches when there are ops before or behind them that it would order, of a queue that is used from position
    `first` on for the set, and up to `last` for the wait."""
    scope: LoopNode | ForkNode = loop.body.loops[0]
    while isinstance(scope.block.owner, ForkNode) and (first < scope.block.begin or last > scope.block.end):
        scope = scope.block.owner
    return scope


def settle_boundaries(needs: Needs, schedule: Schedule) -> None:
    """Put the entry sets and exit waits of all loops where they order least, as near to their loops as that allows."""
    _widen(needs, schedule)
    traffic = Traffic.of(needs.tree, schedule)
    for link in schedule.links:
        tighten(schedule, link, traffic)


def _widen(needs: Needs, schedule: Schedule) -> None:
    """Raise and lower flags outside of branches, where inside they would carry what their queue has waited for outside,
    or pass on to flags outside what they wait for.

    What a hazard outside has come to rely on in the meantime stays as it was.
    """
    traffic = Traffic.of(needs.tree, schedule)
    inside = [link for link in schedule.links if _carries_in(link, traffic)]
    before = [link.scope for link in inside]
    for link in inside:
        rescope(schedule, link, link.scope and _outermost(link.scope))
    if inside and uncovered(needs, schedule):
        for link, scope in zip(inside, before, strict=True):
            rescope(schedule, link, scope)


def tighten(schedule: Schedule, link: Link, traffic: Traffic) -> None:
    """Move entry sets and exit waits next to their loop where nothing lies between that they would order."""
    if link.scope is None or link.entry_at is None or link.exit_at is None:
        return
    entered, left = position(link.entry_at), position(link.exit_at)
    kept = traffic.waited(link.source, entered, link.scope.begin)
    if not kept and not traffic.used(link.source, entered, link.scope.begin):
        schedule.move(link, "entry", ("before", link.scope))
    # A wait of the scalar unit holds back whatever is issued behind it, on any queue.
    held = _ALL_PIPES if link.target is Pipe.S else (link.target,)
    end = link.scope.end
    if not any(traffic.raised(pipe, end, left) or traffic.used(pipe, end, left) for pipe in held):
        schedule.move(link, "exit", ("after", link.scope))


@frozen
class Traffic:
    """Where the queues wait, where they raise flags, and where they have steps, in program order."""

    waits: dict[Pipe, list[int]]
    sets: dict[Pipe, list[int]]
    steps: dict[Pipe, list[int]]

    @staticmethod
    def of(tree: Outline, schedule: Schedule) -> Traffic:
        waits: dict[Pipe, list[int]] = {pipe: [] for pipe in _ALL_PIPES}
        sets: dict[Pipe, list[int]] = {pipe: [] for pipe in _ALL_PIPES}
        for link in schedule.links:
            for pipe in _ALL_PIPES if link.target is Pipe.S else (link.target,):
                waits[pipe].append(position(link.wait_at))
            sets[link.source].extend(position(place) for place in (link.set_at, link.entry_at) if place is not None)
        steps: dict[Pipe, list[int]] = {pipe: [] for pipe in _ALL_PIPES}
        for step in tree.steps:
            steps[step.pipe].append(step.begin)
        return Traffic(_sorted(waits), _sorted(sets), steps)

    def waited(self, pipe: Pipe, first: int, last: int) -> bool:
        """Whether the queue waits between the two positions."""
        return _any_between(self.waits[pipe], first, last)

    def raised(self, pipe: Pipe, first: int, last: int) -> bool:
        """Whether the queue raises a flag between the two positions."""
        return _any_between(self.sets[pipe], first, last)

    def used(self, pipe: Pipe, first: int, last: int) -> bool:
        """Whether the queue has a step between the two positions."""
        return _any_between(self.steps[pipe], first, last)


def _any_between(found: list[int], first: int, last: int) -> bool:
    return bisect_right(found, first) < bisect_left(found, last)


def _sorted(places: dict[Pipe, list[int]]) -> dict[Pipe, list[int]]:
    return {pipe: sorted(found) for pipe, found in places.items()}


def _carries_in(link: Link, traffic: Traffic) -> bool:
    """Whether a flag that is raised at the begin of a branch would carry more there than outside, or, lowered at its
    end, pass more on."""
    scope = link.scope
    if scope is None or not isinstance(scope.block.owner, ForkNode) or link.entry_at != ("begin", scope.block):
        return False
    apart = link.exit_at == ("end", scope.block) and link.circulates
    if not apart:
        return False
    outside, held = _outermost(scope).block, _ALL_PIPES if link.target is Pipe.S else (link.target,)
    passed = any(traffic.raised(pipe, scope.block.end, outside.end) for pipe in held)
    return passed or traffic.waited(link.source, outside.begin, scope.block.begin)


def _outermost(scope: LoopNode | ForkNode) -> LoopNode | ForkNode:
    while isinstance(scope.block.owner, ForkNode):
        scope = scope.block.owner
    return scope


def rescope(schedule: Schedule, link: Link, scope: LoopNode | ForkNode | None) -> None:
    """Let the flag be up around another node."""
    if scope is not None:
        schedule.remove_link(link)
        link.scope, link.entry_at, link.exit_at = scope, ("begin", scope.block), ("end", scope.block)
        schedule.add_link(link)


def position(place: Place) -> int:
    side, node = place
    return node.begin if side in ("before", "begin") else node.end
