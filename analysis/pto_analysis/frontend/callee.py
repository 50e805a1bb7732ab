"""What a call site needs to know of the kernel it calls."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.frozen import frozen
from pto_analysis.ir.function import Direction, FunctionKind
from pto_analysis.ir.types import Type


@frozen
class CalleeParam:
    name: str
    type: Type
    direction: Direction


@frozen(eq=False)
class Callee:
    """A kernel as seen from outside.

    `returns` gives the result types, None when they are not known; it reads the body when nothing is declared, so
    it is asked last. `returned` are the positions of the parameters that are returned as they are, when all are.
    """

    name: str
    params: tuple[CalleeParam, ...]
    kind: FunctionKind
    returns: Callable[[], tuple[Type, ...] | None]
    returned: tuple[int, ...] | None = None
