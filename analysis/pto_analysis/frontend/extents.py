"""Extents of windows: `upper - lower`, simplified as far as the compiler's parser simplifies it."""

from __future__ import annotations

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Binary, Const, Expr, Unary, Var
from pto_analysis.ir.types import Dim
from pto_analysis.source.span import Origin


@frozen
class _Linear:
    """`constant` plus the sum of coefficient times term, terms in order of appearance."""

    constant: int
    terms: dict[object, tuple[int, Expr]]


def difference(upper: Dim, lower: Dim, origin: Origin) -> Dim:
    """`upper - lower` as a number when the symbolic parts cancel, else as an expression."""
    high, low = constant_int(upper), constant_int(lower)
    if high is not None and low is not None:
        return high - low
    total = _sum(_linear(upper), _linear(lower), -1)
    return total.constant if not total.terms else _expression(total, origin)


def minimum(left: Dim, right: Dim, origin: Origin) -> Dim:
    a, b = constant_int(left), constant_int(right)
    if a is not None and b is not None:
        return min(a, b)
    return Binary("min", as_expr(left, origin), as_expr(right, origin), INDEX, origin)


def floored_difference(upper: Dim, lower: Dim, origin: Origin) -> Dim:
    """`max(upper - lower, 0)`."""
    extent = difference(upper, lower, origin)
    known = constant_int(extent)
    if known is not None:
        return max(known, 0)
    return Binary("max", as_expr(extent, origin), Const(0, INDEX, origin), INDEX, origin)


def same_extent(left: Dim, right: Dim) -> bool:
    """Whether two extents are plainly the same: equal numbers or one and the same expression."""
    a, b = constant_int(left), constant_int(right)
    if a is not None and b is not None:
        return a == b
    return left is right


def as_expr(dim: Dim, origin: Origin | None) -> Expr:
    return Const(dim, INDEX, origin) if isinstance(dim, int) else dim


def as_dim(expr: Expr) -> Dim:
    """An expression as an extent: literals become plain numbers."""
    known = constant_int(expr)
    return expr if known is None else known


def _linear(dim: Dim) -> _Linear:
    known = constant_int(dim)
    if known is not None:
        return _Linear(known, {})
    assert not isinstance(dim, int)
    if isinstance(dim, Binary):
        if dim.op in ("+", "-"):
            return _sum(_linear(dim.left), _linear(dim.right), 1 if dim.op == "+" else -1)
        if dim.op == "*":
            left, right = _linear(dim.left), _linear(dim.right)
            if not left.terms:
                return _scaled(right, left.constant)
            if not right.terms:
                return _scaled(left, right.constant)
    if isinstance(dim, Unary) and dim.op == "-":
        return _scaled(_linear(dim.operand), -1)
    return _Linear(0, {_key(dim): (1, dim)})


def _sum(left: _Linear, right: _Linear, sign: int) -> _Linear:
    terms = dict(left.terms)
    for key, (coefficient, expr) in right.terms.items():
        total = terms.get(key, (0, expr))[0] + sign * coefficient
        if total:
            terms[key] = (total, expr)
        else:
            terms.pop(key, None)
    return _Linear(left.constant + sign * right.constant, terms)


def _scaled(value: _Linear, factor: int) -> _Linear:
    if factor == 0:
        return _Linear(0, {})
    return _Linear(value.constant * factor, {k: (c * factor, e) for k, (c, e) in value.terms.items()})


def _key(expr: Expr) -> object:
    """Equal for expressions that are the same by structure over the same variables."""
    if isinstance(expr, Var):
        return id(expr)
    if isinstance(expr, Const):
        return (expr.value, expr.dtype.name)
    if isinstance(expr, Binary):
        return (expr.op, _key(expr.left), _key(expr.right))
    if isinstance(expr, Unary):
        return (expr.op, _key(expr.operand))
    return id(expr)


def _expression(value: _Linear, origin: Origin) -> Expr:
    """Positive terms first, then what is subtracted, then the constant."""
    result: Expr | None = None
    for coefficient, expr in sorted(value.terms.values(), key=lambda term: term[0] < 0):
        term = (
            expr if abs(coefficient) == 1 else Binary("*", expr, Const(abs(coefficient), INDEX, origin), INDEX, origin)
        )
        if result is None:
            result = term if coefficient > 0 else Unary("-", term, INDEX, origin)
        else:
            result = Binary("+" if coefficient > 0 else "-", result, term, INDEX, origin)
    assert result is not None
    if value.constant:
        op = "+" if value.constant > 0 else "-"
        result = Binary(op, result, Const(abs(value.constant), INDEX, origin), INDEX, origin)
    return result
