"""One statement through libcst: its concrete tree, our syntax tree, and the link between the two.

This module and what it imports are the only ones that import libcst (0.2 s), so it is itself imported late.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.convert import Reader
from pto_analysis.source.parse_failure import ParseFailure
from pto_analysis.source.span import Span
from pto_analysis.source.text import split_lines

_AFTER_IF = "if 0: pass\n"
_ERROR_PLACE = re.compile(r"error at (\d+):(\d+)")


@frozen(eq=False)
class Concrete:
    """The libcst tree of a statement. `nodes[i]` is the libcst node of syntax node `i`; `nodes[0]` the statement.

    `first_line` is the line of `module` on which the statement's own text begins: headers are completed to
    something that parses.
    """

    module: cst.Module
    nodes: tuple[cst.CSTNode, ...]
    statement: syntax.Statement
    first_line: int


@frozen(eq=False)
class Bare:
    """What a statement says, without a module around it. `nodes` counts its nodes, the statement included; `literals`
    has its constants and how each is spelled, None for one that is joined from several strings."""

    statement: syntax.Statement
    nodes: int
    literals: tuple[tuple[int, str | None], ...]


def read_bare(text: str) -> Bare | None:
    """One statement as `read_statement` reads it, for a quarter less; None when it does not parse."""
    reader = Reader()
    try:
        prefix, completed = _completed(text)
        statement = reader.statement(_the_node(_parsed_alone(prefix + completed), text))
    except ParseFailure:
        return None
    literals = [(number, _spelling(node)) for number, node in enumerate(reader.nodes) if isinstance(node, _LITERALS)]
    return Bare(statement, len(reader.nodes), tuple(literals))


def _parsed_alone(source: str) -> cst.CSTNode:
    """A statement without a module; why one does not parse is for `read_statement` to say."""
    try:
        return cst.parse_statement(source)
    except Exception as error:
        raise ParseFailure("invalid syntax") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ParseFailure("invalid syntax") from error


_LITERALS = (cst.Integer, cst.Float, cst.SimpleString, cst.ConcatenatedString)


def _spelling(node: cst.CSTNode) -> str | None:
    return node.value if isinstance(node, (cst.Integer, cst.Float, cst.SimpleString)) else None


def read_statement(text: str) -> Concrete:
    """Parses one simple statement or compound header. Raises `ParseFailure`, and nothing else."""
    prefix, completed = _completed(text)
    first_line = prefix.count("\n")
    try:
        module = cst.parse_module(prefix + completed)
    except Exception as error:
        raise _failure(prefix + completed, first_line, error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ParseFailure("invalid syntax") from error
    if not module.body:
        raise ParseFailure("expected a statement")
    reader = Reader()
    statement = reader.statement(_the_node(module.body[0], text))
    return Concrete(module, tuple(reader.nodes), statement, first_line)


def node_spans(concrete: Concrete, text: str) -> tuple[Span, ...]:
    """The span of each node relative to the statement; that of the whole statement where libcst has none."""
    lines = split_lines(text)
    whole = Span(0, 0, len(lines) - 1, len(lines[-1]))
    try:
        ranges = MetadataWrapper(concrete.module, unsafe_skip_copy=True).resolve(PositionProvider)
    except RecursionError:
        return (whole,) * len(concrete.nodes)
    first = concrete.first_line + 1
    return (whole, *(_span(node, ranges, first) or whole for node in concrete.nodes[1:]))


def _span(node: cst.CSTNode, ranges: Any, first: int) -> Span | None:
    start: CodeRange | None = ranges.get(node)
    end = start
    if isinstance(node, (cst.Tuple, cst.GeneratorExp)) and node.lpar:
        start, end = ranges.get(node.lpar[-1]), ranges.get(node.rpar[0])
    if start is None or end is None:
        return None
    return Span(start.start.line - first, start.start.column, end.end.line - first, end.end.column)


def _completed(text: str) -> tuple[str, str]:
    """What goes before a statement and the statement with what goes behind, so that it parses as a module."""
    if text.startswith("@"):
        return "", f"{text}\ndef _(): pass\n"
    if not _is_header(text):
        return "", f"{text}\n"
    if not text.endswith(":"):
        lines = split_lines(text)
        raise ParseFailure("expected ':'", len(lines) - 1, len(lines[-1]))
    return (_AFTER_IF if text.startswith(("elif", "else")) else ""), f"{text} pass\n"


def _is_header(text: str) -> bool:
    return _FIRST_WORD.match(text) is not None


_FIRST_WORD = re.compile(r"(?:async\s+)?(?:def|class|for|with|while)\b|(?:if|elif|else)\b")


def _failure(source: str, first_line: int, error: Exception) -> ParseFailure:
    """CPython's words for what is wrong, for libcst lists every token that it would have liked."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except SyntaxError as known:
        line = (known.lineno or 1) - 1 - first_line
        return ParseFailure(known.msg, max(line, 0), max((known.offset or 1) - 1, 0))
    except (ValueError, RecursionError, MemoryError):
        return ParseFailure("invalid syntax")
    place = _ERROR_PLACE.search(str(error))
    line, column = (int(place[1]) - 1 - first_line, int(place[2])) if place else (0, 0)
    return ParseFailure("invalid syntax", max(line, 0), column)


def _the_node(outer: cst.CSTNode, text: str) -> cst.CSTNode:
    """The node of the statement that the text is, out of what it was completed to."""
    if isinstance(outer, cst.SimpleStatementLine):
        return outer.body[0]
    if text.startswith("@") and isinstance(outer, cst.FunctionDef):
        return outer.decorators[0]
    if text.startswith(("elif", "else")) and isinstance(outer, cst.If) and outer.orelse:
        return outer.orelse
    return outer
