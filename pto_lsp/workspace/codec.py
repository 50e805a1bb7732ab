"""A `FileAnalysis` as JSON and back, for the cache.

JSON and not pickle: a cache folder may come with somebody's checkout, and reading it must run nothing.
"""

from __future__ import annotations

from typing import TypedDict, cast

from pto_analysis.findings import Applicability, Edit, Finding, Fix, Related, Severity
from pto_analysis.report import FileAnalysis, InternalError, Unknown
from pto_analysis.rules.suppression import Suppression
from pto_analysis.source.span import Span

Row = list[object]


class Encoded(TypedDict):
    findings: list[Row]
    suppressions: list[Row]
    unknown: list[Row]
    errors: list[Row]
    functions: int
    cores: int
    understood: int


def encode(analysis: FileAnalysis) -> Encoded:
    return {
        "findings": [_finding_row(finding) for finding in analysis.findings],
        "suppressions": [_suppression_row(directive) for directive in analysis.suppressions],
        "unknown": [[value.line, value.what, value.why] for value in analysis.unknown],
        "errors": [[error.where, error.summary, error.traceback] for error in analysis.errors],
        "functions": analysis.functions,
        "cores": analysis.cores,
        "understood": analysis.understood,
    }


def decode(body: Encoded) -> FileAnalysis:
    """Errors: TypeError, ValueError, KeyError, IndexError for anything that `encode` did not write."""
    return FileAnalysis(
        findings=tuple(_finding(row) for row in body["findings"]),
        suppressions=tuple(_suppression(row) for row in body["suppressions"]),
        functions=body["functions"],
        cores=body["cores"],
        understood=body["understood"],
        unknown=tuple(Unknown(cast("int", line), str(what), str(why)) for line, what, why in body["unknown"]),
        errors=tuple(InternalError(str(where), str(text), str(trace)) for where, text, trace in body["errors"]),
    )


def _span_row(span: Span) -> list[int]:
    return [span.line, span.column, span.end_line, span.end_column]


def _span(row: object) -> Span:
    return Span(*cast("list[int]", row))


def _finding_row(finding: Finding) -> Row:
    return [
        finding.code,
        finding.severity.value,
        finding.message,
        _span_row(finding.span),
        finding.function,
        [[related.message, _span_row(related.span), related.path] for related in finding.related],
        _fix_row(finding.fix) if finding.fix is not None else None,
        dict(finding.data),
    ]


def _finding(row: Row) -> Finding:
    code, severity, message, span, function, related, fix, data = row
    return Finding(
        str(code),
        Severity(severity),
        str(message),
        _span(span),
        cast("str | None", function),
        tuple(
            Related(str(text), _span(place), cast("str | None", path))
            for text, place, path in cast("list[Row]", related)
        ),
        _fix(cast("Row", fix)) if fix is not None else None,
        cast("dict[str, object]", data),
    )


def _fix_row(fix: Fix) -> Row:
    edits = [[_span_row(edit.span), edit.text, edit.path] for edit in fix.edits]
    return [fix.title, fix.applicability.value, edits]


def _fix(row: Row) -> Fix:
    title, applicability, edits = row
    return Fix(
        str(title),
        Applicability(applicability),
        tuple(Edit(_span(span), str(text), cast("str | None", path)) for span, text, path in cast("list[Row]", edits)),
    )


def _suppression_row(directive: Suppression) -> Row:
    items = None
    if directive.items is not None:
        items = [[word, _span_row(span)] for word, span in directive.items]
    span, removal = _span_row(directive.span), _span_row(directive.removal)
    return [span, removal, items, directive.first, directive.last, directive.shared]


def _suppression(row: Row) -> Suppression:
    span, removal, items, first, last, shared = row
    words = None
    if items is not None:
        words = tuple((str(word), _span(place)) for word, place in cast("list[Row]", items))
    return Suppression(_span(span), _span(removal), words, cast("int", first), cast("int", last), bool(shared))
