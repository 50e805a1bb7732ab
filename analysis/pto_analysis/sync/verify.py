"""Runs a plan through many small executions and checks each: `pto-lint sync --verify` (sync.md 7.8).

Trip counts 0 to 2S+1, both outcomes of every undecided branch, small index values and the ones where registers wrap.
All combinations when they are few, a fixed sample of them when they are many. Where arguments decide where a loop
starts or stops, a few runs have all of them near one large value, so that counters come to the end of their register;
of a loop that runs from zero to there, only the first rounds are checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from random import Random

from attrs import field

from pto_analysis.arith.terms import Node, Number, Symbol, Term
from pto_analysis.frozen import frozen
from pto_analysis.sync.checker import Fault, Rules, Verdict, check
from pto_analysis.sync.items import Trace
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.program import Argument, Branch, Define, Loop, SyncProgram, statements
from pto_analysis.sync.schedule import describe_fault
from pto_analysis.sync.trace import unroll

DEFAULT_RUNS = 400
_LONGEST_TRACE = 6_000
_MOST_SLOTS = 8
_FAR_TRACE = 600
"""Items of a run with large bounds: some rounds of any loop are enough."""
_FAR = (1 << 31, 1 << 32, 1 << 63, 1 << 64)
"""Where registers wrap, read with or without a sign."""
_SPECIAL = (63, 64, 65, (1 << 31) - 1, (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1)


@frozen
class Run:
    """One execution: arguments by name, and what was decided where nothing else decides."""

    arguments: Mapping[str, int]
    outcomes: tuple[bool, ...] = ()


@frozen
class Failure:
    """A run that the checker refuses. `schedule` tells it in words, line by line."""

    run: Run
    trace: Trace
    fault: Fault
    schedule: tuple[str, ...] = field(repr=False)


@frozen
class Verification:
    """How many runs were checked, how many were no legal runs, whether these were all, and the first failure."""

    runs: int
    skipped: int
    complete: bool
    failure: Failure | None = None

    @property
    def ok(self) -> bool:
        return self.failure is None


@frozen(eq=False)
class _Decisions:
    """An oracle that follows a list of outcomes and then says no; it counts how often it was asked."""

    outcomes: tuple[bool, ...]
    asked: list[int] = field(factory=list[int])

    def branch(self, line: int) -> bool:
        at = len(self.asked)
        self.asked.append(line)
        return self.outcomes[at] if at < len(self.outcomes) else False

    def value(self, symbol: Symbol) -> int | None:
        """Unknown scalars take small values that differ from one to the next."""
        at = len(self.asked)
        self.asked.append(-1)
        if symbol.bits == 1:
            return int(self.outcomes[at]) if at < len(self.outcomes) else 0
        return (len(self.asked) + sum(self.outcomes)) % 3


def verify(program: SyncProgram, plan: Plan, rules: Rules | None = None, runs: int = DEFAULT_RUNS) -> Verification:
    """Check at most about `runs` executions of `program` under `plan`; stops at the first failure."""
    rules = rules or Rules(program.target)
    done = skipped = 0
    choices = _Choices(program)
    for arguments in choices.arguments(runs):
        for run, trace in _with_outcomes(program, plan, arguments, max(4, runs // max(1, choices.combinations))):
            done += 1
            if _is_illegal(trace):
                skipped += 1
                continue
            failure = _failure(run, trace, rules)
            if failure is not None:
                return Verification(done, skipped, False, failure)
        if done >= 2 * runs:
            return Verification(done, skipped, False)
    for arguments in choices.far(max(8, runs // 8)):
        run, trace = next(_with_outcomes(program, plan, arguments, 1, _FAR_TRACE))
        done += 1
        failure = None if _is_illegal(trace) else _failure(run, trace, rules)
        if failure is not None:
            return Verification(done, skipped, False, failure)
    return Verification(done, skipped, choices.combinations <= runs)


def _is_illegal(trace: Trace) -> bool:
    """Whether no legal program runs so: a slot that does not exist, a lane that nobody knows."""
    return any(not problem.startswith("cut short") for problem in trace.problems)


def _failure(run: Run, trace: Trace, rules: Rules) -> Failure | None:
    verdict = check(trace.items, rules)
    for fault in verdict.faults:
        cut = bool(trace.problems)
        if not (cut and fault.kind == "leftover"):
            return Failure(run, trace, fault, _told(run, verdict, fault))
    return None


def _told(run: Run, verdict: Verdict, fault: Fault) -> tuple[str, ...]:
    words = [f"{name} = {value}" for name, value in run.arguments.items()]
    if run.outcomes:
        words.append("branches " + ", ".join("taken" if outcome else "not taken" for outcome in run.outcomes))
    head = f"with {', '.join(words)}:" if words else "in the only run:"
    return (head, *describe_fault(verdict, fault))


def _with_outcomes(
    program: SyncProgram, plan: Plan, arguments: Mapping[str, int], most: int, longest: int = _LONGEST_TRACE
) -> Iterator[tuple[Run, Trace]]:
    """The executions for given arguments: outcomes are tried depth first, the last undecided one flipped first."""
    pending: list[tuple[bool, ...]] = [()]
    tried = 0
    while pending and tried < most:
        outcomes = pending.pop(0)
        oracle = _Decisions(outcomes)
        trace = unroll(program, plan, arguments, oracle, longest)
        tried += 1
        yield Run(arguments, outcomes), trace
        for at in range(len(outcomes), min(len(oracle.asked), len(outcomes) + most)):
            pending.append((*outcomes, *([False] * (at - len(outcomes))), True))


class _Choices:
    """The argument values worth trying."""

    def __init__(self, program: SyncProgram) -> None:
        self._program = program
        lanes = min(_MOST_SLOTS, max([2, *(region.slots for region in program.regions.values()), *_moduli(program)]))
        self._small = range(2 * lanes + 2)
        self._bounds = loop_symbols(program)
        self._values = [self._candidates(argument, self._bounds) for argument in _used(program)]
        self.combinations = prod(len(values) for _, values in self._values)

    def _candidates(self, argument: Argument, bounds: frozenset[str]) -> tuple[str, tuple[int, ...]]:
        symbol = argument.symbol
        special = () if symbol.name in bounds else _SPECIAL
        wide = symbol.bits if symbol.bits is not None else 64
        values = [value for value in (*self._small, *special) if value < 1 << wide]
        low = argument.lower if argument.lower is not None else min(values)
        high = argument.upper if argument.upper is not None else max(values)
        return symbol.name, tuple(dict.fromkeys(value for value in values if low <= value <= high)) or (low,)

    def arguments(self, most: int) -> Iterator[Mapping[str, int]]:
        names = [name for name, _ in self._values]
        if self.combinations <= most:
            for values in product(*(values for _, values in self._values)):
                yield dict(zip(names, values, strict=True))
            return
        random = Random(self.combinations)
        for _ in range(most):
            yield {name: random.choice(values) for name, values in self._values}

    def far(self, most: int) -> Iterator[Mapping[str, int]]:
        """Runs in which all arguments that bound loops, and some others, lie close together where a register wraps."""
        free = {argument.symbol.name: argument for argument in _used(self._program)}
        if not self._bounds & free.keys():
            return
        random = Random(most)
        for turn in range(most):
            end = _FAR[turn % len(_FAR)]
            near = {name: (end + random.randint(-6, 3)) % (1 << 64) for name in free}
            small = {name: random.choice(values) for name, values in self._values}
            yield {
                name: near[name]
                if _holds(argument, near[name]) and (name in self._bounds or random.random() < 0.5)
                else small[name]
                for name, argument in free.items()
            }


def _holds(argument: Argument, value: int) -> bool:
    """Whether the argument may have this value."""
    low, high = argument.lower, argument.upper
    return (
        (low is None or value >= low) and (high is None or value <= high) and value >> (argument.symbol.bits or 64) == 0
    )


def _used(program: SyncProgram) -> list[Argument]:
    """Arguments that some scalar, bound, condition or view of the program depends on."""
    names: set[str] = set()
    for term in _terms(program):
        names |= _symbols(term)
    return [argument for argument in program.arguments if argument.symbol.name in names]


def _terms(program: SyncProgram) -> Iterator[Term]:
    for statement in statements(program.body):
        for value in _parts(statement):
            if isinstance(value, (Number, Symbol, Node)):
                yield value


def _parts(statement: object) -> Iterator[object]:
    """The attribute values of a statement and of its view, not of what is nested in its blocks."""
    if isinstance(statement, Define):
        yield statement.value
    elif isinstance(statement, Loop):
        yield from (statement.start, statement.stop, statement.step, statement.condition)
        yield from (part for carry in statement.scalars for part in (carry.initial, carry.next))
    elif isinstance(statement, Branch):
        yield statement.condition
        yield from (part for merge in statement.scalars for part in (merge.then, merge.otherwise))
    else:
        view = getattr(statement, "view", None)
        yield from (getattr(view, name, None) for name in ("index", "row", "col", "offset", "condition"))
        yield getattr(statement, "event", None)


def _symbols(term: Term) -> frozenset[str]:
    if isinstance(term, Symbol):
        return frozenset({term.name})
    if not isinstance(term, Node):
        return frozenset()
    return frozenset(name for arg in term.args for name in _symbols(arg))


def loop_symbols(program: SyncProgram) -> frozenset[str]:
    """Symbols that decide how long a loop runs, through the definitions they come from."""
    sources: dict[str, frozenset[str]] = {}
    wanted: set[str] = set()
    for statement in statements(program.body):
        if isinstance(statement, Define) and statement.value is not None:
            sources[statement.symbol.name] = _symbols(statement.value)
        elif isinstance(statement, Loop):
            for bound in (statement.start, statement.stop, statement.step, statement.condition):
                wanted |= _symbols(bound) if bound is not None else frozenset()
    pending = list(wanted)
    while pending:
        for name in sources.get(pending.pop(), frozenset()) - wanted:
            wanted.add(name)
            pending.append(name)
    return frozenset(wanted)


def _moduli(program: SyncProgram) -> list[int]:
    """Small constants that indices are reduced by: the slot counts of rings made of subviews."""
    found: list[int] = []
    for term in _terms(program):
        if isinstance(term, Node) and term.op in ("urem", "srem", "floormod") and isinstance(term.args[1], Number):
            found.extend([term.args[1].value] if term.args[1].value <= _MOST_SLOTS else [])
    return found
