"""A function of the IR, and the unit of source it was read from."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from pto_analysis.frozen import QuickEnum, frozen
from pto_analysis.ir.expr import Var
from pto_analysis.ir.stmt import Block
from pto_analysis.ir.types import Type
from pto_analysis.source.span import Origin


class Direction(QuickEnum):
    IN = "In"
    OUT = "Out"
    INOUT = "InOut"


class FunctionKind(QuickEnum):
    """The value is the DSL spelling (`pl.FunctionType.<value>`)."""

    OPAQUE = "Opaque"
    ORCHESTRATION = "Orchestration"
    INCORE = "InCore"
    AIC = "AIC"
    AIV = "AIV"
    GROUP = "Group"
    SPMD = "Spmd"
    INLINE = "Inline"
    GRAPH = "Graph"

    @property
    def is_incore(self) -> bool:
        """Whether tile rules apply to the whole body (reference: DSL section a.3)."""
        return self in (FunctionKind.INCORE, FunctionKind.AIC, FunctionKind.AIV)


@frozen(eq=False)
class Param:
    var: Var
    direction: Direction = Direction.IN


@frozen(eq=False)
class Function:
    """`qualname` is the dotted path in the module (`K.kernel`, `make.Prog.k`); `decorator` the form that made it
    a kernel ("function", "jit", "jit.incore", …)."""

    name: str
    qualname: str
    kind: FunctionKind
    params: tuple[Param, ...]
    returns: tuple[Type, ...]
    body: Block
    decorator: str = "function"
    attrs: Mapping[str, object] = field(factory=dict[str, object])
    origin: Origin | None = None
