"""What each queue is known to have waited for: happens-before as a dataflow over the structured program.

Since sets, waits and barriers order whole prefixes of a queue, one point for each queue is the whole truth (see
`sync.clocks`). A loop is solved from above: a claim about the begin of every round is accepted once a round that
starts with it ends with no less; it rests on earlier rounds only, so this is induction over the rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import le

from attrs import define, field, frozen

from pto_analysis.sync.clocks import (
    NUMBER,
    QUEUE_COUNT,
    UNKNOWN,
    Clock,
    State,
    earliest,
    lagged,
    level_of,
    needed,
    point,
    snapshot_of,
)
from pto_analysis.sync.dependences import Hazard
from pto_analysis.sync.links import Barrier, Link, Schedule, Side
from pto_analysis.sync.model import orders_itself
from pto_analysis.sync.outline import BarrierNode, BlockNode, ForkNode, LoopNode, Node, Step, rank_in
from pto_analysis.sync.program import Pipe, Target

_MOST_ROUNDS = 12
_PATIENCE = 4
"""Rounds in which a claim may sink step by step (one iteration further back each time) before it is given up."""
_DEEPEST = 8
"""Loops nested deeper than this are not solved: only what was known before them is known inside."""


@frozen
class Head:
    """What holds at the begin of every round of a loop: the clocks, and what its flags carry."""

    clocks: tuple[Clock, ...]
    tokens: dict[Link, Clock]

    def below(self, other: Head) -> bool:
        """Whether the other claims at least as much everywhere."""
        return all(_is_below(one, two) for one, two in zip(self.clocks, other.clocks, strict=True)) and all(
            _is_below(clock, other.tokens[link]) for link, clock in self.tokens.items()
        )

    def lowered(self, other: Head, floor: Head | None) -> Head:
        """What both claim; with a floor, claims that still sink go down to it at once."""
        lowest = floor or other
        clocks = zip(self.clocks, other.clocks, lowest.clocks, strict=True)
        return Head(
            tuple(_sunk(one, two, least) for one, two, least in clocks),
            {link: _sunk(clock, other.tokens[link], lowest.tokens[link]) for link, clock in self.tokens.items()},
        )


def _is_below(one: Clock, other: Clock) -> bool:
    return all(map(le, one, other))


def _sunk(one: Clock, other: Clock, floor: Clock) -> Clock:
    claims = zip(one, other, floor, strict=True)
    return tuple([first if first <= second else min(second, least) for first, second, least in claims])


def nothing_to_do(_step: Step, _state: State) -> None:
    """The default of `Flow.at_step`."""


@define
class Flow:
    """Runs the dataflow over blocks of a scheduled program and remembers what each step knows.

    `known[step]` is its queue's clock just before it; `ends[node]` are all clocks behind a node. `at_step` is called
    before each step and may add a barrier in front of it.
    """

    schedule: Schedule
    target: Target
    known: dict[Step, Clock] = field(factory=dict["Step", Clock])
    ends: dict[Node, list[Clock]] = field(factory=dict["Node", "list[Clock]"])
    at_step: Callable[[Step, State], None] = nothing_to_do
    only: Step | None = None
    """Follow this step alone: then a point stands for what that step did, and a path that leaves it out knows all."""
    steps: int = 0
    _heads: dict[LoopNode, Head] = field(factory=dict["LoopNode", Head])
    _lanes: dict[Link, tuple[Clock, Clock]] = field(factory=dict["Link", "tuple[Clock, Clock]"])

    def covers(self, hazard: Hazard) -> bool:
        """Whether the last run showed the hazard's target to start after its source."""
        return self.known[hazard.target][NUMBER[hazard.source.pipe]] >= needed(hazard)

    def behind(self, node: Node, pipe: Pipe) -> Clock:
        """The clock that a set in that queue, placed right behind the node, would carry."""
        return snapshot_of(self.ends[node], pipe, point(node.block.level, 0, node.end))

    def forget(self) -> None:
        """To be called before a run from another place, or with other items: what was solved no longer holds."""
        self._heads.clear()
        self._lanes.clear()

    def block(self, block: BlockNode, state: State) -> None:
        self.items("begin", block, state)
        for child in block.children:
            self.node(child, state)
        state.now = block.end
        self.items("end", block, state)

    def node(self, node: Node, state: State) -> None:
        """One child of a block with the items around it."""
        self.items("before", node, state)
        self.inner(node, state)
        self.ends[node] = list(state.clocks)
        self.items("after", node, state)

    def inner(self, node: Node, state: State) -> None:
        """One child of a block without the items around it."""
        if isinstance(node, Step):
            self._step(node, state)
        elif isinstance(node, LoopNode):
            self._loop(node, state)
        elif isinstance(node, ForkNode):
            self._fork(node, state)
        else:
            self._barrier(node, state)

    def items(self, side: Side, node: Node | BlockNode, state: State) -> None:
        for part, item in self.schedule.at(side, node):
            if isinstance(item, Barrier):
                state.bar(item.pipe)
            elif part == "wait":
                state.join(item.target, self._arriving(item, state))
            elif part == "exit":
                state.join(item.target, state.tokens.pop(item, UNKNOWN))
            else:
                state.tokens[item] = state.snapshot(item.source)

    def _barrier(self, node: BarrierNode, state: State) -> None:
        state.now = node.begin
        state.bar(node.pipe)

    def _step(self, step: Step, state: State) -> None:
        self.at_step(step, state)
        self.steps += 1
        number = NUMBER[step.pipe]
        self.known[step] = state.clocks[number]
        state.now = step.begin
        if self.only is None or step is self.only:
            state.issued[number] = state.so_far()
        if orders_itself(step.pipe, self.target):
            state.bar(step.pipe)

    def _fork(self, node: ForkNode, state: State) -> None:
        ends: list[State] = []
        mine = {link: clock for link, clock in state.tokens.items() if link.loop and link.loop.id in node.inner}
        for arm in node.arms:
            one = state.into(dict(mine))
            one.now = arm.begin
            self.block(arm, one)
            one.now = node.end
            one.promote()
            ends.append(one)
        first, second = ends
        state.now = node.end
        state.clocks = [earliest(a, b) for a, b in zip(first.clocks, second.clocks, strict=True)]
        state.issued = [max(a, b) for a, b in zip(first.issued, second.issued, strict=True)]
        state.tokens.update(_merged(first.tokens, second.tokens))

    # Loops

    def _arriving(self, link: Link, state: State) -> Clock:
        """What the flag that a wait meets was set with: in this iteration, or `distance` earlier, or at the entry."""
        if link.loop is None or link.circulates:
            return state.tokens.pop(link, UNKNOWN)
        entry, lane = self._lanes.get(link, (UNKNOWN, UNKNOWN))
        return earliest(entry, lagged(lane, link.loop, link.distance))

    def _loop(self, node: LoopNode, state: State) -> None:
        entry = state.into(state.tokens)
        entry.now = node.begin
        entry.clocks = [entry.complete(clock, _COMPLETE) for clock in entry.clocks]
        mine = self.schedule.carried_by(node)
        entries = {link: entry.complete(entry.tokens.get(link, UNKNOWN), _COMPLETE) for link in mine}
        deep = entry.level >= _DEEPEST
        head = self._heads.get(node) or (
            _lowest_head(node, entry, mine) if deep else _highest_head(node, entry, entries)
        )
        patience = _PATIENCE if entry.level < 2 else 1
        for turn in range(_MOST_ROUNDS):
            end = self._round(node, entry, entries, head)
            following = _next_head(node, entry, entries, end, head)
            if head.below(following):
                break
            head = head.lowered(following, None if turn < patience else _lowest_head(node, entry, mine))
        else:
            head = _lowest_head(node, entry, mine)
            end = self._round(node, entry, entries, head)
        self._heads[node] = head
        _leave(node, state, entry, entries, end, self._issued_in(node))

    def _issued_in(self, node: LoopNode) -> dict[int, int]:
        """For each queue that the body uses, the position of its last op as seen from the body."""
        if self.only is None:
            return _issues(node.body)
        if node not in self.only.nodes:
            return {}
        return {NUMBER[self.only.pipe]: rank_in(node.body, self.only)}

    def _round(self, node: LoopNode, entry: State, entries: dict[Link, Clock], head: Head) -> State:
        state = State(entry.level + 1, node.begin, list(head.clocks), list(entry.issued))
        for number, rank in self._issued_in(node).items():
            state.issued[number] = max(state.issued[number], point(state.level, 1, rank))
        for link, clock in head.tokens.items():
            if link.circulates:
                state.tokens[link] = clock
            else:
                self._lanes[link] = (entries[link], clock)
        self.block(node.body, state)
        state.now = node.end
        state.promote()
        return state


_COMPLETE = 1 << 62
"""Marks knowledge at a loop's entry that covers all that was issued before."""


def _highest_head(node: LoopNode, entry: State, entries: dict[Link, Clock]) -> Head:
    """The boldest claim: whatever the entry allows, everything up to the end of the round before is complete."""
    top = (point(entry.level + 1, 1, node.end),) * QUEUE_COUNT
    lane_top = (point(entry.level + 1, 0, node.end),) * QUEUE_COUNT
    return Head(
        tuple(earliest(clock, top) for clock in entry.clocks),
        {link: earliest(clock, top) if link.circulates else lane_top for link, clock in entries.items()},
    )


def _lowest_head(node: LoopNode, entry: State, links: tuple[Link, ...]) -> Head:
    """What holds in any round: the queues keep what they knew before the loop."""
    floor = (point(entry.level, 0, node.begin),) * QUEUE_COUNT
    return Head(tuple(earliest(clock, floor) for clock in entry.clocks), dict.fromkeys(links, UNKNOWN))


def _next_head(node: LoopNode, entry: State, entries: dict[Link, Clock], end: State, head: Head) -> Head:
    """What a round that began with `head` leaves for the begin of the next one, or the entry for the first."""
    clocks = tuple(
        earliest(first, lagged(clock, node, 1)) for first, clock in zip(entry.clocks, end.clocks, strict=True)
    )
    tokens: dict[Link, Clock] = {}
    for link in head.tokens:
        clock = end.tokens.get(link, UNKNOWN)
        tokens[link] = earliest(entries[link], lagged(clock, node, 1)) if link.circulates else clock
    return Head(clocks, tokens)


def _merged(one: dict[Link, Clock], other: dict[Link, Clock]) -> dict[Link, Clock]:
    """The flags that are up on both paths, each with what holds on both."""
    merged: dict[Link, Clock] = {}
    for link, clock in one.items():
        same = other.get(link)
        if same is not None:
            merged[link] = clock if same is clock else earliest(clock, same)
    return merged


def _leave(
    node: LoopNode, state: State, entry: State, entries: dict[Link, Clock], end: State, issued: dict[int, int]
) -> None:
    """Behind the loop: the last round's knowledge, and the entry's where the loop may run no round at all."""
    level = entry.level
    state.now = node.end
    state.clocks = [_left(node, level, first, last, end) for first, last in zip(entry.clocks, end.clocks, strict=True)]
    for link, first in entries.items():
        state.tokens[link] = _left(node, level, first, end.tokens.get(link, UNKNOWN), end)
    for number in issued:
        state.issued[number] = point(level, 0, node.end)


def _left(node: LoopNode, level: int, entry: Clock, last: Clock, end: State) -> Clock:
    behind, before = point(level, 0, node.end), point(level, 0, node.begin)
    outside = [
        behind if value >= issued else (before if level_of(value) > level else value)
        for value, issued in zip(last, end.issued, strict=True)
    ]
    if node.least > 0:
        return tuple(outside)
    return tuple(
        min(value, behind if first == _COMPLETE else first) for value, first in zip(outside, entry, strict=True)
    )


def _issues(block: BlockNode) -> dict[int, int]:
    """For each queue that the block uses, the position of its last op as seen from the block."""
    if block.issues is None:
        found: dict[int, int] = {}
        for child in block.children:
            if isinstance(child, Step):
                found[NUMBER[child.pipe]] = child.begin
            elif isinstance(child, LoopNode):
                found.update(dict.fromkeys(_issues(child.body), child.end))
            elif isinstance(child, ForkNode):
                for arm in child.arms:
                    for number, rank in _issues(arm).items():
                        found[number] = max(found.get(number, 0), rank)
        block.issues = found
    return block.issues
