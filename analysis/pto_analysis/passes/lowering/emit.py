"""Building operations: every call that the lowering makes is typed by the op table and says why it is there."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from pto_analysis.frozen import evolve
from pto_analysis.ir.expr import Call, Expr, Tuple, Var
from pto_analysis.ir.stmt import Assign, Stmt
from pto_analysis.ir.types import Shape, Space, Type
from pto_analysis.passes.lowering.tree import index_tuple
from pto_analysis.passes.lowering.typing import result_type
from pto_analysis.source.span import Origin

Attrs = Mapping[str, object]


def because(origin: Origin | None, reason: str | None) -> Origin | None:
    """The same place in the source, with the reason why the compiler put something there."""
    return origin if origin is None or reason is None else Origin(origin.statement, origin.node, reason)


def make_call(op: str, args: tuple[Expr, ...], attrs: Attrs, origin: Origin | None) -> Call:
    return Call(op, args, attrs, result_type(op, args, attrs), origin)


@define
class Emitter:
    """Collects the statements that stand in for one source operation.

    `origin` is where that operation is written; `reason` is the reason of whatever is not given one of its own.
    """

    origin: Origin | None
    reason: str | None = None
    statements: list[Stmt] = field(factory=list[Stmt])

    def call(self, op: str, *args: Expr, attrs: Attrs | None = None, why: str | None = None) -> Call:
        return make_call(op, args, attrs or {}, because(self.origin, why or self.reason))

    def bind(self, name: str, op: str, *args: Expr, attrs: Attrs | None = None, why: str | None = None) -> Var:
        """A new variable holding the result of `op`."""
        return self.name(name, self.call(op, *args, attrs=attrs, why=why))

    def name(self, name: str, value: Call) -> Var:
        var = Var(name, value.type, value.origin)
        self.statements.append(Assign(var, value, value.origin))
        return var

    def create(self, name: str, shape: Shape, dtype: object, space: Space = Space.VEC, *, why: str) -> Var:
        """A fresh tile (`shape` in elements)."""
        attrs = {"dtype": dtype, "target_memory": space}
        return self.bind(name, "tile.create", index_tuple(shape), attrs=attrs, why=why)

    def load(self, tensor: Expr, offsets: Shape, shape: Shape, valid: Shape | None, space: Space, *, why: str) -> Call:
        """A window of a tensor (`offsets` and `shape` in elements) brought on chip."""
        window: Tuple = index_tuple(shape)
        reach = window if valid is None else index_tuple(valid)
        attrs = {"target_memory": space}
        return self.call("tile.load", tensor, index_tuple(offsets), window, reach, attrs=attrs, why=why)


def retyped(var: Var, kind: Type) -> Var:
    return var if kind == var.type else evolve(var, type=kind)
