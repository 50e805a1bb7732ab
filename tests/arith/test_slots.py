"""Slot indices of rotating buffers: relations, rotations and distances, row by row and against brute force."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.arith.evaluate import evaluate, signed
from pto_analysis.arith.questions import Relation, rotation, slot_distance, slot_relation
from pto_analysis.arith.ranges import between
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.terms import Symbol, Term, cast, node, number

I = Symbol("i")  # noqa: E741
N = Symbol("n")


def rem(value: Term, count: int, op: str = "urem") -> Term:
    return node(op, value, number(count))


def plus(value: Term, offset: int) -> Term:
    return node("add", value, number(offset))


def wrapped(value: Term, count: int) -> Term:
    up = plus(value, 1)
    return node("select", node("eq", up, number(count)), number(0), up)


ORDINAL = rem(I, 64)
LOW = rem(I, 2)
NARROW = Symbol("w", 32)

RELATIONS: list[tuple[str, Term, Term, int, Relation]] = [
    ("the seed: bounded by a normalisation", rem(ORDINAL, 3), rem(plus(ORDINAL, 2), 3), 3, "disjoint"),
    ("the seed's same-slot control", rem(ORDINAL, 3), rem(ORDINAL, 3), 3, "equal"),
    ("unbounded, 3 does not divide 2**64", rem(I, 3), rem(plus(I, 2), 3), 3, "unknown"),
    ("unbounded, 4 divides 2**64", rem(I, 4), rem(plus(I, 2), 4), 4, "disjoint"),
    ("a whole turn further", rem(I, 4), rem(plus(I, 4), 4), 4, "equal"),
    ("the other lane of two", LOW, node("sub", number(1), LOW), 2, "disjoint"),
    ("xor is not understood", LOW, node("xor", LOW, number(1)), 2, "unknown"),
    ("mask for remainder", node("and", I, number(3)), rem(plus(I, 1), 4), 4, "disjoint"),
    ("constants", number(0), number(2), 3, "disjoint"),
    ("constant against a small range", number(2), rem(I, 2), 3, "disjoint"),
    ("constant against the full range", number(2), rem(I, 3), 3, "unknown"),
    ("signed remainder of an unknown", rem(I, 3, "srem"), rem(plus(I, 1), 3, "srem"), 3, "unknown"),
    ("signed remainder of a bounded value", rem(ORDINAL, 3, "srem"), rem(plus(ORDINAL, 1), 3, "srem"), 3, "disjoint"),
    ("different symbols", rem(I, 4), rem(N, 4), 4, "unknown"),
    ("an unknown shift", rem(I, 4), rem(node("add", I, N), 4), 4, "unknown"),
    ("wrapping select", rem(ORDINAL, 3), wrapped(rem(ORDINAL, 3), 3), 3, "disjoint"),
    (
        "scaled",
        rem(node("mul", ORDINAL, number(2)), 4),
        rem(plus(node("mul", ORDINAL, number(2)), 1), 4),
        4,
        "disjoint",
    ),
    ("nested normalisation", rem(rem(I, 12), 3), rem(plus(rem(I, 12), 1), 3), 3, "disjoint"),
    ("zero-extended", cast("zext", node("urem", NARROW, number(3, 32)), 64), number(3), 4, "disjoint"),
    ("equal spellings", rem(plus(plus(I, 1), 1), 4), rem(plus(I, 2), 4), 4, "equal"),
]


@pytest.mark.parametrize(
    ("left", "right", "count", "expected"), [row[1:] for row in RELATIONS], ids=[r[0] for r in RELATIONS]
)
def test_relation(left: Term, right: Term, count: int, expected: Relation) -> None:
    scalars = Scalars()
    for symbol in (I, N, NARROW):
        scalars.argument(symbol)
    assert slot_relation(left, right, count, scalars) == expected


def loop_scalars(stop: Term = N) -> Scalars:
    scalars = Scalars()
    scalars.argument(N)
    scalars.loop_variable(I, "loop", number(0), stop, number(1))
    return scalars


ROTATIONS: list[tuple[str, Term, int, int | None]] = [
    ("plain", rem(I, 3), 3, 1),
    ("ahead", rem(plus(I, 2), 3), 3, 1),
    ("signed", rem(plus(I, 2), 3, "srem"), 3, 1),
    ("normalised by a multiple", rem(rem(I, 64), 4), 4, 1),
    ("normalised by a stranger: the trap", rem(rem(I, 64), 3), 3, None),
    ("still", rem(N, 3), 3, 0),
    ("with an invariant shift", rem(node("add", I, N), 4), 4, 1),
    ("two at a time", rem(node("mul", I, number(2)), 4), 4, 2),
    ("backwards", rem(node("sub", number(100), I), 4), 4, 3),
]


@pytest.mark.parametrize(
    ("index", "count", "factor"), [row[1:] for row in ROTATIONS], ids=[row[0] for row in ROTATIONS]
)
def test_rotation(index: Term, count: int, factor: int | None) -> None:
    found = rotation(index, "loop", count, loop_scalars())
    assert (found.factor if found else None) == factor


def test_a_short_loop_never_leaves_the_window_of_its_normalisation() -> None:
    found = rotation(rem(rem(I, 64), 3), "loop", 3, loop_scalars(stop=number(64)))
    assert found is not None
    assert found.factor == 1
    assert rotation(rem(rem(I, 64), 3), "loop", 3, loop_scalars(stop=number(65))) is None


def test_carried_slot() -> None:
    slot = Symbol("slot")
    scalars = Scalars()
    scalars.carry(slot, "loop", frozenset(), between(0, 2))
    scalars.close_carry(slot, "loop", number(0), wrapped(slot, 3))
    found = rotation(slot, "loop", 3, scalars)
    assert found is not None
    assert (found.factor, found.constant) == (1, 0)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(-6, 6),
    st.integers(-6, 20),
    st.integers(1, 3),
    st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 9)), min_size=2, max_size=2),
    st.sampled_from([2, 3, 4, 5]),
    st.sampled_from([None, 6, 8, 12]),
    st.sampled_from(["urem", "srem"]),
)
def test_distances_are_proofs(
    start: int,
    stop: int,
    step: int,
    forms: list[tuple[int, int]],
    count: int,
    window: int | None,
    op: str,
) -> None:
    """Six-bit registers; every pair of iterations is compared with the distance that was promised."""
    bits = 6
    variable = Symbol("u", bits)
    scalars = Scalars()
    scalars.loop_variable(variable, "loop", number(start, bits), number(stop, bits), number(step, bits))

    def index(factor: int, offset: int) -> Term:
        base: Term = variable if window is None else node(op, variable, number(window, bits))
        moved = node("add", node("mul", base, number(factor, bits)), number(offset, bits))
        return node(op, moved, number(count, bits))

    source, target = (index(*form) for form in forms)
    found = [rotation(term, "loop", count, scalars) for term in (source, target)]
    values = range(start, stop, step)
    slots = [[evaluate(term, {variable: value % 64}.get) for value in values] for term in (source, target)]
    readings = [[signed(v, bits) for v in row if v is not None] for row in slots]
    in_range = [all(0 <= v < count for v in row) for row in readings]
    for rotated, row, fits in zip(found, readings, in_range, strict=True):
        if rotated is not None and fits:
            assert row == [(rotated.factor * u + rotated.constant) % count for u in range(len(row))]
    first, second = found
    if first is None or second is None or not all(in_range):
        return
    for least in (0, 1):
        distance = slot_distance(first, second, least)
        assert distance is not None or first.factor != second.factor
        if distance is None:
            continue
        met = [d - u for u, a in enumerate(readings[0]) for d, b in enumerate(readings[1]) if a == b and d - u >= least]
        if distance.never:
            assert not met
        else:
            assert not met or min(met) >= distance.iterations
            assert all(
                readings[0][u] == readings[1][u + distance.iterations]
                for u in range(len(readings[0]) - distance.iterations)
            )
