"""Asks a client to ask again for what it shows beside the text, when other things than that text have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lsprotocol import types as lsp

from pto_lsp.server.app import PtoServer

QUIET_SECONDS = 0.4


def register(server: PtoServer, params: lsp.InitializeParams) -> None:
    asks = _asks(server, params.capabilities.workspace)
    if asks:
        _Refresh(server, asks)


def _asks(server: PtoServer, can: lsp.WorkspaceClientCapabilities | None) -> list[Callable[[], object]]:
    """The refreshes that the client understands."""
    if can is None:
        return []
    found: list[Callable[[], object]] = []
    if can.diagnostics is not None and can.diagnostics.refresh_support:
        found.append(lambda: server.workspace_diagnostic_refresh(None))
    if can.inlay_hint is not None and can.inlay_hint.refresh_support:
        found.append(lambda: server.workspace_inlay_hint_refresh(None))
    if can.code_lens is not None and can.code_lens.refresh_support:
        found.append(lambda: server.workspace_code_lens_refresh(None))
    if can.semantic_tokens is not None and can.semantic_tokens.refresh_support:
        found.append(lambda: server.workspace_semantic_tokens_refresh(None))
    return found


class _Refresh:
    """Waits until the typing pauses: what a client asks about the document it edits, it asks anyway."""

    def __init__(self, server: PtoServer, asks: list[Callable[[], object]]) -> None:
        self._server = server
        self._asks = asks
        self._timer: asyncio.TimerHandle | None = None
        server.listeners.append(self._changed)

    def _changed(self, path: str | None) -> None:
        """`path` is the document whose text changed; None for everything else that can change."""
        others = [document for document in self._server.documents.opened if document.path != path]
        if not others:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._now)

    def _now(self) -> None:
        self._timer = None
        for ask in self._asks:
            ask()
