"""Arithmetic on scalar expressions as the compiler's Simplify pass does it: constants, identities, ranges."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, frozen

from pto_analysis.ir.dtypes import BOOL, INDEX
from pto_analysis.ir.expr import Binary, Cast, Const, Expr, Unary, Var
from pto_analysis.passes.lowering.tree import integer, parts, with_operands

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@frozen
class Range:
    """Closed bounds of an integer; None is unbounded."""

    low: int | None = None
    high: int | None = None


ANY = Range()
Ranges = Mapping[Var, Range]


def fold(expr: Expr) -> Expr:
    """`expr` with every scalar part in it simplified; operations keep their place, their operands are folded."""
    rebuilt = with_operands(expr, tuple(fold(operand) for operand in parts(expr)))
    if isinstance(rebuilt, Binary):
        return _binary(rebuilt)
    if isinstance(rebuilt, Unary):
        return _unary(rebuilt)
    if isinstance(rebuilt, Cast):
        return _cast(rebuilt)
    return rebuilt


def _cast(expr: Cast) -> Expr:
    inner = expr.operand
    if isinstance(inner, Const) and expr.dtype.is_int and isinstance(inner.value, int):
        return evolve(inner, dtype=expr.dtype)
    return expr


def _unary(expr: Unary) -> Expr:
    inner = expr.operand
    if expr.op == "-" and isinstance(inner, Const) and not isinstance(inner.value, bool):
        return evolve(inner, value=-inner.value)
    if expr.op == "not" and isinstance(inner, Const):
        return Const(not inner.value, BOOL, expr.origin)
    if expr.op == "not" and isinstance(inner, Binary) and inner.op in _NEGATED:
        return evolve(inner, op=_NEGATED[inner.op])
    return expr


def _binary(expr: Binary) -> Expr:
    left, right = integer(expr.left), integer(expr.right)
    if left is not None and right is not None:
        return _constant(expr, left, right)
    if expr.op in ("and", "or"):
        return _logic(expr)
    if expr.op in ("+", "-"):
        return _linear(expr)
    if expr.op == "*":
        return _product(expr, left, right)
    if expr.op == "//" and right == 1:
        return expr.left
    if expr.op == "//" and right is not None and right > 0:
        return _quotient(expr, right)
    if expr.op == "%" and right == 1:
        return Const(0, expr.dtype, expr.origin)
    if expr.op in ("min", "max") and expr.left == expr.right:
        return expr.left
    if expr.op in COMPARISONS:
        return _comparison(expr)
    return expr


def _constant(expr: Binary, left: int, right: int) -> Expr:
    if expr.op in ("//", "%", "/") and right == 0:
        return expr
    if expr.op in ("<<", ">>") and not 0 <= right < 64:
        return expr
    value = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "//": lambda: left // right,
        "/": lambda: left // right,
        "%": lambda: left % right,
        "<<": lambda: left << right,
        ">>": lambda: left >> right,
        "&": lambda: left & right,
        "|": lambda: left | right,
        "^": lambda: left ^ right,
        "min": lambda: min(left, right),
        "max": lambda: max(left, right),
        "==": lambda: left == right,
        "!=": lambda: left != right,
        "<": lambda: left < right,
        "<=": lambda: left <= right,
        ">": lambda: left > right,
        ">=": lambda: left >= right,
        "and": lambda: bool(left and right),
        "or": lambda: bool(left or right),
    }[expr.op]()
    return Const(value, BOOL if isinstance(value, bool) else expr.dtype, expr.origin)


def _logic(expr: Binary) -> Expr:
    for known, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if not isinstance(known, Const):
            continue
        if expr.op == "and":
            return other if known.value else Const(False, BOOL, expr.origin)
        return Const(True, BOOL, expr.origin) if known.value else other
    return expr


def _terms(expr: Expr) -> tuple[dict[Expr, int], int]:
    """`expr` as a sum: what is not a number with its factor, and the number."""
    value = integer(expr)
    if value is not None:
        return {}, value
    if isinstance(expr, Binary) and expr.op in ("+", "-"):
        left, constant = _terms(expr.left)
        right, other = _terms(expr.right)
        sign = 1 if expr.op == "+" else -1
        for term, factor in right.items():
            left[term] = left.get(term, 0) + sign * factor
        return left, constant + sign * other
    if isinstance(expr, Binary) and expr.op == "*":
        factor = integer(expr.right)
        if factor is not None:
            terms, constant = _terms(expr.left)
            return {term: times * factor for term, times in terms.items()}, constant * factor
    return {expr: 1}, 0


def _linear(expr: Binary) -> Expr:
    """Sums lose their zero, merge their numbers and cancel equal terms; any other sum is left as it is written."""
    if integer(expr.right) == 0:
        return expr.left
    if expr.op == "+" and integer(expr.left) == 0:
        return expr.right
    terms, constant = _terms(expr)
    alive = {term: factor for term, factor in terms.items() if factor}
    if len(alive) == len(terms) and not _has_two_numbers(expr):
        return expr
    result: Expr | None = None
    for term, factor in alive.items():
        part = term if factor == 1 else Binary("*", term, Const(factor, expr.dtype), expr.dtype)
        result = part if result is None else Binary("+", result, part, expr.dtype)
    if result is None:
        return Const(constant, expr.dtype, expr.origin)
    if constant == 0:
        return result
    op, amount = ("+", constant) if constant > 0 else ("-", -constant)
    return Binary(op, result, Const(amount, expr.dtype), expr.dtype, expr.origin)


def _has_two_numbers(expr: Expr) -> bool:
    return _count_numbers(expr) > 1


def _count_numbers(expr: Expr) -> int:
    if integer(expr) is not None:
        return 1
    if isinstance(expr, Binary) and expr.op in ("+", "-"):
        return _count_numbers(expr.left) + _count_numbers(expr.right)
    return 0


def _product(expr: Binary, left: int | None, right: int | None) -> Expr:
    if left == 0 or right == 0:
        return Const(0, expr.dtype, expr.origin)
    if right == 1:
        return expr.left
    if left == 1:
        return expr.right
    if left is not None:
        return evolve(expr, left=expr.right, right=expr.left)
    inner = expr.left
    if right is not None and isinstance(inner, Binary) and inner.op == "*":
        factor = integer(inner.right)
        if factor is not None:
            return evolve(inner, right=Const(factor * right, expr.dtype))
    return expr


def _quotient(expr: Binary, divisor: int) -> Expr:
    terms, constant = _terms(expr.left)
    if constant % divisor or any(factor % divisor for factor in terms.values()) or not terms:
        return expr
    if len(terms) != 1 or constant:
        return expr
    ((term, factor),) = terms.items()
    return term if factor == divisor else Binary("*", term, Const(factor // divisor, expr.dtype), expr.dtype)


def _comparison(expr: Binary) -> Expr:
    difference = _linear(Binary("-", expr.left, expr.right, INDEX))
    value = integer(difference)
    if value is None:
        return expr
    verdict = compare(expr.op, Range(value, value))
    return expr if verdict is None else Const(verdict, BOOL, expr.origin)


def compare(op: str, difference: Range) -> bool | None:
    """What `left op right` says when `left - right` lies in `difference`; None when it depends."""
    low, high = difference.low, difference.high
    if op in (">", "<="):
        above = _exceeds(low, high)
        return above if op == ">" or above is None else not above
    if op in ("<", ">="):
        below = _exceeds(None if high is None else -high, None if low is None else -low)
        return below if op == "<" or below is None else not below
    if low == high == 0:
        return op == "=="
    if (low is not None and low > 0) or (high is not None and high < 0):
        return op == "!="
    return None


def _exceeds(low: int | None, high: int | None) -> bool | None:
    if low is not None and low > 0:
        return True
    if high is not None and high <= 0:
        return False
    return None


def range_of(expr: Expr, ranges: Ranges) -> Range:
    """Bounds of an integer expression from the bounds of its variables."""
    value = integer(expr)
    if value is not None:
        return Range(value, value)
    if isinstance(expr, Var):
        return ranges.get(expr, ANY)
    if not isinstance(expr, Binary):
        return ANY
    left, right = range_of(expr.left, ranges), range_of(expr.right, ranges)
    if expr.op == "+":
        return Range(_sum(left.low, right.low), _sum(left.high, right.high))
    if expr.op == "-":
        return Range(_difference(left.low, right.high), _difference(left.high, right.low))
    if expr.op == "min":
        known = [bound for bound in (left.high, right.high) if bound is not None]
        return Range(_both(left.low, right.low, min), min(known) if known else None)
    if expr.op == "max":
        known = [bound for bound in (left.low, right.low) if bound is not None]
        return Range(max(known) if known else None, _both(left.high, right.high, max))
    factor = integer(expr.right)
    if factor is None or factor <= 0:
        return ANY
    if expr.op == "*":
        return Range(*(None if bound is None else bound * factor for bound in (left.low, left.high)))
    if expr.op == "//":
        return Range(*(None if bound is None else bound // factor for bound in (left.low, left.high)))
    if expr.op == "%":
        return Range(0, factor - 1)
    return ANY


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _difference(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a - b


def _both(a: int | None, b: int | None, choose: object) -> int | None:
    return None if a is None or b is None else min(a, b) if choose is min else max(a, b)


def decide(condition: Expr, ranges: Ranges) -> bool | None:
    """Whether a condition always or never holds; None when that depends on the run."""
    folded = fold(condition)
    if isinstance(folded, Const):
        return bool(folded.value)
    if isinstance(folded, Unary) and folded.op == "not":
        inner = decide(folded.operand, ranges)
        return None if inner is None else not inner
    if not isinstance(folded, Binary):
        return None
    if folded.op in ("and", "or"):
        sides = (decide(folded.left, ranges), decide(folded.right, ranges))
        decisive = folded.op == "or"
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive
    if folded.op not in COMPARISONS:
        return None
    gap = _linear(Binary("-", folded.left, folded.right, INDEX))
    spans = (range_of(gap, ranges), range_of(Binary("-", folded.left, folded.right, INDEX), ranges))
    for span in spans:
        verdict = compare(folded.op, span)
        if verdict is not None:
            return verdict
    return None
