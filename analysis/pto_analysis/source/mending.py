"""Takes a broken statement out of a text, so that the rest can be read."""

from __future__ import annotations

import ast
import warnings

from pto_analysis.source.scanner import LogicalLine, scan_text
from pto_analysis.source.text import SourceText


def without_first_error(text: str) -> str | None:
    """The text with `pass` for the statement that does not parse; None where it is not found, or is a header."""
    row = _error_row(text)
    line = None if row is None else _statement_at(text, row)
    if line is None or line.is_header:
        return None
    source = SourceText(text)
    start, end = source.offset(line.line, line.column), source.offset(line.end_line, line.end_column)
    return text[:start] + "pass" + text[end:]


def _error_row(text: str) -> int | None:
    """The 0-based line that Python complains about."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return None if error.lineno is None else error.lineno - 1
    except (ValueError, RecursionError, MemoryError):
        return None
    return None


def _statement_at(text: str, row: int) -> LogicalLine | None:
    """The statement that is broken there, else the one that covers the line."""
    covering = [line for line in scan_text(text).lines if line.line <= row <= line.end_line and line.text != "pass"]
    return next((line for line in covering if line.error is not None), covering[0] if covering else None)
