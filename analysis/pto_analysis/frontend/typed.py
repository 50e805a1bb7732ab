"""The type of an expression."""

from __future__ import annotations

from typing import TypeGuard

from pto_analysis.ir.expr import Binary, Call, Cast, Const, Expr, Invoke, Opaque, Tuple, TupleItem, Unary, Var
from pto_analysis.ir.types import ScalarType, TupleType, Type


def type_of(expr: Expr) -> Type:
    if isinstance(expr, (Var, Call, TupleItem, Invoke, Opaque)):
        return expr.type
    if isinstance(expr, (Const, Unary, Binary, Cast)):
        return ScalarType(expr.dtype)
    assert isinstance(expr, Tuple)
    return TupleType(tuple(type_of(item) for item in expr.items))


def constant_int(value: object) -> int | None:
    """The value of an int or an integer literal; None for everything else (a bool is not an int here)."""
    if isinstance(value, Const):
        value = value.value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return None


_EXPRESSIONS = (Var, Const, Unary, Binary, Cast, Tuple, TupleItem, Call, Invoke, Opaque)


def is_expr(value: object) -> TypeGuard[Expr]:
    """Whether a value read from source is an expression of the IR (and not a dtype, enum member, string, …)."""
    return isinstance(value, _EXPRESSIONS)
