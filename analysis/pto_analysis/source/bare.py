"""One statement without its formatting, read by Python's own parser, which takes a fifteenth of libcst's time.

What comes out is what libcst gives, down to the numbers of the nodes. Where Python refuses a text or its tree leaves
out how something is spelled, libcst is asked: it also knows newer Python than the one that runs this.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable
from typing import Any, TypeVar
from unicodedata import is_normalized

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.alone import completed, is_branch
from pto_analysis.source.from_ast import Reader, TooDeepError, UnclearError, operator_name
from pto_analysis.source.parse_failure import ParseFailure
from pto_analysis.source.shapes import is_one_string

R = TypeVar("R")


@frozen(eq=False)
class Bare:
    """What a statement says, without a module around it. `nodes` counts its nodes, the statement included; `literals`
    has its constants and how each is spelled, None for one that is joined from several strings."""

    statement: syntax.Statement
    nodes: int
    literals: tuple[tuple[int, str | None], ...]


def read_bare(text: str) -> Bare | None:
    """One statement or compound header; None when it does not parse."""
    try:
        return _by_python(text)
    except (UnclearError, SyntaxError, ValueError, RecursionError, MemoryError):
        from pto_analysis.source.concrete import read_bare as by_libcst  # libcst loads late

        return by_libcst(text)
    except (TooDeepError, ParseFailure):
        return None


def _by_python(text: str) -> Bare:
    reader, node = parsed_alone(text, NumberingReader)
    statement = reader.statement(node)
    return Bare(statement, reader.count, tuple(reader.literals))


def parsed_alone(text: str, reader: Callable[[str], R]) -> tuple[R, ast.AST]:
    """A reader for Python's tree of a statement, and the statement in it. Errors: UnclearError, and Python's own."""
    if "\r" in text or not (text.isascii() or is_normalized("NFKC", text)):
        raise UnclearError  # Python has other line ends in its tree, and other names
    prefix, rest = completed(text)
    source = prefix + rest
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(source).body
    if len(body) != 1:
        raise UnclearError
    return reader(source), _the_node(body[0], text)


def _the_node(outer: ast.stmt, text: str) -> ast.AST:
    """The node of the statement that the text is, out of what it was completed to."""
    if text.startswith("@") and isinstance(outer, ast.FunctionDef):
        return outer.decorator_list[0]
    return outer.orelse[0] if isinstance(outer, ast.If) and is_branch(text) else outer


class NumberingReader(Reader):
    """Numbers the nodes of a statement as `convert.Reader` does: 0 is the statement."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.count = 0
        self.literals: list[tuple[int, str | None]] = []
        self._lines = [line.encode("utf-8") for line in source.split("\n")]

    def number(self, _node: ast.AST) -> int:
        number = self.count
        self.count += 1
        return number

    def constant(self, number: int, node: ast.Constant) -> None:
        if type(node.value) in _SPELLED:
            spelling = self._spelling(node)
            joined = isinstance(node.value, (str, bytes)) and not is_one_string(spelling)
            self.literals.append((number, None if joined else spelling))

    def index(self, node: ast.Tuple) -> None:
        if self._spelling(node).startswith("("):
            raise UnclearError  # the parentheses may be the tuple's, or those of its first item

    def _spelling(self, node: ast.expr) -> str:
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        start, end = node.col_offset, node.end_col_offset
        if first == last:
            return self._lines[first][start:end].decode("utf-8")
        lines = [self._lines[first][start:], *self._lines[first + 1 : last], self._lines[last][:end]]
        return b"\n".join(lines).decode("utf-8")

    def statement(self, node: ast.AST) -> syntax.Statement:
        self.number(node)
        rule = _STATEMENTS.get(type(node))
        if rule is not None:
            return rule(self, node)
        if isinstance(node, ast.expr):
            return syntax.Decorator(self.expression(node))
        raise UnclearError

    def parameters(self, listed: ast.arguments) -> tuple[syntax.Parameter, ...]:
        positional = [*listed.posonlyargs, *listed.args]
        bare = len(positional) - len(listed.defaults)
        defaults: list[ast.expr | None] = [*[None] * bare, *listed.defaults]
        found = [self._parameter(arg, default) for arg, default in zip(positional, defaults, strict=True)]
        found += self._rest(listed.vararg, "*")
        found += [self._parameter(*pair) for pair in zip(listed.kwonlyargs, listed.kw_defaults, strict=True)]
        return (*found, *self._rest(listed.kwarg, "**"))

    def _rest(self, arg: ast.arg | None, star: str) -> Iterable[syntax.Parameter]:
        return () if arg is None else (self._parameter(arg, None, star),)

    def _parameter(self, arg: ast.arg, default: ast.expr | None, star: str = "") -> syntax.Parameter:
        number = self.number(arg)
        return syntax.Parameter(number, arg.arg, self.optional(arg.annotation), self.optional(default), star)


_SPELLED = (int, float, str, bytes)


def _assign(reader: NumberingReader, node: ast.Assign) -> syntax.Statement:
    return syntax.Assign(reader.expressions(node.targets), reader.expression(node.value))


def _annotated(reader: NumberingReader, node: ast.AnnAssign) -> syntax.Statement:
    target = reader.expression(node.target)
    annotation = reader.expression(node.annotation)
    return syntax.Assign((target,), reader.optional(node.value), annotation)


def _augmented(reader: NumberingReader, node: ast.AugAssign) -> syntax.Statement:
    target = reader.expression(node.target)
    return syntax.AugAssign(target, operator_name(node.op), reader.expression(node.value))


def _expression_statement(reader: NumberingReader, node: ast.Expr) -> syntax.Statement:
    return syntax.ExpressionStatement(reader.expression(node.value))


def _return(reader: NumberingReader, node: ast.Return) -> syntax.Statement:
    return syntax.Return(reader.optional(node.value))


def _for(reader: NumberingReader, node: ast.For) -> syntax.Statement:
    target = reader.expression(node.target)
    return syntax.ForHeader(target, reader.expression(node.iter))


def _while(reader: NumberingReader, node: ast.While) -> syntax.Statement:
    return syntax.WhileHeader(reader.expression(node.test))


def _if(reader: NumberingReader, node: ast.If) -> syntax.Statement:
    return syntax.IfHeader(reader.expression(node.test))


def _with(reader: NumberingReader, node: ast.With) -> syntax.Statement:
    items = [(reader.expression(item.context_expr), reader.optional(item.optional_vars)) for item in node.items]
    return syntax.WithHeader(tuple(items))


def _function(reader: NumberingReader, node: ast.FunctionDef | ast.AsyncFunctionDef) -> syntax.Statement:
    parameters = reader.parameters(node.args)
    returns = reader.optional(node.returns)
    return syntax.FunctionHeader(node.name, parameters, returns, isinstance(node, ast.AsyncFunctionDef))


def _class(reader: NumberingReader, node: ast.ClassDef) -> syntax.Statement:
    return syntax.ClassHeader(node.name, tuple([reader.argument(base) for base in (*node.bases, *node.keywords)]))


def _assert(reader: NumberingReader, node: ast.Assert) -> syntax.Statement:
    parts = [node.test] if node.msg is None else [node.test, node.msg]
    return syntax.OtherStatement("assert", reader.expressions(parts))


def _raise(reader: NumberingReader, node: ast.Raise) -> syntax.Statement:
    return syntax.OtherStatement("raise", () if node.exc is None else (reader.expression(node.exc),))


def _import(_: NumberingReader, __: ast.Import | ast.ImportFrom) -> syntax.Statement:
    return syntax.OtherStatement("import")


def _simple(_: NumberingReader, node: ast.Pass | ast.Break | ast.Continue) -> syntax.Statement:
    return syntax.Simple(type(node).__name__.lower())


_STATEMENTS: dict[type[ast.AST], Callable[[NumberingReader, Any], syntax.Statement]] = {
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
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Pass: _simple,
    ast.Break: _simple,
    ast.Continue: _simple,
}
