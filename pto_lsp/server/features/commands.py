"""Commands: previews of the kernel at a place, and starting afresh."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, cast

from lsprotocol import types as lsp

from pto_lsp.server.app import PtoServer
from pto_lsp.server.documents import Document
from pto_lsp.server.previews import FORMATS, Format, Kind, Preview

log = logging.getLogger("pto.commands")

CANONICAL = "pto.canonicalPreview"
SYNC = "pto.syncPreview"
BUDGET = "pto.budgetPreview"
RESTART = "pto.restart"


def register(server: PtoServer, _params: lsp.InitializeParams) -> None:
    @server.command(CANONICAL)
    async def canonical_preview(ls: PtoServer, *arguments: Any) -> dict[str, object] | None:
        return await _preview(ls, "canonical", arguments)

    @server.command(SYNC)
    async def sync_preview(ls: PtoServer, *arguments: Any) -> dict[str, object] | None:
        return await _preview(ls, "sync", arguments)

    @server.command(BUDGET)
    async def budget_preview(ls: PtoServer, *arguments: Any) -> dict[str, object] | None:
        return await _preview(ls, "budget", arguments)

    @server.command(RESTART)
    async def restart(ls: PtoServer, *_arguments: Any) -> None:
        """Forgets everything that was worked out, and works it out again."""
        ls.restart()

    _ = (canonical_preview, sync_preview, budget_preview, restart)


async def _preview(server: PtoServer, kind: Kind, arguments: Sequence[object]) -> dict[str, object] | None:
    """The answer to a preview command: {kernel, format, content, stale}; None where no kernel stands."""
    wanted = _Wanted(arguments[0] if arguments else None)
    document = server.document(wanted.uri)
    if document is None:
        return None
    line = server.converter(document.text).place(lsp.Position(wanted.line, wanted.character))[0]
    made = await _made(server, kind, document, line, wanted)
    if made is None:
        return None
    return {"kernel": made.kernel, "format": made.format, "content": made.content, "stale": made.stale}


async def _made(server: PtoServer, kind: Kind, document: Document, line: int, wanted: _Wanted) -> Preview | None:
    if kind == "canonical":
        return await server.analyses.canonical_preview(document, line, wanted.format("text"))
    if kind == "budget":
        return await server.analyses.budget_preview(document, line, wanted.format("text"))
    model = wanted.model or server.documents.editor.preview_model
    return await server.analyses.sync_preview(document, line, wanted.format("text"), model)


class _Wanted:
    """The argument of a preview command; what is missing or of the wrong kind has a default.

    A place is given as `{uri, line, character}`, or as requests of the protocol do: `{textDocument, position}`.
    """

    def __init__(self, argument: object) -> None:
        self._table = _table(argument)
        self._position = _table(self._table.get("position")) or self._table

    @property
    def uri(self) -> str:
        return str(self._table.get("uri") or _table(self._table.get("textDocument")).get("uri") or "")

    @property
    def line(self) -> int:
        return self._number("line")

    @property
    def character(self) -> int:
        return self._number("character")

    @property
    def model(self) -> str | None:
        model = self._table.get("model")
        return model if model in ("precise", "ptoas") else None

    def format(self, default: Format) -> Format:
        asked = self._table.get("format")
        return FORMATS.get(asked, default) if isinstance(asked, str) else default

    def _number(self, name: str) -> int:
        value = self._position.get(name)
        return max(value, 0) if isinstance(value, int) else 0


def _table(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}
