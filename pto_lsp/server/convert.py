"""Between the analysis' positions and the client's, and between findings and diagnostics. The only place for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen
from lsprotocol import types as lsp
from pygls import uris

from pto_analysis.findings import Applicability, Edit, Finding, Severity
from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.rule import rule_url
from pto_analysis.source.encoding import PositionEncoding, column_from_units, units_from_column
from pto_analysis.source.span import Span
from pto_analysis.source.text import SourceText

SOURCE = "pto"

_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}

_UNNECESSARY = frozenset({"PTO002"})
"""Findings about text that could as well be deleted; editors fade it."""


def path_of(uri: str) -> str | None:
    """The absolute path that a document would have; None for documents that are no files."""
    return uris.to_fs_path(uri) if uri.startswith("file:") else None


def uri_of(path: str) -> str:
    return Path(path).as_uri()


@frozen(eq=False)
class Converter:
    """Positions of one text for one client."""

    text: SourceText
    encoding: PositionEncoding

    def position(self, line: int, column: int) -> lsp.Position:
        return lsp.Position(line, units_from_column(self._line(line), column, self.encoding))

    def range(self, span: Span) -> lsp.Range:
        return lsp.Range(self.position(span.line, span.column), self.position(span.end_line, span.end_column))

    def place(self, position: lsp.Position) -> tuple[int, int]:
        """(line, code point column) of a client's position, inside the text."""
        line = min(position.line, max(len(self.text.starts) - 1, 0))
        return line, column_from_units(self._line(line), position.character, self.encoding)

    def span(self, range_: lsp.Range) -> Span:
        return Span(*self.place(range_.start), *self.place(range_.end))

    def edit(self, edit: Edit) -> lsp.TextEdit:
        return lsp.TextEdit(self.range(edit.span), edit.text)

    def _line(self, line: int) -> str:
        return self.text.line(line) if 0 <= line < len(self.text.starts) else ""


@frozen
class Manners:
    """What the client can show of a diagnostic."""

    related: bool = True
    links: bool = True
    tags: bool = True


def diagnostic(
    finding: Finding, path: str, at: Converter, other: Mapping[str, Converter], manners: Manners
) -> lsp.Diagnostic:
    """`other` converts positions of other files; places in files that are missing there keep their columns."""
    rule = all_rules().get(finding.code)
    message = finding.message
    if finding.related and not manners.related:
        message += "".join(f"\n  {item.message} (line {item.span.line + 1})" for item in finding.related)
    return lsp.Diagnostic(
        range=at.range(finding.span),
        message=message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=lsp.CodeDescription(rule_url(finding.code)) if manners.links else None,
        source=SOURCE,
        tags=[lsp.DiagnosticTag.Unnecessary] if manners.tags and finding.code in _UNNECESSARY else None,
        related_information=_related(finding, path, at, other) if manners.related else None,
        data=_data(finding, rule.name if rule is not None else ""),
    )


def _related(
    finding: Finding, path: str, at: Converter, other: Mapping[str, Converter]
) -> list[lsp.DiagnosticRelatedInformation] | None:
    found: list[lsp.DiagnosticRelatedInformation] = []
    for item in finding.related:
        where = item.path or path
        converter = at if where == path else other.get(where)
        range_ = converter.range(item.span) if converter else _plain(item.span)
        found.append(lsp.DiagnosticRelatedInformation(lsp.Location(uri_of(where), range_), item.message))
    return found or None


def _plain(span: Span) -> lsp.Range:
    return lsp.Range(lsp.Position(span.line, span.column), lsp.Position(span.end_line, span.end_column))


def _data(finding: Finding, name: str) -> dict[str, object]:
    fix = finding.fix
    data: dict[str, object] = {"code": finding.code, "name": name}
    if finding.data.get("stale"):
        data["stale"] = True
    if fix is not None:
        data["fix"] = {"title": fix.title, "safe": fix.applicability is Applicability.SAFE}
    return data


_Change = lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile


def workspace_edit(
    versions: Mapping[str, int | None], edits: Mapping[str, Sequence[lsp.TextEdit]], *, versioned: bool
) -> lsp.WorkspaceEdit:
    """Edits by document, tied to the versions they were made for where the client understands that."""
    if not versioned:
        return lsp.WorkspaceEdit(changes={uri: list(items) for uri, items in edits.items()})
    changes: list[_Change] = [
        lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri, versions.get(uri)), list(items))
        for uri, items in edits.items()
    ]
    return lsp.WorkspaceEdit(document_changes=changes)
