"""Nothing is ordered beyond what the stock assembler orders, wherever its plan is sound.

Two plans of which nothing can be left out may still order different ops: a barrier between the first and the second of
three does for the first and the third what one between the second and the third does. Where the stock assembler's
choice is sound and ours orders something that it leaves free, ours is mended: from the assembler's plan, with all of
ours that orders nothing more, everything is taken out that no step needs, what is the assembler's own first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import define, field

from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.boundaries import Traffic, position, rescope, scope_around, tighten
from pto_analysis.sync.coverage import Flow, Turns
from pto_analysis.sync.dependences import Hazard, Hazards
from pto_analysis.sync.instances import NOTHING, NUMBER
from pto_analysis.sync.links import Barrier, Item, Link, Place, Schedule
from pto_analysis.sync.needs import Needs
from pto_analysis.sync.outline import BlockNode, LoopNode, Node, Outline, Step, blocks_of, node_id
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.remembering import uncovered
from pto_analysis.sync.spares import Owner, try_without
from pto_analysis.sync.states import NO_BACK, Entry, State, fresh_state, join

_MOST_TRIALS = 400
"""How often the mended plan is followed at most; the few kernels that need more keep our own."""

_DEEPEST = 3
"""Loops inside more than that many are not followed twice."""

_MOST_FOLLOWED = 100_000
"""Steps that are followed at most for all trials, each once for each loop around the innermost one and once more."""

Order = dict[tuple[Turns, Step], int]
"""What each step may find unfinished, in each case and kind of round."""


def mended(needs: Needs, hazards: Hazards, ours: Schedule, stock: Schedule) -> Schedule | None:
    """Our plan where it orders something that a sound stock plan leaves free: what to do instead."""
    bound = _without_doubtful(_moved(needs.tree, stock))
    is_sound, free = _followed(needs, bound)
    if not is_sound or not _exceeds(order_of(needs, ours), free):
        return None
    theirs: list[Owner] = [*bound.barriers, *bound.links]
    for owner in _harmless(needs, bound, ours):
        bound.add(owner)
    trials = _trials(needs)
    for candidates in (theirs, [*reversed(bound.barriers), *reversed(bound.links)]):
        trials = try_without([one for one in candidates if one in bound], needs, bound, trials)
    if trials <= 0:
        return None
    kept = [one for one in theirs if one in bound]
    _draw_near([one for one in kept if isinstance(one, Link)], needs, bound, free)
    _explain(kept, needs, hazards, bound)
    return bound


def _trials(needs: Needs) -> int:
    steps = needs.tree.steps
    deepest = max(len(step.loops) for step in steps)
    return min(_MOST_TRIALS, _MOST_FOLLOWED // (len(steps) * (1 + deepest)))


@define
class _Apart(Flow):
    """Follows the first round of a loop and the later ones apart, as far as loops are not nested deeply: what is free
    in one of them only is free all the same."""

    def _follow(self, node: LoopNode, state: State, entry: Entry, kind: int | None) -> State:
        if node.body.level > _DEEPEST:
            return super()._follow(node, state, entry, kind)
        back, turns = self._back(node, kind), self._turns
        later = entry.passed().joined(back.pending)
        ends: list[State] = []
        for turn, (found, known) in enumerate(((entry, NO_BACK), (later, back))):
            if turn or entry.is_first:
                self._turns = (*turns, turn)
                ends.append(self._one_round(node, state, found, known, kind))
        self._turns = turns
        body = ends[0].copy()
        join(ends, body)
        return body


def order_of(needs: Needs, schedule: Schedule) -> Order:
    """What each step may find unfinished when it starts."""
    return _followed(needs, schedule)[1]


def _followed(needs: Needs, schedule: Schedule) -> tuple[bool, Order]:
    """Whether the schedule leaves no step open, and what each step may find unfinished when it starts."""
    flow = _Apart(schedule, needs, needs.tree.program.target)
    found: Order = {}

    def note(step: Step, state: State) -> None:
        key = flow.turns, step
        found[key] = found.get(key, NOTHING) | state.pending[NUMBER[step.pipe]]

    flow.at_step = note
    flow.block(needs.tree.root, fresh_state(needs.tree.root))
    return not flow.open, found


def _exceeds(order: Order, free: Order) -> bool:
    """Whether a step finds something complete that may be unfinished in `free`."""
    return any(bits & ~order[key] for key, bits in free.items())


def _moved(tree: Outline, stock: Schedule) -> Schedule:
    """The stock plan, which was made by what the assembler sees, in our outline. What it does inside code that no run
    comes to has no place there, what it does around that code has."""
    move = _Move({_name(node): node for node in _nodes(tree.root)})
    used = {step.pipe for step in tree.steps}
    schedule = Schedule()
    for barrier in stock.barriers:
        if move.knows(barrier.at):
            schedule.add(evolve(barrier, at=move.place(barrier.at), hazard=move.hazard(barrier.hazard)))
    for link in stock.links:
        # What a queue that no run uses has waited for is not followed.
        if {link.source, link.target} <= used and move.knows(link.set_at) and move.knows(link.wait_at):
            schedule.add(move.link(link))
    return schedule


def _nodes(block: BlockNode) -> Iterator[Node | BlockNode]:
    yield block
    for child in block.children:
        yield child
        for inner in blocks_of(child):
            yield from _nodes(inner)


_Name = tuple[str, str, int]


def _name(node: Node | BlockNode) -> _Name:
    if isinstance(node, BlockNode):
        return "block", node.name, 0
    return "node", node_id(node), node.phase if isinstance(node, Step) else 0


@frozen
class _Move:
    """From an outline of all of a program to ours of what runs of it."""

    ours: Mapping[_Name, Node | BlockNode]

    def knows(self, place: Place) -> bool:
        return _name(place[1]) in self.ours

    def place(self, place: Place) -> Place:
        side, node = place
        return side, self.ours[_name(node)]

    def loop(self, loop: LoopNode | None) -> LoopNode | None:
        found = self.ours[_name(loop)] if loop is not None else None
        return found if isinstance(found, LoopNode) else None

    def hazard(self, hazard: Hazard) -> Hazard:
        """The hazard between our steps; as it is where these never run, to be explained otherwise."""
        source, target = self.ours.get(_name(hazard.source)), self.ours.get(_name(hazard.target))
        if not isinstance(source, Step) or not isinstance(target, Step):
            return hazard
        return evolve(hazard, source=source, target=target, loop=self.loop(hazard.loop))

    def link(self, link: Link) -> Link:
        loop = self.loop(link.loop)
        return evolve(
            link,
            hazard=self.hazard(link.hazard),
            set_at=self.place(link.set_at),
            wait_at=self.place(link.wait_at),
            loop=loop,
            scope=loop,
            entry_at=link.entry_at and self.place(link.entry_at),
            exit_at=link.exit_at and self.place(link.exit_at),
        )


def _without_doubtful(stock: Schedule) -> Schedule:
    """The stock plan without what may lose a flag or hang: flags keyed by slots, of which nothing is known here, and
    those that are raised again in a round before it waits (sync.md 5.9)."""
    bound = Schedule()
    for barrier in stock.barriers:
        # One that takes the place of a flag is as good as any other: it goes where a flag is free.
        bound.add(evolve(barrier, fallback=False))
    for link in stock.links:
        waits_first = link.loop is None or position(link.wait_at) <= position(link.set_at)
        if link.keys is None and waits_first:
            bound.add(link)
    return bound


def _harmless(needs: Needs, bound: Schedule, ours: Schedule) -> list[Owner]:
    """What of ours orders nothing at its place that the stock plan does not order there."""
    guests: dict[Owner, None] = {owner: None for owner in (*ours.barriers, *ours.links) if not _is_fallback(owner)}
    both = Schedule()
    for owner in (*bound.barriers, *bound.links, *guests):
        both.add(owner)
    root = needs.tree.root
    flow = _Guests(both, needs, needs.tree.program.target, last=_last_passed(needs, both), guests=guests)
    flow.block(root, fresh_state(root))
    flow.watching = True
    flow.block(root, fresh_state(root))
    return [owner for owner in guests if owner not in flow.harmful]


def _is_fallback(owner: Owner) -> bool:
    return isinstance(owner, Barrier) and owner.fallback


def _first_uses(needs: Needs) -> dict[Pipe, int]:
    return {step.pipe: step.begin for step in reversed(needs.tree.steps)}


def _last_uses(needs: Needs) -> dict[Pipe, int]:
    """Where each queue is used for the last time; the scalar unit holds all of them back."""
    found: dict[Pipe, int] = {}
    for step in needs.tree.steps:
        found[step.pipe] = found[Pipe.S] = step.begin
    return found


def _last_passed(needs: Needs, schedule: Schedule) -> dict[Pipe, int]:
    """Where each queue runs or raises a flag for the last time."""
    found = _last_uses(needs)
    for link in schedule.links:
        for place in (link.set_at, link.entry_at or link.set_at):
            for pipe in (link.source, Pipe.S):
                found[pipe] = max(found.get(pipe, -1), position(place))
    return found


@define
class _Guests(_Apart):
    """Follows a schedule as if nothing waited for its `guests`, and notes those that would hold something back.

    `last`: where each queue is there for anything for the last time."""

    last: dict[Pipe, int] = field(factory=dict[Pipe, int])
    guests: dict[Owner, None] = field(factory=dict["Owner", None])
    harmful: dict[Owner, None] = field(factory=dict["Owner", None])
    watching: bool = False

    def item(self, item: Item, state: State) -> None:
        _, owner = item
        if owner not in self.guests:
            super().item(item, state)
            return
        before = state.pending
        super().item(item, state)
        if self.watching and state.pending != before and not self._comes_last(item):
            self.harmful[owner] = None
        state.pending = before

    def _comes_last(self, item: Item) -> bool:
        """Whether nothing of the queue that waits comes behind, as behind the last flags of most loops."""
        part, owner = item
        if part != "exit" or isinstance(owner, Barrier) or owner.exit_at is None:
            return False
        _, node = owner.exit_at
        block = node if isinstance(node, BlockNode) else node.block
        return not block.loops and position(owner.exit_at) > self.last.get(owner.target, -1)


def _draw_near(links: Sequence[Link], needs: Needs, bound: Schedule, free: Order) -> None:
    """Raise and lower the flags of loops beside them instead of at the ends of the function, if that orders no more."""
    ends = [(link, link.scope) for link in links if link.scope is not None and link.loop is not None]
    first, last = _first_uses(needs), _last_uses(needs)
    traffic = Traffic.of(needs.tree, bound)
    for link, _ in ends:
        if link.loop is not None:
            # A queue that no run uses passes on what it has waited for, and nothing else.
            start, stop = first.get(link.source, link.loop.begin), last.get(link.target, link.loop.end)
            rescope(bound, link, scope_around(link.loop, start, stop))
            tighten(bound, link, traffic)
    if ends and _exceeds(order_of(needs, bound), free):
        root = needs.tree.root
        for link, scope in ends:
            bound.remove_link(link)
            link.scope, link.entry_at, link.exit_at = scope, ("begin", root), ("end", root)
            bound.add_link(link)


def _explain(owners: Sequence[Owner], needs: Needs, hazards: Hazards, bound: Schedule) -> None:
    """Give what is kept of the stock plan a reason that holds: the assembler's may be a false dependence."""
    for owner in owners:
        stated, target = owner.hazard, owner.hazard.target
        known = target in needs.tree.steps[target.order : target.order + 1]
        missing = needs.of[target.order] & needs.bits(stated) if known else NOTHING
        if not missing:
            target, missing = _left_open(owner, needs, bound)
        hazard = _hazard(target, missing, needs, hazards)
        if isinstance(owner, Link):
            owner.hazard = hazard
        else:
            bound.remove(owner)
            bound.add(evolve(owner, hazard=hazard))


def _left_open(owner: Owner, needs: Needs, bound: Schedule) -> tuple[Step, int]:
    """What a step would not find complete without the item: a pair of its own queues before any other."""
    bound.remove(owner)
    missing = uncovered(needs, bound)
    bound.add(owner)
    source, target = (owner.source, owner.target) if isinstance(owner, Link) else (owner.pipe, owner.pipe)
    queue = needs.instances.queue(source)
    near = {step: bits & queue for step, bits in missing.items() if step.pipe is target and bits & queue}
    return next(iter((near or missing).items()))


def _hazard(target: Step, missing: int, needs: Needs, hazards: Hazards) -> Hazard:
    source, loop = needs.newest(target, missing)
    listed = hazards.same.get(target, ()) if loop is None else hazards.carried.get(loop, ())
    known = [one for one in listed if one.source is source and one.target is target]
    return known[0] if known else needs.hazard(source, target, loop)
