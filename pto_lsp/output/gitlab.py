"""`--output-format gitlab`: a Code Climate report for GitLab's code quality widget."""

from __future__ import annotations

import json
from hashlib import sha256

from pto_analysis.findings import Severity
from pto_lsp.output.report import Diagnostic, Report

_LEVELS = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info", Severity.HINT: "info"}


def render(report: Report) -> str:
    seen: dict[str, int] = {}
    issues = [_issue(diagnostic, seen) for diagnostic in report.diagnostics]
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"


def _issue(diagnostic: Diagnostic, seen: dict[str, int]) -> dict[str, object]:
    finding, span = diagnostic.finding, diagnostic.finding.span
    return {
        "check_name": finding.code,
        "description": f"{finding.code}: {finding.message}",
        "severity": _LEVELS[finding.severity],
        "fingerprint": _fingerprint(diagnostic, seen),
        "location": {
            "path": diagnostic.path,
            "positions": {
                "begin": {"line": span.line + 1, "column": span.column + 1},
                "end": {"line": span.end_line + 1, "column": span.end_column + 1},
            },
        },
    }


def _fingerprint(diagnostic: Diagnostic, seen: dict[str, int]) -> str:
    """Without line numbers, so that a finding keeps its identity when lines are added above it."""
    finding = diagnostic.finding
    text = "\0".join((diagnostic.path, finding.code, finding.function or "", finding.message))
    seen[text] = seen.get(text, 0) + 1
    return sha256(f"{text}\0{seen[text]}".encode()).hexdigest()[:40]
