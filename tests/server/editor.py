"""An editor for tests: buffers with a cursor, and requests at the cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from attrs import define, field
from lsprotocol import types as lsp

from pto_analysis.source.encoding import PositionEncoding, column_from_units, units_from_column
from tests.server.client import Client

CURSOR = "‸"
"""Stands in a test's text where the cursor is; buffers do not contain it."""

PATIENCE = 20.0

_numbers = count()


def without_cursor(text: str) -> tuple[str, tuple[int, int] | None]:
    """The text, and (line, column) of its cursor."""
    before, mark, after = text.partition(CURSOR)
    if not mark:
        return text, None
    return before + after, (before.count("\n"), len(before) - before.rfind("\n") - 1)


class Editor:
    """One client with the buffers of one test."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self.folder = folder

    @property
    def capabilities(self) -> lsp.ServerCapabilities:
        return self.client.answered.capabilities

    @property
    def encoding(self) -> PositionEncoding:
        names: dict[str, PositionEncoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
        return names[str(self.capabilities.position_encoding or "utf-16")]

    @property
    def pulls(self) -> bool:
        return self.capabilities.diagnostic_provider is not None

    def open(self, text: str, name: str | None = None) -> Buffer:
        """A new buffer; the text may hold a cursor."""
        path = self.folder / (name or f"buffer{next(_numbers)}.py")
        clean, cursor = without_cursor(text)
        buffer = Buffer(self, path.as_uri(), clean, cursor or (0, 0))
        item = lsp.TextDocumentItem(buffer.uri, lsp.LanguageKind.Python, buffer.version, clean)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return buffer


@define(eq=False)
class Buffer:
    """An open document. `cursor` is (line, code point column)."""

    editor: Editor
    uri: str
    text: str
    cursor: tuple[int, int]
    version: int = field(default=1)

    @property
    def identifier(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @property
    def position(self) -> lsp.Position:
        return self.position_of(*self.cursor)

    def position_of(self, line: int, column: int) -> lsp.Position:
        return lsp.Position(line, units_from_column(self.lines[line], column, self.editor.encoding))

    def place_of(self, position: lsp.Position) -> tuple[int, int]:
        line = self.lines[position.line] if position.line < len(self.lines) else ""
        return position.line, column_from_units(line, position.character, self.editor.encoding)

    def at(self, text: str, occurrence: int = 0) -> Buffer:
        """Puts the cursor on an occurrence of a text."""
        offset = -1
        for _ in range(occurrence + 1):
            offset = self.text.index(text, offset + 1)
        before = self.text[:offset]
        self.cursor = (before.count("\n"), len(before) - before.rfind("\n") - 1)
        return self

    def slice(self, range_: lsp.Range) -> str:
        """The text of a range of the server's."""
        (line, column), (end_line, end_column) = self.place_of(range_.start), self.place_of(range_.end)
        if line == end_line:
            return self.lines[line][column:end_column]
        inner = self.lines[line + 1 : end_line]
        return "\n".join([self.lines[line][column:], *inner, self.lines[end_line][:end_column]])

    def set(self, text: str) -> None:
        """Replaces the whole text."""
        clean, cursor = without_cursor(text)
        self._send(lsp.TextDocumentContentChangeWholeDocument(clean), clean)
        self.cursor = cursor or self.cursor

    def replace(self, old: str, new: str) -> None:
        """Replaces the first occurrence of a text, as an incremental change."""
        offset = self.text.index(old)
        self.change(offset, offset + len(old), new)

    def change(self, begin: int, end: int, new: str) -> None:
        """Replaces the text between two offsets, as an incremental change."""
        first, last = self._position_at(begin), self._position_at(end)
        changed = self.text[:begin] + new + self.text[end:]
        self._send(lsp.TextDocumentContentChangePartial(lsp.Range(first, last), new), changed)

    def apply(self, edit: lsp.WorkspaceEdit | None) -> None:
        """Applies the part of an edit that is about this buffer."""
        assert edit is not None
        for change in edit.document_changes or []:
            assert isinstance(change, lsp.TextDocumentEdit)
            assert change.text_document.version in (None, self.version)
            if change.text_document.uri == self.uri:
                self._apply([each for each in change.edits if isinstance(each, lsp.TextEdit)])
                return
        self._apply((edit.changes or {}).get(self.uri, []))

    def close(self) -> None:
        self.editor.client.text_document_did_close(lsp.DidCloseTextDocumentParams(self.identifier))

    async def diagnostics(self) -> Sequence[lsp.Diagnostic]:
        """Those of the text as it is now, pulled or awaited."""
        if self.editor.pulls:
            report = await self.editor.client.text_document_diagnostic_async(
                lsp.DocumentDiagnosticParams(self.identifier)
            )
            assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
            return report.items
        return await self.pushed()

    async def pushed(self) -> Sequence[lsp.Diagnostic]:
        """Waits for the diagnostics of this version."""
        versions = self.editor.client.versions
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while versions.get(self.uri) != self.version:
            assert asyncio.get_running_loop().time() < deadline, f"no diagnostics of version {self.version} came"
            await asyncio.sleep(0.01)
        return self.editor.client.diagnostics[self.uri]

    async def codes(self) -> list[str]:
        return sorted(str(each.code) for each in await self.diagnostics())

    async def actions(self, only: Sequence[str] | None = None) -> Sequence[lsp.CodeAction]:
        context = lsp.CodeActionContext([], [*only] if only else None)
        place = lsp.Range(self.position, self.position)
        found = await self.editor.client.text_document_code_action_async(
            lsp.CodeActionParams(self.identifier, place, context)
        )
        return [each for each in found or [] if isinstance(each, lsp.CodeAction)]

    async def action(self, title: str) -> lsp.CodeAction:
        """The action of this title, resolved."""
        found = await self.actions()
        action = next(each for each in found if title in each.title)
        if action.edit is None:
            action = await self.editor.client.code_action_resolve_async(action)
        return action

    def _position_at(self, offset: int) -> lsp.Position:
        before = self.text[:offset]
        return self.position_of(before.count("\n"), len(before) - before.rfind("\n") - 1)

    def _offset(self, position: lsp.Position) -> int:
        line, column = self.place_of(position)
        return sum(len(each) + 1 for each in self.lines[:line]) + column

    def _apply(self, edits: Sequence[lsp.TextEdit]) -> None:
        text = self.text
        spans = [(self._offset(each.range.start), self._offset(each.range.end), each.new_text) for each in edits]
        for start, end, new in sorted(spans, reverse=True):
            text = text[:start] + new + text[end:]
        self.set(text)

    def _send(self, change: lsp.TextDocumentContentChangeEvent, text: str) -> None:
        self.text = text
        self.version += 1
        identifier = lsp.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        self.editor.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [change]))
