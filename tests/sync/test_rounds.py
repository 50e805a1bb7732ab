"""Which rounds of a loop may follow which: against loops that are counted out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.arith.evaluate import evaluate, signed
from pto_analysis.arith.linear import Linear
from pto_analysis.arith.terms import INDEX_BITS, Term, node, number
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.cases import Case, Cases, find_cases
from pto_analysis.sync.outline import LoopNode, Outline, outline
from pto_analysis.sync.program import Pipe, TileShape
from pto_analysis.sync.rounds import Phase, Rounds
from pto_analysis.sync.scalars import scalars_of

TESTS = ("ult", "slt", "sge", "ugt", "eq", "ne")
Limits = Sequence[tuple[str, int]]


class Counted:
    """A loop from `start` to the argument n that asks how its counter compares with constants, behind a branch that
    asks the same of n."""

    def __init__(self, start: int, limits: Limits, bounds: Limits) -> None:
        build = ProgramBuilder("k")
        build.tensor("x")
        build.tile("a", "vec", TileShape(1, 64), base=0)
        self.n = build.argument("n")
        self.forms: list[tuple[Term, Term]] = []
        for test, limit in bounds:
            with build.branch(node(test, self.n, number(limit))):
                build.op("tload", Pipe.MTE2, ["x"], ["a"])
        with build.loop("i", start=start, stop=self.n) as i:
            self.i = i
            for test, limit in limits:
                with build.branch(node(test, i, number(limit))):
                    build.op("tload", Pipe.MTE2, ["x"], ["a"])
        program = build.build()
        scalars = scalars_of(program)
        self.tree: Outline = outline(program, scalars, program.body)
        self.cases: Cases = find_cases(self.tree)
        self.loop = next(child for child in self.tree.root.children if isinstance(child, LoopNode))
        self.start, self.limits, self.bounds = start, limits, bounds

    def form(self, test: str, value: Term, limit: int) -> Linear:
        return self.tree.scalars.linear(node(test, value, number(limit)))

    def around(self, rounds: Rounds, n: int) -> Mapping[Linear, bool]:
        """What is known around the loop when n has this value."""
        found = {self.form(test, self.n, limit): holds(test, n, limit) for test, limit in self.bounds}
        for phase in rounds.phases:
            if phase.reached is not None:
                found[phase.reached] = phase.first < signed(n, INDEX_BITS)
        return found

    def kinds(self, rounds: Rounds, n: int) -> Iterator[int]:
        """The kind of each round when n has this value."""
        for value in range(self.start, max(self.start, signed(n, INDEX_BITS))):
            case = {self.form(test, self.i, limit): holds(test, value, limit) for test, limit in self.limits}
            yield next(
                kind
                for kind, (known, at) in enumerate(zip(self.cases.of[self.loop.body], rounds.phase, strict=True))
                if agrees(known, case) and lies_in(value, rounds.phases[at])
            )


def holds(test: str, value: int, limit: int) -> bool:
    return bool(evaluate(node(test, number(value), number(limit)), lambda _symbol: None))


def lies_in(value: int, phase: Phase) -> bool:
    return phase.first <= value and (phase.last is None or value <= phase.last)


def agrees(known: Case, case: Mapping[Linear, bool]) -> bool:
    return all(case.get(form, outcome) is outcome for form, outcome in known.items())


limits = st.lists(st.tuples(st.sampled_from(TESTS), st.integers(0, 5)), max_size=3)


@given(st.integers(0, 2), limits, limits, st.integers(0, 9))
def test_rounds_follow_each_other_as_they_are_counted(start: int, mine: Limits, bounds: Limits, n: int) -> None:
    counted = Counted(start, mine, bounds)
    rounds = counted.cases.rounds.get(counted.loop)
    if rounds is None:
        return
    known = counted.around(rounds, n).get
    kinds = list(counted.kinds(rounds, n))
    assert set(kinds) <= set(rounds.reachable(known))
    if kinds:
        assert rounds.first(kinds[0])
        assert rounds.ends(kinds[-1], known)
    for kind, other in pairwise(kinds):
        assert rounds.follows(kind, other, known)
        assert other in rounds.behind([kind])


def test_rounds_are_told_apart_at_every_limit() -> None:
    counted = Counted(0, [("eq", 2), ("ult", 4)], [])
    rounds = counted.cases.rounds[counted.loop]
    assert [(phase.first, phase.last) for phase in rounds.phases] == [(0, 1), (2, 2), (3, 3), (4, None)]
    assert not rounds.follows(rounds.phase.index(1), rounds.phase.index(1), lambda _condition: None)
    assert not rounds.ends(rounds.phase.index(0), lambda _condition: True)
