"""Ranges of operations that stay atoms of their own: the best bound that their operands allow."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.arith import ranges
from pto_analysis.arith.atoms import Atoms, wrapped
from pto_analysis.arith.linear import Linear
from pto_analysis.arith.ranges import Range


def register_values(values: Range, bits: int | None) -> Range:
    return values if bits is None else wrapped(values, bits, 0)


def atom_range(atoms: Atoms, op: str, left: Linear, right: Linear, bits: int | None) -> Range:
    everything = ranges.ANYTHING if bits is None else ranges.between(0, (1 << bits) - 1)
    rule = _RANGES.get(op)
    return rule(atoms, left, right, everything) if rule is not None else everything


def _minimum_range(low: Range, high: Range) -> Range:
    both = ranges.union(low, high)
    uppers = [bound for bound in (low.upper, high.upper) if bound is not None]
    return ranges.make_range(both.lower, min(uppers, default=None), both.modulus, both.residue)


def _maximum_range(low: Range, high: Range) -> Range:
    both = ranges.union(low, high)
    lowers = [bound for bound in (low.lower, high.lower) if bound is not None]
    return ranges.make_range(max(lowers, default=None), both.upper, both.modulus, both.residue)


def _signed_remainder_range(atoms: Atoms, left: Linear, right: Linear, everything: Range) -> Range:
    divisor = right.single
    if divisor is None or divisor == 0:
        return everything
    values, size = atoms.signed(left), abs(divisor) - 1
    lower = 0 if values.lower is not None and values.lower >= 0 else -size
    upper = 0 if values.upper is not None and values.upper <= 0 else size
    return ranges.between(lower, upper)


def _unsigned_remainder_range(atoms: Atoms, left: Linear, right: Linear, everything: Range) -> Range:
    divisor = right.single
    if divisor is None or divisor <= 0:
        return everything
    return ranges.floor_remainder(atoms.unsigned(left), divisor)


def _division_range(values: Range, right: Linear, everything: Range) -> Range:
    divisor = right.single
    return everything if divisor is None or divisor <= 0 else ranges.floor_divide(values, divisor)


def _truncated_range(atoms: Atoms, left: Linear, right: Linear, everything: Range) -> Range:
    divisor, values = right.single, atoms.signed(left)
    if divisor is None or divisor <= 0 or values.lower is None or values.upper is None:
        return everything
    lower = -(-values.lower // divisor) if values.lower < 0 else values.lower // divisor
    upper = -(-values.upper // divisor) if values.upper < 0 else values.upper // divisor
    return ranges.between(lower, upper)


def _floored_remainder_range(atoms: Atoms, left: Linear, right: Linear, everything: Range) -> Range:
    divisor = right.single
    if divisor is None or divisor <= 0:
        return everything
    return ranges.floor_remainder(atoms.signed(left), divisor)


def _masked_range(atoms: Atoms, left: Linear, right: Linear, everything: Range) -> Range:
    """`x & y` of registers (or of non-negative integers) exceeds neither."""
    first, second = atoms.unsigned(left), atoms.unsigned(right)
    if first.lower is None or second.lower is None or first.lower < 0 or second.lower < 0:
        return everything
    uppers = [bound for bound in (first.upper, second.upper) if bound is not None]
    return ranges.between(0, min(uppers, default=None))


_RANGES: dict[str, Callable[[Atoms, Linear, Linear, Range], Range]] = {
    "urem": _unsigned_remainder_range,
    "srem": _signed_remainder_range,
    "sdiv": _truncated_range,
    "udiv": lambda atoms, left, right, rest: _division_range(atoms.unsigned(left), right, rest),
    "floordiv": lambda atoms, left, right, rest: _division_range(atoms.signed(left), right, rest),
    "floormod": _floored_remainder_range,
    "and": _masked_range,
    "umin": lambda atoms, left, right, _rest: _minimum_range(atoms.unsigned(left), atoms.unsigned(right)),
    "umax": lambda atoms, left, right, _rest: _maximum_range(atoms.unsigned(left), atoms.unsigned(right)),
    "smin": lambda atoms, left, right, _rest: _minimum_range(atoms.signed(left), atoms.signed(right)),
    "smax": lambda atoms, left, right, _rest: _maximum_range(atoms.signed(left), atoms.signed(right)),
}
