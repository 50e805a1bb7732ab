"""Comparing findings with the marks in a kernel (`pto_analysis.rules.marks`)."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding
from pto_analysis.rules.marks import Mark, marks, unmarked
from pto_analysis.source.text import SourceText, split_lines


def observed(code: str, findings: Iterable[Finding]) -> list[Mark]:
    """Findings in the form of `marks(code)`: their text is shown only where a mark on that line names one."""
    named = {(mark.line, mark.code) for mark in marks(code) if mark.text}
    source = SourceText(unmarked(code))
    rows: list[Mark] = []
    for finding in findings:
        line = finding.span.line + 1
        text = split_lines(source.slice(finding.span))[0] if (line, finding.code) in named else ""
        rows.append(Mark(line, finding.code, text))
    return sorted(rows)
