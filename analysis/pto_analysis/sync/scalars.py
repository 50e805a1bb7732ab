"""The facts about a sync program's scalars: arguments, definitions, loops and merges, told to the engine in order."""

from __future__ import annotations

from attrs import define, field

from pto_analysis.arith.ranges import Range, between
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.terms import Node, Symbol, Term, node
from pto_analysis.sync.program import Block, Branch, Define, Loop, SyncProgram, statements

Guesses = dict[Symbol, Range]


def scalars_of(program: SyncProgram) -> Scalars:
    """Value numbers and ranges of every scalar.

    Loop-carried values start from a guessed range that one more pass has to confirm; guesses that do not hold are
    dropped, and the facts built again without them.
    """
    guesses = _guess_carries(program)
    while True:
        reader = _Reader(guesses=guesses)
        for argument in program.arguments:
            known = argument.lower is not None or argument.upper is not None
            reader.scalars.argument(argument.symbol, between(argument.lower, argument.upper) if known else None)
        reader.block(program.body, ())
        if not reader.failed:
            return reader.scalars
        guesses = {symbol: range_ for symbol, range_ in guesses.items() if symbol not in reader.failed}


def _guess_carries(program: SyncProgram) -> Guesses:
    """A carried value whose next value is a remainder (or a wrapping select) lies below the divisor."""
    terms: dict[Symbol, Term] = {}
    loops: list[Loop] = []
    for statement in statements(program.body):
        if isinstance(statement, Define) and statement.value is not None:
            terms[statement.symbol] = statement.value
        elif isinstance(statement, Loop) and statement.scalars:
            loops.append(statement)
    guesses: Guesses = {}
    for loop in loops:
        for carry in loop.scalars:
            count = _wraps_below(carry.next, terms)
            if count is not None and count > 0:
                guesses[carry.symbol] = between(0, count - 1)
    return guesses


def _wraps_below(term: Term, terms: dict[Symbol, Term]) -> int | None:
    value = _resolved(term, terms)
    if not isinstance(value, Node):
        return None
    if value.op in ("urem", "srem", "floormod"):
        return _constant(value.args[1], terms)
    if value.op != "select":
        return None
    condition = _resolved(value.args[0], terms)
    if isinstance(condition, Node) and len(condition.args) == 2:
        return _constant(condition.args[1], terms)
    return None


def _resolved(term: Term, terms: dict[Symbol, Term]) -> Term:
    for _ in range(8):
        if not isinstance(term, Symbol) or term not in terms:
            break
        term = terms[term]
    return term


def _constant(term: Term, terms: dict[Symbol, Term]) -> int | None:
    value = _resolved(term, terms)
    return None if isinstance(value, (Symbol, Node)) else value.value


@define
class _Reader:
    """One pass over the program; `failed` collects carried values that left their guessed range."""

    guesses: Guesses
    scalars: Scalars = field(factory=Scalars)
    failed: set[Symbol] = field(factory=set[Symbol])

    def block(self, block: Block, loops: tuple[str, ...]) -> None:
        for statement in block:
            if isinstance(statement, Define):
                self.define(statement, frozenset(loops))
            elif isinstance(statement, Loop):
                self.loop(statement, loops)
            elif isinstance(statement, Branch):
                self.branch(statement, loops)

    def define(self, statement: Define, loops: frozenset[str]) -> None:
        if statement.value is None:
            self.scalars.opaque(statement.symbol, loops)
        else:
            self.scalars.define(statement.symbol, statement.value)

    def loop(self, loop: Loop, loops: tuple[str, ...]) -> None:
        outer = frozenset(loops)
        if loop.variable is not None and loop.start is not None and loop.stop is not None and loop.step is not None:
            self.scalars.loop_variable(loop.variable, loop.id, loop.start, loop.stop, loop.step, outer)
        elif loop.variable is not None:
            self.scalars.opaque(loop.variable, outer | {loop.id})
        for carry in loop.scalars:
            self.scalars.carry(carry.symbol, loop.id, outer, self.guesses.get(carry.symbol))
        self.block(loop.body, (*loops, loop.id))
        for carry in loop.scalars:
            self.scalars.close_carry(carry.symbol, loop.id, carry.initial, carry.next)
            guess = self.guesses.get(carry.symbol)
            if guess is not None and not (self._holds(carry.initial, guess) and self._holds(carry.next, guess)):
                self.failed.add(carry.symbol)
            if carry.result is not None:
                self.scalars.opaque(carry.result, outer, guess)

    def _holds(self, term: Term, guess: Range) -> bool:
        if guess.lower is None or guess.upper is None:
            return False
        return self.scalars.unsigned(self.scalars.linear(term)).within(guess.lower, guess.upper)

    def branch(self, branch: Branch, loops: tuple[str, ...]) -> None:
        self.block(branch.then, loops)
        self.block(branch.otherwise, loops)
        for merge in branch.scalars:
            if branch.condition is not None:
                self.scalars.define(merge.result, node("select", branch.condition, merge.then, merge.otherwise))
            else:
                self.scalars.opaque(merge.result, frozenset(loops))
