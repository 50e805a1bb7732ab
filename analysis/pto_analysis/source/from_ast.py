"""From `ast` expressions to the same syntax nodes that libcst statements become, without ids.

`ast` is ten times faster and serves module-level code, which needs no positions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, cast

from pto_analysis.source import syntax
from pto_analysis.source.bounds import MAX_DEPTH

_KEPT = "pto syntax"


def syntax_of(node: ast.expr) -> syntax.Expression:
    """The syntax node of an expression; every id is 0. Kept in the node, as calls and loops come to it again."""
    known = node.__dict__.get(_KEPT)
    if known is None:
        known = node.__dict__[_KEPT] = _newly_read(node)
    return cast("syntax.Expression", known)


def _newly_read(node: ast.expr) -> syntax.Expression:
    if _is_deep(node):
        return syntax.Unsupported(0, f"expression nested deeper than {MAX_DEPTH}")
    return _node(node)


def _is_deep(node: ast.expr) -> bool:
    if node.end_lineno == node.lineno and (node.end_col_offset or 0) - node.col_offset < MAX_DEPTH:
        return False
    level: list[ast.AST] = [node]
    depth = 0
    while level and depth <= MAX_DEPTH:
        level = [child for each in level for child in ast.iter_child_nodes(each) if isinstance(child, _NESTING)]
        depth += 1
    return depth > MAX_DEPTH


_NESTING = (ast.expr, ast.keyword, ast.comprehension)


def _node(node: ast.expr) -> syntax.Expression:
    rule = _RULES.get(type(node))
    return syntax.Unsupported(0, type(node).__name__) if rule is None else rule(node)


def _many(nodes: Iterable[ast.expr]) -> tuple[syntax.Expression, ...]:
    return tuple(_node(node) for node in nodes)


def _maybe(node: ast.expr | None) -> syntax.Expression | None:
    return None if node is None else _node(node)


def _unsupported(what: str, *nodes: ast.expr | None) -> syntax.Expression:
    return syntax.Unsupported(0, what, tuple(_node(node) for node in nodes if node is not None))


def _name(node: ast.Name) -> syntax.Expression:
    return syntax.Name(0, node.id)


def _constant(node: ast.Constant) -> syntax.Expression:
    return syntax.Constant(0, node.value)


def _attribute(node: ast.Attribute) -> syntax.Expression:
    return syntax.Attribute(0, _node(node.value), node.attr)


def _call(node: ast.Call) -> syntax.Expression:
    args: list[tuple[tuple[int, int], syntax.Argument]] = []
    for arg in node.args:
        starred = isinstance(arg, ast.Starred)
        value = _node(arg.value if isinstance(arg, ast.Starred) else arg)
        args.append(((arg.lineno, arg.col_offset), syntax.Argument(0, value, None, "*" if starred else "")))
    for keyword in node.keywords:
        argument = syntax.Argument(0, _node(keyword.value), keyword.arg, "" if keyword.arg else "**")
        args.append(((keyword.lineno, keyword.col_offset), argument))
    in_order = sorted(args, key=lambda pair: pair[0])
    return syntax.Call(0, _node(node.func), tuple(argument for _, argument in in_order))


def _subscript(node: ast.Subscript) -> syntax.Expression:
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return syntax.Subscript(0, _node(node.value), _many(items))


def _slice(node: ast.Slice) -> syntax.Expression:
    return syntax.Slice(0, _maybe(node.lower), _maybe(node.upper), _maybe(node.step))


def _sequence(node: ast.List | ast.Tuple) -> syntax.Expression:
    return syntax.Sequence(0, "list" if isinstance(node, ast.List) else "tuple", _many(node.elts))


def _starred(node: ast.Starred) -> syntax.Expression:
    return syntax.Starred(0, _node(node.value))


def _set(node: ast.Set) -> syntax.Expression:
    return syntax.Unsupported(0, "set", _many(node.elts))


def _dict(node: ast.Dict) -> syntax.Expression:
    keys = [key for key in node.keys if key is not None]
    if len(keys) < len(node.keys):
        return _unsupported("dictionary unpacking", *node.values)
    return syntax.Dict(0, tuple(zip(_many(keys), _many(node.values), strict=True)))


def _unary(node: ast.UnaryOp) -> syntax.Expression:
    return syntax.Unary(0, _OPERATORS[type(node.op)], _node(node.operand))


def _binary(node: ast.BinOp) -> syntax.Expression:
    return syntax.Binary(0, _OPERATORS[type(node.op)], _node(node.left), _node(node.right))


def _compare(node: ast.Compare) -> syntax.Expression:
    ops = tuple(_OPERATORS[type(op)] for op in node.ops)
    return syntax.Compare(0, _node(node.left), ops, _many(node.comparators))


def _boolean(node: ast.BoolOp) -> syntax.Expression:
    return syntax.Boolean(0, _OPERATORS[type(node.op)], _many(node.values))


def _conditional(node: ast.IfExp) -> syntax.Expression:
    return _unsupported("conditional expression", node.body, node.test, node.orelse)


def _lambda(node: ast.Lambda) -> syntax.Expression:
    return _unsupported("lambda", node.body)


def _walrus(node: ast.NamedExpr) -> syntax.Expression:
    return _unsupported("walrus", node.target, node.value)


def _await(node: ast.Await) -> syntax.Expression:
    return _unsupported("await", node.value)


def _yield(node: ast.Yield | ast.YieldFrom) -> syntax.Expression:
    return _unsupported("yield", node.value)


def _formatted(node: ast.JoinedStr) -> syntax.Expression:
    return _unsupported("f-string", *node.values)


def _field(node: ast.FormattedValue) -> syntax.Expression:
    plain = node.conversion == -1 and node.format_spec is None
    return _unsupported("replacement field" if plain else "formatted field", node.value)


def _clauses(generators: Iterable[ast.comprehension]) -> tuple[syntax.Expression, ...]:
    return tuple(_unsupported("comprehension clause", each.target, each.iter, *each.ifs) for each in generators)


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> syntax.Expression:
    what = _COMPREHENSIONS[type(node)]
    return syntax.Unsupported(0, what, (_node(node.elt), *_clauses(node.generators)))


def _dict_comprehension(node: ast.DictComp) -> syntax.Expression:
    children = (_node(node.key), _node(node.value), *_clauses(node.generators))
    return syntax.Unsupported(0, "dictionary comprehension", children)


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

_RULES: dict[type[ast.expr], Callable[[Any], syntax.Expression]] = {
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
