"""Assignments: which variable a name is, and whether it may get a value of this type."""

from __future__ import annotations

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.typed import constant_int, type_of
from pto_analysis.ir.expr import Const, Expr, Var
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import ArrayType, Dim, ScalarType, TensorType, TileType, TupleType, Type, UnknownType
from pto_analysis.source.span import Origin

TUPLE_TEMPORARY = "_tuple_tmp"
"""The name of the variable that holds a tuple before it is unpacked."""


def bind(reading: Reading, name: str, value: Expr, target: Origin, type_: Type | None = None) -> Var:
    """Emit `name = value`. A rebinding keeps the variable, and the type of its first definition, as the compiler does.

    `type_` overrides the type of the value where an annotation says more.
    """
    own = type_ if type_ is not None else type_of(value)
    var = _variable(reading, name, own, target)
    reading.emit(Assign(var, value, reading.here()))
    reading.define(name, var)
    return var


def bind_temporary(reading: Reading, value: Expr) -> Var:
    """Emit an assignment to a fresh tuple temporary."""
    var = Var(TUPLE_TEMPORARY, type_of(value), reading.here())
    reading.emit(Assign(var, value, reading.here()))
    return var


def define_unknown(reading: Reading, name: str, why: str, target: Origin) -> Var:
    """A name that a skipped statement assigns: known to exist, nothing more."""
    existing = reading.scope.lookup(name)
    if isinstance(existing, Var) and isinstance(existing.type, UnknownType):
        return existing
    var = Var(name, UnknownType(why), target)
    reading.define(name, var)
    return var


def _variable(reading: Reading, name: str, type_: Type, target: Origin) -> Var:
    """The variable that `name` becomes when it gets a value of this type.

    A new one when the name is new, or when its type changes in the very block that defined it: nothing can
    carry the old value around then. In a block further in, the variable is shared with the code around.
    """
    existing = reading.scope.lookup(name)
    if not isinstance(existing, Var) or existing.name != name:
        return Var(name, type_, target)
    at_home = reading.is_at_home(existing)
    if reading.strict_ssa and at_home:
        reading.refuse(
            IssueKind.REBOUND_TYPE, f"`{name}` is assigned twice, which strict_ssa forbids", target, name=name
        )
    if isinstance(type_, UnknownType) or isinstance(existing.type, UnknownType):
        known_alike = isinstance(type_, UnknownType) and isinstance(existing.type, UnknownType)
        return existing if known_alike or not at_home else Var(name, type_, target)
    if same_declaration(existing.type, type_):
        return existing if not at_home or _same_metadata(existing.type, type_) else Var(name, type_, target)
    if not (reading.is_jit and at_home):
        reading.refuse(
            IssueKind.REBOUND_TYPE, f"`{name}` is rebound to a value of another kind, dtype or shape", target,
            name=name, before=existing.type, after=type_,
        )  # fmt: skip
    return Var(name, type_, target) if at_home else existing


def same_declaration(left: Type, right: Type) -> bool:
    """Whether two types agree in kind, dtype and static extents (the compiler rejects a rebinding otherwise).

    Memory space, layout and whatever is symbolic may differ.
    """
    if isinstance(left, (TileType, TensorType)):
        return (
            isinstance(right, type(left))
            and left.dtype == right.dtype
            and len(left.shape) == len(right.shape)
            and all(_may_be_same(a, b) for a, b in zip(left.shape, right.shape, strict=True))
        )
    if isinstance(left, (ScalarType, ArrayType)):
        return isinstance(right, type(left)) and left.dtype == right.dtype
    if isinstance(left, TupleType):
        return (
            isinstance(right, TupleType)
            and len(left.items) == len(right.items)
            and all(same_declaration(a, b) for a, b in zip(left.items, right.items, strict=True))
        )
    return True


def _same_metadata(left: Type, right: Type) -> bool:
    """Whether two types of one declaration agree in space, layout and valid extents too."""
    if isinstance(left, TileType) and isinstance(right, TileType):
        return left.space == right.space and left.view == right.view
    if isinstance(left, TensorType) and isinstance(right, TensorType):
        return left.view == right.view
    return True


def _may_be_same(left: Dim, right: Dim) -> bool:
    a, b = constant_int(left), constant_int(right)
    return a is None or b is None or a == b


def retyped(value: Expr, type_: Type) -> Expr:
    """An integer literal under a scalar annotation takes the annotated dtype."""
    if isinstance(value, Const) and isinstance(type_, ScalarType) and constant_int(value) is not None:
        return Const(value.value, type_.dtype, value.origin)
    return value
