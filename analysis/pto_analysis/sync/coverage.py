"""What each queue may still find unfinished: happens-before as a dataflow over the structured program.

For each queue the state holds the instances (see `sync.instances`) that are not known to be complete before the
queue's next op starts. An op adds itself for every queue, a barrier takes its queue's ops away, a wait leaves what was
unfinished when the flag was set or has been issued since, and where paths meet, what either leaves unfinished is.

Every step of this only ever adds when it is given more, so a loop is solved from below: its rounds are followed until
none leaves more behind than the rounds before. Loops inside it need no rounds of their own, they take part in those.

A block whose conditions decide more than once is followed for each of their `cases`, so that paths which no run takes
count for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import define, field

from pto_analysis.arith.linear import Linear
from pto_analysis.sync.cases import Case
from pto_analysis.sync.instances import NOTHING, NUMBER, QUEUE_COUNT, Instances, between
from pto_analysis.sync.links import Barrier, Item, Link, Schedule, Side
from pto_analysis.sync.model import orders_itself
from pto_analysis.sync.needs import Needs
from pto_analysis.sync.outline import BarrierNode, BlockNode, ForkNode, LoopNode, Node, Step
from pto_analysis.sync.program import Pipe, Target
from pto_analysis.sync.states import NO_BACK, NOTHING_LEFT, Back, Entry, State, Token, any_of, either, fresh_state, join

Turns = tuple[int, ...]
"""Which case of each block around is followed, outermost first."""


def nothing_to_do(_step: Step, _state: State) -> None:
    """The default of `Flow.at_step`."""


@define
class Flow:
    """Runs the dataflow over blocks of a scheduled program.

    `open[step]` are the instances that the step needs and does not wait for; `ends[node]` is what each queue may find
    unfinished behind a node. `at_step` is called before each step and may add a barrier in front of it.
    """

    schedule: Schedule
    needs: Needs
    target: Target
    open: dict[Step, int] = field(factory=dict["Step", int])
    ends: dict[Node, list[int]] = field(factory=dict["Node", "list[int]"])
    at_step: Callable[[Step, State], None] = nothing_to_do
    _instances: Instances = field(init=False)
    _backs: dict[tuple[LoopNode, Turns, int | None], Back] = field(
        factory=dict["tuple[LoopNode, Turns, int | None]", Back]
    )
    _lanes: dict[Link, tuple[int, int]] = field(factory=dict["Link", "tuple[int, int]"])
    _known: Case = field(factory=dict[Linear, bool])
    _turns: Turns = ()
    _solving: bool = False
    _grown: bool = False

    def __attrs_post_init__(self) -> None:
        self._instances = self.needs.instances

    @property
    def known(self) -> Case:
        """The conditions that are known to come out so just now."""
        return self._known

    @property
    def turns(self) -> Turns:
        """Which cases are followed just now."""
        return self._turns

    def behind(self, node: Node, pipe: Pipe) -> Token:
        """What a flag of that queue, set right behind the node, would carry."""
        return Token(self.ends[node][NUMBER[pipe]] & ~self._instances.queue(pipe), node.stop)

    def lagged(self, token: Token, loop: LoopNode, rounds: int) -> int:
        """What a flag set in the body is seen to carry at the begin of the body, `rounds` iterations later."""
        unfinished = self._instances.aged(token.seen(loop.stop), loop, rounds)
        return unfinished | self._instances.younger(loop, rounds)

    def forget(self) -> None:
        """To be called before a run from another place, or with other items: what was solved no longer holds."""
        self._backs.clear()
        self._lanes.clear()
        self.open.clear()

    def block(self, block: BlockNode, state: State) -> None:
        """A block with the items inside it, once for each case of its conditions."""
        cases = self.needs.cases.of.get(block)
        if cases is None:
            self._block(block, state)
            return
        behind = [state.copy() for _ in cases]
        self._each(block, range(len(cases)), lambda turn: self._case(block, turn, behind[turn]))
        join(behind, state)

    def _each(self, block: BlockNode, turns: Iterable[int], follow: Callable[[int], None]) -> None:
        """Follow a block several times; `ends` is what any of the times leaves."""
        ends: dict[Node, list[int]] = {}
        for turn in turns:
            follow(turn)
            for child in block.children:
                ends[child] = either(ends[child], self.ends[child]) if child in ends else self.ends[child]
        self.ends.update(ends)

    def _case(self, block: BlockNode, turn: int, state: State) -> None:
        """A block in one case of its conditions."""
        known, turns = self._known, self._turns
        self._known, self._turns = {**known, **self.needs.cases.of[block][turn]}, (*turns, turn)
        self._block(block, state)
        self._known, self._turns = known, turns

    def _block(self, block: BlockNode, state: State) -> None:
        self.items("begin", block, state)
        for child in block.children:
            self.node(child, state)
        self.items("end", block, state)

    def _outcome(self, node: ForkNode | LoopNode) -> bool | None:
        """How the node's condition comes out in the case that is followed, None where it may come out either way."""
        condition = self.needs.cases.conditions.get(node)
        return None if condition is None else self._known.get(condition)

    def _inside(
        self, node: ForkNode | LoopNode, outcome: bool, block: BlockNode, state: State, case: int | None = None
    ) -> None:
        """A block that only runs where the node's condition comes out so, in one case or in all."""
        condition, known = self.needs.cases.conditions.get(node), self._known
        if condition is not None and condition not in known:
            self._known = {**known, condition: outcome}
        if case is None:
            self.block(block, state)
        else:
            self._case(block, case, state)
        self._known = known

    def node(self, node: Node, state: State) -> None:
        """One child of a block with the items around it."""
        if ("before", node) in self.schedule.places:
            self.items("before", node, state)
        self.inner(node, state)
        self.leave(node, state)

    def leave(self, node: Node, state: State) -> None:
        """Behind a node that has been followed, with the items there."""
        self.ends[node] = state.pending
        if ("after", node) in self.schedule.places:
            self.items("after", node, state)

    def within(self) -> Flow:
        """A flow of its own for what lies inside the place that this one has come to."""
        flow = Flow(self.schedule, self.needs, self.target)
        flow._lanes.update(self._lanes)
        flow._known, flow._turns = self._known, self._turns
        return flow

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
        for item in self.schedule.at(side, node):
            self.item(item, state)

    def item(self, item: Item, state: State) -> None:
        part, owner = item
        if isinstance(owner, Barrier):
            self.bar(owner.pipe, state)
        elif part in ("wait", "exit"):
            state.join(owner.target, self.arriving(item, state))
            if part == "exit" or owner.loop is None or owner.circulates:
                state.tokens.pop(owner, None)
        else:
            unfinished = state.pending[NUMBER[owner.source]] & ~self._instances.queue(owner.source)
            state.tokens[owner] = Token(unfinished, state.now)

    def arriving(self, item: Item, state: State) -> int:
        """What is unfinished behind a wait or barrier: for a wait, what the flag that it meets was set with, in this
        iteration, or `distance` earlier, or at the entry."""
        part, link = item
        if isinstance(link, Barrier):
            return NOTHING if link.pipe is Pipe.ALL else ~self._instances.queue(link.pipe)
        if part == "exit" or link.loop is None or link.circulates:
            return self._carried(link, state)
        everything = self._instances.everything
        entry, lane = self._lanes.get(link, (everything, everything))
        lane = self._instances.aged(lane, link.loop, link.distance)
        return entry | lane | self._instances.younger(link.loop, link.distance) | between(link.loop.first, state.now)

    def bar(self, pipe: Pipe, state: State) -> None:
        """A barrier: later ops of the queue (of every queue, for ALL) find all earlier ones complete."""
        if pipe is Pipe.ALL:
            state.pending = [NOTHING] * QUEUE_COUNT
            return
        number, pending = NUMBER[pipe], state.pending
        rest = pending[number] & ~self._instances.queue(pipe)
        state.pending = [*pending[:number], rest, *pending[number + 1 :]]

    def _barrier(self, node: BarrierNode, state: State) -> None:
        self.bar(node.pipe, state)

    def _step(self, step: Step, state: State) -> None:
        if self.at_step is not nothing_to_do:
            self.at_step(step, state)
        number, bit = NUMBER[step.pipe], 1 << step.order
        mine = state.pending[number]
        missing = mine & self.needs.under(step.order, self._known)
        if missing:
            self.open[step] = self.open.get(step, NOTHING) | missing
        state.pending = state.pending.copy()
        for other in self._instances.numbers:
            state.pending[other] |= bit
        if orders_itself(step.pipe, self.target):
            state.pending[number] = mine
        state.now = step.stop

    def _fork(self, node: ForkNode, state: State) -> None:
        outcome = self._outcome(node)
        known = state.tokens.items() if node.inner else ()
        mine = {link: token for link, token in known if link.loop and link.loop.id in node.inner}
        ends: list[State] = []
        for arm, taken in zip(node.arms, (True, False), strict=True):
            if outcome is not None and taken is not outcome:
                continue
            tokens = {link: Token(token.seen(node.first), arm.first) for link, token in mine.items()}
            one = State(state.start, arm.first, state.pending, tokens)
            self._inside(node, taken, arm, one)
            ends.append(one)
        state.now = node.stop
        state.pending = ends[0].pending if len(ends) == 1 else either(ends[0].pending, ends[1].pending)
        for link in ends[0].tokens:
            met = [one.tokens[link].seen(one.now) for one in ends if link in one.tokens]
            if len(met) == len(ends):
                state.tokens[link] = Token(any_of(met), node.stop)

    # Loops

    def _carried(self, link: Link, state: State) -> int:
        """What a flag carries. One that stays up across loops may have been set before all that is followed here."""
        token = state.tokens.get(link)
        if token is None:
            return between(state.start, state.now) if link.circulates else self._instances.everything
        return token.seen(state.now)

    def _loop(self, node: LoopNode, state: State) -> None:
        """Go through a loop round by round until no round leaves more behind."""
        if self._solving:
            self._round(node, state)
            return
        self._solving = True
        while True:
            self._grown = False
            trial = self._entry(node, state)
            self._round(node, trial)
            if not self._grown:
                break
        self._solving = False
        state.now, state.pending = trial.now, trial.pending
        state.tokens.update(trial.tokens)

    def _entry(self, node: LoopNode, state: State) -> State:
        """What a loop asks for of the state before it: of the flags, those that are up through its rounds."""
        known = state.tokens
        tokens = {link: known[link] for link in self.schedule.carried_by(node) if link in known}
        return State(state.start, state.now, state.pending, tokens)

    def _round(self, node: LoopNode, state: State) -> None:
        """One round, begun with what the entry and the rounds before leave; then out of the loop."""
        mine = self.schedule.carried_by(node)
        entries = {link: self._carried(link, state) for link in mine}
        if self._outcome(node) is False:
            state.tokens.update({link: Token(bits, node.stop) for link, bits in entries.items()})
            state.now = node.stop
            return
        body = self._rounds(node, state, entries)
        ended = {link: self._carried(link, body) for link in mine}
        self._leave(node, state, body, entries, ended)

    def _rounds(self, node: LoopNode, state: State, entries: dict[Link, int]) -> State:
        """Behind the last round. Kinds of rounds that are told apart are followed one after the other."""
        rounds, outcome = self.needs.cases.rounds.get(node), self._known.get
        if rounds is None:
            body = self._follow(node, state, Entry(state.pending, entries), None)
            self._keep(node, body, entries, (None,))
            return body
        kinds = rounds.reachable(outcome)
        ends: list[State] = []

        def follow(kind: int) -> None:
            entry = Entry(state.pending, entries)
            body = self._follow(node, state, entry if rounds.first(kind) else entry.passed(), kind)
            self._keep(node, body, entries, [other for other in kinds if rounds.follows(kind, other, outcome)])
            if rounds.ends(kind, outcome):
                ends.append(body)

        self._each(node.body, kinds, follow)
        last = ends[0].copy()
        join(ends, last)
        return last

    def _follow(self, node: LoopNode, state: State, entry: Entry, kind: int | None) -> State:
        """Behind a round, the first one or a later one."""
        return self._one_round(node, state, entry.joined(self._back(node, kind).pending), self._back(node, kind), kind)

    def _back(self, node: LoopNode, kind: int | None) -> Back:
        return self._backs.get((node, self._turns, kind), NOTHING_LEFT)

    def _one_round(self, node: LoopNode, state: State, entry: Entry, back: Back, kind: int | None) -> State:
        """Behind a round that finds these steps unfinished, and what flags carry from the entry and earlier rounds."""
        body = State(state.start, node.first, entry.pending)
        lanes = self._back(node, None).tokens if back is not NO_BACK else back.tokens
        for link, bits in entry.tokens.items():
            if link.circulates:
                body.tokens[link] = Token(bits | back.tokens.get(link, NOTHING), node.first)
            else:
                self._lanes[link] = (bits, lanes.get(link, NOTHING))
        self._inside(node, True, node.body, body, kind)
        return body

    def _keep(self, node: LoopNode, body: State, links: Iterable[Link], kinds: Iterable[int | None]) -> None:
        """Add what the round leaves to what is known to be left for rounds of these kinds."""
        pending = self._instances.aged_each(body.pending, node)
        up: dict[Link, int] = {}
        lanes: dict[Link, int] = {}
        for link in links:
            left = self._carried(link, body)
            if link.circulates:
                up[link] = self._instances.aged(left, node)
            else:
                lanes[link] = left
        for kind in kinds:
            self._add(node, kind, pending, up)
        if lanes:
            # Flags with lanes age when they are waited for, by rounds of whatever kind.
            self._add(node, None, [], lanes)

    def _add(self, node: LoopNode, kind: int | None, pending: list[int], tokens: dict[Link, int]) -> None:
        back = self._back(node, kind)
        known = back.tokens
        later = either(back.pending, pending) if pending else back.pending
        more = {link: known.get(link, NOTHING) | bits for link, bits in tokens.items()}
        if later != back.pending or any(known.get(link) != bits for link, bits in more.items()):
            self._grown = True
            self._backs[node, self._turns, kind] = Back(later, {**known, **more})

    def _leave(
        self, node: LoopNode, state: State, body: State, entries: dict[Link, int], ended: dict[Link, int]
    ) -> None:
        """Behind the loop: what the last round leaves, and the entry where the loop may run no round at all."""
        left, skipped = self._instances.left, node.least == 0 and self._outcome(node) is not True
        pending = self._instances.left_each(body.pending, node)
        state.pending = either(pending, state.pending) if skipped else pending
        for link, bits in ended.items():
            bits = left(bits, node)
            state.tokens[link] = Token(bits | entries[link] if skipped else bits, node.stop)
        state.now = node.stop


def unfinished(needs: Needs, schedule: Schedule) -> dict[Step, int]:
    """What each step may find unfinished when it starts."""
    found: dict[Step, int] = {}

    def note(step: Step, state: State) -> None:
        found[step] = found.get(step, NOTHING) | state.pending[NUMBER[step.pipe]]

    tree = needs.tree
    flow = Flow(schedule, needs, tree.program.target, at_step=note)
    flow.block(tree.root, fresh_state(tree.root))
    return found
