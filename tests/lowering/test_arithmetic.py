"""Scalar arithmetic: forms that the compiler prints, and that no rewriting changes a value."""

from __future__ import annotations

import ast
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.ir.dtypes import BOOL, INDEX, INT64
from pto_analysis.ir.expr import Binary, Const, Expr, Unary, Var
from pto_analysis.ir.spelling import expression_text
from pto_analysis.ir.types import ScalarType
from pto_analysis.passes.lowering.arithmetic import Range, decide, fold, range_of, under
from pto_analysis.passes.lowering.arithmetic.identities import IDENTITIES
from pto_analysis.passes.lowering.arithmetic.rules import parse_rule

A, B, C = (Var(name, ScalarType(INT64)) for name in "abc")
INDEX_VAR = Var("i", ScalarType(INDEX))
NAMES = {"a": A, "b": B, "c": C, "i": INDEX_VAR}
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.And: "and", ast.Or: "or",
}  # fmt: skip


def expression(text: str) -> Expr:
    """A scalar expression in Python's syntax over a, b, c and the index i."""
    return _expression(ast.parse(text, mode="eval").body)


def _expression(node: ast.expr) -> Expr:
    if isinstance(node, ast.Name):
        return NAMES[node.id]
    if isinstance(node, ast.Constant):
        assert isinstance(node.value, int)
        return Const(node.value, INT64)
    if isinstance(node, ast.BinOp):
        return Binary(_SYMBOLS[type(node.op)], _expression(node.left), _expression(node.right), INT64)
    if isinstance(node, ast.UnaryOp):
        operator, dtype = ("not", BOOL) if isinstance(node.op, ast.Not) else ("-", INT64)
        return Unary(operator, _expression(node.operand), dtype)
    if isinstance(node, ast.Compare):
        return Binary(_SYMBOLS[type(node.ops[0])], _expression(node.left), _expression(node.comparators[0]), BOOL)
    if isinstance(node, ast.BoolOp):
        return Binary(_SYMBOLS[type(node.op)], _expression(node.values[0]), _expression(node.values[1]), BOOL)
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return Binary(node.func.id, _expression(node.args[0]), _expression(node.args[1]), INT64)


@pytest.mark.parametrize(
    ("written", "simplified"),
    [
        ("(a + 64) - a", "64"),
        ("64 + a", "a + 64"),
        ("2 * a", "a * 2"),
        ("(a * 64 + 64) - a * 64", "64"),
        ("(a + 64) + b", "a + b + 64"),
        ("(a + 16) * 4", "a * 4 + 64"),
        ("a + a", "a * 2"),
        ("a * 4 // 4", "a"),
        ("(a * 8 + b) // 8", "a + b // 8"),
        ("a * 16 % 8", "0"),
        ("a > 0", "0 < a"),
        ("a >= 1", "1 <= a"),
        ("0 == a", "a == 0"),
        ("a + 1 == 4", "a == 3"),
        ("not (a < b)", "b <= a"),
        ("min(a, 7 + 1)", "min(a, 8)"),
        ("min(min(a, 8), 4)", "min(a, 4)"),
        ("i // 8", "i // 8"),
    ],
)
def test_the_form_is_the_compilers(written: str, simplified: str) -> None:
    assert _plain(fold(expression(written))) == _plain(expression(simplified))


def _plain(expr: Expr) -> str:
    return expression_text(expr).replace("pl.const(", "").replace(", pl.INT64)", "")


def test_ranges_decide_what_forms_cannot() -> None:
    ranges = {INDEX_VAR: Range(0, 7)}
    assert fold(expression("i // 8"), ranges) == Const(0, INT64)
    assert fold(expression("i % 8"), ranges) is INDEX_VAR
    assert fold(expression("min(i, 8)"), ranges) is INDEX_VAR
    assert decide(expression("i < 8"), ranges) is True
    assert decide(expression("i == 9"), ranges) is False
    assert decide(expression("i == 7"), ranges) is None


def test_an_index_is_never_negative() -> None:
    assert decide(expression("i < 0"), {}) is False
    assert decide(expression("a < 0"), {}) is None


def test_a_branch_narrows_its_variable() -> None:
    inside = under(expression("a < 8 and a >= 0"), holds=True, ranges={})
    assert inside[A] == Range(0, 7)
    outside = under(expression("a < 8"), holds=False, ranges={})
    assert outside[A] == Range(8, None)


def test_every_identity_is_used() -> None:
    for op, lines in IDENTITIES.items():
        for line in lines:
            assert parse_rule(line).pattern.op == op, line


_NUMBERS = st.integers(-9, 9)
_LEAVES: st.SearchStrategy[Expr] = st.one_of(st.sampled_from([A, B, C]), st.builds(Const, _NUMBERS, st.just(INT64)))


def _integer(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    operators = st.sampled_from(["+", "-", "*", "//", "%", "min", "max"])
    return st.builds(Binary, operators, inner, inner, st.just(INT64))


INTEGERS = st.recursive(_LEAVES, _integer, max_leaves=7)
CONDITIONS = st.builds(Binary, st.sampled_from(_COMPARISONS), INTEGERS, INTEGERS, st.just(BOOL))


@settings(max_examples=200, deadline=None)
@given(INTEGERS | CONDITIONS, st.randoms(use_true_random=False))
def test_folding_keeps_every_value(expr: Expr, source: random.Random) -> None:
    folded = fold(expr)
    for _ in range(6):
        values = {var: source.randint(-12, 12) for var in (A, B, C)}
        expected = _value(expr, values)
        if expected is not None:
            assert _value(folded, values) == expected


@settings(max_examples=100, deadline=None)
@given(INTEGERS)
def test_ranges_hold_every_value(expr: Expr) -> None:
    ranges = {A: Range(-2, 3), B: Range(0, 4), C: Range(1, 1)}
    bounds = range_of(expr, ranges)
    folded = fold(expr, ranges)
    for a in range(-2, 4):
        for b in range(5):
            value = _value(expr, {A: a, B: b, C: 1})
            if value is not None:
                assert bounds.low is None or bounds.low <= value
                assert bounds.high is None or value <= bounds.high
                assert _value(folded, {A: a, B: b, C: 1}) == value


def _value(expr: Expr, values: dict[Var, int]) -> int | None:
    """Brute force; None where something divides by zero."""
    if isinstance(expr, Var):
        return values[expr]
    if isinstance(expr, Const):
        return int(expr.value)
    if isinstance(expr, Unary):
        inner = _value(expr.operand, values)
        return None if inner is None else -inner if expr.op == "-" else int(not inner)
    assert isinstance(expr, Binary)
    left, right = _value(expr.left, values), _value(expr.right, values)
    if left is None or right is None or (expr.op in ("//", "%") and right == 0):
        return None
    return int({
        "+": left + right, "-": left - right, "*": left * right, "//": left // (right or 1),
        "%": left % (right or 1), "min": min(left, right), "max": max(left, right), "==": left == right,
        "!=": left != right, "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
        "and": left and right, "or": left or right,
    }[expr.op])  # fmt: skip
