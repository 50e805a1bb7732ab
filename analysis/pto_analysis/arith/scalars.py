"""The facts about a function's scalars: a value number, a linear form and a range for every symbol.

`Scalars` is told definitions in program order (`argument`, `opaque`, `define`, `loop_variable`, `carry`) and answers
for any term: its linear form over *atoms*, where an atom is a value that is not a sum (an argument, a remainder, a
product of unknowns, …). Pure expressions over the same operands share an atom, so that two spellings of one index
compare equal. The simplifications, which are what proofs rest on, are in `arith.simplify`.
"""

from __future__ import annotations

from attrs import define, field

from pto_analysis.arith import ranges
from pto_analysis.arith.atoms import Atoms
from pto_analysis.arith.linear import Linear, atom_form, combine, constant_form
from pto_analysis.arith.ranges import Range
from pto_analysis.arith.simplify import simplify
from pto_analysis.arith.terms import INDEX_BITS, Node, Number, Symbol, Term
from pto_analysis.frozen import frozen

_MOST_ROUNDS = 1 << 40
"""No loop runs longer (weeks at a microsecond a round), so a 64-bit counter from a known start keeps room above."""


@frozen
class Atom:
    """A value that is not a sum.

    `key` is what it was computed from: an operation and the forms of its operands, or a symbol. `range` holds its
    integer reading: within [0, 2**bits), or within the signed half where that is known. `loops` are the loops in
    which it may change from one iteration to the next.
    """

    key: tuple[object, ...]
    bits: int | None
    range: Range
    loops: frozenset[str]


@frozen
class Counter:
    """An atom that a loop carries along: `initial` in the first iteration, `following` in the next one.

    For a loop variable the integers are signed readings, for other carried values unsigned ones.
    """

    loop: str
    initial: Linear
    following: Linear
    signed: bool


@define
class Scalars(Atoms):
    """Value numbers and facts of one function. Filled once, in program order, then only read."""

    _atoms: list[Atom] = field(factory=list[Atom], init=False)
    _numbers: dict[tuple[object, ...], int] = field(factory=dict[tuple[object, ...], int], init=False)
    _forms: dict[Symbol, Linear] = field(factory=dict[Symbol, Linear], init=False)
    _counters: dict[int, Counter] = field(factory=dict[int, Counter], init=False)

    # Told by the reader of a program

    def argument(self, symbol: Symbol, range_: Range | None = None) -> Linear:
        """A value from outside, the same all through the function."""
        return self.opaque(symbol, frozenset(), range_)

    def opaque(self, symbol: Symbol, loops: frozenset[str], range_: Range | None = None) -> Linear:
        """A value that only run time knows, computed anew in every iteration of `loops`."""
        atom = self._number(("symbol", symbol), symbol.bits, range_ or register_range(symbol.bits), loops)
        self._forms[symbol] = atom_form(atom, symbol.bits)
        return self._forms[symbol]

    def define(self, symbol: Symbol, term: Term) -> Linear:
        """A value computed from earlier ones."""
        self._forms[symbol] = self.linear(term)
        return self._forms[symbol]

    def loop_variable(
        self, symbol: Symbol, loop: str, start: Term, stop: Term, step: Term, outer: frozenset[str] = frozenset()
    ) -> Linear:
        """The variable of a counted loop: `start`, `start + step`, … while (signed) less than `stop`."""
        first, limit, stride = self.linear(start), self.linear(stop), self.linear(step)
        values = self._counted_range(first, limit, stride, symbol.bits)
        loops = outer | {loop} | self.loops_of(first) | self.loops_of(stride)
        form = self.opaque(symbol, loops, values)
        atom = form.lone_atom
        if atom is not None:
            self._counters[atom] = Counter(loop, first, combine(form, stride), signed=True)
        return form

    def carry(self, symbol: Symbol, loop: str, outer: frozenset[str], range_: Range | None = None) -> Linear:
        """A loop-carried value inside the loop. `range_` is a guess that the caller proves with `holds_carry`."""
        return self.opaque(symbol, outer | {loop}, range_)

    def close_carry(self, symbol: Symbol, loop: str, initial: Term, following: Term) -> None:
        """Tell what the carried value becomes in the next iteration."""
        atom = self._forms[symbol].lone_atom
        if atom is not None:
            self._counters[atom] = Counter(loop, self.linear(initial), self.linear(following), signed=False)

    def assume(self, term: Term, range_: Range) -> None:
        """`term` is known to lie in `range_` (an assertion, a type's limits). Tells only about terms of one atom."""
        form = self.linear(term)
        if len(form.terms) != 1 or form.terms[0][1] != 1:
            return
        number, known = form.terms[0][0], ranges.shift(range_, -form.constant)
        self._refine(number, known)
        op, *operands = self._atoms[number].key
        if op == "mod" and known.single is not None:
            self._assume_remainder(operands, known.single)

    def _assume_remainder(self, operands: list[object], remainder: int) -> None:
        value, divisor = operands
        if not isinstance(value, Linear) or not isinstance(divisor, Linear) or divisor.single is None:
            return
        if len(value.terms) == 1 and value.terms[0][1] == 1:
            rest = ranges.make_range(None, None, divisor.single, remainder - value.constant)
            self._refine(value.terms[0][0], rest)

    def _refine(self, number: int, range_: Range) -> None:
        atom = self._atoms[number]
        self._atoms[number] = Atom(atom.key, atom.bits, ranges.meet(atom.range, range_), atom.loops)

    # Asked

    def knows(self, symbol: Symbol) -> bool:
        return symbol in self._forms

    def linear(self, term: Term) -> Linear:
        """The linear form of a term. Symbols nobody has told about are unknown everywhere."""
        if isinstance(term, Number):
            return constant_form(term.value, term.bits)
        if isinstance(term, Symbol):
            form = self._forms.get(term)
            return form if form is not None else self.opaque(term, frozenset({"?"}))
        return simplify(self, term.op, tuple(self.linear(arg) for arg in term.args), _operand_bits(term), term.bits)

    def atom_range(self, number: int) -> Range:
        return self._atoms[number].range

    def atom_key(self, number: int) -> tuple[object, ...]:
        return self._atoms[number].key

    def counter(self, number: int) -> Counter | None:
        """How its loop carries the atom along, if one does."""
        return self._counters.get(number)

    def loops_of(self, form: Linear) -> frozenset[str]:
        """The loops in which the form's value may change."""
        return frozenset[str]().union(*(self._atoms[number].loops for number, _ in form.terms))

    def atom_loops(self, number: int) -> frozenset[str]:
        return self._atoms[number].loops

    def pure(self, op: str, operands: tuple[Linear, ...], bits: int | None, range_: Range) -> Linear:
        """The atom for an operation on known operands; equal operations share one."""
        loops = frozenset[str]().union(*(self.loops_of(operand) for operand in operands))
        return atom_form(self._number((op, *operands), bits, range_, loops), bits)

    def _number(self, key: tuple[object, ...], bits: int | None, range_: Range, loops: frozenset[str]) -> int:
        number = self._numbers.get((bits, *key))
        if number is None:
            number = len(self._atoms)
            self._numbers[(bits, *key)] = number
            self._atoms.append(Atom(key, bits, range_, loops))
        return number

    def _counted_range(self, first: Linear, limit: Linear, stride: Linear, bits: int | None) -> Range:
        """Values of a loop variable inside the body: sync.md 7.3 R1."""
        low, high, step = self.signed(first), self.signed(limit), self.signed(stride)
        if step.lower is None or step.lower <= 0:
            return register_range(bits) if bits is not None else ranges.ANYTHING
        upper = None if high.upper is None else high.upper - 1
        if bits is not None and bits >= INDEX_BITS and low.upper is not None and step.upper is not None:
            upper = min(low.upper + step.upper * _MOST_ROUNDS, (1 << (bits - 1)) - 1 if upper is None else upper)
        modulus, residue = ranges.stride(ranges.add(low, ranges.multiply(step, ranges.between(0, None))))
        return ranges.make_range(low.lower, upper, max(modulus, 1), residue)


def register_range(bits: int | None) -> Range:
    """Everything a register of that width holds."""
    return ranges.ANYTHING if bits is None else ranges.between(0, (1 << bits) - 1)


def _operand_bits(term: Node) -> int | None:
    return term.args[1].bits if term.op == "select" else term.args[0].bits
