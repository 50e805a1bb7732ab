"""The questions that rules, passes and the planner ask about scalars. Every answer but "unknown" is a proof.

Windows ask about alignment (`multiple_of`, `residue`, `interval`, `stays_in_block`), rotating buffers about slots
(`slot_relation`, `rotation`, `slot_distance`): sync.md 7.3 and 7.5.
"""

from __future__ import annotations

from math import gcd
from typing import Literal

from pto_analysis.arith import ranges
from pto_analysis.arith.linear import Linear
from pto_analysis.arith.ranges import Range
from pto_analysis.arith.scalars import Counter, Scalars
from pto_analysis.arith.terms import Term
from pto_analysis.frozen import frozen

Relation = Literal["equal", "disjoint", "unknown"]

_ENUMERATED = 4096
"""Largest slot count for which possible differences are listed one by one."""


def interval(term: Term, scalars: Scalars) -> Range:
    """Where the value lies: unsigned for registers, the integer itself for ideal terms."""
    return scalars.unsigned(scalars.linear(term))


def signed_interval(term: Term, scalars: Scalars) -> Range:
    """Where the value lies, read as a signed number."""
    return scalars.signed(scalars.linear(term))


def residue(term: Term, modulus: int, scalars: Scalars) -> int | None:
    """The value modulo `modulus`, when it is the same in every execution.

    Of a register it is the reading that its terms sum to without wrapping (any reading, for powers of two).
    """
    form = scalars.linear(term)
    reduced = reduce_modulo(form, modulus, scalars)
    if reduced is None:
        return None
    possible = _possible_residues(reduced, scalars)
    return next(iter(possible)) if len(possible) == 1 else None


def multiple_of(term: Term, modulus: int, scalars: Scalars) -> bool:
    """Whether the value is always a multiple of `modulus`."""
    return modulus == 1 or residue(term, modulus, scalars) == 0


def stays_in_block(low: Term, extent: int, block: int, scalars: Scalars) -> bool:
    """Whether [low, low + extent) never crosses a multiple of `block` (extent at least 1)."""
    form = scalars.linear(low)
    if not (scalars.fits_signed(form) or scalars.fits_unsigned(form)):
        return False
    reduced = reduce_modulo(form, block, scalars)
    if reduced is None:
        return False
    highest = max(_possible_residues(reduced, scalars))
    inside = ranges.floor_remainder(scalars.integer(form), block).upper
    return min(highest, block if inside is None else inside) + extent <= block


@frozen
class Reduced:
    """A value modulo `modulus`: `constant` plus coefficients of atoms, all in [0, modulus)."""

    terms: tuple[tuple[int, int], ...]
    constant: int
    modulus: int


def reduce_modulo(form: Linear, modulus: int, scalars: Scalars) -> Reduced | None:
    """The form modulo `modulus`, remainders opened where that is sound; None when wrapping would change it.

    `x mod m` may be replaced by `x` under a coefficient c when c * m is a multiple of `modulus`: so `(i % 64) % 4`
    opens to `i`, while `(i % 64) % 3` keeps `i % 64` as an unknown (the trap of sync.md 7.5).
    """
    if not _wrap_free(form, modulus, scalars):
        return None
    total: dict[int, int] = {}
    constant = form.constant
    pending = list(form.terms)
    while pending:
        atom, factor = pending.pop()
        factor %= modulus
        if not factor:
            continue
        opened = _opened(atom, factor, modulus, scalars)
        if opened is None:
            total[atom] = (total.get(atom, 0) + factor) % modulus
            continue
        constant += factor * opened.constant
        pending.extend((inner, factor * inner_factor) for inner, inner_factor in opened.terms)
    terms = tuple((atom, total[atom]) for atom in sorted(total) if total[atom])
    return Reduced(terms, constant % modulus, modulus)


def _opened(atom: int, factor: int, modulus: int, scalars: Scalars) -> Linear | None:
    key = scalars.atom_key(atom)
    if len(key) != 3 or key[0] not in ("mod", "urem", "srem", "floormod"):
        return None
    _, value, divisor = key
    if not isinstance(value, Linear) or not isinstance(divisor, Linear) or divisor.single is None:
        return None
    if (factor * divisor.single) % modulus:
        return None
    if key[0] == "mod" or value.bits is None or (factor << value.bits) % modulus == 0:
        return value
    fits = scalars.fits_unsigned(value) if key[0] == "urem" else scalars.fits_signed(value)
    return value if fits else None


def _wrap_free(form: Linear, modulus: int, scalars: Scalars) -> bool:
    """Whether one of the register's readings equals the sum of integers, modulo `modulus`."""
    if form.bits is None or (1 << form.bits) % modulus == 0:
        return True
    return scalars.fits_unsigned(form) or scalars.fits_signed(form)


def _difference(left: Reduced, right: Reduced) -> Reduced:
    total = dict(left.terms)
    for atom, factor in right.terms:
        total[atom] = (total.get(atom, 0) - factor) % left.modulus
    terms = tuple((atom, total[atom]) for atom in sorted(total) if total[atom])
    return Reduced(terms, (left.constant - right.constant) % left.modulus, left.modulus)


def _possible_residues(reduced: Reduced, scalars: Scalars) -> frozenset[int]:
    """The values that the reduced sum may take, each atom on its own."""
    modulus = reduced.modulus
    if modulus > _ENUMERATED:
        return _coarse_residues(reduced, scalars)
    possible = {reduced.constant}
    for atom, factor in reduced.terms:
        steps = {value * factor % modulus for value in ranges.residues(scalars.atom_range(atom), modulus)}
        possible = {(value + step) % modulus for value in possible for step in steps}
        if len(possible) == modulus:
            break
    return frozenset(possible)


def _coarse_residues(reduced: Reduced, scalars: Scalars) -> frozenset[int]:
    """For large moduli: the one residue that strides leave, or 0 and 1 for "more than one"."""
    total = ranges.exactly(reduced.constant)
    for atom, factor in reduced.terms:
        total = ranges.add(total, ranges.scale(scalars.atom_range(atom), factor))
    step, rest = ranges.stride(total)
    if step % reduced.modulus == 0:
        return frozenset({rest % reduced.modulus})
    return frozenset({0, reduced.modulus - 1})


def slot_relation(left: Term, right: Term, count: int, scalars: Scalars) -> Relation:
    """How two slot indices of one buffer of `count` slots relate, evaluated in the same iteration of every loop.

    Both are taken to lie in [0, count): by contract for `multi_tile_get`, by proof for row windows.
    """
    return relate_slots(scalars.linear(left), scalars.linear(right), count, scalars)


def relate_slots(left: Linear, right: Linear, count: int, scalars: Scalars) -> Relation:
    """`slot_relation` for linear forms."""
    if left == right:
        return "equal"
    if _ranges_apart(scalars.unsigned(left), scalars.unsigned(right)):
        return "disjoint"
    first, second = reduce_modulo(left, count, scalars), reduce_modulo(right, count, scalars)
    if first is None or second is None:
        return "unknown"
    possible = _possible_residues(_difference(first, second), scalars)
    if 0 not in possible:
        return "disjoint"
    return "equal" if len(possible) == 1 else "unknown"


def _ranges_apart(left: Range, right: Range) -> bool:
    if left.upper is not None and right.lower is not None and left.upper < right.lower:
        return True
    return right.upper is not None and left.lower is not None and right.upper < left.lower


@frozen
class Rotation:
    """A slot index that is `(factor * iteration + constant + invariants) mod count` in every iteration of a loop.

    `invariants` are multiples of atoms that stay the same all through the loop.
    """

    factor: int
    constant: int
    invariants: tuple[tuple[int, int], ...]
    count: int

    @property
    def visits_all(self) -> bool:
        """Whether the index goes through every slot before it returns to the first."""
        return gcd(self.factor, self.count) == 1


def rotation(term: Term, loop: str, count: int, scalars: Scalars) -> Rotation | None:
    """How the index moves through its slots as `loop` iterates, or None when that is not proved.

    A factor of 0 is an index that stays where it is.
    """
    return rotate(scalars.linear(term), loop, count, scalars)


def rotate(form: Linear, loop: str, count: int, scalars: Scalars) -> Rotation | None:
    """`rotation` for a linear form."""
    reduced = reduce_modulo(form, count, scalars)
    if reduced is None:
        return None
    factor, constant = 0, reduced.constant
    invariants: dict[int, int] = {}
    for atom, coefficient in reduced.terms:
        counter = scalars.counter(atom)
        if counter is None or counter.loop != loop:
            if loop in scalars.atom_loops(atom) or "?" in scalars.atom_loops(atom):
                return None
            invariants[atom] = (invariants.get(atom, 0) + coefficient) % count
            continue
        step, initial = _step(atom, counter, count, scalars), _initial(counter, count, scalars)
        if step is None or initial is None or not _stays(initial, loop, scalars):
            return None
        factor += coefficient * step
        constant += coefficient * initial.constant
        for inner, inner_coefficient in initial.terms:
            invariants[inner] = (invariants.get(inner, 0) + coefficient * inner_coefficient) % count
    kept = tuple((atom, invariants[atom]) for atom in sorted(invariants) if invariants[atom])
    return Rotation(factor % count, constant % count, kept, count)


def _step(atom: int, counter: Counter, count: int, scalars: Scalars) -> int | None:
    """What one iteration adds to the atom, modulo `count`."""
    if not counter.signed and not _reads_as(counter.following, count, scalars, signed=False):
        return None
    following = reduce_modulo(counter.following, count, scalars) if not counter.signed else _raw(counter, count)
    if following is None:
        return None
    step = _difference(following, Reduced(((atom, 1 % count),) if count > 1 else (), 0, count))
    return None if step.terms else step.constant


def _raw(counter: Counter, count: int) -> Reduced:
    """The next value of a loop variable: it never passes the loop's bound, so nothing wraps."""
    terms = ((atom, factor % count) for atom, factor in counter.following.terms)
    return Reduced(tuple((a, f) for a, f in terms if f), counter.following.constant % count, count)


def _initial(counter: Counter, count: int, scalars: Scalars) -> Reduced | None:
    if not _reads_as(counter.initial, count, scalars, signed=counter.signed):
        return None
    return reduce_modulo(counter.initial, count, scalars)


def _reads_as(form: Linear, count: int, scalars: Scalars, *, signed: bool) -> bool:
    if form.bits is None or (1 << form.bits) % count == 0:
        return True
    return scalars.fits_signed(form) if signed else scalars.fits_unsigned(form)


def _stays(reduced: Reduced, loop: str, scalars: Scalars) -> bool:
    return all(loop not in scalars.atom_loops(atom) for atom, _ in reduced.terms)


@frozen
class Distance:
    """After how many iterations (at least `least`) a slot is met again; `never` when the two never meet."""

    iterations: int
    never: bool = False


def slot_distance(source: Rotation, target: Rotation, least: int) -> Distance | None:
    """The smallest d >= `least` with source's slot in iteration u equal to target's slot in iteration u + d, for all u.

    None when the two do not move together, so that no single distance holds (sync.md 7.5).
    """
    if source.factor != target.factor or source.count != target.count or source.invariants != target.invariants:
        return None
    count = source.count
    offset = (source.constant - target.constant) % count
    common = gcd(source.factor, count)
    if common == count:
        return Distance(least) if offset == 0 else Distance(0, never=True)
    if offset % common:
        return Distance(0, never=True)
    period = count // common
    first = offset // common * pow(source.factor // common, -1, period) % period
    return Distance(first + -(-(least - first) // period) * period if first < least else first)
