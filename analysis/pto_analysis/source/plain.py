"""Plain statements through `ast`, which is ten times faster than libcst.

`plain_statement` gives exactly the syntax tree that `concrete.read_statement` gives, ids included, for the forms
that kernels are made of. For anything where the two parsers could differ (f-strings, joined strings, escapes,
comprehensions, letters beyond ASCII, broken text) it gives None, and libcst has the word.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from itertools import count
from typing import Any

from attrs import define, field

from pto_analysis.source import syntax
from pto_analysis.source.bounds import MAX_DEPTH
from pto_analysis.source.completion import completed
from pto_analysis.source.from_ast import operator_name


class _NotPlainError(Exception):
    """A form that is left to libcst."""


def plain_statement(text: str) -> syntax.Statement | None:
    """The syntax of one simple statement or compound header; None when libcst must look at it."""
    source = completed(text)
    if source is None or not text.isascii() or any(mark in text for mark in "\\\r\f\0;"):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse("".join(source))
        return _Reader(text).statement(module)
    except (SyntaxError, ValueError, RecursionError, MemoryError, _NotPlainError):
        return None


@define
class _Reader:
    """Numbers nodes in preorder as `convert.Reader` does."""

    text: str
    numbers: count[int] = field(factory=lambda: count(1))
    depth: int = 0

    def statement(self, module: ast.Module) -> syntax.Statement:
        node = self._the_node(module)
        rule = _STATEMENTS.get(type(node))
        if rule is None:
            raise _NotPlainError
        return rule(self, node)

    def _the_node(self, module: ast.Module) -> ast.stmt:
        if not module.body:
            raise _NotPlainError
        node = module.body[0]
        if isinstance(node, ast.If) and self.text.startswith(("elif", "else")):
            return node.orelse[0]
        return node

    def expression(self, node: ast.expr) -> syntax.Expression:
        if self.depth == MAX_DEPTH:
            raise _NotPlainError
        rule = _EXPRESSIONS.get(type(node))
        if rule is None:
            raise _NotPlainError
        self.depth += 1
        result = rule(self, node, next(self.numbers))
        self.depth -= 1
        return result

    def optional(self, node: ast.expr | None) -> syntax.Expression | None:
        return None if node is None else self.expression(node)

    def many(self, nodes: list[ast.expr]) -> tuple[syntax.Expression, ...]:
        return tuple([self.expression(node) for node in nodes])

    def arguments(self, args: list[ast.expr], keywords: list[ast.keyword]) -> tuple[syntax.Argument, ...]:
        """In the order of the text. A keyword before a starred argument is rare enough for libcst."""
        if keywords and any(isinstance(arg, ast.Starred) for arg in args):
            raise _NotPlainError
        return (*[self._positional(arg) for arg in args], *[self._keyword(keyword) for keyword in keywords])

    def _positional(self, node: ast.expr) -> syntax.Argument:
        number = next(self.numbers)
        if isinstance(node, ast.Starred):
            return syntax.Argument(number, self.expression(node.value), None, "*")
        return syntax.Argument(number, self.expression(node), None, "")

    def _keyword(self, node: ast.keyword) -> syntax.Argument:
        number = next(self.numbers)
        return syntax.Argument(number, self.expression(node.value), node.arg, "" if node.arg else "**")

    def parameter(self, node: ast.arg, default: ast.expr | None) -> syntax.Parameter:
        number = next(self.numbers)
        return syntax.Parameter(number, node.arg, self.optional(node.annotation), self.optional(default))


def _name(_: _Reader, node: ast.Name, number: int) -> syntax.Expression:
    return syntax.Name(number, node.id)


def _constant(_: _Reader, node: ast.Constant, number: int) -> syntax.Expression:
    return syntax.Constant(number, node.value)


def _attribute(reader: _Reader, node: ast.Attribute, number: int) -> syntax.Expression:
    return syntax.Attribute(number, reader.expression(node.value), node.attr)


def _call(reader: _Reader, node: ast.Call, number: int) -> syntax.Expression:
    func = reader.expression(node.func)
    return syntax.Call(number, func, reader.arguments(node.args, node.keywords))


def _subscript(reader: _Reader, node: ast.Subscript, number: int) -> syntax.Expression:
    value = reader.expression(node.value)
    index = node.slice
    if not isinstance(index, ast.Tuple):
        return syntax.Subscript(number, value, (reader.expression(index),))
    if not index.elts or _start(index) != _start(index.elts[0]):
        raise _NotPlainError  # `x[(a, b)]` or `x[(a), b]`
    return syntax.Subscript(number, value, reader.many(index.elts))


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _slice(reader: _Reader, node: ast.Slice, number: int) -> syntax.Expression:
    return syntax.Slice(number, reader.optional(node.lower), reader.optional(node.upper), reader.optional(node.step))


def _list(reader: _Reader, node: ast.List, number: int) -> syntax.Expression:
    return syntax.Sequence(number, "list", reader.many(node.elts))


def _tuple(reader: _Reader, node: ast.Tuple, number: int) -> syntax.Expression:
    return syntax.Sequence(number, "tuple", reader.many(node.elts))


def _dict(reader: _Reader, node: ast.Dict, number: int) -> syntax.Expression:
    pairs: list[tuple[syntax.Expression, syntax.Expression]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise _NotPlainError
        pairs.append((reader.expression(key), reader.expression(value)))
    return syntax.Dict(number, tuple(pairs))


def _unary(reader: _Reader, node: ast.UnaryOp, number: int) -> syntax.Expression:
    return syntax.Unary(number, operator_name(node.op), reader.expression(node.operand))


def _binary(reader: _Reader, node: ast.BinOp, number: int) -> syntax.Expression:
    left = reader.expression(node.left)
    return syntax.Binary(number, operator_name(node.op), left, reader.expression(node.right))


def _compare(reader: _Reader, node: ast.Compare, number: int) -> syntax.Expression:
    left = reader.expression(node.left)
    ops = tuple(operator_name(op) for op in node.ops)
    return syntax.Compare(number, left, ops, reader.many(node.comparators))


def _boolean(reader: _Reader, node: ast.BoolOp, number: int) -> syntax.Expression:
    return syntax.Boolean(number, operator_name(node.op), reader.many(node.values))


def _conditional(reader: _Reader, node: ast.IfExp, number: int) -> syntax.Expression:
    return syntax.Unsupported(number, "conditional expression", reader.many([node.body, node.test, node.orelse]))


def _assign(reader: _Reader, node: ast.Assign) -> syntax.Statement:
    targets = reader.many(node.targets)
    return syntax.Assign(targets, reader.expression(node.value))


def _annotated(reader: _Reader, node: ast.AnnAssign) -> syntax.Statement:
    target = reader.expression(node.target)
    annotation = reader.expression(node.annotation)
    return syntax.Assign((target,), reader.optional(node.value), annotation)


def _augmented(reader: _Reader, node: ast.AugAssign) -> syntax.Statement:
    target = reader.expression(node.target)
    return syntax.AugAssign(target, operator_name(node.op), reader.expression(node.value))


def _expression_statement(reader: _Reader, node: ast.Expr) -> syntax.Statement:
    return syntax.ExpressionStatement(reader.expression(node.value))


def _return(reader: _Reader, node: ast.Return) -> syntax.Statement:
    return syntax.Return(reader.optional(node.value))


def _for(reader: _Reader, node: ast.For) -> syntax.Statement:
    target = reader.expression(node.target)
    return syntax.ForHeader(target, reader.expression(node.iter))


def _while(reader: _Reader, node: ast.While) -> syntax.Statement:
    return syntax.WhileHeader(reader.expression(node.test))


def _if(reader: _Reader, node: ast.If) -> syntax.Statement:
    return syntax.IfHeader(reader.expression(node.test))


def _with(reader: _Reader, node: ast.With) -> syntax.Statement:
    items = [(reader.expression(each.context_expr), reader.optional(each.optional_vars)) for each in node.items]
    return syntax.WithHeader(tuple(items))


def _function(reader: _Reader, node: ast.FunctionDef) -> syntax.Statement:
    """A header, or the decorator before one."""
    if reader.text.startswith("@"):
        return syntax.Decorator(reader.expression(node.decorator_list[0]))
    listed = node.args
    if listed.vararg or listed.kwarg or listed.kwonlyargs or listed.posonlyargs or getattr(node, "type_params", None):
        raise _NotPlainError
    missing = len(listed.args) - len(listed.defaults)
    defaults = (*[None] * missing, *listed.defaults)
    params = tuple([reader.parameter(*pair) for pair in zip(listed.args, defaults, strict=True)])
    return syntax.FunctionHeader(node.name, params, reader.optional(node.returns))


def _simple(_: _Reader, node: ast.Pass | ast.Break | ast.Continue) -> syntax.Statement:
    return syntax.Simple(type(node).__name__.lower())


def _assert(reader: _Reader, node: ast.Assert) -> syntax.Statement:
    parts = (node.test, node.msg)
    return syntax.OtherStatement("assert", tuple([reader.expression(each) for each in parts if each is not None]))


def _import(_: _Reader, __: ast.Import | ast.ImportFrom) -> syntax.Statement:
    return syntax.OtherStatement("import")


_EXPRESSIONS: dict[type[ast.expr], Callable[[_Reader, Any, int], syntax.Expression]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Dict: _dict,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
}

_STATEMENTS: dict[type[ast.stmt], Callable[[_Reader, Any], syntax.Statement]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Expr: _expression_statement,
    ast.Return: _return,
    ast.For: _for,
    ast.While: _while,
    ast.If: _if,
    ast.With: _with,
    ast.FunctionDef: _function,
    ast.Pass: _simple,
    ast.Break: _simple,
    ast.Continue: _simple,
    ast.Assert: _assert,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
