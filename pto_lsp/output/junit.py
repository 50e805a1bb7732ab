"""`--output-format junit`: one test case a finding."""

from __future__ import annotations

import re
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from pto_lsp.output.report import Diagnostic, Report

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report) -> str:
    count = len(report.diagnostics)
    rows = ['<?xml version="1.0" encoding="UTF-8"?>']
    rows.append(f'<testsuites name="pto-lint" tests="{max(count, 1)}" failures="{count}" errors="0">')
    if not count:
        rows.append('  <testsuite name="pto-lint" tests="1" failures="0" errors="0">')
        rows.append('    <testcase name="No findings" classname="pto-lint"/>')
        rows.append("  </testsuite>")
    for path, group in groupby(report.diagnostics, key=lambda diagnostic: diagnostic.path):
        rows += _suite(path, list(group))
    rows.append("</testsuites>")
    return "\n".join(rows) + "\n"


def _suite(path: str, diagnostics: list[Diagnostic]) -> list[str]:
    count = len(diagnostics)
    rows = [f'  <testsuite name={_attribute(path)} tests="{count}" failures="{count}" errors="0">']
    for diagnostic in diagnostics:
        finding, span = diagnostic.finding, diagnostic.finding.span
        rows.append(
            f"    <testcase name={_attribute(finding.code)} classname={_attribute(path.removesuffix('.py'))}"
            f' line="{span.line + 1}" column="{span.column + 1}">'
        )
        text = f"line {span.line + 1}, col {span.column + 1}, {finding.message}"
        rows.append(f"      <failure message={_attribute(finding.message)}>{escape(_clean(text))}</failure>")
        rows.append("    </testcase>")
    rows.append("  </testsuite>")
    return rows


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;"})


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
