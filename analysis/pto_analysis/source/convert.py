"""From libcst nodes to syntax nodes: one small function for each libcst class, found by a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import libcst as cst

from pto_analysis.source import syntax
from pto_analysis.source.bounds import MAX_DEPTH
from pto_analysis.source.libcst_operators import OPERATORS
from pto_analysis.source.libcst_strings import joined_value, string_pieces, string_value
from pto_analysis.source.parse_failure import ParseFailure


class Reader:
    """Converts libcst nodes to syntax nodes, numbering them in preorder."""

    def __init__(self) -> None:
        self.nodes: list[cst.CSTNode] = []
        self._depth = 0

    def statement(self, node: cst.CSTNode) -> syntax.Statement:
        self.number(node)
        reader = _STATEMENTS.get(type(node))
        return reader(self, node) if reader else syntax.OtherStatement(_words(node))

    def expression(self, node: cst.CSTNode) -> syntax.Expression:
        if self._depth == MAX_DEPTH:
            raise ParseFailure(f"expression nested deeper than {MAX_DEPTH}")
        self._depth += 1
        number = self.number(node)
        reader = _EXPRESSIONS.get(type(node))
        result = reader(self, node, number) if reader else syntax.Unsupported(number, _words(node))
        self._depth -= 1
        return result

    def optional(self, node: cst.CSTNode | None) -> syntax.Expression | None:
        return None if node is None else self.expression(node)

    def annotation(self, node: cst.Annotation | None) -> syntax.Expression | None:
        return None if node is None else self.expression(node.annotation)

    def argument(self, node: cst.Arg) -> syntax.Argument:
        number = self.number(node)
        return syntax.Argument(
            number, self.expression(node.value), node.keyword.value if node.keyword else None, node.star
        )

    def element(self, node: cst.BaseElement) -> syntax.Expression:
        if isinstance(node, cst.StarredElement):
            return syntax.Starred(self.number(node), self.expression(node.value))
        return self.expression(node.value)

    def unsupported(self, number: int, what: str, children: Iterable[cst.CSTNode | None]) -> syntax.Unsupported:
        return syntax.Unsupported(
            number, what, tuple(self.expression(child) for child in children if child is not None)
        )

    def parameter(self, node: cst.Param) -> syntax.Parameter:
        number = self.number(node)
        star = node.star if isinstance(node.star, str) else ""
        return syntax.Parameter(
            number, node.name.value, self.annotation(node.annotation), self.optional(node.default), star
        )

    def clauses(self, node: cst.CompFor | None) -> tuple[syntax.Expression, ...]:
        """`for target in iterable if condition …` of a comprehension, one child each."""
        found: list[syntax.Expression] = []
        while node is not None:
            number = self.number(node)
            parts = (node.target, node.iter, *(each.test for each in node.ifs))
            found.append(self.unsupported(number, "comprehension clause", parts))
            node = node.inner_for_in
        return tuple(found)

    def number(self, node: cst.CSTNode) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1


def _words(node: cst.CSTNode) -> str:
    """`ImportFrom` → "import from"."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(node).__name__).lower()


def _name(_: Reader, node: cst.Name, number: int) -> syntax.Expression:
    if node.value in _NAMED_CONSTANTS:
        return syntax.Constant(number, _NAMED_CONSTANTS[node.value])
    return syntax.Name(number, node.value)


def _integer(_: Reader, node: cst.Integer, number: int) -> syntax.Expression:
    try:
        return syntax.Constant(number, int(node.value, 0))
    except ValueError:
        return syntax.Unsupported(number, "number of too many digits")


def _literal(_: Reader, node: cst.Float | cst.Imaginary, number: int) -> syntax.Expression:
    return syntax.Constant(number, node.evaluated_value)


def _ellipsis(_: Reader, __: cst.Ellipsis, number: int) -> syntax.Expression:
    return syntax.Constant(number, ...)


def _string(_: Reader, node: cst.SimpleString, number: int) -> syntax.Expression:
    return syntax.Constant(number, string_value(node))


def _joined_strings(reader: Reader, node: cst.ConcatenatedString, number: int) -> syntax.Expression:
    pieces = string_pieces(node)
    value = joined_value(pieces)
    return reader.unsupported(number, "f-string", pieces) if value is None else syntax.Constant(number, value)


def _formatted_string(reader: Reader, node: cst.FormattedString, number: int) -> syntax.Expression:
    return reader.unsupported(number, "f-string", node.parts)


def _formatted_text(_: Reader, node: cst.FormattedStringText, number: int) -> syntax.Expression:
    if "\\" in node.value:
        return syntax.Unsupported(number, "escape in an f-string")
    return syntax.Constant(number, node.value.replace("{{", "{").replace("}}", "}"))


def _formatted_expression(reader: Reader, node: cst.FormattedStringExpression, number: int) -> syntax.Expression:
    plain = node.conversion is None and node.format_spec is None and node.equal is None
    return reader.unsupported(number, "replacement field" if plain else "formatted field", (node.expression,))


def _attribute(reader: Reader, node: cst.Attribute, number: int) -> syntax.Expression:
    return syntax.Attribute(number, reader.expression(node.value), node.attr.value)


def _call(reader: Reader, node: cst.Call, number: int) -> syntax.Expression:
    func = reader.expression(node.func)
    return syntax.Call(number, func, tuple(reader.argument(arg) for arg in node.args))


def _subscript(reader: Reader, node: cst.Subscript, number: int) -> syntax.Expression:
    value = reader.expression(node.value)
    items = tuple(_subscript_item(reader, element.slice) for element in node.slice)
    if len(items) == 1 and isinstance(items[0], syntax.Sequence) and items[0].kind == "tuple":
        items = items[0].items
    return syntax.Subscript(number, value, items)


def _subscript_item(reader: Reader, node: cst.BaseSlice) -> syntax.Expression:
    if isinstance(node, cst.Slice):
        return reader.expression(node)
    assert isinstance(node, cst.Index)
    if not node.star:
        return reader.expression(node.value)
    number = reader.number(node)
    return syntax.Starred(number, reader.expression(node.value))


def _slice(reader: Reader, node: cst.Slice, number: int) -> syntax.Expression:
    return syntax.Slice(number, reader.optional(node.lower), reader.optional(node.upper), reader.optional(node.step))


def _sequence(reader: Reader, node: cst.List | cst.Tuple, number: int) -> syntax.Expression:
    items = tuple(reader.element(element) for element in node.elements)
    return syntax.Sequence(number, "list" if isinstance(node, cst.List) else "tuple", items)


def _dict(reader: Reader, node: cst.Dict, number: int) -> syntax.Expression:
    pairs: list[tuple[syntax.Expression, syntax.Expression]] = []
    for element in node.elements:
        if not isinstance(element, cst.DictElement):
            return reader.unsupported(number, "dictionary unpacking", (each.value for each in node.elements))
        pairs.append((reader.expression(element.key), reader.expression(element.value)))
    return syntax.Dict(number, tuple(pairs))


def _set(reader: Reader, node: cst.Set, number: int) -> syntax.Expression:
    return syntax.Unsupported(number, "set", tuple(reader.element(element) for element in node.elements))


def _unary(reader: Reader, node: cst.UnaryOperation, number: int) -> syntax.Expression:
    return syntax.Unary(number, OPERATORS[type(node.operator)], reader.expression(node.expression))


def _binary(reader: Reader, node: cst.BinaryOperation, number: int) -> syntax.Expression:
    left = reader.expression(node.left)
    return syntax.Binary(number, OPERATORS[type(node.operator)], left, reader.expression(node.right))


def _compare(reader: Reader, node: cst.Comparison, number: int) -> syntax.Expression:
    left = reader.expression(node.left)
    ops = tuple(OPERATORS[type(target.operator)] for target in node.comparisons)
    return syntax.Compare(number, left, ops, tuple(reader.expression(target.comparator) for target in node.comparisons))


def _boolean(reader: Reader, node: cst.BooleanOperation, number: int) -> syntax.Expression:
    operator = type(node.operator)
    values: list[cst.BaseExpression] = []
    rest: cst.BaseExpression = node
    while (
        isinstance(rest, cst.BooleanOperation) and type(rest.operator) is operator and (rest is node or not rest.lpar)
    ):
        values.append(rest.right)
        rest = rest.left
    values.append(rest)
    return syntax.Boolean(number, OPERATORS[operator], tuple(reader.expression(value) for value in reversed(values)))


def _conditional(reader: Reader, node: cst.IfExp, number: int) -> syntax.Expression:
    return reader.unsupported(number, "conditional expression", (node.body, node.test, node.orelse))


def _lambda(reader: Reader, node: cst.Lambda, number: int) -> syntax.Expression:
    return reader.unsupported(number, "lambda", (node.body,))


def _walrus(reader: Reader, node: cst.NamedExpr, number: int) -> syntax.Expression:
    return reader.unsupported(number, "walrus", (node.target, node.value))


def _await(reader: Reader, node: cst.Await, number: int) -> syntax.Expression:
    return reader.unsupported(number, "await", (node.expression,))


def _yield(reader: Reader, node: cst.Yield, number: int) -> syntax.Expression:
    value = node.value.item if isinstance(node.value, cst.From) else node.value
    return reader.unsupported(number, "yield", (value,))


def _comprehension(reader: Reader, node: cst.BaseSimpleComp, number: int) -> syntax.Expression:
    element = reader.expression(node.elt)
    return syntax.Unsupported(number, _COMPREHENSIONS[type(node)], (element, *reader.clauses(node.for_in)))


def _dict_comprehension(reader: Reader, node: cst.DictComp, number: int) -> syntax.Expression:
    pair = (reader.expression(node.key), reader.expression(node.value))
    return syntax.Unsupported(number, "dictionary comprehension", (*pair, *reader.clauses(node.for_in)))


def _assign(reader: Reader, node: cst.Assign) -> syntax.Statement:
    targets = tuple(reader.expression(each.target) for each in node.targets)
    return syntax.Assign(targets, reader.expression(node.value))


def _annotated(reader: Reader, node: cst.AnnAssign) -> syntax.Statement:
    target = reader.expression(node.target)
    annotation = reader.annotation(node.annotation)
    return syntax.Assign((target,), reader.optional(node.value), annotation)


def _augmented(reader: Reader, node: cst.AugAssign) -> syntax.Statement:
    target = reader.expression(node.target)
    return syntax.AugAssign(target, OPERATORS[type(node.operator)], reader.expression(node.value))


def _expression_statement(reader: Reader, node: cst.Expr) -> syntax.Statement:
    return syntax.ExpressionStatement(reader.expression(node.value))


def _return(reader: Reader, node: cst.Return) -> syntax.Statement:
    return syntax.Return(reader.optional(node.value))


def _for(reader: Reader, node: cst.For) -> syntax.Statement:
    if node.asynchronous:
        return syntax.OtherStatement("async for")
    target = reader.expression(node.target)
    return syntax.ForHeader(target, reader.expression(node.iter))


def _while(reader: Reader, node: cst.While) -> syntax.Statement:
    return syntax.WhileHeader(reader.expression(node.test))


def _if(reader: Reader, node: cst.If) -> syntax.Statement:
    return syntax.IfHeader(reader.expression(node.test))


def _else(_: Reader, __: cst.Else) -> syntax.Statement:
    return syntax.ElseHeader()


def _with(reader: Reader, node: cst.With) -> syntax.Statement:
    if node.asynchronous:
        return syntax.OtherStatement("async with")
    return syntax.WithHeader(
        tuple((reader.expression(each.item), reader.optional(each.asname and each.asname.name)) for each in node.items)
    )


def _function(reader: Reader, node: cst.FunctionDef) -> syntax.Statement:
    listed = node.params
    star = (listed.star_arg,) if isinstance(listed.star_arg, cst.Param) else ()
    rest = (listed.star_kwarg,) if listed.star_kwarg else ()
    params = (*listed.posonly_params, *listed.params, *star, *listed.kwonly_params, *rest)
    read = tuple(reader.parameter(param) for param in params)
    return syntax.FunctionHeader(node.name.value, read, reader.annotation(node.returns), node.asynchronous is not None)


def _class(reader: Reader, node: cst.ClassDef) -> syntax.Statement:
    return syntax.ClassHeader(node.name.value, tuple(reader.argument(base) for base in (*node.bases, *node.keywords)))


def _decorator(reader: Reader, node: cst.Decorator) -> syntax.Statement:
    return syntax.Decorator(reader.expression(node.decorator))


def _simple(_: Reader, node: cst.Pass | cst.Break | cst.Continue) -> syntax.Statement:
    return syntax.Simple(_words(node))


def _assert(reader: Reader, node: cst.Assert) -> syntax.Statement:
    parts = (node.test, node.msg)
    return syntax.OtherStatement("assert", tuple(reader.expression(each) for each in parts if each is not None))


def _raise(reader: Reader, node: cst.Raise) -> syntax.Statement:
    return syntax.OtherStatement("raise", () if node.exc is None else (reader.expression(node.exc),))


def _del(reader: Reader, node: cst.Del) -> syntax.Statement:
    return syntax.OtherStatement("del", (reader.expression(node.target),))


def _import(_: Reader, __: cst.Import | cst.ImportFrom) -> syntax.Statement:
    return syntax.OtherStatement("import")


_NAMED_CONSTANTS = {"True": True, "False": False, "None": None}

_COMPREHENSIONS: dict[type[cst.CSTNode], str] = {
    cst.ListComp: "list comprehension",
    cst.SetComp: "set comprehension",
    cst.GeneratorExp: "generator expression",
}

_EXPRESSIONS: dict[type[cst.CSTNode], Callable[[Reader, Any, int], syntax.Expression]] = {
    cst.Name: _name,
    cst.Integer: _integer,
    cst.Float: _literal,
    cst.Imaginary: _literal,
    cst.Ellipsis: _ellipsis,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _joined_strings,
    cst.FormattedString: _formatted_string,
    cst.FormattedStringText: _formatted_text,
    cst.FormattedStringExpression: _formatted_expression,
    cst.Attribute: _attribute,
    cst.Call: _call,
    cst.Subscript: _subscript,
    cst.Slice: _slice,
    cst.List: _sequence,
    cst.Tuple: _sequence,
    cst.Dict: _dict,
    cst.Set: _set,
    cst.UnaryOperation: _unary,
    cst.BinaryOperation: _binary,
    cst.Comparison: _compare,
    cst.BooleanOperation: _boolean,
    cst.IfExp: _conditional,
    cst.Lambda: _lambda,
    cst.NamedExpr: _walrus,
    cst.Await: _await,
    cst.Yield: _yield,
    cst.ListComp: _comprehension,
    cst.SetComp: _comprehension,
    cst.GeneratorExp: _comprehension,
    cst.DictComp: _dict_comprehension,
}

_STATEMENTS: dict[type[cst.CSTNode], Callable[[Reader, Any], syntax.Statement]] = {
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Expr: _expression_statement,
    cst.Return: _return,
    cst.For: _for,
    cst.While: _while,
    cst.If: _if,
    cst.Else: _else,
    cst.With: _with,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
    cst.Decorator: _decorator,
    cst.Pass: _simple,
    cst.Break: _simple,
    cst.Continue: _simple,
    cst.Assert: _assert,
    cst.Raise: _raise,
    cst.Del: _del,
    cst.Import: _import,
    cst.ImportFrom: _import,
}
