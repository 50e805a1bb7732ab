"""Which rounds of a loop may follow which.

A counter that goes up by one from a known number passes every limit that conditions set it once: rounds below the limit
come first, those above it last, and the loop may end before it comes to them. So the rounds fall into *phases*, one
after the other. And a while loop, whose condition its body asks as well, goes on after a round in which it holds and
ends after one in which it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pto_analysis.arith.evaluate import apply, signed
from pto_analysis.arith.linear import Linear, combine, constant_form
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.simplify import simplify
from pto_analysis.frozen import frozen
from pto_analysis.sync.outline import LoopNode

_MOST_PHASES = 6

Outcome = Callable[[Linear], "bool | None"]
"""How a condition comes out, None where that is not known."""


def _anything(_condition: Linear) -> bool | None:
    """Nothing is known."""
    return None


@frozen
class Counting:
    """`subject` is `start` in the first round of a loop and one more in each later one. The loop comes to a round with
    value v if v + `shift` compares by `test` with `stop`; where that is not known, `test` is ""."""

    subject: Linear
    start: int
    test: str = ""
    stop: Linear | None = None
    shift: int = 0

    @property
    def last(self) -> int | None:
        """The value in the last round, where that is a number."""
        if self.stop is None or self.stop.single is None:
            return None
        stop, bits = self.stop.single, self.stop.bits
        limit = stop % (1 << bits) if self.test == "ult" and bits else stop
        return max(self.start, limit - 1 - self.shift)

    def values_below(self, stops: Iterable[int]) -> frozenset[int]:
        """The last values that the loop comes to if it stops there; none of the first round."""
        values = (stop - 1 - self.shift for stop in stops)
        return frozenset(value for value in values if value > self.start)

    def comes_to(self, value: int, scalars: Scalars) -> Linear | None:
        """Whether the loop, having come to the value before, comes to this one."""
        if self.stop is None:
            return None
        operands = constant_form(value + self.shift, self.stop.bits), self.stop
        return simplify(scalars, self.test, operands, self.stop.bits, 1)


def counting_of(node: LoopNode, scalars: Scalars) -> Counting | None:
    """The counter of a loop, if it has one that starts from a known number."""
    loop = node.loop
    if loop.kind == "while":
        forms = [scalars.linear(carry.symbol) for carry in loop.scalars]
        return next((found for form in forms if (found := _tested(node, form, scalars)) is not None), None)
    if loop.variable is None or loop.stop is None:
        return None
    form = scalars.linear(loop.variable)
    counter = scalars.counter(form.lone_atom) if form.lone_atom is not None else None
    if counter is None or counter.initial.single is None or counter.following != _next(form):
        return None
    stop = scalars.linear(loop.stop)
    return Counting(form, _signed(counter.initial.single, form.bits), "slt", stop)


def _tested(node: LoopNode, form: Linear, scalars: Scalars) -> Counting | None:
    """A carried value as the counter of a while loop: it goes up where the condition holds."""
    counter = scalars.counter(form.lone_atom) if form.lone_atom is not None else None
    if counter is None or counter.loop != node.id or node.loop.condition is None or counter.initial.single is None:
        return None
    condition = scalars.linear(node.loop.condition)
    following, number = counter.following, counter.following.lone_atom
    op, *operands = scalars.atom_key(number) if number is not None else ("",)
    if op == "select" and operands[0] == condition and isinstance(operands[1], Linear):
        following = operands[1]
    if following != _next(form):
        return None
    start, key = _signed(counter.initial.single, form.bits), _key(condition, scalars)
    if len(key) == 3 and key[0] in ("ult", "slt") and key[1] == form and isinstance(key[2], Linear):
        return Counting(form, start, str(key[0]), key[2], -1)
    return Counting(form, start)


def _next(form: Linear) -> Linear:
    return combine(form, constant_form(1, form.bits))


def _key(form: Linear, scalars: Scalars) -> tuple[object, ...]:
    number = form.lone_atom
    return scalars.atom_key(number) if number is not None else ()


def _signed(value: int, bits: int | None) -> int:
    return signed(value if bits is None else value % (1 << bits), bits)


@frozen
class Phase:
    """Rounds with values of the counter from `first` to `last` (None: to the end); `reached`: whether the loop comes
    to it from the phase before, as far as that can be asked."""

    first: int
    last: int | None
    reached: Linear | None


Limit = tuple[Linear, str, int]
"""A condition on a counter: its form, and the operator and the constant by which the counter is compared."""


def phases_of(counting: Counting, limits: Sequence[Limit], more: Iterable[int], scalars: Scalars) -> tuple[Phase, ...]:
    """The phases of a loop: between them some condition on the counter comes out otherwise, or the counter passes one
    of the values in `more`. A single one where they are too many."""
    start, bits = counting.start, counting.subject.bits
    values = {start, *more, *(limit + step for _, _, limit in limits for step in (-1, 0, 1))}
    firsts: list[int] = []
    before: Mapping[Linear, bool] | None = None
    for value in sorted(value for value in values if value >= start):
        outcomes = outcomes_at(value, limits, bits)
        if outcomes != before or value in more:
            firsts.append(value)
        before = outcomes
    reached = [counting.comes_to(first, scalars) for first in firsts]
    kept = next((at for at, form in enumerate(reached) if at and form is not None and form.single == 0), len(firsts))
    if kept > _MOST_PHASES:
        return (Phase(start, None, None),)
    lasts = [*(first - 1 for first in firsts[1:kept]), counting.last]
    return tuple(Phase(*parts) for parts in zip(firsts, lasts, reached, strict=False))


def outcomes_at(value: int, limits: Iterable[Limit], bits: int | None) -> dict[Linear, bool]:
    """How the conditions come out for a value of the counter."""
    modulus = 1 << bits if bits else None
    found: dict[Linear, bool] = {}
    for form, op, limit in limits:
        operands = (value % modulus, limit % modulus) if modulus else (value, limit)
        found[form] = bool(apply(op, operands, bits, 1))
    return found


@frozen
class Rounds:
    """The kinds of rounds of a loop, one for each case of its body: its phase, and how the condition by which a while
    loop goes on comes out in it."""

    phases: tuple[Phase, ...]
    phase: tuple[int, ...]
    again: tuple[bool | None, ...]

    def reachable(self, outcome: Outcome) -> tuple[int, ...]:
        """The kinds that some run comes to, in the order of their phases."""
        last = 0
        while last + 1 < len(self.phases) and self._reaches(last + 1, outcome) is not False:
            last += 1
        kinds = [kind for kind, phase in enumerate(self.phase) if phase <= last and self._agrees(kind, outcome)]
        return tuple(sorted(kinds, key=self.phase.__getitem__))

    def first(self, kind: int) -> bool:
        """Whether a first round may be of that kind."""
        return self.phase[kind] == 0

    def follows(self, kind: int, other: int, outcome: Outcome) -> bool:
        """Whether a round of the other kind may follow one of this kind."""
        phase, following = self.phase[kind], self.phase[other]
        if self.again[kind] is False:
            return False
        if following == phase:
            return not self._is_one_round(phase)
        return following == phase + 1 and self._reaches(following, outcome) is not False

    def ends(self, kind: int, outcome: Outcome) -> bool:
        """Whether a round of that kind may be the last one."""
        if self.again[kind] is not None:
            return not self.again[kind]
        return self._reaches(self.phase[kind] + 1, outcome) is not True

    def behind(self, kinds: Iterable[int]) -> set[int]:
        """The kinds of rounds that may come later than one of these kinds, whatever is known around the loop."""
        found: set[int] = set()
        pending = list(kinds)
        while pending:
            kind = pending.pop()
            new = {other for other in range(len(self.phase)) if self.follows(kind, other, _anything)} - found
            found |= new
            pending.extend(new)
        return found

    def conditions(self) -> list[Linear]:
        """What is asked here of the code around the loop."""
        return [phase.reached for phase in self.phases if phase.reached is not None]

    def _agrees(self, kind: int, outcome: Outcome) -> bool:
        """Whether the loop can stop, or go on, after a round of the kind as its condition has it there."""
        phase, again = self.phase[kind], self.again[kind]
        if again is None:
            return True
        reaches = self._reaches(phase + 1, outcome)
        return reaches is not True if not again else reaches is not False or not self._is_one_round(phase)

    def _is_one_round(self, phase: int) -> bool:
        return self.phases[phase].first == self.phases[phase].last

    def _reaches(self, phase: int, outcome: Outcome) -> bool | None:
        """Whether the loop comes from the phase before to this one, once it has done the last round there."""
        if phase == len(self.phases):
            return False
        reached = self.phases[phase].reached
        if reached is None:
            return None
        return outcome(reached) if reached.single is None else bool(reached.single)
