"""What the comparison of extents proves, against evaluation over a grid of values."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.ir.dtypes import DTYPES, INDEX
from pto_analysis.ir.expr import Binary, Const, Expr, Unary, Var
from pto_analysis.ir.types import Dim, ScalarType, UnknownType
from pto_analysis.ops.dims import (
    add,
    as_dim,
    ceil_divide,
    floor_divide,
    format_shape,
    is_understood,
    larger,
    multiply,
    prove_eq,
    prove_le,
    round_up,
    same_dim,
    smaller,
    subtract,
)

N, M = Var("n", ScalarType(INDEX)), Var("m", ScalarType(INDEX))
Z = Var("z", ScalarType(DTYPES["INT64"]))
UNKNOWN = Var("u", UnknownType())
GRID = [dict(zip((N, M, Z), values, strict=True)) for values in itertools.product(range(5), range(3), range(-2, 3))]


@st.composite
def extents(draw: st.DrawFn, depth: int = 3) -> Dim:
    """A random extent over n, m (not negative) and z (any integer)."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([N, M, Z, *range(-2, 9)]))
    op = draw(st.sampled_from(["+", "-", "*", "//", "%", "min", "max", "neg"]))
    left = draw(extents(depth - 1))
    if op == "neg":
        return Unary("-", _expr(left), INDEX)
    if op in ("//", "%"):
        return Binary(op, _expr(left), Const(draw(st.integers(1, 4)), INDEX), INDEX)
    return Binary(op, _expr(left), _expr(draw(extents(depth - 1))), INDEX)


def _expr(dim: Dim) -> Expr:
    return Const(dim, INDEX) if isinstance(dim, int) else dim


def value_of(dim: Dim, values: Mapping[Var, int]) -> int:
    match dim:
        case int():
            return dim
        case Const():
            return int(dim.value)
        case Unary():
            return -value_of(dim.operand, values)
        case Binary():
            left, right = value_of(dim.left, values), value_of(dim.right, values)
            results = {"+": left + right, "-": left - right, "*": left * right, "min": min(left, right)}
            results["max"] = max(left, right)
            if right:
                results |= {"//": left // right, "%": left % right}
            return results[dim.op]
        case Var():
            return values[dim]
        case _:
            raise AssertionError(dim)


@settings(max_examples=250, deadline=None)
@given(extents(), extents())
def test_what_is_proven_holds_everywhere(left: Dim, right: Dim) -> None:
    pairs = [(value_of(left, values), value_of(right, values)) for values in GRID]
    at_most, equal = prove_le(left, right), prove_eq(left, right)
    assert at_most is not True or all(a <= b for a, b in pairs)
    assert at_most is not False or all(a > b for a, b in pairs)
    assert equal is not True or all(a == b for a, b in pairs)
    assert equal is not False or all(a != b for a, b in pairs)


@settings(max_examples=150, deadline=None)
@given(extents(2), extents(2), st.integers(1, 5))
def test_arithmetic_keeps_the_value(left: Dim, right: Dim, divisor: int) -> None:
    for values in GRID[::7]:
        a, b = value_of(left, values), value_of(right, values)
        assert value_of(add(left, right), values) == a + b
        assert value_of(subtract(left, right), values) == a - b
        assert value_of(multiply(left, right), values) == a * b
        assert value_of(smaller(left, right), values) == min(a, b)
        assert value_of(larger(left, right), values) == max(a, b)
        assert value_of(floor_divide(left, divisor), values) == a // divisor
        assert value_of(ceil_divide(left, divisor), values) == -(-a // divisor)
        assert value_of(round_up(left, divisor), values) == -(-a // divisor) * divisor


@given(st.integers(-9, 9), st.integers(-9, 9))
def test_numbers_are_always_decided(left: int, right: int) -> None:
    assert prove_le(left, right) is (left <= right)
    assert prove_eq(left, right) is (left == right)


@pytest.mark.parametrize(
    ("left", "right", "at_most", "equal"),
    [
        (N, N, True, True),
        (N, add(N, 1), True, False),
        (add(N, 1), N, False, False),
        (N, M, None, None),
        (0, N, True, None),
        (0, Z, None, None),
        (multiply(N, 2), 1, None, False),
        (smaller(N, 8), 8, True, None),
        (N, larger(N, M), True, None),
        (floor_divide(N, 4), N, None, None),
        (Binary("%", N, Const(4, INDEX), INDEX), 3, True, None),
        (UNKNOWN, 4, None, None),
        (subtract(add(N, M), M), N, True, True),
    ],
)
def test_proofs(left: Dim, right: Dim, at_most: bool | None, equal: bool | None) -> None:
    assert prove_le(left, right) is at_most
    assert prove_eq(left, right) is equal


def test_same_is_structure_not_arithmetic() -> None:
    assert same_dim(add(N, 1), add(N, 1))
    assert not same_dim(add(N, 1), add(add(N, 2), -1))
    assert not same_dim(N, Var("n", ScalarType(INDEX)))
    assert as_dim(Const(3, INDEX)) == 3


def test_understood_means_every_part_has_a_type() -> None:
    assert is_understood(add(N, multiply(M, 2)))
    assert not is_understood(add(N, UNKNOWN))


def test_text_of_extents() -> None:
    assert format_shape((16, add(N, 1), smaller(N, M))) == "[16, (n + 1), min(n, m)]"
