"""What does not parse in a unit, from the scanner, the block tree and the statements themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from pto_analysis.source.blocks import Block
from pto_analysis.source.refused import may_be_refused, refusal
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.span import Span
from pto_analysis.source.statements import StatementError, parse_statement
from pto_analysis.source.unit import ModuleSource, Unit, UnitContent, place

SyntaxProblem = tuple[Span, str]

_FUTURE = re.compile(r"from\s+__future__\b")
_DOCSTRING = re.compile(r"""[rRuU]?['"]""")


def unit_problems(unit: Unit) -> tuple[SyntaxProblem, ...]:
    """The problems of a unit, in order; positions are the unit's own."""
    return _problems_of(unit.text, unit.content)


def problems_of_read(unit: Unit) -> tuple[SyntaxProblem, ...]:
    """The same for a unit whose statements were read before, which makes them quicker to ask than Python's parser."""
    content = unit.content
    if (
        may_be_refused(unit)
        or any(_structural(content.blocks))
        or any(problem for line in content.lines for problem in _line_problems(line))
    ):
        return unit_problems(unit)
    return ()


def statement_problems(line: LogicalLine) -> tuple[SyntaxProblem, ...]:
    """The problems of a module-level simple statement."""
    if line.error is not None:
        return (_scanner_problem(line, line.error),)
    refused = refusal(line.text)
    if refused is None:
        return ()
    if refused.is_layout or refused.parses():
        return ((place(line, refused.span), refused.message),)
    return tuple(_line_problems(line))


def late_futures(source: ModuleSource) -> Iterator[SyntaxProblem]:
    """The `from __future__ import …` that stand behind other statements."""
    begun = False
    for position, item in enumerate(source.items):
        if isinstance(item, LogicalLine) and _FUTURE.match(item.text):
            if begun:
                span = Span(item.line, item.column, item.end_line, item.end_column)
                yield span, "from __future__ imports must occur at the beginning of the file"
        elif position or not isinstance(item, LogicalLine) or not _DOCSTRING.match(item.text):
            begun = True


_KNOWN: WeakKeyDictionary[UnitContent, tuple[SyntaxProblem, ...]] = WeakKeyDictionary()


def _problems_of(text: str, content: UnitContent) -> tuple[SyntaxProblem, ...]:
    """Remembered as long as the content, which belongs to one text."""
    known = _KNOWN.get(content)
    if known is None:
        known = _KNOWN[content] = _found_problems(text, content)
    return known


def _found_problems(text: str, content: UnitContent) -> tuple[SyntaxProblem, ...]:
    structural = tuple(_structural(content.blocks))
    refused = None if structural else refusal(text)
    if not structural and refused is None:
        return ()
    lines = tuple(problem for line in content.lines for problem in _line_problems(line))
    if refused is not None and not lines and (refused.is_layout or refused.parses()):
        return ((refused.span, refused.message),)
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
