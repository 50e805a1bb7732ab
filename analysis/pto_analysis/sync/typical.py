"""A run that shows a kernel at work: loops long enough to see their steady state, branches taken."""

from __future__ import annotations

from attrs import field

from pto_analysis.arith.terms import Symbol
from pto_analysis.frozen import frozen
from pto_analysis.sync.program import SyncProgram
from pto_analysis.sync.verify import loop_symbols

_ROUNDS = 5


def typical_arguments(program: SyncProgram) -> dict[str, int]:
    """Values for the scalar arguments: five rounds for what bounds a loop, 1 for the rest, within their limits."""
    bounds = loop_symbols(program)
    found: dict[str, int] = {}
    for argument in program.arguments:
        value = _ROUNDS if argument.symbol.name in bounds else 1
        low = argument.lower if argument.lower is not None else value
        high = argument.upper if argument.upper is not None else value
        found[argument.symbol.name] = min(max(value, low), max(high, low))
    return found


@frozen(eq=False)
class Typical:
    """Branches are taken, loops that nothing bounds run three more rounds."""

    _asked: dict[int, int] = field(factory=dict[int, int])

    def branch(self, line: int) -> bool:
        count = self._asked.get(line, 0)
        self._asked[line] = count + 1
        return count % 4 != 3

    def value(self, symbol: Symbol) -> int | None:
        return 1 if symbol.bits == 1 else 0
