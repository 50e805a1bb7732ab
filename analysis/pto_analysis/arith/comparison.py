"""Comparisons of values of which only their ranges are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pto_analysis.arith.ranges import Range


def decided(op: str, left: Range, right: Range) -> bool | None:
    """Whether `left op right` always holds (True) or never (False); None when it depends, or for another operator."""
    compare = _COMPARISONS.get(op)
    return compare(left, right) if compare is not None else None


def _less(left: Range, right: Range) -> bool | None:
    if _below(left, right):
        return True
    return False if _not_above(right, left) else None


def _below(left: Range, right: Range) -> bool:
    return left.upper is not None and right.lower is not None and left.upper < right.lower


def _not_above(left: Range, right: Range) -> bool:
    return left.upper is not None and right.lower is not None and left.upper <= right.lower


def _equal(left: Range, right: Range) -> bool | None:
    if left.single is not None and left.single == right.single:
        return True
    number, others = (left.single, right) if left.single is not None else (right.single, left)
    apart = number is not None and number % others.modulus != others.residue % others.modulus
    return False if apart or _below(left, right) or _below(right, left) else None


def _inverse(known: bool | None) -> bool | None:
    return None if known is None else not known


_COMPARISONS: Mapping[str, Callable[[Range, Range], bool | None]] = {
    "<": _less,
    ">": lambda left, right: _less(right, left),
    "<=": lambda left, right: _inverse(_less(right, left)),
    ">=": lambda left, right: _inverse(_less(left, right)),
    "==": _equal,
    "!=": lambda left, right: _inverse(_equal(left, right)),
}
