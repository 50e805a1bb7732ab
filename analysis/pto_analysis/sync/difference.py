"""Where the stock assembler waits and nothing has to: the facts behind PTO501 (PTOAS #1587).

A false dependence is a pair of ops that the stock plan hands over between, although they are proved to touch
different bytes in every iteration, and that the precise plan leaves free to overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Literal

from attrs import define, field

from pto_analysis.arith.terms import Term
from pto_analysis.frozen import frozen
from pto_analysis.sync.accesses import Reach
from pto_analysis.sync.coverage import unfinished
from pto_analysis.sync.dependences import Disproved
from pto_analysis.sync.outline import Outline, Step, Touch
from pto_analysis.sync.plan import Dependence, Kind
from pto_analysis.sync.policies import Policies
from pto_analysis.sync.precise import Solution
from pto_analysis.sync.program import Alias, Location, Window
from pto_analysis.sync.slots import Ring, slot_bounds
from pto_analysis.sync.stock_alias import StockAliases, as_seen, may_alias

_LONGEST_WALK = 32

Remedy = Literal["multi-buffer", "constant-slots", "none"]
"""What avoids the wait: slots of a multi-buffer, which the assembler compares, or slots known at compile time."""


@frozen
class FalseDependence:
    """The stock assembler makes `target` wait for `source` by the item `wait` of its plan.

    `why` says what the assembler does not see, `proof` why the two never meet. `slots` are the first and the last slot
    that the one and the other may be in; empty where they are no slots.
    """

    source: str
    target: str
    source_where: Location
    target_where: Location
    region: str
    wait: str
    why: str
    proof: str
    remedy: Remedy
    slots: tuple[tuple[int, int], ...] = ()


def compare(policies: Policies) -> tuple[FalseDependence, ...]:
    """The waits of a program that only the stock assembler needs.

    What it does not see are pairs that a proof sets apart; without such a pair it is not even asked.
    """
    solution = policies.placed
    if solution is None:
        return ()
    narrow = any(_is_narrow(touch) for step in solution.tree.steps for touch in step.touches)
    if not solution.hazards.dropped and not narrow:
        return ()
    explainer = _Explainer(solution, policies.stock.aliases)
    waits = {(one.source, one.target): one for one in policies.ptoas.dependences if _hands_over(one)}
    found: dict[tuple[str, str], FalseDependence] = {}
    for apart in (*solution.hazards.dropped, *_never_meeting(solution.tree, waits)):
        key = (apart.source.op.id, apart.target.op.id)
        wait = waits.get(key)
        if wait is not None and key not in found and explainer.overlaps(apart):
            found[key] = explainer.explain(apart, wait)
    return tuple(found.values())


def _is_narrow(touch: Touch) -> bool:
    """Whether run time chooses a slot or a window among some of its ring only, which the assembler does not know."""
    return touch.reach.segments != as_seen(touch.reach).segments


def _never_meeting(tree: Outline, waits: Iterable[tuple[str, str]]) -> Iterator[Disproved]:
    """Pairs that the assembler waits between, of which one is chosen by run time and never where the other is."""
    steps: dict[str, list[Step]] = {}
    for step in tree.steps:
        steps.setdefault(step.op.id, []).append(step)
    for source, target in waits:
        for first_step, second_step in product(steps.get(source, ()), steps.get(target, ())):
            for first, second in product(first_step.touches, second_step.touches):
                if (first.write or second.write) and _meet_only_as_seen(first, second):
                    yield Disproved(first_step, second_step, _kind(first, second), first, second)


def _meet_only_as_seen(first: Touch, second: Touch) -> bool:
    if first.reach.line != second.reach.line or not (_is_narrow(first) or _is_narrow(second)):
        return False
    return may_alias(as_seen(first.reach), as_seen(second.reach)) and not may_alias(first.reach, second.reach)


def _kind(first: Touch, second: Touch) -> Kind:
    return "WAR" if not first.write else "WAW" if second.write else "RAW"


def _hands_over(dependence: Dependence) -> bool:
    return dependence.status == "synchronised" and dependence.loop is None


@define
class _Explainer:
    solution: Solution
    aliases: StockAliases
    _unfinished: dict[Step, int] = field(factory=dict["Step", int])

    def overlaps(self, dropped: Disproved) -> bool:
        """Whether the precise plan lets the two run at the same time."""
        if not self._unfinished:
            self._unfinished = unfinished(self.solution.needs, self.solution.schedule)
        return self._unfinished[dropped.target] >> dropped.source.order & 1 == 1

    def explain(self, dropped: Disproved, wait: Dependence) -> FalseDependence:
        source, target = dropped.source, dropped.target
        region = dropped.first.reach.region
        return FalseDependence(
            source.op.id,
            target.op.id,
            source.op.where,
            target.op.where,
            region,
            wait.item or "",
            self._blindness(dropped.first, dropped.second),
            _proof(dropped.first, dropped.second, self.solution.tree.program.root(region)),
            self._remedy(dropped.first, dropped.second),
            self._slots(dropped.first, dropped.second),
        )

    def _slots(self, first: Touch, second: Touch) -> tuple[tuple[int, int], ...]:
        ring = next((touch.reach.slot.ring for touch in (first, second) if touch.reach.slot is not None), None)
        return tuple(self._bounds(touch.reach, ring) for touch in (first, second)) if ring is not None else ()

    def _bounds(self, reach: Reach, ring: Ring) -> tuple[int, int]:
        """First and last slot of a ring that a reach on its line may be in."""
        if reach.slot is not None and reach.slot.ring == ring:
            return slot_bounds(reach.slot, self.solution.tree.scalars)
        low, high = reach.segments[0][0], reach.segments[-1][1]
        return (low - ring.origin) // ring.stride, (high - 1 - ring.origin) // ring.stride

    def _blindness(self, first: Touch, second: Touch) -> str:
        if first.reach.space == "gm":
            return "it takes every view of an argument for the whole argument"
        if self._is_window(first) or self._is_window(second):
            return "it takes a window at a run-time offset for its whole parent"
        return "it does not recognise the slot expressions as different"

    def _is_window(self, touch: Touch) -> bool:
        return touch.reach.slot is not None and self.aliases.slot_of(touch.handle) is None

    def _remedy(self, first: Touch, second: Touch) -> Remedy:
        indices = [self._index(touch) for touch in (first, second)]
        slots = first.reach.slot
        if slots is None or not (self._is_window(first) or self._is_window(second)):
            return "none" if first.reach.space == "gm" else "constant-slots"
        one, other = indices
        if one is None or other is None:
            return "constant-slots"
        seen = self.aliases.relation(one, other, slots.ring.count)
        return "multi-buffer" if seen == "disjoint" else "constant-slots"

    def _index(self, touch: Touch) -> Term | None:
        """The row or slot index by which the handle was made."""
        slot = self.aliases.slot_of(touch.handle)
        if slot is not None:
            return slot.index
        handle = touch.handle
        for _ in range(_LONGEST_WALK):
            bind = self.aliases.binds.get(handle)
            if bind is not None and isinstance(bind.view, Window):
                return bind.view.row
            if bind is None or not isinstance(bind.view, Alias):
                return None
            handle = bind.view.source
        return None


def _proof(first: Touch, second: Touch, root: str) -> str:
    where = root or "the buffer"
    if not may_alias(first.reach, second.reach):
        return f"their slots of {where} are never the same ones"
    if first.reach.slot is not None and second.reach.slot is not None:
        count = first.reach.slot.ring.count
        return f"their slots of {where} differ in every iteration ({count} slots)"
    return f"their byte ranges in {where} never meet"
