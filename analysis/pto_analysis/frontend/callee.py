"""What a call site needs to know of the kernel it calls."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from pto_analysis.ir.function import Direction, FunctionKind
from pto_analysis.ir.types import Type


@frozen
class CalleeParam:
    name: str
    type: Type
    direction: Direction


@frozen(eq=False)
class Callee:
    """A kernel as seen from outside. `returns` reads the body when nothing is declared, so it is asked last."""

    name: str
    params: tuple[CalleeParam, ...]
    kind: FunctionKind
    returns: Callable[[], tuple[Type, ...] | None]
    """The result types; None when they are not known."""
