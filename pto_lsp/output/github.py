"""`--output-format github`: workflow commands that GitHub Actions turns into annotations."""

from __future__ import annotations

from pto_analysis.findings import Severity
from pto_lsp.output.report import Diagnostic, Report

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice", Severity.HINT: "notice"}


def render(report: Report) -> str:
    return "".join(_command(diagnostic) for diagnostic in report.diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    finding, span = diagnostic.finding, diagnostic.finding.span
    fields = {
        "title": f"pto-lint ({finding.code})",
        "file": diagnostic.path,
        "line": span.line + 1,
        "col": span.column + 1,
        "endLine": span.end_line + 1,
        "endColumn": span.end_column + 1,
    }
    properties = ",".join(f"{name}={_escape_property(str(value))}" for name, value in fields.items())
    place = f"{diagnostic.path}:{span.line + 1}:{span.column + 1}: {finding.code} {finding.message}"
    return f"::{_COMMANDS[finding.severity]} {properties}::{_escape(place)}\n"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
