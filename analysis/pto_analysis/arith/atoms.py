"""Atoms and the readings of the forms made of them: what the rules of `arith.simplify` and all questions start from."""

from __future__ import annotations

from abc import ABC, abstractmethod

from pto_analysis.arith import ranges
from pto_analysis.arith.linear import Linear
from pto_analysis.arith.ranges import Range


class Atoms(ABC):
    """What the rules need to know about atoms, and the readings of a form that follow from it."""

    @abstractmethod
    def atom_range(self, number: int) -> Range:
        """The integers that the atom may be."""

    @abstractmethod
    def atom_key(self, number: int) -> tuple[object, ...]:
        """What the atom was computed from."""

    @abstractmethod
    def pure(self, op: str, operands: tuple[Linear, ...], bits: int | None, range_: Range) -> Linear:
        """The atom for an operation on known operands; equal operations share one."""

    def integer(self, form: Linear) -> Range:
        """The form as a sum of integers, before any wrapping."""
        total = ranges.exactly(form.constant)
        for atom, factor in form.terms:
            total = ranges.add(total, ranges.scale(self.atom_range(atom), factor))
        return total

    def unsigned(self, form: Linear) -> Range:
        """What the register holds as an unsigned number."""
        if form.bits is None:
            return self.integer(form)
        return wrapped(self.integer(form), form.bits, 0)

    def signed(self, form: Linear) -> Range:
        """What the register holds as a signed number."""
        if form.bits is None:
            return self.integer(form)
        return wrapped(self.integer(form), form.bits, 1 << (form.bits - 1))

    def fits_unsigned(self, form: Linear) -> bool:
        """Whether the sum of integers is the unsigned reading itself: nothing wraps."""
        return form.bits is None or self.integer(form).within(0, (1 << form.bits) - 1)

    def fits_signed(self, form: Linear) -> bool:
        """Whether the sum of integers is the signed reading itself."""
        half = 1 << ((form.bits or 1) - 1)
        return form.bits is None or self.integer(form).within(-half, half - 1)


def wrapped(sum_: Range, bits: int, below_zero: int) -> Range:
    """The sum brought into [-below_zero, 2**bits - below_zero)."""
    size = 1 << bits
    if sum_.bounded and sum_.lower is not None and sum_.upper is not None:
        turn = (sum_.lower + below_zero) // size
        if turn == (sum_.upper + below_zero) // size:
            return ranges.shift(sum_, -turn * size)
    step, residue = ranges.stride(sum_)
    # Wrapping keeps the residue of a power of two only.
    power = step & -step if step else 1
    return ranges.make_range(-below_zero, size - 1 - below_zero, min(power, size), residue)
