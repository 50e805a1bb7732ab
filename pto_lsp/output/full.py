"""`--output-format full`: a frame of source under each finding, the way ruff and rustc show theirs."""

from __future__ import annotations

from pto_analysis.findings import Applicability, Finding
from pto_analysis.source.text import split_lines
from pto_lsp.output.frames import frame, gutter_width
from pto_lsp.output.report import Diagnostic, Report
from pto_lsp.output.style import SEVERITY_COLORS, Style


def findings(report: Report, style: Style) -> str:
    lines = {path: split_lines(text) for path, text in report.sources.items()}
    blocks = [_block(diagnostic, lines, style) for diagnostic in report.diagnostics]
    return "".join(f"{block}\n\n" for block in blocks)


def _block(diagnostic: Diagnostic, lines: dict[str, list[str]], style: Style) -> str:
    finding = diagnostic.finding
    source = lines.get(diagnostic.path, [])
    color = SEVERITY_COLORS[finding.severity]
    indent = " " * gutter_width(finding.span, source)
    rows = [_headline(finding, style), indent + style.paint("--> ", "blue") + _place(diagnostic)]
    rows += frame(source, finding.span, style, color)
    rows += [_related(diagnostic, index, indent, style) for index in range(len(finding.related))]
    if finding.fix is not None:
        rows.append(f"{indent} {style.paint('= help:', 'bold', 'cyan')} {finding.fix.title}{_fix_note(finding)}")
    return "\n".join(rows)


def _headline(finding: Finding, style: Style) -> str:
    mark = style.paint(" [*]", "cyan") if finding.fix and finding.fix.applicability is Applicability.SAFE else ""
    first, *rest = finding.message.split("\n")
    code, severity = (style.severity(word, finding.severity) for word in (finding.code, finding.severity.value))
    return "\n".join([f"{code}{mark} {severity}: {style.paint(first, 'bold')}", *(f"  {line}" for line in rest)])


def _place(diagnostic: Diagnostic) -> str:
    span = diagnostic.finding.span
    return f"{diagnostic.path}:{span.line + 1}:{span.column + 1}"


def _related(diagnostic: Diagnostic, index: int, indent: str, style: Style) -> str:
    related = diagnostic.finding.related[index]
    place = f"{related.path or diagnostic.path}:{related.span.line + 1}:{related.span.column + 1}"
    return f"{indent} {style.paint('= note:', 'bold')} {related.message} ({place})"


def _fix_note(finding: Finding) -> str:
    notes = {Applicability.UNSAFE: " (unsafe: --unsafe-fixes)", Applicability.DISPLAY: " (by hand)"}
    return notes.get(finding.fix.applicability, "") if finding.fix is not None else ""
