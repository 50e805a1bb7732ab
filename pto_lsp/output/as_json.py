"""`--output-format json`: the contract's `pto-check/1`, and the form of a diagnostic everywhere in JSON."""

from __future__ import annotations

import json

from pto_analysis.findings import Edit, Fix, Related
from pto_analysis.source.span import Span
from pto_lsp.output.report import Diagnostic, Report, Statistics

Json = dict[str, object]


def render(report: Report) -> str:
    body: Json = {
        "schema": "pto-check/1",
        "diagnostics": [diagnostic_json(diagnostic) for diagnostic in report.diagnostics],
        "statistics": statistics_json(report.statistics) if report.statistics is not None else None,
    }
    return dump(body)


def dump(body: object) -> str:
    """JSON text; what JSON has no form for is written as its `str`."""
    return json.dumps(body, indent=2, ensure_ascii=False, default=str) + "\n"


def diagnostic_json(diagnostic: Diagnostic) -> Json:
    finding, path = diagnostic.finding, diagnostic.path
    return {
        "code": finding.code,
        "name": diagnostic.name,
        "severity": finding.severity.value,
        "message": finding.message,
        "path": path,
        **position(finding.span),
        "function": finding.function,
        "url": diagnostic.url,
        "related": [_related(related, path) for related in finding.related],
        "fix": _fix(finding.fix, path) if finding.fix is not None else None,
        "data": dict(finding.data),
    }


def position(span: Span) -> Json:
    """The 1-based position of a span."""
    return {
        "line": span.line + 1,
        "column": span.column + 1,
        "end_line": span.end_line + 1,
        "end_column": span.end_column + 1,
    }


def _related(related: Related, path: str) -> Json:
    return {"message": related.message, "path": related.path or path, **position(related.span)}


def _fix(fix: Fix, path: str) -> Json:
    edits = [_edit(edit, path) for edit in fix.edits]
    return {"title": fix.title, "applicability": fix.applicability.value, "edits": edits}


def _edit(edit: Edit, path: str) -> Json:
    return {"path": edit.path or path, **position(edit.span), "text": edit.text}


def statistics_json(statistics: Statistics) -> Json:
    return {
        "files": statistics.files,
        "kernels": statistics.kernels,
        "regions": statistics.regions,
        "understood": statistics.understood,
        "rules": dict(sorted(statistics.rules.items())),
        "unknown": [
            {"path": value.path, "line": value.line, "what": value.what, "why": value.why}
            for value in statistics.unknown
        ],
    }
