"""Kernels with their expected findings written into them.

A line that carries a finding ends in `#! PTO201`, or ``#! PTO201 `text` `` when the finding must cover exactly
`text` (which may span lines only by its first one). Several marks may follow one `#!`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from attrs import frozen

from pto_analysis.findings import Finding
from pto_analysis.source.text import SourceText, split_lines

_MARKS = re.compile(r"[ \t]*#!(?P<marks>(?:[ \t]+PTO\d{3}(?:[ \t]+`[^`]*`)?)+)[ \t]*$", re.MULTILINE)
_MARK = re.compile(r"(PTO\d{3})(?:[ \t]+`([^`]*)`)?")


@frozen(order=True)
class Expected:
    """A finding as a test expects it. `line` is 1-based; `text` is empty where the mark names none."""

    line: int
    code: str
    text: str = ""


def unmarked(code: str) -> str:
    """The kernel without its marks."""
    return _MARKS.sub("", code)


def expected(code: str) -> list[Expected]:
    """The findings that the marks ask for, sorted."""
    found: list[Expected] = []
    for number, line in enumerate(split_lines(code), 1):
        match = _MARKS.search(line)
        if match is not None:
            found += [Expected(number, mark[1], mark[2] or "") for mark in _MARK.finditer(match["marks"])]
    return sorted(found)


def observed(code: str, findings: Iterable[Finding]) -> list[Expected]:
    """Findings in the form of `expected(code)`: their text is shown only where a mark on that line names one."""
    named = {(mark.line, mark.code) for mark in expected(code) if mark.text}
    source = SourceText(unmarked(code))
    rows: list[Expected] = []
    for finding in findings:
        line = finding.span.line + 1
        text = split_lines(source.slice(finding.span))[0] if (line, finding.code) in named else ""
        rows.append(Expected(line, finding.code, text))
    return sorted(rows)
