"""A second look at what was placed: which barriers and links does no step need?

Placement goes block by block, and what it places later may do what was placed before. Most items are seen to be needed
where they stand: without them the very next step, or one inside the next loop or branch, starts too early. The others
are taken out on trial, all at once, and in halves where that leaves a step open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

from attrs import define, field

from pto_analysis.sync.coverage import Flow, State, fresh_state, uncovered
from pto_analysis.sync.instances import NUMBER
from pto_analysis.sync.links import Barrier, Item, Link, Schedule, Side
from pto_analysis.sync.needs import Needs
from pto_analysis.sync.outline import BlockNode, Node, Step
from pto_analysis.sync.program import Pipe

Owner = Union[Link, Barrier]


def without_spares(needs: Needs, schedule: Schedule) -> None:
    """Take out the barriers and links that no step needs."""
    needed = _seen_to_be_needed(needs, schedule)
    barriers = [one for one in schedule.barriers if not one.fallback and one not in needed]
    links = [one for one in schedule.links if one not in needed]
    _try_without([*reversed(barriers), *reversed(links)], needs, schedule)


def _try_without(items: Sequence[Owner], needs: Needs, schedule: Schedule) -> None:
    """Take out as many of the items as possible, those in front first."""
    if not items:
        return
    for item in items:
        schedule.remove(item)
    if not uncovered(needs, schedule):
        return
    for item in items:
        schedule.add(item)
    if len(items) > 1:
        middle = len(items) // 2
        _try_without(items[:middle], needs, schedule)
        _try_without(items[middle:], needs, schedule)


def _seen_to_be_needed(needs: Needs, schedule: Schedule) -> dict[Owner, None]:
    root = needs.tree.root
    witness = _Witness(schedule, needs, needs.tree.program.target)
    witness.block(root, fresh_state(root))
    # Loops are solved now; one more run comes to every place with all that may be unfinished there.
    witness.watching = True
    witness.block(root, fresh_state(root))
    return witness.needed


@define
class _Witness(Flow):
    """Follows the schedule and looks at every item once more without it."""

    watching: bool = False
    needed: dict[Owner, None] = field(factory=dict["Owner", None])

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
            unfinished = state.pending[NUMBER[node.pipe]] & self.needs.of[node.order]
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
