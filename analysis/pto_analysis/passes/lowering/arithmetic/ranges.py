"""Bounds of integer expressions."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Binary, Expr, Var
from pto_analysis.ir.types import ScalarType
from pto_analysis.passes.lowering.arithmetic.rules import literal

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


@frozen
class Range:
    """Closed bounds of an integer; None is unbounded."""

    low: int | None = None
    high: int | None = None

    def within(self, other: Range) -> Range:
        """What lies in both; bounds that exclude each other are left to `self`."""
        lows = [bound for bound in (self.low, other.low) if bound is not None]
        highs = [bound for bound in (self.high, other.high) if bound is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        return self if low is not None and high is not None and low > high else Range(low, high)


ANY = Range()
Ranges = Mapping[Var, Range]
NOTHING_KNOWN: Ranges = {}


def default_range(var: Var) -> Range:
    """What the type says: an INDEX is never negative."""
    return Range(low=0) if isinstance(var.type, ScalarType) and var.type.dtype == INDEX else ANY


def range_of(expr: Expr, ranges: Ranges) -> Range:
    """Bounds of an integer expression from the bounds of its variables."""
    value = literal(expr)
    if value is not None:
        return Range(value, value)
    if isinstance(expr, Var):
        known = ranges.get(expr)
        return default_range(expr) if known is None else known
    if not isinstance(expr, Binary):
        return ANY
    left, right = range_of(expr.left, ranges), range_of(expr.right, ranges)
    if expr.op == "+":
        return Range(_sum(left.low, right.low), _sum(left.high, right.high))
    if expr.op == "-":
        return Range(_difference(left.low, right.high), _difference(left.high, right.low))
    if expr.op == "min":
        known = [bound for bound in (left.high, right.high) if bound is not None]
        return Range(_lesser(left.low, right.low), min(known, default=None))
    if expr.op == "max":
        known = [bound for bound in (left.low, right.low) if bound is not None]
        return Range(max(known, default=None), _greater(left.high, right.high))
    factor = literal(expr.right)
    if factor is None or factor <= 0:
        return ANY
    if expr.op == "*":
        return Range(_times(factor, left.low), _times(factor, left.high))
    if expr.op == "//":
        return Range(_quotient(factor, left.low), _quotient(factor, left.high))
    return Range(0, factor - 1) if expr.op == "%" else ANY


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


def _sum(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _difference(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a - b


def _lesser(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def _greater(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else max(a, b)


def _times(factor: int, bound: int | None) -> int | None:
    return None if bound is None else bound * factor


def _quotient(divisor: int, bound: int | None) -> int | None:
    return None if bound is None else bound // divisor
