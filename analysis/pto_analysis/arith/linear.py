"""Linear forms: a constant plus integer multiples of atoms. Atoms are numbered by `arith.scalars.Scalars`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pto_analysis.frozen import frozen


@frozen
class Linear:
    """`constant + sum(coefficient * atom)`, atoms ascending and without zero coefficients.

    With a width the form stands for a register: equal to it modulo 2**bits. Coefficients and constant are then kept
    in the signed half [-2**(bits-1), 2**(bits-1)), so that `x - 1` reads as it was written.
    """

    terms: tuple[tuple[int, int], ...]
    constant: int
    bits: int | None

    @property
    def single(self) -> int | None:
        """The value, if it is a constant."""
        return self.constant if not self.terms else None

    @property
    def lone_atom(self) -> int | None:
        """The atom, if the form is one atom and nothing else."""
        if self.constant == 0 and len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0]
        return None


def make_linear(terms: Mapping[int, int] | Iterable[tuple[int, int]], constant: int, bits: int | None) -> Linear:
    """A form in its normal shape."""
    pairs = dict(terms)
    kept = ((atom, balanced(pairs[atom], bits)) for atom in sorted(pairs))
    return Linear(tuple((atom, factor) for atom, factor in kept if factor), balanced(constant, bits), bits)


def balanced(value: int, bits: int | None) -> int:
    """`value` modulo 2**bits, in the signed half."""
    if bits is None:
        return value
    half = 1 << (bits - 1)
    return (value + half) % (half << 1) - half


def constant_form(value: int, bits: int | None) -> Linear:
    return Linear((), balanced(value, bits), bits)


def atom_form(atom: int, bits: int | None) -> Linear:
    return Linear(((atom, 1),), 0, bits)


def combine(left: Linear, right: Linear, factor: int = 1) -> Linear:
    """`left + factor * right`, at the width of `left`."""
    pairs = dict(left.terms)
    for atom, coefficient in right.terms:
        pairs[atom] = pairs.get(atom, 0) + factor * coefficient
    return make_linear(pairs, left.constant + factor * right.constant, left.bits)


def scaled(form: Linear, factor: int) -> Linear:
    return make_linear(((atom, c * factor) for atom, c in form.terms), form.constant * factor, form.bits)


def at_width(form: Linear, bits: int | None) -> Linear:
    """The same integer form read at another width (the caller has shown that this is right)."""
    return make_linear(form.terms, form.constant, bits)
