"""A second look at what was placed: which barriers and links does no pair of ops need?

Placement asks for whole prefixes of a queue, on every path at once. That is cheap, and now and then too much: where the
op to wait for stands in a branch or a loop that may not run, a path without it owes nothing. Here each pair of ops is
followed alone, and what none of them misses is taken out. For small programs only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pto_analysis.sync.access_log import AccessLog, Entry
from pto_analysis.sync.clocks import settled_state, start_state
from pto_analysis.sync.coverage import Flow
from pto_analysis.sync.dependences import PRECISE, Hazard, hazard_kind
from pto_analysis.sync.links import Barrier, Link, Schedule
from pto_analysis.sync.model import orders_itself
from pto_analysis.sync.outline import BlockNode, LoopNode, Outline, Step, common_block, rank_in

_MOST_WORK = 20_000
"""Steps times sources times items on trial."""


def without_spares(tree: Outline, schedule: Schedule) -> None:
    """Take out the barriers and links that no pair of ops needs."""
    if all(len(step.blocks) == 1 for step in tree.steps):
        return
    for pipe in dict.fromkeys(barrier.pipe for barrier in schedule.barriers if not barrier.fallback):
        barriers = [one for one in schedule.barriers if one.pipe is pipe and not one.fallback]
        steps = [step for step in tree.steps if step.pipe is pipe]
        _try_without(tree, schedule, barriers, steps, lambda source, target: source.pipe is target.pipe)
    links = [link for link in schedule.links if _crosses(link)]
    target_ = tree.program.target
    _try_without(
        tree,
        schedule,
        links,
        list(tree.steps),
        lambda source, target: source.pipe is not target.pipe or not orders_itself(target.pipe, target_),
    )


def _crosses(link: Link) -> bool:
    """Whether one end lies inside a loop or branch that the link stands around: only there paths differ."""
    return any(not isinstance(node, Step) for _, node in (link.set_at, link.wait_at))


def _try_without(
    tree: Outline,
    schedule: Schedule,
    items: Sequence[Barrier | Link],
    steps: list[Step],
    asked: Callable[[Step, Step], bool],
) -> None:
    if not items or len(tree.steps) * len(steps) * len(items) > _MOST_WORK:
        return
    pairs = _pairs(tree, steps, asked)
    if not _all_ordered(tree, schedule, pairs):
        return
    for item in reversed(items):
        if isinstance(item, Barrier):
            schedule.remove_barrier(item)
            if not _all_ordered(tree, schedule, pairs):
                schedule.add_barrier(item)
        else:
            schedule.remove_link(item)
            if not _all_ordered(tree, schedule, pairs):
                schedule.add_link(item)


def _pairs(tree: Outline, steps: list[Step], asked: Callable[[Step, Step], bool]) -> list[Hazard]:
    """Every hazard between two of the steps that is asked about."""
    found: list[Hazard] = []
    for source in steps:
        log = AccessLog()
        for touch in source.touches:
            log.add(Entry(source.begin, source, touch))
        for target in steps:
            if asked(source, target):
                found.extend(_between(tree, log, source, target))
    return found


def _between(tree: Outline, log: AccessLog, source: Step, target: Step) -> list[Hazard]:
    found: list[Hazard] = []
    block, one, other = common_block(source, target)
    follows = source.begin < target.begin and one is not other and source.op is not target.op
    for touch in target.touches:
        for _, entry in log.over(touch.reach):
            kind = hazard_kind(entry, target, touch)
            if kind is None:
                continue
            if follows and not PRECISE.apart(entry.touch, touch, tree.scalars):
                found.append(Hazard(source, target, kind, entry.touch, touch, rank_in(block, source)))
            for loop in source.loops:
                if loop in target.loops:
                    judged = PRECISE.distance(entry.touch, touch, loop, tree.scalars)
                    if judged is not None and not (loop.most is not None and judged[0] >= loop.most):
                        rank = rank_in(loop.body, source)
                        found.append(Hazard(source, target, kind, entry.touch, touch, rank, loop, judged[0]))
    return found


def _all_ordered(tree: Outline, schedule: Schedule, pairs: list[Hazard]) -> bool:
    """Whether every pair is ordered, its source followed alone from the block or loop that holds both."""
    runs: dict[tuple[Step, BlockNode | LoopNode], Flow] = {}
    for pair in pairs:
        place = pair.loop if pair.loop is not None else common_block(pair.source, pair.target)[0]
        flow = runs.get((pair.source, place))
        if flow is None:
            flow = runs[pair.source, place] = Flow(schedule, tree.program.target, only=pair.source)
            if isinstance(place, LoopNode):
                flow.inner(place, settled_state(place, schedule))
            else:
                flow.block(place, start_state(place))
        if not flow.covers(pair):
            return False
    return True
