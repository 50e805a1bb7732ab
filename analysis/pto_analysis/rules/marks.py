"""The marks in examples: `#! PTO201` at the end of a line, with the text that the finding covers in backticks."""

from __future__ import annotations

import re

from pto_analysis.frozen import frozen
from pto_analysis.source.text import split_lines

MARKS = re.compile(r"[ \t]*#!(?P<marks>(?:[ \t]+PTO\d{3}(?:[ \t]+`[^`\n]*`)?)+)[ \t]*$", re.MULTILINE)
_MARK = re.compile(r"(PTO\d{3})(?:[ \t]+`([^`]*)`)?")


@frozen(order=True)
class Mark:
    """One expected finding. `line` is 1-based; `text` is empty where the mark names none."""

    line: int
    code: str
    text: str = ""


def unmarked(code: str) -> str:
    """The module without its marks."""
    return MARKS.sub("", code)


def marks(code: str) -> list[Mark]:
    """The findings that a module asks for, sorted."""
    found: list[Mark] = []
    for number, line in enumerate(split_lines(code), 1):
        match = MARKS.search(line)
        if match is not None:
            found += [Mark(number, mark[1], mark[2] or "") for mark in _MARK.finditer(match["marks"])]
    return sorted(found)


def readable(code: str, comment: str = "#") -> str:
    """The module with its marks as plain comments, as docs show it."""
    return MARKS.sub(
        lambda match: f"  {comment} " + ", ".join(mark[1] for mark in _MARK.finditer(match["marks"])), code
    )
