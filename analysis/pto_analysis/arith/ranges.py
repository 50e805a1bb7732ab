"""Sets of integers as an interval with a stride: `lower <= x <= upper` and `x` congruent to `residue` mod `modulus`.

A bound of None is open. Every operation here returns a set that holds all results; none is exact by promise.
"""

from __future__ import annotations

from math import gcd

from pto_analysis.frozen import frozen


@frozen
class Range:
    """`modulus` 0 never occurs; a single number has equal bounds and modulus 1."""

    lower: int | None = None
    upper: int | None = None
    modulus: int = 1
    residue: int = 0

    @property
    def single(self) -> int | None:
        """The only member, if there is exactly one."""
        return self.lower if self.lower is not None and self.lower == self.upper else None

    def within(self, lower: int, upper: int) -> bool:
        """Whether every member lies in [lower, upper]."""
        return self.lower is not None and self.upper is not None and lower <= self.lower and self.upper <= upper

    @property
    def bounded(self) -> bool:
        return self.lower is not None and self.upper is not None


ANYTHING = Range()


def exactly(value: int) -> Range:
    return Range(value, value)


def between(lower: int | None, upper: int | None) -> Range:
    return Range(lower, upper)


def make_range(lower: int | None, upper: int | None, modulus: int = 1, residue: int = 0) -> Range:
    """The set with its bounds tightened to members; an empty set keeps its bounds."""
    if modulus <= 1:
        return Range(lower, upper)
    residue %= modulus
    tight_lower = None if lower is None else lower + (residue - lower) % modulus
    tight_upper = None if upper is None else upper - (upper - residue) % modulus
    if tight_lower is not None and tight_upper is not None and tight_lower > tight_upper:
        return Range(lower, upper)
    if tight_lower is not None and tight_lower == tight_upper:
        return Range(tight_lower, tight_upper)
    return Range(tight_lower, tight_upper, modulus, residue)


def stride(range_: Range) -> tuple[int, int]:
    """(modulus, residue), with modulus 0 for a single number."""
    single = range_.single
    return (0, single) if single is not None else (range_.modulus, range_.residue)


def _from_stride(lower: int | None, upper: int | None, modulus: int, residue: int) -> Range:
    if modulus == 0:
        return exactly(residue)
    return make_range(lower, upper, modulus, residue)


def add(left: Range, right: Range) -> Range:
    (left_mod, left_res), (right_mod, right_res) = stride(left), stride(right)
    lower = None if left.lower is None or right.lower is None else left.lower + right.lower
    upper = None if left.upper is None or right.upper is None else left.upper + right.upper
    return _from_stride(lower, upper, gcd(left_mod, right_mod), left_res + right_res)


def scale(range_: Range, factor: int) -> Range:
    """The set times a constant."""
    if factor == 0:
        return exactly(0)
    modulus, residue = stride(range_)
    lower = None if range_.lower is None else range_.lower * factor
    upper = None if range_.upper is None else range_.upper * factor
    if factor < 0:
        lower, upper = upper, lower
    return _from_stride(lower, upper, modulus * abs(factor), residue * factor)


def shift(range_: Range, offset: int) -> Range:
    return add(range_, exactly(offset))


def multiply(left: Range, right: Range) -> Range:
    """The products of two sets."""
    (left_mod, left_res), (right_mod, right_res) = stride(left), stride(right)
    modulus = gcd(gcd(left_mod * right_mod, left_mod * right_res), left_res * right_mod)
    bounds = (left.lower, left.upper, right.lower, right.upper)
    known = [bound for bound in bounds if bound is not None]
    if len(known) < len(bounds):
        return _from_stride(*_open_product(left, right), modulus, left_res * right_res)
    corners = [a * b for a in known[:2] for b in known[2:]]
    return _from_stride(min(corners), max(corners), modulus, left_res * right_res)


def _open_product(left: Range, right: Range) -> tuple[int | None, int | None]:
    if left.lower is not None and right.lower is not None and left.lower >= 0 and right.lower >= 0:
        return left.lower * right.lower, None
    return None, None


def union(left: Range, right: Range) -> Range:
    """The smallest set of this kind around both."""
    (left_mod, left_res), (right_mod, right_res) = stride(left), stride(right)
    modulus = gcd(gcd(left_mod, right_mod), left_res - right_res)
    lower = None if left.lower is None or right.lower is None else min(left.lower, right.lower)
    upper = None if left.upper is None or right.upper is None else max(left.upper, right.upper)
    return _from_stride(lower, upper, modulus, left_res)


def meet(left: Range, right: Range) -> Range:
    """A set around the common members: tighter bounds, the finer stride."""
    lower = max((bound for bound in (left.lower, right.lower) if bound is not None), default=None)
    upper = min((bound for bound in (left.upper, right.upper) if bound is not None), default=None)
    finer = left if left.modulus >= right.modulus else right
    return make_range(lower, upper, finer.modulus, finer.residue)


def floor_divide(range_: Range, divisor: int) -> Range:
    """`x // divisor` for a positive divisor."""
    lower = None if range_.lower is None else range_.lower // divisor
    upper = None if range_.upper is None else range_.upper // divisor
    modulus, residue = stride(range_)
    if modulus and modulus % divisor == 0:
        return make_range(lower, upper, modulus // divisor, residue // divisor)
    return between(lower, upper)


def floor_remainder(range_: Range, divisor: int) -> Range:
    """`x % divisor` (never negative) for a positive divisor."""
    single = range_.single
    if single is not None:
        return exactly(single % divisor)
    if range_.bounded and range_.lower is not None and range_.upper is not None:
        quotient = range_.lower // divisor
        if quotient == range_.upper // divisor:
            return shift(range_, -quotient * divisor)
    step = gcd(range_.modulus, divisor)
    return make_range(0, divisor - 1, step, range_.residue)


def residues(range_: Range, modulus: int, limit: int = 64) -> frozenset[int]:
    """The members reduced mod `modulus`: one by one when they are few, else by stride."""
    step, residue = stride(range_)
    if step == 0:
        return frozenset({residue % modulus})
    if range_.lower is not None and range_.upper is not None and (range_.upper - range_.lower) // step < limit:
        return frozenset(value % modulus for value in range(range_.lower, range_.upper + 1, step))
    common = gcd(step, modulus)
    return frozenset(range(residue % common, modulus, common))
