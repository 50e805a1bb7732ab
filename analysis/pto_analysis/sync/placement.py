"""The precise policy: as few hand-overs as the hazards need, each as late a wait and as early a set as it can be.

Blocks are planned from the inside out. Within a block, steps are visited in program order; a hazard that what is
already placed does not cover gets a link from right behind the source to right before the target, both at the level
of their common block, so that every path meets both halves (sync.md 7.7). Loop-carried hazards get their links when
the loop's body is done (7.5). Newest sources go first: what they have waited for themselves needs no link of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from pto_analysis.sync.boundaries import position, scope_around, settle_boundaries
from pto_analysis.sync.coverage import nothing_to_do
from pto_analysis.sync.dependences import Hazard, Hazards
from pto_analysis.sync.instances import NUMBER
from pto_analysis.sync.links import Barrier, Link, Place, Schedule
from pto_analysis.sync.model import event_limit
from pto_analysis.sync.needs import Needs
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
from pto_analysis.sync.remembering import RememberingFlow
from pto_analysis.sync.states import State, Token, fresh_state

_MOST_PASSES = 24

_ALL_PIPES = tuple(NUMBER)


def place_precisely(tree: Outline, hazards: Hazards, needs: Needs) -> Schedule:
    """Links and barriers that cover all hazards, without event ids."""
    planner = _Planner(tree, hazards, needs)
    planner.block(tree.root)
    settle_boundaries(needs, planner.schedule)
    return planner.schedule


Open = dict[Step, int]
"""The instances that steps need and do not wait for."""


@define
class _Planner:
    tree: Outline
    hazards: Hazards
    needs: Needs
    schedule: Schedule = field(factory=Schedule)
    flow: RememberingFlow = field(init=False)
    boundaries: dict[Node, list[Link]] = field(factory=dict["Node", "list[Link]"])
    used: dict[Pipe, tuple[int, int]] = field(factory=dict[Pipe, "tuple[int, int]"])
    listed: dict[tuple[Step, LoopNode | None], list[Hazard]] = field(
        factory=dict["tuple[Step, LoopNode | None]", "list[Hazard]"]
    )

    def __attrs_post_init__(self) -> None:
        self.flow = RememberingFlow(self.schedule, self.needs, self.tree.program.target)
        for step in self.tree.steps:
            first, _ = self.used.get(step.pipe, (step.begin, step.begin))
            self.used[step.pipe] = (first, step.begin)
        for hazards in (*self.hazards.same.values(), *self.hazards.carried.values()):
            for hazard in hazards:
                self.listed.setdefault((hazard.target, hazard.loop), []).append(hazard)

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
        state = fresh_state(block)
        self.flow.forget()
        self.flow.items("begin", block, state)
        for child in block.children:
            if isinstance(child, Step):
                self.before_step(block, child, state)
                self.flow.node(child, state)
            else:
                state = self.compound(block, child, state)

    def before_step(self, block: BlockNode, step: Step, state: State) -> None:
        need, number = self.needs.of[step.order], NUMBER[step.pipe]
        own = self.needs.instances.queue(step.pipe)
        while missing := need & state.pending[number] & ~own:
            hazard = self.open_hazard(step, missing)
            link = self.pulled_exit(block, step, hazard, state) or self.forward(block, step, hazard, state)
            state.join(step.pipe, state.tokens[link].seen(state.now))
        self.bar(step, state)

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
            token = state.tokens.get(link)
            fits = link.exit_at == ("end", block) and _serves(link, hazard)
            if fits and token is not None and not token.seen(state.now) >> hazard.source.order & 1:
                self.schedule.move(link, "exit", ("before", target))
                return link
        return None

    def compound(self, block: BlockNode, child: Node, state: State) -> State:
        """Cover what steps inside a loop or fork need from before it, with waits in front of it; then follow it."""
        added: list[Link] = []
        inside = self.entered(child, state)
        for _ in range(_MOST_PASSES):
            newest = self.newest_of_each()
            if not newest:
                break
            moved = [hazard for hazard in newest if self.at_boundary(block, child, hazard, state)]
            if not moved:
                added.extend(self.forward(block, child, hazard, state) for hazard in newest)
            inside = self.entered(child, state)
        if len(added) > 1:
            # A wait of the scalar unit holds every queue back: where another does as well, it goes first.
            for link in sorted(added, key=lambda one: one.target is not Pipe.S):
                self.relax(block, child, link, state)
            inside = self.entered(child, state)
        if self.flow.open:
            self.watch(child, state)
            inside = self.entered(child, state)
        self.flow.leave(child, inside)
        return inside

    def watch(self, child: Node, state: State) -> None:
        """Put a barrier before every step that finds its own queue unfinished."""
        self.flow.at_step = self.bar
        trial = state.copy()
        self.flow.items("before", child, trial)
        self.flow.inner(child, trial)
        self.flow.at_step = nothing_to_do

    def relax(self, block: BlockNode, child: Node, link: Link, state: State) -> None:
        """Take a link away, or let it wait for an older source, where the others leave no more for it to do."""
        self.schedule.remove_link(link)
        if not self.crossing(child, state):
            return
        newest = self.newest_of_each()
        if len(newest) == 1 and _serves(link, newest[0]) and newest[0].source.order < link.hazard.source.order:
            older = self.forward(block, child, newest[0], state)
            if not self.crossing(child, state):
                return
            self.schedule.remove_link(older)
        self.schedule.add_link(link)

    def newest_of_each(self) -> list[Hazard]:
        """For each pair of queues the open hazard with the newest source."""
        instances = self.needs.instances
        best: dict[tuple[Pipe, Pipe], tuple[int, Step, int]] = {}
        for target, missing in self.of_others(self.flow.open).items():
            for pipe in self.used:
                part = missing & instances.queue(pipe)
                order = instances.newest(part)[0] if part else -1
                if part and order > best.get((pipe, target.pipe), (-1, target, part))[0]:
                    best[pipe, target.pipe] = (order, target, part)
        return [self.open_hazard(target, part) for _, target, part in best.values()]

    def at_boundary(self, block: BlockNode, child: Node, hazard: Hazard, state: State) -> bool:
        """Whether flags of a loop that holds the source, or of the child itself, can cover the hazard."""
        pulled = self.pulled_exit(block, child, hazard, state)
        return pulled is not None or self.late_entry(block, child, hazard, state)

    def entered(self, child: Node, state: State) -> State:
        """Behind the child, when it is entered from `state`; `flow.open` is what is missing inside."""
        self.flow.forget()
        trial = state.copy()
        self.flow.items("before", child, trial)
        self.flow.inner(child, trial)
        return trial

    def crossing(self, child: Node, state: State) -> Open:
        """What steps inside the child still need of other queues when it is entered from `state`."""
        self.entered(child, state)
        return self.of_others(self.flow.open)

    def of_others(self, missing: Open) -> Open:
        """Without what a step needs of its own queue."""
        queue = self.needs.instances.queue
        return {step: rest for step, bits in missing.items() if (rest := bits & ~queue(step.pipe))}

    def late_entry(self, block: BlockNode, child: Node, hazard: Hazard, state: State) -> bool:
        """Let the first flags of the loop do it: their entry sets move down behind the source."""
        source = child_in(block, hazard.source)
        for link in self.boundaries.get(child, ()):
            place: Place = ("after", source)
            if not _serves(link, hazard) or link.entry_at is None or position(link.entry_at) >= source.end:
                continue
            before, token = link.entry_at, state.tokens[link]
            self.schedule.move(link, "entry", place)
            state.tokens[link] = self.flow.behind(source, link.source)
            if not self.crossing(child, state).get(hazard.target, 0) >> hazard.source.order & 1:
                return True
            self.schedule.move(link, "entry", before)
            state.tokens[link] = token
        return False

    # Hazards from one iteration to a later one

    def carried(self, node: LoopNode) -> None:
        """Cover the hazards that the loop carries."""
        added: list[Link] = []
        for _ in range(_MOST_PASSES):
            missing = self.missing_carried(node)
            if not missing:
                break
            added.extend(self.connect_rounds(node, missing))
        if len(added) > 1:
            self.prune(added, lambda: not self.missing_carried(node))
            self.missing_carried(node)
        if self.flow.open:
            self.flow.at_step = self.bar
            self.flow.inner(node, self.around(node))
            self.flow.at_step = nothing_to_do

    def missing_carried(self, node: LoopNode) -> Open:
        self.flow.forget()
        self.flow.inner(node, self.around(node))
        return self.of_others(self.flow.open)

    def around(self, node: LoopNode) -> State:
        """Before the loop, with nothing unfinished and all its flags up."""
        state = fresh_state(node)
        state.tokens = dict.fromkeys(self.schedule.carried_by(node), Token(0, node.first))
        return state

    def connect_rounds(self, node: LoopNode, missing: Open) -> list[Link]:
        """Links for open hazards, in program order of their targets; what an added wait brings is counted at once."""
        gained: dict[Pipe, int] = {}
        added: list[Link] = []
        for target in sorted(missing, key=lambda step: step.order):
            left = missing[target] & gained.get(target.pipe, missing[target])
            while left:
                hazard = self.open_hazard(target, left)
                link = self.round_link(node, hazard)
                added.append(link)
                behind = self.flow.behind(child_in(node.body, hazard.source), link.source)
                brought = self.flow.lagged(behind, node, link.distance)
                for pipe in _ALL_PIPES if target.pipe is Pipe.S else (target.pipe,):
                    gained[pipe] = gained.get(pipe, self.needs.instances.everything) & brought
                following = left & brought
                if following == left:
                    break
                left = following
        return added

    def round_link(self, node: LoopNode, hazard: Hazard) -> Link:
        source, target = child_in(node.body, hazard.source), child_in(node.body, hazard.target)
        distance, lanes = lanes_for(hazard, waits_first=target.begin <= source.begin)
        scope: LoopNode | ForkNode = node
        if lanes == 1:
            # Outside all loops a single flag orders no more than the loop needs.
            scope = scope_around(node, self.used[hazard.source.pipe][0], self.used[hazard.target.pipe][1])
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

    # Both

    def open_hazard(self, target: Step, missing: int) -> Hazard:
        """The hazard with the newest of the missing sources; one that was found as such before any other."""
        source, loop = self.needs.newest(target, missing)
        block = loop.body if loop is not None else common_block(source, target)[0]
        node = child_in(block, source)
        for hazard in self.listed.get((target, loop), ()):
            near = block in hazard.source.blocks and child_in(block, hazard.source) is node
            if near and hazard.source.pipe is source.pipe and self.needs.bits(hazard) & missing:
                return hazard
        return self.needs.hazard(source, target, loop)

    def bar(self, step: Step, state: State) -> None:
        """A barrier before the step where it finds its own queue unfinished."""
        own = self.needs.instances.queue(step.pipe)
        missing = self.needs.under(step.order, self.flow.known) & state.pending[NUMBER[step.pipe]] & own
        if missing:
            self.schedule.add_barrier(Barrier(step.pipe, ("before", step), self.open_hazard(step, missing)))
            self.flow.bar(step.pipe, state)

    def prune(self, links: list[Link], complete: Callable[[], bool]) -> None:
        """Delete links that the others have made unnecessary."""
        for link in links:
            self.schedule.remove_link(link)
            if not complete():
                self.schedule.add_link(link)
            elif link.scope is not None:
                self.boundaries[link.scope].remove(link)


def lanes_for(hazard: Hazard, *, waits_first: bool) -> tuple[int, int]:
    """Distance and flags of a carried link: as many flags as are up at once, the distance cut to the pool."""
    extra = 0 if waits_first else 1
    limit = event_limit(hazard.source.pipe, hazard.target.pipe)
    distance = min(hazard.distance, limit - extra)
    return distance, distance + extra


def _serves(link: Link, hazard: Hazard) -> bool:
    return link.source is hazard.source.pipe and link.target is hazard.target.pipe
