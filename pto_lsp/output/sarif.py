"""`--output-format sarif`: SARIF 2.1.0, for code scanning and editors that read it."""

from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import quote

from pto_analysis.findings import Edit, Fix, Severity
from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.rule import Rule
from pto_analysis.source.span import Span
from pto_lsp import __version__
from pto_lsp.output.as_json import Json, dump
from pto_lsp.output.report import Diagnostic, Report

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note", Severity.HINT: "note"}


def render(report: Report) -> str:
    codes = sorted({diagnostic.finding.code for diagnostic in report.diagnostics})
    rules = [_rule(all_rules()[code]) for code in codes if code in all_rules()]
    driver = {
        "name": "pto-lint",
        "version": __version__,
        "informationUri": "https://github.com/hw-native-sys/pto-lsp",
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic) for diagnostic in report.diagnostics],
    }
    return dump(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        }
    )


def _rule(rule: Rule) -> Json:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.what, "markdown": rule.what},
        "help": {"text": rule.why, "markdown": rule.why},
        "helpUri": rule.url,
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.group.title]},
    }


def _result(diagnostic: Diagnostic) -> Json:
    finding, path = diagnostic.finding, diagnostic.path
    result: Json = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [_location(path, finding.span, finding.function)],
    }
    if finding.related:
        result["relatedLocations"] = [
            {**_location(related.path or path, related.span), "id": index, "message": {"text": related.message}}
            for index, related in enumerate(finding.related, 1)
        ]
    if finding.fix is not None:
        result["fixes"] = [_fix(finding.fix, path)]
    return result


def _location(path: str, span: Span, function: str | None = None) -> Json:
    location: Json = {"physicalLocation": {"artifactLocation": _artifact(path), "region": _region(span)}}
    if function is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": function, "kind": "function"}]
    return location


def _artifact(path: str) -> Json:
    if PurePosixPath(path).is_absolute():
        return {"uri": "file://" + quote(path)}
    return {"uri": quote(path)}


def _region(span: Span) -> Json:
    return {
        "startLine": span.line + 1,
        "startColumn": span.column + 1,
        "endLine": span.end_line + 1,
        "endColumn": span.end_column + 1,
    }


def _fix(fix: Fix, path: str) -> Json:
    edits: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        edits.setdefault(edit.path or path, []).append(edit)
    changes = [
        {
            "artifactLocation": _artifact(name),
            "replacements": [
                {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}} for edit in group
            ],
        }
        for name, group in edits.items()
    ]
    return {"description": {"text": fix.title}, "artifactChanges": changes}
