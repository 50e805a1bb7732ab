"""Accesses that meet for some values of an argument or a counter only, and conditions that tell these values apart.

Below a branch on `i == 1` the slot `(i + 2) % 4` is the last one. Where conditions compare one value with small numbers
and the slots of two accesses follow from it alone, each of these numbers is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import define, field

from pto_analysis.arith.evaluate import apply
from pto_analysis.arith.linear import Linear
from pto_analysis.arith.scalars import Scalars
from pto_analysis.sync.accesses import Guard, Reach
from pto_analysis.sync.rounds import Limit, outcomes_at

_MOST_VALUES = 16
"""Greater numbers than this are not tried one by one."""

_DEEPEST = 12

_EVERYWHERE: tuple[Guard, ...] = ((),)


@define
class Values:
    """`limits`: the conditions on each value, by its form."""

    scalars: Scalars
    limits: Mapping[Linear, Sequence[Limit]]
    _leaves: dict[Linear, int | None] = field(factory=dict["Linear", "int | None"])

    def meetings(self, one: Reach, other: Reach) -> tuple[Guard, ...]:
        """The conditions under which two places may share bytes: any of these guards; none if they never do."""
        if not self.limits or (one.slot is None and other.slot is None):
            return _EVERYWHERE
        atom = self._common(one, other)
        subject = None if atom is None else next((form for form in self.limits if form.lone_atom == atom), None)
        if atom is None or subject is None:
            return _EVERYWHERE
        limits = self.limits[subject]
        highest = max(limit for _, _, limit in limits) + 1
        if highest > _MOST_VALUES:
            return _EVERYWHERE
        found: dict[Guard, None] = {}
        ways: dict[Guard, None] = {}
        for value, tried in self._values(subject, highest):
            way = tuple(outcomes_at(value, limits, subject.bits).items())
            ways[way] = None
            if not tried or self._meet(one, other, atom, value):
                found[way] = None
        return _EVERYWHERE if len(found) == len(ways) else tuple(found)

    def _values(self, subject: Linear, highest: int) -> Iterator[tuple[int, bool]]:
        """Values that tell all outcomes; those that stand for others as well are not to be tried."""
        values = self.scalars.unsigned(subject)
        top = values.upper if values.upper is not None else highest + 2
        low = max(0, values.lower or 0)
        yield from ((value, True) for value in range(low, min(top, highest) + 1))
        if top > highest:
            yield highest + 1, False
            if subject.bits and top >> (subject.bits - 1):
                yield (1 << subject.bits) - 1, False

    def _common(self, one: Reach, other: Reach) -> int | None:
        """The only atom from which the slots of both follow."""
        atoms = {self._leaf(reach.slot.index) for reach in (one, other) if reach.slot is not None}
        return atoms.pop() if len(atoms) == 1 else None

    def _meet(self, one: Reach, other: Reach, atom: int, value: int) -> bool:
        first, second = self._segments(one, atom, value), self._segments(other, atom, value)
        if first is None or second is None:
            return True
        return any(low < end and start < high for low, high in first for start, end in second)

    def _segments(self, reach: Reach, atom: int, value: int) -> tuple[tuple[int, int], ...] | None:
        """The bytes of a place for a value of the atom, on its address line."""
        if reach.slot is None:
            return reach.segments
        index = self._at(reach.slot.index, atom, value, _DEEPEST)
        ring = reach.slot.ring
        if index is None or not 0 <= index < ring.count:
            return None
        start = ring.origin + index * ring.stride
        return ((start + reach.slot.low, start + reach.slot.high),)

    # Forms of one atom

    def _leaf(self, form: Linear) -> int | None:
        """The atom that a form is computed from, if there is only one that is not computed itself."""
        if form not in self._leaves:
            found = set(self._leaves_of(form, _DEEPEST))
            self._leaves[form] = found.pop() if len(found) == 1 else None
        return self._leaves[form]

    def _leaves_of(self, form: Linear, depth: int) -> Iterator[int | None]:
        for number, _ in form.terms:
            _, *operands = self.scalars.atom_key(number)
            forms = [operand for operand in operands if isinstance(operand, Linear)]
            if len(forms) < len(operands):
                yield number
            elif depth == 0:
                yield None
            for operand in forms if depth else ():
                yield from self._leaves_of(operand, depth - 1)

    def _at(self, form: Linear, atom: int, value: int, depth: int) -> int | None:
        """The value of a form for one of the atom, unsigned; what does not wrap is not reduced."""
        total = form.constant
        for number, factor in form.terms:
            part = value if number == atom else self._atom_at(number, atom, value, depth)
            if part is None:
                return None
            total += factor * part
        return total

    def _atom_at(self, number: int, atom: int, value: int, depth: int) -> int | None:
        op, *operands = self.scalars.atom_key(number)
        forms = [operand for operand in operands if isinstance(operand, Linear)]
        if depth == 0 or len(forms) != len(operands) or len(forms) != 2:
            return None
        left, right = (self._at(form, atom, value, depth - 1) for form in forms)
        if left is None or right is None:
            return None
        bits = forms[0].bits
        if op == "mod":
            return left % right if right > 0 else None
        known = (left, right) if bits is None else (left % (1 << bits), right % (1 << bits))
        return apply(str(op), known, bits, bits)
