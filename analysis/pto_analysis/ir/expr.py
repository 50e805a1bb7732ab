"""Expressions of the tile IR. Variables are compared by identity, everything else by value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

from attrs import field, frozen

from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.types import ScalarType, TupleType, Type, UnknownType
from pto_analysis.source.span import Origin


@frozen(eq=False)
class Var:
    """A value with a name. Before SSA conversion one `Var` per source name and scope; after it, one per definition.

    Its type before conversion is that of the first definition, as in the compiler. A name that is rebound to
    another type in the block of its first definition is another `Var` of the same name from there on.
    `origin` is the defining target in the source (the parameter, the assignment's name).
    """

    name: str
    type: Type
    origin: Origin | None = None

    def __repr__(self) -> str:
        return f"Var({self.name})"


@frozen
class Const:
    """A literal. Integers are INDEX and floats FP32 unless written or retyped otherwise."""

    value: int | float | bool
    dtype: DType
    origin: Origin | None = field(default=None, eq=False)


@frozen
class Unary:
    """`op` is "-", "~" or "not"."""

    op: str
    operand: Expr
    dtype: DType
    origin: Origin | None = field(default=None, eq=False)


@frozen
class Binary:
    """Scalar arithmetic, comparison or logic.

    `op` is "+", "-", "*", "/", "//", "%", "<<", ">>", "&", "|", "^", "min", "max",
    "==", "!=", "<", "<=", ">", ">=", "and" or "or".
    """

    op: str
    left: Expr
    right: Expr
    dtype: DType
    origin: Origin | None = field(default=None, eq=False)


@frozen
class Cast:
    """`pl.cast(scalar, dtype)`."""

    operand: Expr
    dtype: DType
    origin: Origin | None = field(default=None, eq=False)


@frozen
class Tuple:
    items: tuple[Expr, ...]
    origin: Origin | None = field(default=None, eq=False)


@frozen
class TupleItem:
    value: Expr
    index: int
    type: Type
    origin: Origin | None = field(default=None, eq=False)


@frozen
class Call:
    """One operation: `op` is its IR name ("tile.load"), `args` its IR operands in signature order.

    `attrs` holds everything that is not an operand, in the order of the op's signature: enums as their
    `ir.types` members, dtypes as `DType`, numbers, strings, tuples of these.
    """

    op: str
    args: tuple[Expr, ...]
    attrs: Mapping[str, object] = field(hash=False)
    type: Type
    origin: Origin | None = field(default=None, eq=False)


@frozen
class Invoke:
    """A call of another kernel or helper: `self.f(a, b)`, `f(a, b)`, `pl.submit(self.f, …)`."""

    callee: str
    args: tuple[Expr, ...]
    attrs: Mapping[str, object] = field(hash=False)
    type: Type
    origin: Origin | None = field(default=None, eq=False)


@frozen
class Opaque:
    """An expression that is not part of the DSL or was not understood; its operands are still visible."""

    what: str
    operands: tuple[Expr, ...] = ()
    type: Type = UnknownType()
    origin: Origin | None = field(default=None, eq=False)


Expr = Union[Var, Const, Unary, Binary, Cast, Tuple, TupleItem, Call, Invoke, Opaque]

EXPRESSIONS = (Var, Const, Unary, Binary, Cast, Tuple, TupleItem, Call, Invoke, Opaque)
"""The classes of `Expr`, for `isinstance`."""


def type_of(expr: Expr) -> Type:
    """The type of an expression's value; UnknownType where the IR does not say."""
    if isinstance(expr, (Var, Call, Invoke, TupleItem, Opaque)):
        return expr.type
    if isinstance(expr, (Const, Unary, Binary, Cast)):
        return ScalarType(expr.dtype)
    return TupleType(tuple(map(type_of, expr.items)))
