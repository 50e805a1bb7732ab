"""A piece of source with the place in question underlined."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from pto_analysis.source.span import Span
from pto_lsp.output.style import Style

TAB = 4

MAX_LINES = 6
"""A longer span shows its first lines only."""


def frame(lines: list[str], span: Span, style: Style, color: str, label: str = "") -> list[str]:
    """Rows of a frame: the spanned lines with a gutter, one line of context on each side, and `^^^` below each."""
    last = min(span.end_line, span.line + MAX_LINES - 1)
    first_shown, last_shown = max(0, span.line - 1), min(len(lines) - 1, last + 1)
    width = len(str(last_shown + 1))
    rows = [_gutter("", width, style)]
    for number in range(first_shown, last_shown + 1):
        text = lines[number] if number < len(lines) else ""
        rows.append(f"{_gutter(str(number + 1), width, style)} {text.expandtabs(TAB)}".rstrip())
        if span.line <= number <= last:
            marks = _underline(text, number, span)
            is_end = number == last
            rows.append(
                f"{_gutter('', width, style)} {marks[0]}"
                + style.paint(marks[1] + (f" {label}" if label and is_end else ""), "bold", color)
            )
    rows.append(_gutter("", width, style))
    return rows


def gutter_width(span: Span, lines: list[str]) -> int:
    return len(str(min(len(lines), min(span.end_line, span.line + MAX_LINES - 1) + 2)))


def _gutter(number: str, width: int, style: Style) -> str:
    return style.paint(f"{number:>{width}} |", "bold", "blue")


def _underline(text: str, number: int, span: Span) -> tuple[str, str]:
    """Blanks up to the marks, and the marks, in terminal cells."""
    start = span.column if number == span.line else len(text) - len(text.lstrip())
    end = span.end_column if number == span.end_line else len(text.rstrip())
    before = cells(text[:start])
    return " " * before, "^" * max(1, cells(text[:end]) - before)


def cells(text: str) -> int:
    """How many terminal cells a text takes: tabs to the next stop, wide characters two, combining ones none."""
    count = 0
    for char in text:
        if char == "\t":
            count += TAB - count % TAB
        elif not combining(char):
            count += 2 if east_asian_width(char) in "WF" else 1
    return count
