"""The arithmetic engine against brute force: small registers are enumerated, wrap-around included."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.arith.evaluate import evaluate, signed
from pto_analysis.arith.questions import (
    interval,
    multiple_of,
    residue,
    signed_interval,
    slot_relation,
    stays_in_block,
)
from pto_analysis.arith.ranges import Range, between
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.terms import Node, Number, Symbol, Term, cast, node, number

BITS = 5
X, Y = Symbol("x", BITS), Symbol("y", BITS)
IDEAL_X, IDEAL_Y = Symbol("x", None), Symbol("y", None)

BINARY = ("add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "and", "or", "xor", "umin", "umax", "smin", "smax")
SHIFTS = ("shl", "lshr", "ashr")
COMPARE = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
IDEAL = ("add", "sub", "mul", "floordiv", "floormod", "smin", "smax")


SMALL = [number(value, BITS) for value in range(1, 10)]
SMALL_IDEAL = [Number(value, None) for value in range(1, 10)]


@st.composite
def terms(draw: st.DrawFn, depth: int) -> Term:
    """A random term over X and Y, casts and wrapping selects included."""
    if depth == 0:
        return draw(st.sampled_from([X, Y, *(number(value, BITS) for value in range(2**BITS))]))
    kind = draw(st.sampled_from(["leaf", "binary", "small", "shift", "select", "cast", "wrap"]))
    if kind == "leaf":
        return draw(terms(0))
    value = draw(terms(depth - 1))
    if kind == "binary":
        return node(draw(st.sampled_from(BINARY)), value, draw(terms(depth - 1)))
    if kind == "small":
        return node(draw(st.sampled_from(BINARY)), value, draw(st.sampled_from(SMALL)))
    if kind == "shift":
        return node(draw(st.sampled_from(SHIFTS)), value, number(1, BITS))
    if kind == "cast":
        return cast("trunc", cast(draw(st.sampled_from(["zext", "sext"])), value, BITS + 3), BITS)
    if kind == "wrap":
        return wrapped_increment(value)
    condition = node(draw(st.sampled_from(COMPARE)), draw(terms(depth - 1)), draw(terms(depth - 1)))
    return node("select", condition, value, draw(terms(depth - 1)))


def wrapped_increment(value: Term) -> Term:
    up = node("add", value, number(1, BITS))
    return node("select", node("eq", up, number(3, BITS)), number(0, BITS), up)


@st.composite
def ideal_terms(draw: st.DrawFn, depth: int) -> Term:
    """A random term over ideal integers."""
    if depth == 0:
        return draw(st.sampled_from([IDEAL_X, IDEAL_Y, *(Number(value, None) for value in range(-9, 10))]))
    value = draw(ideal_terms(depth - 1))
    if draw(st.booleans()):
        return Node(
            draw(st.sampled_from(["floordiv", "floormod", "mul"])), (value, draw(st.sampled_from(SMALL_IDEAL))), None
        )
    return Node(draw(st.sampled_from(IDEAL)), (value, draw(ideal_terms(depth - 1))), None)


bounds = st.tuples(st.integers(0, 2**BITS - 1), st.integers(0, 2**BITS - 1)).map(lambda p: (min(p), max(p)))


def scalars_for(x_bounds: tuple[int, int], y_bounds: tuple[int, int]) -> Scalars:
    scalars = Scalars()
    scalars.argument(X, between(*x_bounds))
    scalars.argument(Y, between(*y_bounds))
    return scalars


def assignments(x_bounds: tuple[int, int], y_bounds: tuple[int, int]) -> list[dict[Symbol, int]]:
    spans = (range(low, high + 1) for low, high in (x_bounds, y_bounds))
    return [{X: x, Y: y} for x, y in itertools.product(*spans)]


def holds(values: Range, value: int) -> bool:
    low = values.lower is None or values.lower <= value
    high = values.upper is None or value <= values.upper
    return low and high and value % values.modulus == values.residue % values.modulus


@settings(max_examples=400, deadline=None)
@given(terms(3), bounds, bounds)
def test_ranges_hold_every_value(term: Term, x_bounds: tuple[int, int], y_bounds: tuple[int, int]) -> None:
    scalars = scalars_for(x_bounds, y_bounds)
    unsigned_range, signed_range = interval(term, scalars), signed_interval(term, scalars)
    for values in assignments(x_bounds, y_bounds):
        value = evaluate(term, values.get)
        if value is not None:
            assert holds(unsigned_range, value)
            assert holds(signed_range, signed(value, term.bits))


@settings(max_examples=400, deadline=None)
@given(terms(2), terms(2), st.sampled_from([2, 3, 4, 5, 8]), bounds, bounds)
def test_slot_relations_are_proofs(
    left: Term, right: Term, count: int, x_bounds: tuple[int, int], y_bounds: tuple[int, int]
) -> None:
    scalars = scalars_for(x_bounds, y_bounds)
    slots = number(count, BITS)
    first, second = node("urem", left, slots), node("urem", right, slots)
    relation = slot_relation(first, second, count, scalars)
    for values in assignments(x_bounds, y_bounds):
        a, b = evaluate(first, values.get), evaluate(second, values.get)
        if a is not None and b is not None:
            assert relation != "equal" or a == b
            assert relation != "disjoint" or a != b


@settings(max_examples=300, deadline=None)
@given(terms(2), st.integers(1, 12), bounds, bounds)
def test_residues_are_proofs(term: Term, modulus: int, x_bounds: tuple[int, int], y_bounds: tuple[int, int]) -> None:
    scalars = scalars_for(x_bounds, y_bounds)
    proved = residue(term, modulus, scalars)
    for values in assignments(x_bounds, y_bounds):
        value = evaluate(term, values.get)
        if value is not None and proved is not None:
            readings = {value % modulus, signed(value, term.bits) % modulus}
            assert proved in readings


@settings(max_examples=400, deadline=None)
@given(ideal_terms(3), st.integers(1, 12), st.integers(1, 12))
def test_ideal_integers(term: Term, modulus: int, extent: int) -> None:
    scalars = Scalars()
    scalars.argument(IDEAL_X, between(-7, 8))
    scalars.argument(IDEAL_Y, between(0, 11))
    values_of, rest = interval(term, scalars), residue(term, modulus, scalars)
    inside = stays_in_block(term, extent, modulus, scalars)
    for x, y in itertools.product(range(-7, 9), range(12)):
        value = evaluate(term, {IDEAL_X: x, IDEAL_Y: y}.get)
        if value is None:
            continue
        assert holds(values_of, value)
        assert rest is None or value % modulus == rest
        assert not inside or value // modulus == (value + extent - 1) // modulus


def test_multiples() -> None:
    scalars = Scalars()
    row, width = Symbol("row", None), Symbol("N", None)
    scalars.argument(row)
    scalars.argument(width)
    scalars.assume(Node("floormod", (width, Number(16, None)), None), between(0, 0))
    assert multiple_of(Node("mul", (row, Number(16, None)), None), 8, scalars)
    assert not multiple_of(Node("mul", (row, Number(4, None)), None), 8, scalars)
    assert multiple_of(width, 8, scalars)
    assert not multiple_of(width, 32, scalars)
    halved = Node("floordiv", (row, Number(2, None)), None)
    assert multiple_of(Node("mul", (halved, Number(64, None)), None), 64, scalars)
