"""Units: the top-level definitions of a module, which analysis results are remembered by.

A unit's lines, columns and statement numbers are its own, so a result survives the unit moving in its file;
`Span.shifted(unit.first_line)` makes a place absolute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b

from attrs import field

from pto_analysis.frozen import evolve, frozen
from pto_analysis.source.blocks import Block, build_blocks
from pto_analysis.source.pieces import Piece, cut, scan_piece
from pto_analysis.source.remembered import remembered
from pto_analysis.source.scanner import Comment, LogicalLine, Scanned, scan_text, shifted_line
from pto_analysis.source.span import Origin, Span
from pto_analysis.source.statements import StatementError, StatementSyntax, parse_statement, positions
from pto_analysis.source.text import SourceText
from pto_analysis.source.words import words_of

_KEYWORD = re.compile(r"(?:async\s+)?([a-z]+)\b(?:\s+(\w+))?")
_CONTINUES = re.compile(r"(?:elif|else|except|finally)\b")


@frozen(eq=False, slots=False)
class UnitContent:
    """What stands in a unit, wherever the unit stands."""

    lines: tuple[LogicalLine, ...] = field(repr=False)
    comments: tuple[Comment, ...] = field(repr=False)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        return build_blocks(self.lines)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name in the statements, and what else looks like one."""
        return frozenset[str]().union(*(words_of(line.text).names for line in self.lines))

    @cached_property
    def calls(self) -> frozenset[str]:
        """The names, plain and dotted, that stand before an opening parenthesis."""
        return frozenset[str]().union(*(words_of(line.text).called for line in self.lines))

    @cached_property
    def renamed(self) -> Mapping[str, frozenset[str]]:
        """Names that imports and assignments of another name define, by that name."""
        return _renamed(self.lines)

    @cached_property
    def digest(self) -> bytes:
        """The same for the same statements, whatever comments and blank lines stand between them."""
        state = blake2b(digest_size=16)
        for line in self.lines:
            shape = f"\0{line.indent},{line.column},{line.joined},{line.is_header},{line.error}\0"
            state.update(line.text.encode("utf-8", "surrogatepass"))
            state.update(shape.encode())
        return state.digest()


@frozen(eq=False, slots=False)
class Unit:
    """A top-level def or class with its decorators, or another top-level compound statement with its branches.

    `keyword` is its first word ("def", "class", "if", …), `name` what a def or class defines. Indented lines
    that follow no header make a unit without a keyword.
    """

    first_line: int
    text: str = field(repr=False)
    keyword: str = ""
    name: str | None = None
    _content: UnitContent | None = field(default=None, repr=False)

    @cached_property
    def content(self) -> UnitContent:
        return self._content or content_of(self.text)

    @property
    def lines(self) -> tuple[LogicalLine, ...]:
        """The statements; an `Origin.statement` is an index into them."""
        return self.content.lines

    @property
    def comments(self) -> tuple[Comment, ...]:
        return self.content.comments

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self.content.blocks

    @property
    def line_count(self) -> int:
        return self.text.count("\n") + 1

    def syntax(self, statement: int) -> StatementSyntax | StatementError:
        return parse_statement(self.lines[statement].text)

    def statement_text(self, statement: int) -> str:
        return self.lines[statement].text

    def statement_span(self, statement: int) -> Span:
        line = self.lines[statement]
        return Span(line.line, line.column, line.end_line, line.end_column)

    def span_of(self, origin: Origin) -> Span:
        """The place of a node; that of its statement when the statement has no such node."""
        return self.node_span(origin.statement, origin.node)

    def node_span(self, statement: int, node: int) -> Span:
        syntax = self.syntax(statement) if node else None
        if not isinstance(syntax, StatementSyntax):
            return self.statement_span(statement)
        spans = positions(syntax)
        return place(self.lines[statement], spans[node]) if node < len(spans) else self.statement_span(statement)

    def error_span(self, statement: int, error: StatementError) -> Span:
        """The place of a parse error: one character, inside the statement."""
        line = self.lines[statement]
        at = place(line, Span(error.line, error.column, error.line, error.column + 1))
        whole = self.statement_span(statement)
        return at if whole.contains(at.end_line, at.end_column) else whole


def place(line: LogicalLine, span: Span) -> Span:
    """A span relative to a statement, as a span of the text that the statement stands in."""
    return Span(
        line.line + span.line,
        span.column + (line.column if span.line == 0 else 0),
        line.line + span.end_line,
        span.end_column + (line.column if span.end_line == 0 else 0),
    )


@frozen(eq=False, slots=False)
class ModuleSource:
    """A module cut into units and module-level simple statements, in source order."""

    source: SourceText
    items: tuple[Unit | LogicalLine, ...] = field(repr=False)
    pieces: tuple[Piece, ...] = field(repr=False)
    """What it consists of, scanned piece by piece."""

    @cached_property
    def scanned(self) -> frozenset[str]:
        """The texts that were scanned, also those that turned out to be no pieces."""
        return frozenset(text for piece in self.pieces for text in (piece.text, *piece.tried))

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        return tuple(item for item in self.items if isinstance(item, Unit))

    @cached_property
    def statements(self) -> tuple[LogicalLine, ...]:
        """The module-level simple statements; their lines are those of the module."""
        return tuple(item for item in self.items if isinstance(item, LogicalLine))

    @cached_property
    def renamed(self) -> Mapping[str, frozenset[str]]:
        """Names that imports and assignments of another name define, by that name."""
        found = {name: {*names} for name, names in _renamed(self.statements).items()}
        for unit in self.units:
            for name, names in unit.content.renamed.items():
                found.setdefault(name, set()).update(names)
        return {name: frozenset(names) for name, names in found.items()}

    def unit_at(self, line: int) -> Unit | None:
        """The unit that a line of the module lies in."""
        found = None
        for unit in self.units:
            if unit.first_line > line:
                break
            found = unit
        return found if found and line < found.first_line + found.line_count else None


def _renamed(statements: Iterable[LogicalLine]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in statements:
        for name, other in words_of(line.text).renamed:
            found.setdefault(name, set()).add(other)
    return {name: frozenset(names) for name, names in found.items()}


@remembered(characters=1_500_000)
def split_units(text: str) -> ModuleSource:
    """The units and module-level statements of a text. Never raises.

    Piece by piece, so that a keystroke costs the piece that it stands in.
    """
    source = SourceText(text)
    pieces = cut(source)
    items = [_shifted(item, piece.first_line) for piece in pieces for item in items_of(piece.text)]
    return ModuleSource(source, tuple(items), pieces)


@remembered(characters=1_500_000)
def items_of(text: str) -> tuple[Unit | LogicalLine, ...]:
    """The items of a piece of a module, counted from its first line."""
    return tuple(_items(SourceText(text), scan_piece(text)))


def _shifted(item: Unit | LogicalLine, lines: int) -> Unit | LogicalLine:
    if isinstance(item, Unit):
        return evolve(item, first_line=item.first_line + lines)
    return shifted_line(item, lines) if lines else item


def _items(source: SourceText, scanned: Scanned) -> Iterator[Unit | LogicalLine]:
    lines = scanned.lines
    first = 0
    while first < len(lines):
        line = lines[first]
        if line.indent == 0 and not line.is_header and not line.text.startswith("@"):
            yield line
            first += 1
            continue
        end = _unit_end(lines, first)
        content = _beginning(scanned, lines[end - 1]) if lines[first].line == 0 else None
        yield _unit(source, lines[first:end], content)
        first = end


def _unit_end(lines: tuple[LogicalLine, ...], first: int) -> int:
    """The index behind the last line of the unit that begins at a line."""
    decorating = lines[first].text.startswith("@")
    end = first + 1
    while end < len(lines):
        line = lines[end]
        if line.indent == 0 and not line.joined:
            opens = line.is_header if decorating else _CONTINUES.match(line.text) is not None
            decorating = decorating and line.text.startswith("@")
            if not (opens or decorating):
                break
        end += 1
    return end


def _beginning(scanned: Scanned, last: LogicalLine) -> UnitContent:
    """The content of a unit that a text begins with."""
    comments = tuple(comment for comment in scanned.comments if comment.line <= last.end_line)
    return UnitContent(scanned.lines[: last.index + 1], comments)


@remembered(characters=500_000)
def content_of(text: str) -> UnitContent:
    scanned = scan_text(text)
    return UnitContent(scanned.lines, scanned.comments)


def _unit(source: SourceText, lines: tuple[LogicalLine, ...], content: UnitContent | None) -> Unit:
    first, last = lines[0], lines[-1]
    start = source.starts[first.line]
    text = source.text[start : source.offset(last.end_line, 0)] + source.line(last.end_line)
    head = next((line for line in lines if line.indent == 0 and not line.text.startswith("@")), None)
    match = _KEYWORD.match(head.text) if head else None
    if not match:
        return Unit(first.line, text, "", None, content)
    return Unit(first.line, text, match[1], match[2] if match[1] in ("def", "class") else None, content)
