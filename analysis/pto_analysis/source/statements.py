"""Statements by their text: syntax, positions and the concrete tree, each remembered.

Half of the statements of real model files are repeats, and a keystroke changes one, so everything is keyed
by the statement's own text; what libcst says of one is filled in for all others of its shape (`shapes`). Parsing
costs 0.3 ms, filling in 0.05 ms, positions 1 ms, so positions are taken only on request. A remembered statement
takes about 2 kB.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from pto_analysis.frozen import frozen
from pto_analysis.source.bounds import oversize
from pto_analysis.source.headers import plain_header
from pto_analysis.source.parse_failure import ParseFailure
from pto_analysis.source.shapes import on_one_line
from pto_analysis.source.span import Span
from pto_analysis.source.syntax import ElseHeader, OtherStatement, Statement
from pto_analysis.source.templates import filled, filled_positions
from pto_analysis.source.text import split_lines

if TYPE_CHECKING:
    from pto_analysis.source.concrete import Concrete

MAX_STATEMENTS = 32_768
"""Statements that are remembered, before the oldest are forgotten."""

_OPAQUE_HEADER = re.compile(r"(?:(else|try|finally)\s*|(except)\b[\s\S]*|(match|case)\s+[\s\S]*):\Z")
_DEFINED_NAME = re.compile(r"(?:async[\s\\]+)?(?:def|class)[\s\\]+(\w+)")


@frozen(eq=False)
class StatementSyntax:
    """A statement that parses. Node ids run from 1 in preorder; id 0 is the statement itself."""

    text: str
    statement: Statement


@frozen
class StatementError:
    """Why a text is not a statement. The place is relative to the text, 0-based."""

    message: str
    line: int
    column: int


def parse_statement(text: str) -> StatementSyntax | StatementError:
    """One simple statement or one compound header, from its first to its last character.

    Never raises. `try`, `except`, `finally`, `match` and `case` headers are not looked into.
    """
    return _KNOWN[text]


def forget_statements(texts: Iterable[str]) -> None:
    """They are parsed again when they are asked for again."""
    for text in texts:
        _KNOWN.pop(text, None)


class _Known(dict[str, "StatementSyntax | StatementError"]):
    """A dictionary, as a hit then costs no more than a look into it."""

    def __missing__(self, text: str) -> StatementSyntax | StatementError:
        for oldest in [*islice(self, len(self) // 4 if len(self) >= MAX_STATEMENTS else 0)]:
            self.pop(oldest, None)
        parsed = self[text] = _parsed(text)
        return parsed


_KNOWN = _Known()


def _parsed(text: str) -> StatementSyntax | StatementError:
    header = _opaque_header(text)
    if header is not None:
        return StatementSyntax(text, header)
    if not oversize(text):
        line = on_one_line(text)
        known = plain_header(line) or filled(line)
        if known is not None:
            return StatementSyntax(text, known)
    read = concrete(text)
    return read if isinstance(read, StatementError) else StatementSyntax(text, read.statement)


def positions(syntax: StatementSyntax) -> tuple[Span, ...]:
    """The span of every node by its id, relative to the statement's first character.

    Line 0 is the statement's first line, whose columns count from the statement's start; columns of later
    lines are those of the file. Node 0 is the whole statement. A parenthesised expression spans what is
    inside its parentheses; tuples span theirs.
    """
    return _positions(syntax.text)


def concrete(text: str) -> Concrete | StatementError:
    """The libcst tree of a statement, for edits that keep its formatting; `nodes[id]` finds a syntax node in it.

    Not remembered: libcst trees are large.
    """
    too_much = oversize(text)
    if too_much is not None:
        return StatementError(too_much, 0, 0)
    from pto_analysis.source.concrete import read_statement  # libcst loads late

    try:
        return read_statement(text)
    except ParseFailure as failure:
        return StatementError(failure.message, failure.line, failure.column)


def name_span(text: str) -> Span | None:
    """Where a def or class header names what it defines, relative to the statement."""
    match = _DEFINED_NAME.match(text)
    if match is None:
        return None
    before = split_lines(text[: match.start(1)])
    line, column = len(before) - 1, len(before[-1])
    return Span(line, column, line, column + len(match[1]))


@lru_cache(maxsize=1024)
def _positions(text: str) -> tuple[Span, ...]:
    from pto_analysis.source.concrete import node_spans  # libcst loads late

    opaque = _opaque_header(text) is not None
    known = None if opaque or oversize(text) else filled_positions(text)
    if known is not None:
        return known
    read = None if opaque else concrete(text)
    if read is None or isinstance(read, StatementError):
        lines = split_lines(text)
        return (Span(0, 0, len(lines) - 1, len(lines[-1])),)
    return node_spans(read, text)


def _opaque_header(text: str) -> Statement | None:
    match = _OPAQUE_HEADER.match(text)
    if match is None:
        return None
    keyword = match[1] or match[2] or match[3]
    return ElseHeader() if keyword == "else" else OtherStatement(keyword)
