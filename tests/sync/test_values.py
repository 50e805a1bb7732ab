"""For which values of an argument two slots meet: against the slots worked out one by one."""

from __future__ import annotations

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.arith.evaluate import evaluate
from pto_analysis.arith.terms import Term, node, number
from pto_analysis.sync.accesses import Reach, resolve_handles
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.program import TileShape
from pto_analysis.sync.rounds import Limit, outcomes_at
from pto_analysis.sync.scalars import scalars_of
from pto_analysis.sync.values import Values

COUNT = 4
TESTS = ("ult", "slt", "sge", "ugt", "eq", "ne")


@st.composite
def indices(draw: st.DrawFn, value: Term) -> Term:
    """A constant, or the value reduced, moved on and reduced again."""
    if draw(st.booleans()):
        return number(draw(st.integers(0, COUNT - 1)))
    if draw(st.booleans()):
        value = node("urem", value, number(draw(st.integers(2, 9))))
    return node("urem", node("add", value, number(draw(st.integers(0, 5)))), number(draw(st.integers(2, COUNT))))


@given(st.data(), st.lists(st.tuples(st.sampled_from(TESTS), st.integers(0, 9)), min_size=1, max_size=3))
def test_no_value_at_which_slots_meet_is_overlooked(data: st.DataObject, limits: list[tuple[str, int]]) -> None:
    build = ProgramBuilder("k")
    i = build.argument("i", lower=0, upper=1 << 20)
    ring = build.ring("ring", "vec", TileShape(1, 64), COUNT, base=0)
    terms = [data.draw(indices(i)) for _ in range(2)]
    handles = [build.slot(ring, term) for term in terms]
    program = build.build()
    scalars = scalars_of(program)
    conditions: list[Limit] = [(scalars.linear(node(op, i, number(limit))), op, limit) for op, limit in limits]
    asked = [one for one in conditions if one[0].single is None]
    values = Values(scalars, {scalars.linear(i): asked} if asked else {})
    reaches = resolve_handles(program, scalars)
    (one,), (other,) = (reaches[handle] for handle in handles)
    found = values.meetings(one, other)
    for value in range(40):
        slots = [evaluate(term, lambda _symbol, value=value: value) for term in terms]
        outcomes = outcomes_at(value, asked, 64)
        if slots[0] == slots[1]:
            assert any(all(outcomes[form] is outcome for form, outcome in guard) for guard in found)


def slot_pair(first: Term, second: Term) -> tuple[Values, Reach, Reach]:
    build = ProgramBuilder("k")
    i = build.argument("i", lower=0, upper=1 << 20)
    ring = build.ring("ring", "vec", TileShape(1, 64), COUNT, base=0)
    handles = [build.slot(ring, term) for term in (first, second)]
    program = build.build()
    scalars = scalars_of(program)
    reaches = resolve_handles(program, scalars)
    (one,), (other,) = (reaches[handle] for handle in handles)
    return Values(scalars, {scalars.linear(i): [(scalars.linear(node("eq", i, number(1))), "eq", 1)]}), one, other


def test_a_value_tells_slots_apart() -> None:
    """(i + 2) % 4 is 3 for one, and 1 for other numbers as well."""
    i = ProgramBuilder("k").argument("i")
    values, one, other = slot_pair(node("urem", node("add", i, number(2)), number(4)), number(1))
    assert [[outcome for _, outcome in guard] for guard in values.meetings(one, other)] == [[False]]
    assert values.meetings(one, evolve(one, slot=None)) == ((),)
