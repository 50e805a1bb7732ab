"""A source text with its line index: offsets to (line, column) and back, and slices by `Span`.

Lines end at `\\n`, `\\r\\n` or `\\r`, as Python's own tokenizer has it; other Unicode separators are ordinary
characters. Lines are 0-based, columns count Unicode code points.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.source.span import Span

LINE_END = re.compile(r"\r\n|\n|\r")
"""The line ends of Python source."""


def line_starts(text: str) -> list[int]:
    """The offset of the first character of every line; a text that ends with a line end has an empty last line."""
    return [0, *map(re.Match[str].end, LINE_END.finditer(text))]


def split_lines(text: str) -> list[str]:
    """The lines without their line ends (unlike `str.splitlines`, at `\\n`, `\\r\\n` and `\\r` only)."""
    return LINE_END.split(text)


@frozen(eq=False, slots=False)
class SourceText:
    """One version of a file's text. Out-of-range positions are clamped to the nearest real one."""

    text: str = field(repr=False)

    @cached_property
    def starts(self) -> list[int]:
        return line_starts(self.text)

    @property
    def line_count(self) -> int:
        return len(self.starts)

    def line(self, index: int) -> str:
        """The text of a line without its line end; empty when there is no such line."""
        if not 0 <= index < len(self.starts):
            return ""
        return self.text[self.starts[index] : self._content_end(index)]

    def position(self, offset: int) -> tuple[int, int]:
        """(line, column) of a code point offset."""
        bounded = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, bounded) - 1
        return line, bounded - self.starts[line]

    def offset(self, line: int, column: int) -> int:
        """The code point offset of (line, column)."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.text)
        start = self.starts[line]
        return min(start + max(column, 0), self._content_end(line))

    def slice(self, span: Span) -> str:
        """The text that a span covers."""
        return self.text[self.offset(span.line, span.column) : self.offset(span.end_line, span.end_column)]

    def span(self, start: int, end: int) -> Span:
        """The span between two offsets."""
        return Span(*self.position(start), *self.position(end))

    def _content_end(self, index: int) -> int:
        if index + 1 == len(self.starts):
            return len(self.text)
        end = self.starts[index + 1]
        return end - 2 if self.text[end - 2 : end] == "\r\n" else end - 1


def mentions_dsl(text: str) -> bool:
    """A cheap test: whether a file may hold kernels at all."""
    return "pypto" in text or ("pl." in text and "@" in text)
