"""Results of a unit moved along with its statements, when only comments and blank lines changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from attrs import evolve

from pto_analysis.check import UnitAnalysis
from pto_analysis.findings import Finding, Fix, Related
from pto_analysis.report import Unknown
from pto_analysis.source.span import Span
from pto_analysis.source.unit import UnitContent

_FAR = 1 << 60
"""A column behind every other of its line."""


class _NoPlaceError(Exception):
    """A position that belongs to no statement, or an edit that covers what may have changed."""


def moved_analysis(analysis: UnitAnalysis, old: UnitContent, new: UnitContent) -> UnitAnalysis | None:
    """What was said about the statements of `old`, where they stand in `new`; None where that cannot be told.

    Both hold the same statements (their digests are equal).
    """
    if any(finding.fix is not None for finding in analysis.findings) and _comments(old) != _comments(new):
        return None
    move = _Move(old, new)
    try:
        findings = tuple(map(move.finding, analysis.findings))
        unknown = tuple(map(move.unknown, analysis.unknown))
    except _NoPlaceError:
        return None
    return evolve(analysis, findings=findings, unknown=unknown)


def moved_findings(findings: Sequence[Finding], old: UnitContent, new: UnitContent) -> list[Finding] | None:
    """Findings without fixes about some statements of `old`, where they stand in `new`; None where that cannot be told.

    Statements are known by their numbers, and findings about such as were changed are not moved.
    """
    if any(finding.fix is not None for finding in findings):
        return None
    try:
        return [*map(_Move(old, new).finding, findings)]
    except _NoPlaceError:
        return None


def _comments(content: UnitContent) -> list[tuple[str, ...]]:
    """The comments that stand in statements or behind them: fixes take care of them."""
    return [tuple(comment.text for comment in line.comments) for line in content.lines]


class _Move:
    def __init__(self, old: UnitContent, new: UnitContent) -> None:
        self._old = old
        self._new = new
        self._starts = [(line.line, line.column) for line in old.lines]

    def finding(self, finding: Finding) -> Finding:
        related = tuple(map(self._related, finding.related))
        fix = None if finding.fix is None else self._fix(finding.fix)
        return evolve(finding, span=self._span(finding.span), related=related, fix=fix)

    def unknown(self, unknown: Unknown) -> Unknown:
        return evolve(unknown, line=unknown.line + self._shift(self._statement(unknown.line, _FAR)))

    def _related(self, item: Related) -> Related:
        return item if item.path is not None else evolve(item, span=self._span(item.span))

    def _fix(self, fix: Fix) -> Fix:
        if any(edit.path is not None for edit in fix.edits):
            raise _NoPlaceError
        return evolve(fix, edits=tuple(evolve(edit, span=self._within(edit.span)) for edit in fix.edits))

    def _span(self, span: Span) -> Span:
        """Its ends may stand in two statements."""
        start = self._shift(self._statement(span.line, span.column))
        end = self._shift(self._statement(span.end_line, span.end_column))
        return evolve(span, line=span.line + start, end_line=span.end_line + end)

    def _within(self, span: Span) -> Span:
        """A span that stands in one statement."""
        statement = self._statement(span.line, span.column)
        if statement != self._statement(span.end_line, span.end_column):
            raise _NoPlaceError
        return span.shifted(self._shift(statement))

    def _statement(self, line: int, column: int) -> int:
        """The index of the statement that covers a position."""
        index = bisect_right(self._starts, (line, column)) - 1
        if index < 0:
            raise _NoPlaceError
        statement = self._old.lines[index]
        if line > statement.end_line or (
            column != _FAR and (line, column) > (statement.end_line, statement.end_column)
        ):
            raise _NoPlaceError
        if index >= len(self._new.lines) or self._new.lines[index].text != statement.text:
            raise _NoPlaceError
        return index

    def _shift(self, index: int) -> int:
        return self._new.lines[index].line - self._old.lines[index].line
