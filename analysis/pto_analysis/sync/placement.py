"""The precise policy: as few hand-overs as the hazards need, each as late a wait and as early a set as it can be.

Blocks are planned from the inside out. Within a block, steps are visited in program order; a hazard that what is
already placed does not cover gets a link from right behind the source to right before the target, both at the level
of their common block, so that every path meets both halves (sync.md 7.7). Loop-carried hazards get their links when
the loop's body is done (7.5). Newest sources go first: what they have waited for themselves needs no link of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import define, field

from pto_analysis.sync.clocks import NUMBER, UNKNOWN, Clock, State, lagged, latest, needed, settled_state, start_state
from pto_analysis.sync.coverage import Flow, nothing_to_do
from pto_analysis.sync.dependences import Hazard, Hazards
from pto_analysis.sync.links import Barrier, Link, Place, Schedule
from pto_analysis.sync.model import event_limit, orders_itself
from pto_analysis.sync.outline import (
    BlockNode,
    ForkNode,
    LoopNode,
    Node,
    Outline,
    Step,
    blocks_of,
    child_in,
    common_block,
)
from pto_analysis.sync.program import Pipe

_MOST_PASSES = 24
_PRUNING_STEPS = 200_000
"""Deleting links on trial costs one run of the dataflow each; very large bodies go without."""

_ALL_PIPES = tuple(NUMBER)


def place_precisely(tree: Outline, hazards: Hazards) -> Schedule:
    """Links and barriers that cover all hazards, without event ids."""
    planner = _Planner(tree, hazards)
    planner.block(tree.root)
    for link in planner.schedule.links:
        planner.tighten(link)
    return planner.schedule


@define
class _Planner:
    tree: Outline
    hazards: Hazards
    schedule: Schedule = field(factory=Schedule)
    flow: Flow = field(init=False)
    crossing: dict[tuple[BlockNode, Node], list[Hazard]] = field(factory=dict["tuple[BlockNode, Node]", "list[Hazard]"])
    boundaries: dict[Node, list[Link]] = field(factory=dict["Node", "list[Link]"])
    used: dict[Pipe, tuple[int, int]] = field(factory=dict[Pipe, "tuple[int, int]"])

    def __attrs_post_init__(self) -> None:
        self.flow = Flow(self.schedule, self.tree.program.target)
        for step in self.tree.steps:
            first, _ = self.used.get(step.pipe, (step.begin, step.begin))
            self.used[step.pipe] = (first, step.begin)
            for hazard in self.hazards.same.get(step, ()):
                block, _, target = common_block(hazard.source, step)
                self.crossing.setdefault((block, target), []).append(hazard)

    def block(self, block: BlockNode) -> None:
        for child in block.children:
            for inner in blocks_of(child):
                self.block(inner)
            if isinstance(child, LoopNode):
                self.carried(child)
        self.scan(block)

    # Hazards of one iteration

    def scan(self, block: BlockNode) -> None:
        """Cover the hazards between children of the block."""
        state = start_state(block)
        self.flow.forget()
        self.flow.items("begin", block, state)
        for child in block.children:
            hazards = self.crossing.get((block, child), ())
            across = [one for one in hazards if one.source.pipe is not one.target.pipe]
            within = [one for one in hazards if one.source.pipe is one.target.pipe]
            if isinstance(child, Step):
                self.before_step(block, child, across, state)
                self.bar(self.barred(within), child, state)
            elif across:
                self.before_compound(block, child, across, state)
            watched = isinstance(child, (LoopNode, ForkNode)) and bool(self.missing(child, self.barred(within), state))
            self.watch(within if watched else ())
            self.flow.node(child, state)
            self.watch(())

    def before_step(self, block: BlockNode, step: Step, hazards: list[Hazard], state: State) -> None:
        for hazard in hazards:
            if state.clocks[NUMBER[step.pipe]][NUMBER[hazard.source.pipe]] >= needed(hazard):
                continue
            link = self.pulled_exit(block, step, hazard, state) or self.forward(block, step, hazard, state)
            state.join(step.pipe, state.tokens[link])

    def forward(self, block: BlockNode, target: Node, hazard: Hazard, state: State) -> Link:
        """A link from behind the child that holds the source to before the one that holds the target."""
        source = child_in(block, hazard.source)
        link = Link(hazard.source.pipe, hazard.target.pipe, hazard, ("after", source), ("before", target))
        self.schedule.add_link(link)
        state.tokens[link] = self.flow.behind(source, link.source)
        return link

    def pulled_exit(self, block: BlockNode, target: Node, hazard: Hazard, state: State) -> Link | None:
        """Let the last flags of a loop that holds the source do it: their exit waits move up to the target."""
        for link in self.boundaries.get(child_in(block, hazard.source), ()):
            token = state.tokens.get(link, UNKNOWN)
            fits = link.exit_at == ("end", block) and _serves(link, hazard)
            if fits and token[NUMBER[link.source]] >= needed(hazard):
                self.schedule.move(link, "exit", ("before", target))
                return link
        return None

    def before_compound(self, block: BlockNode, child: Node, hazards: list[Hazard], state: State) -> None:
        """Cover what steps inside a loop or fork need from before it, with waits in front of it."""
        added: list[Link] = []
        served: set[Hazard] = set()
        for _ in range(_MOST_PASSES):
            missing = [one for one in self.missing(child, hazards, state) if one not in served]
            if not missing:
                break
            newest = _newest_of_each(missing)
            moved = [hazard for hazard in newest if self.at_boundary(block, child, hazard, hazards, state)]
            if moved:
                continue
            served.update(newest)
            added.extend(self.forward(block, child, hazard, state) for hazard in newest)
        if len(added) > 1:
            self.prune(added, lambda: not self.missing(child, hazards, state))

    def at_boundary(self, block: BlockNode, child: Node, hazard: Hazard, hazards: list[Hazard], state: State) -> bool:
        """Whether flags of a loop that holds the source, or of the child itself, can cover the hazard."""
        pulled = self.pulled_exit(block, child, hazard, state)
        return pulled is not None or self.late_entry(block, child, hazard, hazards, state)

    def missing(self, child: Node, hazards: list[Hazard], state: State) -> list[Hazard]:
        """Hazards into the child that are still open when it is entered from `state`."""
        if not hazards:
            return []
        self.flow.forget()
        trial = state.copy()
        self.flow.items("before", child, trial)
        self.flow.inner(child, trial)
        return [hazard for hazard in hazards if not self.flow.covers(hazard)]

    def late_entry(self, block: BlockNode, child: Node, hazard: Hazard, hazards: list[Hazard], state: State) -> bool:
        """Let the first flags of the loop do it: their entry sets move down behind the source."""
        source = child_in(block, hazard.source)
        for link in self.boundaries.get(child, ()):
            place: Place = ("after", source)
            if not _serves(link, hazard) or link.entry_at is None or _position(link.entry_at) >= source.end:
                continue
            before, token = link.entry_at, state.tokens.get(link, UNKNOWN)
            self.schedule.move(link, "entry", place)
            state.tokens[link] = self.flow.behind(source, link.source)
            if hazard not in self.missing(child, hazards, state):
                return True
            self.schedule.move(link, "entry", before)
            state.tokens[link] = token
        return False

    # Hazards from one iteration to a later one

    def carried(self, node: LoopNode) -> None:
        """Cover the hazards that the loop carries."""
        hazards = sorted(self.hazards.carried.get(node, ()), key=lambda one: one.target.begin)
        across = [one for one in hazards if one.source.pipe is not one.target.pipe]
        added: list[Link] = []
        served: set[Hazard] = set()
        for _ in range(_MOST_PASSES):
            missing = [one for one in self.missing_carried(node, across) if one not in served]
            if not missing:
                break
            links = self.connect_rounds(node, missing)
            served.update(link.hazard for link in links)
            added.extend(links)
        if len(added) > 1:
            self.prune(added, lambda: not self.missing_carried(node, across))
        within = [one for one in hazards if one.source.pipe is one.target.pipe]
        if self.missing_carried(node, self.barred(within)):
            self.watch(within)
            self.flow.inner(node, settled_state(node, self.schedule))
            self.watch(())

    def missing_carried(self, node: LoopNode, hazards: Iterable[Hazard]) -> list[Hazard]:
        self.flow.forget()
        self.flow.inner(node, settled_state(node, self.schedule))
        return [hazard for hazard in hazards if not self.flow.covers(hazard)]

    def connect_rounds(self, node: LoopNode, missing: list[Hazard]) -> list[Link]:
        """Links for open hazards, in program order of their targets; what an added wait brings is counted at once."""
        gained: dict[Pipe, Clock] = {}
        added: list[Link] = []
        for hazard in missing:
            target = hazard.target.pipe
            if gained.get(target, UNKNOWN)[NUMBER[hazard.source.pipe]] >= needed(hazard):
                continue
            link = self.round_link(node, hazard)
            added.append(link)
            behind = self.flow.behind(child_in(node.body, hazard.source), link.source)
            clock = lagged(behind, node, link.distance)
            for pipe in _ALL_PIPES if target is Pipe.S else (target,):
                gained[pipe] = latest(gained.get(pipe, UNKNOWN), clock)
        return added

    def round_link(self, node: LoopNode, hazard: Hazard) -> Link:
        source, target = child_in(node.body, hazard.source), child_in(node.body, hazard.target)
        distance, lanes = lanes_for(hazard, waits_first=target.begin <= source.begin)
        scope = self.scope(node, hazard) if lanes == 1 else node
        link = Link(
            hazard.source.pipe,
            hazard.target.pipe,
            hazard,
            ("after", source),
            ("before", target),
            node,
            distance,
            lanes,
            ("begin", scope.block),
            ("end", scope.block),
            scope,
        )
        self.schedule.add_link(link)
        self.boundaries.setdefault(scope, []).append(link)
        return link

    def scope(self, node: LoopNode, hazard: Hazard) -> LoopNode | ForkNode:
        """Where a single flag may stay up without ordering more than the loop needs: outside all loops, and outside
        branches when there are ops before or behind them that it would order."""
        scope: LoopNode | ForkNode = node.body.loops[0]
        first, last = self.used[hazard.source.pipe][0], self.used[hazard.target.pipe][1]
        while isinstance(scope.block.owner, ForkNode) and (first < scope.block.begin or last > scope.block.end):
            scope = scope.block.owner
        return scope

    # Both

    def barred(self, hazards: Iterable[Hazard]) -> list[Hazard]:
        """Hazards inside a queue that does not keep its own order."""
        target = self.tree.program.target
        return [hazard for hazard in hazards if not orders_itself(hazard.target.pipe, target)]

    def watch(self, hazards: Iterable[Hazard]) -> None:
        """Let the next runs put a barrier before every step that one of the hazards leaves open.

        The heads of loops must have been solved before: what is open then is open for good.
        """
        watched: dict[Step, list[Hazard]] = {}
        for hazard in self.barred(hazards):
            watched.setdefault(hazard.target, []).append(hazard)
        if watched:
            self.flow.at_step = lambda step, state: self.bar(watched.get(step, ()), step, state)
        else:
            self.flow.at_step = nothing_to_do

    def bar(self, hazards: Iterable[Hazard], step: Step, state: State) -> None:
        number = NUMBER[step.pipe]
        for hazard in hazards:
            if state.clocks[number][number] < needed(hazard):
                self.schedule.add_barrier(Barrier(step.pipe, ("before", step), hazard))
                state.bar(step.pipe)
                return

    def prune(self, links: list[Link], complete: Callable[[], bool]) -> None:
        """Delete links that the others have made unnecessary."""
        before = self.flow.steps
        complete()
        if (self.flow.steps - before) * len(links) > _PRUNING_STEPS:
            return
        for link in links:
            self.schedule.remove_link(link)
            if not complete():
                self.schedule.add_link(link)
            elif link.scope is not None:
                self.boundaries[link.scope].remove(link)

    def tighten(self, link: Link) -> None:
        """Move entry sets and exit waits next to their loop where no op lies between that they would order."""
        if link.scope is None or link.entry_at is None or link.exit_at is None:
            return
        children = link.scope.block.children
        at = children.index(link.scope)
        entered, left = _position(link.entry_at), _position(link.exit_at)
        before = (child for child in children[:at] if child.begin > entered)
        if not any(_uses(child, link.source) for child in before):
            self.schedule.move(link, "entry", ("before", link.scope))
        behind = (child for child in children[at + 1 :] if child.end < left)
        # A wait of the scalar unit holds back whatever is issued behind it, on any queue.
        held = _ALL_PIPES if link.target is Pipe.S else (link.target,)
        if not any(_uses(child, pipe) for child in behind for pipe in held):
            self.schedule.move(link, "exit", ("after", link.scope))


def lanes_for(hazard: Hazard, *, waits_first: bool) -> tuple[int, int]:
    """Distance and flags of a carried link: as many flags as are up at once, the distance cut to the pool."""
    extra = 0 if waits_first else 1
    limit = event_limit(hazard.source.pipe, hazard.target.pipe)
    distance = min(hazard.distance, limit - extra)
    return distance, distance + extra


def _serves(link: Link, hazard: Hazard) -> bool:
    return link.source is hazard.source.pipe and link.target is hazard.target.pipe


def _newest_of_each(hazards: list[Hazard]) -> list[Hazard]:
    """For each pair of queues the hazard with the newest source."""
    newest: dict[tuple[Pipe, Pipe], Hazard] = {}
    for hazard in hazards:
        key = (hazard.source.pipe, hazard.target.pipe)
        if key not in newest or needed(hazard) > needed(newest[key]):
            newest[key] = hazard
    return list(newest.values())


def _position(place: Place) -> int:
    side, node = place
    return node.begin if side in ("before", "begin") else node.end


def _uses(node: Node, pipe: Pipe) -> bool:
    if isinstance(node, Step):
        return node.pipe is pipe
    return any(_uses(child, pipe) for block in blocks_of(node) for child in block.children)
