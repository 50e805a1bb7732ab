"""From `ast` expressions to the same syntax nodes that libcst's become.

`ast` is ten times faster. It serves module-level code, which needs no positions and gets no ids, and the shapes of
statements (`bare`), whose nodes are numbered as `convert` numbers those of libcst.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, cast

from pto_analysis.source import syntax
from pto_analysis.source.bounds import MAX_DEPTH

_KEPT = "pto syntax"


class TooDeepError(Exception):
    """Expressions inside of expressions beyond `MAX_DEPTH`."""


class UnclearError(Exception):
    """The tree does not tell how a text is written, so that its nodes cannot be numbered."""


def syntax_of(node: ast.expr) -> syntax.Expression:
    """The syntax node of an expression; every id is 0. Kept in the node, as calls and loops come to it again."""
    known = node.__dict__.get(_KEPT)
    if known is None:
        known = node.__dict__[_KEPT] = _newly_read(node)
    return cast("syntax.Expression", known)


def _newly_read(node: ast.expr) -> syntax.Expression:
    try:
        return Reader().expression(node)
    except TooDeepError:
        return syntax.Unsupported(0, f"expression nested deeper than {MAX_DEPTH}")


class Reader:
    """Converts `ast` nodes to syntax nodes. Errors: TooDeepError."""

    def __init__(self) -> None:
        self._depth = 0

    def number(self, _node: ast.AST) -> int:
        """The id of the next node in preorder, which is made of this one."""
        return 0

    def constant(self, number: int, node: ast.Constant) -> None:
        """A literal has this id."""

    def index(self, node: ast.Tuple) -> None:
        """A tuple is an index. One without parentheses is no node. Errors: UnclearError."""

    def expression(self, node: ast.expr) -> syntax.Expression:
        if self._depth == MAX_DEPTH:
            raise TooDeepError
        self._depth += 1
        rule = _RULES.get(type(node))
        number = self.number(node)
        result = syntax.Unsupported(number, type(node).__name__) if rule is None else rule(self, node, number)
        self._depth -= 1
        return result

    def expressions(self, nodes: Iterable[ast.expr]) -> tuple[syntax.Expression, ...]:
        return tuple([self.expression(node) for node in nodes])

    def optional(self, node: ast.expr | None) -> syntax.Expression | None:
        return None if node is None else self.expression(node)

    def elements(self, nodes: Iterable[ast.expr]) -> tuple[syntax.Expression, ...]:
        """Of a tuple, list, set or index, where a star is no expression."""
        return tuple([self._element(node) for node in nodes])

    def _element(self, node: ast.expr) -> syntax.Expression:
        if isinstance(node, ast.Starred):
            return syntax.Starred(self.number(node), self.expression(node.value))
        return self.expression(node)

    def argument(self, node: ast.expr | ast.keyword) -> syntax.Argument:
        number = self.number(node)
        if isinstance(node, ast.keyword):
            return syntax.Argument(number, self.expression(node.value), node.arg, "" if node.arg else "**")
        if isinstance(node, ast.Starred):
            return syntax.Argument(number, self.expression(node.value), None, "*")
        return syntax.Argument(number, self.expression(node), None, "")

    def unsupported(self, number: int, what: str, *nodes: ast.expr | None) -> syntax.Expression:
        return syntax.Unsupported(number, what, tuple([self.expression(node) for node in nodes if node is not None]))

    def clause(self, node: ast.comprehension) -> syntax.Expression:
        """`for target in iterable if condition …` of a comprehension."""
        return self.unsupported(self.number(node), "comprehension clause", node.target, node.iter, *node.ifs)


def _name(_: Reader, node: ast.Name, number: int) -> syntax.Expression:
    return syntax.Name(number, node.id)


def _constant(reader: Reader, node: ast.Constant, number: int) -> syntax.Expression:
    reader.constant(number, node)
    return syntax.Constant(number, node.value)


def _attribute(reader: Reader, node: ast.Attribute, number: int) -> syntax.Expression:
    return syntax.Attribute(number, reader.expression(node.value), node.attr)


def _call(reader: Reader, node: ast.Call, number: int) -> syntax.Expression:
    func = reader.expression(node.func)
    args: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
    if node.keywords and any(isinstance(arg, ast.Starred) for arg in node.args):
        args.sort(key=lambda arg: (arg.lineno, arg.col_offset))  # only a star may stand behind a keyword
    return syntax.Call(number, func, tuple([reader.argument(arg) for arg in args]))


def _subscript(reader: Reader, node: ast.Subscript, number: int) -> syntax.Expression:
    value, index = reader.expression(node.value), node.slice
    if not isinstance(index, ast.Tuple):
        return syntax.Subscript(number, value, (reader.expression(index),))
    reader.index(index)
    return syntax.Subscript(number, value, reader.elements(index.elts))


def _slice(reader: Reader, node: ast.Slice, number: int) -> syntax.Expression:
    return syntax.Slice(number, reader.optional(node.lower), reader.optional(node.upper), reader.optional(node.step))


def _sequence(reader: Reader, node: ast.List | ast.Tuple, number: int) -> syntax.Expression:
    return syntax.Sequence(number, "list" if isinstance(node, ast.List) else "tuple", reader.elements(node.elts))


def _starred(reader: Reader, node: ast.Starred, number: int) -> syntax.Expression:
    return syntax.Starred(number, reader.expression(node.value))


def _set(reader: Reader, node: ast.Set, number: int) -> syntax.Expression:
    return syntax.Unsupported(number, "set", reader.elements(node.elts))


def _dict(reader: Reader, node: ast.Dict, number: int) -> syntax.Expression:
    pairs: list[tuple[syntax.Expression, syntax.Expression]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            return reader.unsupported(number, "dictionary unpacking", *node.values)
        pairs.append((reader.expression(key), reader.expression(value)))
    return syntax.Dict(number, tuple(pairs))


def _unary(reader: Reader, node: ast.UnaryOp, number: int) -> syntax.Expression:
    return syntax.Unary(number, _OPERATORS[type(node.op)], reader.expression(node.operand))


def _binary(reader: Reader, node: ast.BinOp, number: int) -> syntax.Expression:
    left = reader.expression(node.left)
    return syntax.Binary(number, _OPERATORS[type(node.op)], left, reader.expression(node.right))


def _compare(reader: Reader, node: ast.Compare, number: int) -> syntax.Expression:
    left = reader.expression(node.left)
    ops = tuple(_OPERATORS[type(op)] for op in node.ops)
    return syntax.Compare(number, left, ops, reader.expressions(node.comparators))


def _boolean(reader: Reader, node: ast.BoolOp, number: int) -> syntax.Expression:
    return syntax.Boolean(number, _OPERATORS[type(node.op)], reader.expressions(node.values))


def _conditional(reader: Reader, node: ast.IfExp, number: int) -> syntax.Expression:
    return reader.unsupported(number, "conditional expression", node.body, node.test, node.orelse)


def _lambda(reader: Reader, node: ast.Lambda, number: int) -> syntax.Expression:
    return reader.unsupported(number, "lambda", node.body)


def _walrus(reader: Reader, node: ast.NamedExpr, number: int) -> syntax.Expression:
    return reader.unsupported(number, "walrus", node.target, node.value)


def _await(reader: Reader, node: ast.Await, number: int) -> syntax.Expression:
    return reader.unsupported(number, "await", node.value)


def _yield(reader: Reader, node: ast.Yield | ast.YieldFrom, number: int) -> syntax.Expression:
    return reader.unsupported(number, "yield", node.value)


def _formatted(reader: Reader, node: ast.JoinedStr, number: int) -> syntax.Expression:
    return reader.unsupported(number, "f-string", *node.values)


def _field(reader: Reader, node: ast.FormattedValue, number: int) -> syntax.Expression:
    plain = node.conversion == -1 and node.format_spec is None
    return reader.unsupported(number, "replacement field" if plain else "formatted field", node.value)


def _comprehension(
    reader: Reader, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, number: int
) -> syntax.Expression:
    element = reader.expression(node.elt)
    return syntax.Unsupported(number, _COMPREHENSIONS[type(node)], (element, *map(reader.clause, node.generators)))


def _dict_comprehension(reader: Reader, node: ast.DictComp, number: int) -> syntax.Expression:
    pair = (reader.expression(node.key), reader.expression(node.value))
    return syntax.Unsupported(number, "dictionary comprehension", (*pair, *map(reader.clause, node.generators)))


_COMPREHENSIONS: dict[type[ast.expr], str] = {
    ast.ListComp: "list comprehension",
    ast.SetComp: "set comprehension",
    ast.GeneratorExp: "generator expression",
}

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.MatMult: "@",
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
    ast.And: "and",
    ast.Or: "or",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}

_RULES: dict[type[ast.expr], Callable[[Reader, Any, int], syntax.Expression]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Starred: _starred,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.JoinedStr: _formatted,
    ast.FormattedValue: _field,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
}


def operator_name(op: ast.operator) -> str:
    """`+` for the operator of an augmented assignment."""
    return _OPERATORS[type(op)]
