"""Rewrites scalar expressions: literals first, then the table of identities."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pto_analysis.frozen import evolve
from pto_analysis.ir.dtypes import BOOL, INDEX, DType
from pto_analysis.ir.expr import Binary, Cast, Const, Expr, Unary, Var
from pto_analysis.ir.types import ScalarType
from pto_analysis.passes.lowering.arithmetic.ranges import COMPARISONS, NOTHING_KNOWN, Ranges, compare, range_of
from pto_analysis.passes.lowering.arithmetic.rules import (
    Anything,
    Bindings,
    Literal,
    Number,
    Pattern,
    Rule,
    literal,
    matches,
    operator_of,
    rules_for,
)
from pto_analysis.passes.lowering.tree import map_operands
from pto_analysis.source.span import Origin

MAX_REWRITES = 5
"""Identities inside one another, as the compiler limits them."""

_LOGIC = ("and", "or")
_SCALAR: frozenset[type] = frozenset({Unary, Binary, Cast})
"""What there is to rewrite."""


def fold(expr: Expr, ranges: Ranges = NOTHING_KNOWN) -> Expr:
    """`expr` with every scalar part in it simplified; operations keep their place, their operands are folded.

    `ranges` bound variables; what is not there has the bounds of its type.
    """
    if _SCALAR.isdisjoint(map(type, expr.compounds)):
        return expr
    return _rewritten(expr, ranges, 0)


def _rewritten(expr: Expr, ranges: Ranges, depth: int) -> Expr:
    if isinstance(expr, (Var, Const)):
        return expr
    rebuilt = map_operands(expr, lambda operand: _rewritten(operand, ranges, depth))
    if isinstance(rebuilt, Cast):
        return _cast(rebuilt)
    if not isinstance(rebuilt, (Binary, Unary)):
        return rebuilt
    known = _known(rebuilt) if isinstance(rebuilt, Binary) else _known_unary(rebuilt)
    if known is not None:
        return known
    return rebuilt if depth >= MAX_REWRITES or _is_float(rebuilt) else _by_identity(rebuilt, ranges, depth)


def _by_identity(expr: Binary | Unary, ranges: Ranges, depth: int) -> Expr:
    operands = tuple(operator_of(part) for part in expr.parts)
    for rule in rules_for(operator_of(expr), operands):
        for bound in matches(rule.pattern, expr, {}):
            if _holds(rule, bound, ranges, depth):
                result = _build(rule.replacement, bound, _arithmetic_dtype(expr), expr.origin)
                return _rewritten(result, ranges, depth + 1)
    return expr


def _holds(rule: Rule, bound: Bindings, ranges: Ranges, depth: int) -> bool:
    if rule.condition is None:
        return True
    return _proved(rule.condition, bound, ranges, depth)


def _proved(condition: Pattern, bound: Bindings, ranges: Ranges, depth: int) -> bool:
    """Conditions of rules: comparisons joined by `and`, of literals or of what the ranges prove."""
    if isinstance(condition, (Anything, Number, Literal)):
        return False
    if condition.op == "and":
        return all(_proved(part, bound, ranges, depth) for part in condition.operands)
    left, right = (_build(part, bound, INDEX, None) for part in condition.operands)
    gap = _rewritten(Binary("-", left, right, INDEX), ranges, depth + 1)
    return compare(condition.op, range_of(gap, ranges)) is True


def _build(pattern: Pattern, bound: Bindings, dtype: DType, origin: Origin | None) -> Expr:
    if isinstance(pattern, (Anything, Number)):
        return bound[pattern.name]
    if isinstance(pattern, Literal):
        return Const(pattern.value, BOOL if isinstance(pattern.value, bool) else dtype, origin)
    operands = tuple(_build(part, bound, dtype, origin) for part in pattern.operands)
    if pattern.op == "neg":
        return Unary("-", operands[0], dtype, origin)
    if pattern.op == "not":
        return Unary("not", operands[0], BOOL, origin)
    logical = pattern.op in COMPARISONS or pattern.op in _LOGIC
    return Binary(pattern.op, operands[0], operands[1], BOOL if logical else dtype, origin)


def _arithmetic_dtype(expr: Expr) -> DType:
    """The dtype that the numbers in an expression have."""
    if isinstance(expr, Binary) and (expr.op in COMPARISONS or expr.op in _LOGIC):
        return _arithmetic_dtype(expr.left)
    if isinstance(expr, Unary) and expr.op == "not":
        return _arithmetic_dtype(expr.operand)
    return _dtype(expr)


def _dtype(expr: Expr) -> DType:
    if isinstance(expr, (Const, Unary, Binary, Cast)):
        return expr.dtype
    return expr.type.dtype if isinstance(expr, Var) and isinstance(expr.type, ScalarType) else INDEX


def _is_float(expr: Expr) -> bool:
    return _arithmetic_dtype(expr).is_float


def _cast(expr: Cast) -> Expr:
    inner = expr.operand
    if isinstance(inner, Const) and expr.dtype.is_int and isinstance(inner.value, int):
        return evolve(inner, dtype=expr.dtype)
    return expr


def _known_unary(expr: Unary) -> Expr | None:
    inner = expr.operand
    if not isinstance(inner, Const):
        return None
    if expr.op == "not":
        return Const(not inner.value, BOOL, expr.origin)
    return evolve(inner, value=-inner.value) if expr.op == "-" and not isinstance(inner.value, bool) else None


def _known(expr: Binary) -> Expr | None:
    """The result of literals, and of a neutral or absorbing literal."""
    left, right = literal(expr.left), literal(expr.right)
    if left is not None and right is not None:
        return _constant(expr, left, right)
    if expr.op in _LOGIC:
        return _logic(expr)
    if expr.op == "+" and left == 0:
        return expr.right
    if expr.op in ("+", "-") and right == 0:
        return expr.left
    if expr.op == "*" and left in (0, 1):
        return expr.left if left == 0 else expr.right
    if expr.op == "*" and right in (0, 1):
        return expr.right if right == 0 else expr.left
    if expr.op == "//" and right == 1:
        return expr.left
    return Const(0, expr.dtype, expr.origin) if expr.op == "%" and right == 1 else None


def _logic(expr: Binary) -> Expr | None:
    for known, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if isinstance(known, Const):
            decisive = bool(known.value) == (expr.op == "or")
            return known if decisive else other
    return None


def _constant(expr: Binary, left: int, right: int) -> Expr | None:
    if expr.op in ("//", "%", "/") and right == 0:
        return None
    if expr.op in ("<<", ">>") and not 0 <= right < 64:
        return None
    value = _RESULTS[expr.op](left, right)
    return Const(value, BOOL if isinstance(value, bool) else expr.dtype, expr.origin)


_RESULTS: Mapping[str, Callable[[int, int], int | bool]] = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "//": int.__floordiv__,
    "/": int.__floordiv__,
    "%": int.__mod__,
    "<<": int.__lshift__,
    ">>": int.__rshift__,
    "&": int.__and__,
    "|": int.__or__,
    "^": int.__xor__,
    "min": min,
    "max": max,
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
    "and": lambda left, right: bool(left and right),
    "or": lambda left, right: bool(left or right),
}
"""What an operation on two literals gives."""
