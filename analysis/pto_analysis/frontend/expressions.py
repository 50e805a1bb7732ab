"""Expressions of kernel code: names, literals, operators. Calls and subscripts have modules of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pto_analysis.frontend import scalars
from pto_analysis.frontend.calls import read_call
from pto_analysis.frontend.constants import check_constant
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import dotted_text, dsl_constant_path
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.shapes import shape_attribute
from pto_analysis.frontend.subscripts import read_subscript
from pto_analysis.frontend.values import is_undefined, is_unknown, value_to_expr
from pto_analysis.ir.dtypes import BOOL, FP32, INDEX, TASK_ID
from pto_analysis.ir.expr import Call, Const, Expr, Opaque, Tuple
from pto_analysis.ir.types import ScalarType, UnknownType
from pto_analysis.source import syntax

_OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "<<", ">>"})

_NAMES: dict[type, str] = {
    syntax.Slice: "slice",
    syntax.Dict: "dict",
    syntax.Starred: "starred expression",
}


def read_expression(reading: Reading, node: syntax.Expression) -> Expr:
    """The IR of one expression. What the DSL does not have becomes `Opaque`, with an issue."""
    reader = _READERS.get(type(node))
    return _outside(reading, node, _what(node)) if reader is None else reader(reading, node)


def literal(reading: Reading, node: syntax.Constant) -> Expr:
    """A number, a bool, or `None` (the task id of nothing)."""
    origin, value = reading.origin(node), node.value
    if isinstance(value, bool):
        return Const(value, BOOL, origin)
    if isinstance(value, int):
        return Const(value, INDEX, origin)
    if isinstance(value, float):
        return Const(value, FP32, origin)
    if value is None:
        return Call("system.task_invalid", (), {}, ScalarType(TASK_ID), origin)
    return _outside(reading, node, f"{type(value).__name__} literal")


def _name(reading: Reading, node: syntax.Name) -> Expr:
    var = reading.scope.lookup(node.name)
    if var is not None:
        return var
    origin = reading.origin(node)
    value = reading.closure.lookup(node.name)
    if is_undefined(value):
        problem = reading.refuse(IssueKind.UNDEFINED_NAME, f"`{node.name}` is not defined here", origin, name=node.name)
        return Opaque(node.name, (), problem, origin)
    if is_unknown(value):
        return reading.unknown_constant(node.name)
    expr = value_to_expr(reading, value, origin)
    if expr is not None:
        return expr
    return Opaque(node.name, (), UnknownType(f"`{node.name}` is not a value of the DSL"), origin)


def _binary(reading: Reading, node: syntax.Binary) -> Expr:
    folded = fold(reading, node)
    if folded is not None:
        return folded
    if node.op not in _OPERATORS:
        return _outside(reading, node, f"operator {node.op}")
    left, right = read_expression(reading, node.left), read_expression(reading, node.right)
    return scalars.binary(reading, node.op, left, right, reading.origin(node))


def _sequence(reading: Reading, node: syntax.Sequence) -> Expr:
    items = tuple([read_expression(reading, item) for item in node.items])
    return Tuple(items, reading.origin(node))


def _unary(reading: Reading, node: syntax.Unary) -> Expr:
    if node.op == "-":
        folded = fold(reading, node)
        if folded is not None:
            return folded
    return scalars.unary(reading, node.op, read_expression(reading, node.operand), reading.origin(node))


def _compare(reading: Reading, node: syntax.Compare) -> Expr:
    if len(node.ops) != 1:
        return _outside(reading, node, "chained comparison")
    op = node.ops[0]
    if op not in scalars.COMPARISONS:
        return _outside(reading, node, f"comparison {op}")
    left, right = read_expression(reading, node.left), read_expression(reading, node.rights[0])
    return scalars.binary(reading, op, left, right, reading.origin(node))


def _boolean(reading: Reading, node: syntax.Boolean) -> Expr:
    origin = reading.origin(node)
    result = read_expression(reading, node.values[0])
    for value in node.values[1:]:
        result = scalars.binary(reading, node.op, result, read_expression(reading, value), origin)
    return result


def _attribute(reading: Reading, node: syntax.Attribute) -> Expr:
    shape = shape_attribute(reading, node)
    if shape is not None:
        return shape
    origin = reading.origin(node)
    value = reading.closure.evaluate(node)
    expr = value_to_expr(reading, value, origin)
    if expr is not None:
        return expr
    if dsl_constant_path(reading, node) is not None:
        check_constant(reading, node)
        return Opaque(f"enum {node.attr}", (), UnknownType("an enum member"), origin)
    if is_unknown(value):
        name = dotted_text(node)
        if name is not None:
            return reading.unknown_constant(name)
    return _outside(reading, node, "attribute access as a value")


def fold(reading: Reading, node: syntax.Expression) -> Expr | None:
    """The value of a tree of literals and closure names, which the DSL evaluates as one unit; None for others."""
    if not _foldable(reading, node):
        return None
    value = reading.closure.evaluate(node)
    if is_unknown(value):
        return None
    return value_to_expr(reading, value, reading.origin(node))


def _foldable(reading: Reading, node: syntax.Expression) -> bool:
    if isinstance(node, syntax.Constant):
        return True
    if isinstance(node, syntax.Name):
        return node.name not in reading.scope
    if isinstance(node, syntax.Binary):
        return _foldable(reading, node.left) and _foldable(reading, node.right)
    if isinstance(node, syntax.Unary):
        return _foldable(reading, node.operand)
    return False


def _what(node: syntax.Expression) -> str:
    if isinstance(node, syntax.Unsupported):
        return node.what
    return _NAMES.get(type(node), "expression")


def _outside(reading: Reading, node: syntax.Expression, what: str) -> Expr:
    origin = reading.origin(node)
    problem = reading.refuse(IssueKind.OUTSIDE_DSL, f"{what} is not part of the DSL", origin, construct=what)
    return Opaque(what, (), problem, origin)


_READERS: dict[type[object], Callable[[Reading, Any], Expr]] = {
    syntax.Name: _name,
    syntax.Constant: literal,
    syntax.Call: read_call,
    syntax.Subscript: read_subscript,
    syntax.Binary: _binary,
    syntax.Sequence: _sequence,
    syntax.Unary: _unary,
    syntax.Compare: _compare,
    syntax.Boolean: _boolean,
    syntax.Attribute: _attribute,
}
