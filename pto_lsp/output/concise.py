"""`--output-format concise`: one line a finding."""

from __future__ import annotations

from pto_analysis.findings import Applicability
from pto_lsp.output.report import Diagnostic, Report, is_fixable, plural
from pto_lsp.output.style import Style


def findings(report: Report, style: Style) -> str:
    rows = [_row(diagnostic, style) for diagnostic in report.diagnostics]
    return "".join(f"{row}\n" for row in rows)


def _row(diagnostic: Diagnostic, style: Style) -> str:
    finding = diagnostic.finding
    place = style.paint(diagnostic.path, "bold") + f":{finding.span.line + 1}:{finding.span.column + 1}:"
    mark = " [*]" if is_fixable(finding, Applicability.SAFE) else ""
    message = " ".join(finding.message.split("\n"))
    return f"{place} {style.severity(finding.code, finding.severity)}{mark} {finding.severity.value}: {message}"


def closing(report: Report, style: Style) -> str:
    """The last lines of a run: how much was found, fixed, fixable and not shown."""
    rows = [_found(report, style)]
    safe = sum(is_fixable(diagnostic.finding, Applicability.SAFE) for diagnostic in report.diagnostics)
    unsafe = sum(is_fixable(diagnostic.finding, Applicability.UNSAFE) for diagnostic in report.diagnostics)
    if safe:
        rows.append(f"[*] {safe} fixable with `--fix`.")
    if unsafe:
        rows.append(f"{unsafe}{' more' if safe else ''} fixable with `--fix --unsafe-fixes`.")
    hidden = ", ".join(plural(count, severity.value) for severity, count in report.hidden.items() if count)
    if hidden:
        rows.append(style.paint(f"Not shown: {hidden} (see --min-severity).", "dim"))
    return "".join(f"{row}\n" for row in rows)


def _found(report: Report, style: Style) -> str:
    fixed = f" ({report.fixed} fixed)" if report.fixed else ""
    if not report.diagnostics:
        return style.paint("All checks passed", "green") + f": {plural(report.files, 'file')}{fixed}."
    counts: dict[str, int] = {}
    for diagnostic in report.diagnostics:
        counts[diagnostic.finding.severity.value] = counts.get(diagnostic.finding.severity.value, 0) + 1
    parts = [plural(counts[name], name) for name in ("error", "warning", "info", "hint") if name in counts]
    return f"Found {', '.join(parts)} in {plural(report.files, 'file')}{fixed}."
