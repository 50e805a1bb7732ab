"""Hover."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from pto_analysis.ide.hover import hover_at
from pto_lsp.server.app import PtoServer
from pto_lsp.server.located import locate


def register(server: PtoServer, _params: lsp.InitializeParams) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        at = await locate(server, params.text_document.uri, params.position)
        if at is None:
            return None
        found = await server.analyses.run(partial(hover_at, at.unit, at.kernels, at.line, at.column))
        if found is None:
            return None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, found.markdown), at.range(found.span))

    _ = hover
