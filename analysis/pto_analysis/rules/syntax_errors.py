"""What does not parse in a unit, from the scanner, the block tree and the statements themselves."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pto_analysis.source.blocks import Block
from pto_analysis.source.modules import parse_ast
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.span import Span
from pto_analysis.source.statements import StatementError, parse_statement
from pto_analysis.source.unit import Unit, place

SyntaxProblem = tuple[Span, str]


@lru_cache(maxsize=2048)
def unit_problems(text: str) -> tuple[SyntaxProblem, ...]:
    """The problems of a unit by its text, in order; positions are the unit's own."""
    unit = Unit(0, text)
    return tuple(_problems(unit))


def statement_problems(line: LogicalLine) -> tuple[SyntaxProblem, ...]:
    """The problems of a module-level simple statement."""
    if line.error is not None:
        return (_scanner_problem(line, line.error),)
    if parse_ast(line.text) is not None:
        return ()
    return tuple(_parser_problems(line))


def _problems(unit: Unit) -> Iterator[SyntaxProblem]:
    structural = list(_structural(unit.blocks))
    yield from structural
    if not structural and parse_ast(unit.text) is not None:
        return
    for line in unit.lines:
        if line.error is not None:
            yield _scanner_problem(line, line.error)
        else:
            yield from _parser_problems(line)


def _structural(blocks: tuple[Block, ...]) -> Iterator[SyntaxProblem]:
    waiting = list(blocks)
    while waiting:
        block = waiting.pop()
        if block.error is not None:
            line = block.line
            yield Span(line.line, line.column, line.end_line, line.end_column), block.error
        waiting.extend(block.body)


def _scanner_problem(line: LogicalLine, error: str) -> SyntaxProblem:
    row, column = line.error_at or (line.line, line.column)
    return Span(row, column, row, column + 1), error


def _parser_problems(line: LogicalLine) -> Iterator[SyntaxProblem]:
    """libcst has the last word: it knows newer Python than the one that runs this."""
    parsed = parse_statement(line.text)
    if isinstance(parsed, StatementError):
        yield place(line, Span(parsed.line, parsed.column, parsed.line, parsed.column + 1)), parsed.message
