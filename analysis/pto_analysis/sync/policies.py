"""Both policies for one program: the waits that it needs, and those that the stock assembler inserts."""

from __future__ import annotations

from functools import cached_property

from pto_analysis.arith.scalars import Scalars
from pto_analysis.frozen import frozen
from pto_analysis.sync.assembly import MANUAL, SINGLE, assemble, no_plan
from pto_analysis.sync.outline import outline
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.precise import Solution, place_soundly, solve
from pto_analysis.sync.program import SyncProgram, has_manual_flags
from pto_analysis.sync.reachable import reachable
from pto_analysis.sync.scalars import scalars_of
from pto_analysis.sync.stock import StockSolution, place_like_stock


@frozen(eq=False, slots=False)
class Policies:
    """The plans of one program and what is behind them, each worked out when it is first asked for.

    Nothing is planned beside manual flags, nor for a single step that runs once (sync.md 0); in a loop it may meet
    itself.
    """

    program: SyncProgram

    @cached_property
    def precise(self) -> Plan:
        """What is needed."""
        return self._plan(self.placed and solve(self.placed, lambda: self.stock.schedule))

    @cached_property
    def sound(self) -> Plan:
        """The plan of `placed`, which may hold more than is needed and takes less time."""
        return self._plan(self.placed)

    @cached_property
    def ptoas(self) -> Plan:
        """What the stock assembler inserts."""
        return no_plan("ptoas", MANUAL) if self._is_manual else self.stock.plan()

    @cached_property
    def placed(self) -> Solution | None:
        """A sound placement that may hold more than is needed; None where nothing is planned."""
        if self._is_manual:
            return None
        tree = outline(self.program, self._scalars, reachable(self.program.body, self._scalars))
        if len(tree.steps) < 2 and not any(step.loops for step in tree.steps):
            return None
        return place_soundly(tree)

    @cached_property
    def stock(self) -> StockSolution:
        return place_like_stock(self.program, self._scalars)

    @cached_property
    def _is_manual(self) -> bool:
        return has_manual_flags(self.program)

    @cached_property
    def _scalars(self) -> Scalars:
        return scalars_of(self.program)

    def _plan(self, found: Solution | None) -> Plan:
        if found is None:
            return no_plan("precise", MANUAL if self._is_manual else SINGLE)
        return assemble("precise", found.tree, found.hazards, found.schedule, found.pools, found.shortages)


def plan_precise(program: SyncProgram) -> Plan:
    """What one program needs."""
    return Policies(program).precise


def plan_stock(program: SyncProgram) -> Plan:
    """What the stock assembler inserts into one program."""
    return Policies(program).ptoas
