"""A second look at what was placed: which barriers and links does no step need?

Placement goes block by block, and what it places later may do what was placed before. Most items are seen to be needed
where they stand: without them the very next step, or one inside the next loop or branch, starts too early. The others
are taken out on trial, all at once, and in halves where that leaves a step open. Every trial follows the whole program,
so stretches that are far apart are tried together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

from attrs import define, field

from pto_analysis.sync.coverage import Flow
from pto_analysis.sync.instances import NUMBER
from pto_analysis.sync.links import Barrier, Item, Link, Schedule, Side
from pto_analysis.sync.needs import Needs
from pto_analysis.sync.outline import BlockNode, LoopNode, Node, Step
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.remembering import uncovered
from pto_analysis.sync.states import State, fresh_state

Owner = Union[Link, Barrier]

_STRETCH = 32
"""Steps that are looked at together."""

_MOST_GUESSES = 4
"""How often it is guessed who left a step open, before all are put back."""

_FAR = 1 << 62


def without_spares(needs: Needs, schedule: Schedule) -> None:
    """Take out the barriers and links that no step needs."""
    try_without([*reversed(schedule.barriers), *reversed(schedule.links)], needs, schedule)


def try_without(items: Sequence[Owner], needs: Needs, schedule: Schedule, trials: int = 1 << 30) -> int:
    """Take out those of the items that no step needs, preferring those in front; gives the trials that are left.

    What has been given up for want of event ids stays.
    """
    spare = [one for one in items if not (isinstance(one, Barrier) and one.fallback)]
    trial = _Trial(needs, schedule, trials)
    needed = _seen_to_be_needed(needs, schedule)
    trial.apart([item for item in spare if item not in needed])
    doubtful = [item for item in spare if item in schedule and item not in needed]
    if doubtful:
        needed = _seen_to_be_needed(needs, schedule)
    for item in doubtful:
        # Together with others it may have been put back for what another left open.
        if item not in needed:
            trial.alone(item)
    return trial.left


@define
class _Trial:
    """Takes items out and puts them back where a step is left open; `left` is how often that may be tried."""

    needs: Needs
    schedule: Schedule
    left: int

    def apart(self, items: Sequence[Owner]) -> None:
        """Take items out in all stretches of the program at once; in halves where a step there is left open."""
        stretches: dict[int, list[Owner]] = {}
        for item in items:
            stretches.setdefault(_first_step(item) // _STRETCH, []).append(item)
        waiting = list(stretches.values())
        while waiting and self.left > 0:
            waiting = [half for group in self.failing(waiting) for half in _halves(group)]

    def failing(self, groups: list[list[Owner]]) -> list[list[Owner]]:
        """Take the groups out; those that are put back again."""
        out = dict(enumerate(groups))
        for group in groups:
            self.remove(group)
        back: list[list[Owner]] = []
        for attempt in range(_MOST_GUESSES):
            missing = self.missing()
            if not missing:
                return back
            blamed = {_nearest(out, step) for step in missing} if attempt + 1 < _MOST_GUESSES else set(out)
            for number in blamed:
                back.append(out.pop(number))
                self.restore(back[-1])
            if not out:
                return back
        return back

    def alone(self, item: Owner) -> None:
        if self.left > 0:
            self.remove([item])
            if self.missing():
                self.restore([item])

    def missing(self) -> dict[Step, int]:
        self.left -= 1
        return uncovered(self.needs, self.schedule)

    def remove(self, items: Sequence[Owner]) -> None:
        for item in items:
            self.schedule.remove(item)

    def restore(self, items: Sequence[Owner]) -> None:
        for item in items:
            self.schedule.add(item)


def _halves(group: list[Owner]) -> list[list[Owner]]:
    middle = len(group) // 2
    return [group[:middle], group[middle:]] if middle else []


def _first_step(item: Owner) -> int:
    """The first step that the item holds back."""
    _, node = item.wait_at if isinstance(item, Link) else item.at
    return node.first


def _nearest(groups: dict[int, list[Owner]], step: Step) -> int:
    """The group with an item that stands before the step and near it."""
    return min(groups, key=lambda number: min((step.order - _first_step(one)) % _FAR for one in groups[number]))


def _seen_to_be_needed(needs: Needs, schedule: Schedule) -> dict[Owner, None]:
    root = needs.tree.root
    witness = _Witness(schedule, needs, needs.tree.program.target)
    witness.block(root, fresh_state(root))
    return witness.needed


@define
class _Witness(Flow):
    """Follows the schedule and looks at every item once more without it, in loops when they are solved: then it comes
    to every place with all that may be unfinished there."""

    watching: bool = True
    needed: dict[Owner, None] = field(factory=dict["Owner", None])

    def _loop(self, node: LoopNode, state: State) -> None:
        if self._solving:
            super()._loop(node, state)
            return
        entry = self._entry(node, state)
        self.watching = False
        super()._loop(node, state)
        self.watching = self._solving = True
        self._round(node, entry)
        self._solving = False

    def items(self, side: Side, node: Node | BlockNode, state: State) -> None:
        if self.watching and side == "before" and not isinstance(node, BlockNode):
            self._watch(node, state)
        super().items(side, node, state)

    def _watch(self, node: Node, state: State) -> None:
        here = self.schedule.at("before", node)
        for item in here:
            part, owner = item
            if part in ("wait", "exit", "barrier") and owner not in self.needed:
                others = [other for other in here if other is not item]
                if self._opens(node, others, state):
                    self.needed[owner] = None

    def _opens(self, node: Node, others: Sequence[Item], state: State) -> bool:
        """Whether a step of the node starts too early with only the other items in front of it."""
        if isinstance(node, Step):
            unfinished = state.pending[NUMBER[node.pipe]] & self.needs.under(node.order, self.known)
            for item in others:
                if _holds_back(item, node.pipe):
                    unfinished &= self.arriving(item, state)
            return unfinished != 0
        flow, trial = self.within(), state.copy()
        for item in others:
            flow.item(item, trial)
        flow.inner(node, trial)
        return bool(flow.open)


def _holds_back(item: Item, pipe: Pipe) -> bool:
    part, owner = item
    if isinstance(owner, Barrier):
        return owner.pipe in (pipe, Pipe.ALL)
    return part in ("wait", "exit") and owner.target in (pipe, Pipe.S)
