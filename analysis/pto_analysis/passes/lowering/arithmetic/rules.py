"""Identities written as text, made into patterns that match expressions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Union

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Binary, Const, Expr, Unary
from pto_analysis.passes.lowering.arithmetic.identities import IDENTITIES

_OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.And: "and", ast.Or: "or", ast.Not: "not",
    ast.USub: "neg",
}  # fmt: skip
_EITHER_ORDER: Mapping[str, str] = {"sum": "+", "product": "*", "both": "and", "either": "or"}


@frozen
class Anything:
    """Any expression; the same name twice is the same expression twice."""

    name: str


@frozen
class Number:
    """Any integer literal."""

    name: str


@frozen
class Literal:
    value: int | bool


@frozen
class Operation:
    """`operands` under `op`; with `either_order` the two may be exchanged."""

    op: str
    operands: tuple[Pattern, ...]
    either_order: bool = False


Pattern = Union[Anything, Number, Literal, Operation]
Bindings = Mapping[str, Expr]


@frozen
class Rule:
    pattern: Operation
    replacement: Pattern
    condition: Pattern | None = None


def operator_of(expr: Expr) -> str:
    """ "+", "neg", "not", … of an operation, "number" of an integer literal, "" of anything else."""
    if isinstance(expr, Binary):
        return expr.op
    if isinstance(expr, Unary):
        return "neg" if expr.op == "-" else expr.op
    return "number" if literal(expr) is not None else ""


def literal(expr: Expr) -> int | None:
    """The value of an integer literal; truth values are none."""
    if isinstance(expr, Const) and isinstance(expr.value, int) and not isinstance(expr.value, bool):
        return expr.value
    return None


@lru_cache(maxsize=4096)
def rules_for(op: str, operands: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules for an operator that can match operands of these operators."""
    return tuple(rule for rule in _rules(op) if _can_match(rule.pattern, operands))


def matches(pattern: Pattern, expr: Expr, bound: Bindings) -> Iterator[Bindings]:
    """Every way in which the expression has the form of the pattern."""
    if isinstance(pattern, Literal):
        if literal(expr) == pattern.value:
            yield bound
        return
    if isinstance(pattern, (Anything, Number)):
        known = bound.get(pattern.name)
        if known is not None:
            if known == expr:
                yield bound
        elif isinstance(pattern, Anything) or literal(expr) is not None:
            yield {**bound, pattern.name: expr}
        return
    if operator_of(expr) != pattern.op:
        return
    if isinstance(expr, Unary):
        yield from matches(pattern.operands[0], expr.operand, bound)
    elif isinstance(expr, Binary):
        yield from _pair(pattern.operands, expr.left, expr.right, bound)
        if pattern.either_order:
            yield from _pair(pattern.operands, expr.right, expr.left, bound)


def _pair(patterns: tuple[Pattern, ...], first: Expr, second: Expr, bound: Bindings) -> Iterator[Bindings]:
    for half in matches(patterns[0], first, bound):
        yield from matches(patterns[1], second, half)


def _can_match(pattern: Operation, operands: tuple[str, ...]) -> bool:
    orders = [pattern.operands, pattern.operands[::-1]] if pattern.either_order else [pattern.operands]
    return any(all(map(_may_be, order, operands)) for order in orders)


def _may_be(pattern: Pattern, operator: str) -> bool:
    if isinstance(pattern, Anything):
        return True
    return operator == (pattern.op if isinstance(pattern, Operation) else "number")


@lru_cache(maxsize=64)
def _rules(op: str) -> tuple[Rule, ...]:
    return tuple(parse_rule(text) for text in IDENTITIES.get(op, ()))


def parse_rule(text: str) -> Rule:
    """The rule that a line of the table means."""
    pattern, _, rest = text.partition(" -> ")
    replacement, _, condition = rest.partition(" if ")
    left = _parse(pattern)
    assert isinstance(left, Operation)
    return Rule(left, _parse(replacement), _parse(condition) if condition else None)


def _parse(text: str) -> Pattern:
    return _pattern(ast.parse(text, mode="eval").body)


def _pattern(node: ast.expr) -> Pattern:
    if isinstance(node, ast.Name):
        return Number(node.id) if node.id.startswith("c") else Anything(node.id)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Literal(node.value)
    if isinstance(node, ast.BinOp):
        return Operation(_OPERATORS[type(node.op)], (_pattern(node.left), _pattern(node.right)))
    if isinstance(node, ast.UnaryOp):
        return Operation(_OPERATORS[type(node.op)], (_pattern(node.operand),))
    if isinstance(node, ast.Compare):
        return Operation(_OPERATORS[type(node.ops[0])], (_pattern(node.left), _pattern(node.comparators[0])))
    if isinstance(node, ast.BoolOp):
        first, *others = (_pattern(value) for value in node.values)
        for other in others:
            first = Operation(_OPERATORS[type(node.op)], (first, other))
        return first
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    name, operands = node.func.id, tuple(_pattern(arg) for arg in node.args)
    return Operation(_EITHER_ORDER.get(name, name), operands, name in _EITHER_ORDER)
