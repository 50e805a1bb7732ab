"""The precise policy from end to end: what synchronisation a kernel needs, and no more (sync.md 7)."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.cases import find_cases
from pto_analysis.sync.dependences import PRECISE, Hazards, find_hazards
from pto_analysis.sync.events import Shortage, assign_events
from pto_analysis.sync.links import Barrier, Schedule
from pto_analysis.sync.needs import Needs, find_needs
from pto_analysis.sync.outline import Outline
from pto_analysis.sync.placement import place_precisely
from pto_analysis.sync.plan import Pool
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.remembering import uncovered
from pto_analysis.sync.spares import without_spares
from pto_analysis.sync.stock_bound import mended
from pto_analysis.sync.widening import widen


@frozen
class Solution:
    """Everything behind a plan, for questions that its public form does not answer."""

    tree: Outline
    hazards: Hazards
    needs: Needs
    schedule: Schedule
    pools: tuple[Pool, ...]
    shortages: tuple[Shortage, ...]


def solve(placed: Solution, stock: Callable[[], Schedule]) -> Solution:
    """What of a sound placement can be left out is left out, and nothing ordered beyond a sound `stock` plan, where
    that takes another plan and its event ids suffice."""
    schedule, copies = placed.schedule.copy()
    without_spares(placed.needs, schedule)
    if schedule.links or schedule.barriers:
        bounded = mended(placed.needs, placed.hazards, schedule, stock())
        pools, shortages = assign_events(placed.tree, bounded) if bounded is not None else ((), ())
        if bounded is not None and not shortages:
            return evolve(placed, schedule=bounded, pools=pools, shortages=())
    shortages = tuple(evolve(one, link=copies.get(one.link, one.link)) for one in placed.shortages)
    widen(placed.needs, schedule, shortages)
    return evolve(placed, schedule=schedule, pools=assign_events(placed.tree, schedule)[0], shortages=shortages)


def place_soundly(tree: Outline) -> Solution:
    """A sound placement that may hold a little more than is needed: most of the work of `solve` is taking that out."""
    cases = find_cases(tree)
    hazards = find_hazards(tree, PRECISE, cases.meet)
    needs = find_needs(tree, cases)
    schedule = place_precisely(tree, hazards, needs)
    pools, shortages = assign_events(tree, schedule)
    for target, missing in uncovered(needs, schedule).items():
        source, loop = needs.newest(target, missing)
        hazard = needs.hazard(source, target, loop)
        schedule.add_barrier(Barrier(Pipe.ALL, ("before", target), hazard, fallback=True))
    return Solution(tree, hazards, needs, schedule, pools, shortages)
