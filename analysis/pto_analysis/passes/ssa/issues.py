"""What SSA conversion finds wrong, as data."""

from __future__ import annotations

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Var
from pto_analysis.source.span import Origin


@frozen
class UseBeforeDefinition:
    """A variable is read where some path has not defined it (the compiler's UseAfterDef check).

    `origin` is the reading statement, None for the path around a loop that never runs: then the loop assigns
    `var` and the code after it reads it, but nothing defines it when there is no iteration.
    """

    var: Var
    origin: Origin | None
    zero_trip: bool = False
