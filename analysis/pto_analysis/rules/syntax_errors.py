"""What does not parse in a unit, from the scanner, the block tree and the statements themselves."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from pto_analysis.source.blocks import Block
from pto_analysis.source.modules import parse_ast, parsed_once
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.span import Span
from pto_analysis.source.statements import StatementError, parse_statement
from pto_analysis.source.unit import Unit, UnitContent, place

SyntaxProblem = tuple[Span, str]


def unit_problems(unit: Unit) -> tuple[SyntaxProblem, ...]:
    """The problems of a unit, in order; positions are the unit's own."""
    return _problems_of(unit.text, unit.content)


def problems_of_read(unit: Unit) -> tuple[SyntaxProblem, ...]:
    """The same for a unit whose statements were read before, which makes them quicker to ask than Python's parser."""
    content = unit.content
    if any(_structural(content.blocks)) or any(problem for line in content.lines for problem in _line_problems(line)):
        return unit_problems(unit)
    return ()


def statement_problems(line: LogicalLine) -> tuple[SyntaxProblem, ...]:
    """The problems of a module-level simple statement."""
    if line.error is None and parse_ast(line.text) is not None:
        return ()
    return tuple(_line_problems(line))


_KNOWN: WeakKeyDictionary[UnitContent, tuple[SyntaxProblem, ...]] = WeakKeyDictionary()


def _problems_of(text: str, content: UnitContent) -> tuple[SyntaxProblem, ...]:
    """Remembered as long as the content, which belongs to one text."""
    known = _KNOWN.get(content)
    if known is None:
        known = _KNOWN[content] = _found_problems(text, content)
    return known


def _found_problems(text: str, content: UnitContent) -> tuple[SyntaxProblem, ...]:
    structural = tuple(_structural(content.blocks))
    if not structural and parsed_once(text) is not None:
        return ()
    lines = (problem for line in content.lines for problem in _line_problems(line))
    return (*structural, *lines)


def _structural(blocks: tuple[Block, ...]) -> Iterator[SyntaxProblem]:
    waiting = list(blocks)
    while waiting:
        block = waiting.pop()
        if block.error is not None:
            line = block.line
            yield Span(line.line, line.column, line.end_line, line.end_column), block.error
        waiting.extend(block.body)


def _line_problems(line: LogicalLine) -> Iterator[SyntaxProblem]:
    return _parser_problems(line) if line.error is None else iter((_scanner_problem(line, line.error),))


def _scanner_problem(line: LogicalLine, error: str) -> SyntaxProblem:
    row, column = line.error_at or (line.line, line.column)
    return Span(row, column, row, column + 1), error


def _parser_problems(line: LogicalLine) -> Iterator[SyntaxProblem]:
    """libcst has the last word: it knows newer Python than the one that runs this."""
    parsed = parse_statement(line.text)
    if isinstance(parsed, StatementError):
        yield place(line, Span(parsed.line, parsed.column, parsed.line, parsed.column + 1)), parsed.message
