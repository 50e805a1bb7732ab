"""The precise policy from end to end: what synchronisation a kernel needs, and no more (sync.md 7)."""

from __future__ import annotations

from collections.abc import Callable

from attrs import evolve

from pto_analysis.frozen import frozen
from pto_analysis.sync.assembly import MANUAL, SINGLE, assemble, no_plan
from pto_analysis.sync.cases import find_cases
from pto_analysis.sync.dependences import PRECISE, Hazards, find_hazards
from pto_analysis.sync.events import Shortage, assign_events
from pto_analysis.sync.links import Barrier, Schedule
from pto_analysis.sync.needs import Needs, find_needs
from pto_analysis.sync.outline import Outline, outline
from pto_analysis.sync.placement import place_precisely
from pto_analysis.sync.plan import Plan, Pool
from pto_analysis.sync.program import Pipe, SyncProgram, has_manual_flags
from pto_analysis.sync.reachable import reachable
from pto_analysis.sync.remembering import uncovered
from pto_analysis.sync.scalars import scalars_of
from pto_analysis.sync.spares import without_spares
from pto_analysis.sync.stock_bound import mended


@frozen
class Solution:
    """Everything behind a plan, for questions that its public form does not answer."""

    tree: Outline
    hazards: Hazards
    needs: Needs
    schedule: Schedule
    pools: tuple[Pool, ...]
    shortages: tuple[Shortage, ...]


def plan_precise(program: SyncProgram) -> Plan:
    """Plan one program. Nothing is planned beside manual flags, nor for a single step that runs once
    (sync.md 0); in a loop it may meet itself."""
    return planned(program)[0]


def planned(program: SyncProgram, solver: Callable[[Outline], Solution] | None = None) -> tuple[Plan, Solution | None]:
    """The plan of one program with what is behind it; None where nothing is planned. `solver` defaults to `solve`."""
    if has_manual_flags(program):
        return no_plan("precise", MANUAL), None
    scalars = scalars_of(program)
    tree = outline(program, scalars, reachable(program.body, scalars))
    if len(tree.steps) < 2 and not any(step.loops for step in tree.steps):
        return no_plan("precise", SINGLE), None
    found = (solver or solve)(tree)
    return assemble("precise", found.tree, found.hazards, found.schedule, found.pools, found.shortages), found


def solve(tree: Outline) -> Solution:
    """Hazards, placement and event ids of a program, nothing in it that could be left out."""
    placed = place_soundly(tree)
    links = len(placed.schedule.links)
    without_spares(placed.needs, placed.schedule)
    bounded = _bounded(placed)
    if bounded is not None:
        return bounded
    if len(placed.schedule.links) == links:
        return placed
    return evolve(placed, pools=assign_events(tree, placed.schedule)[0])


def _bounded(placed: Solution) -> Solution | None:
    """The solution with nothing ordered beyond a sound stock plan, where that takes another plan and ids suffice."""
    if not placed.schedule.links and not placed.schedule.barriers:
        return None
    tree = placed.tree
    schedule = mended(placed.needs, placed.hazards, placed.schedule)
    if schedule is None:
        return None
    pools, shortages = assign_events(tree, schedule)
    if not shortages:
        return evolve(placed, schedule=schedule, pools=pools, shortages=())
    return evolve(placed, pools=assign_events(tree, placed.schedule)[0])


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
