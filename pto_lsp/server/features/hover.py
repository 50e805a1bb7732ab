"""Hover."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from pto_analysis.ide.hover import Hover, hover_at
from pto_analysis.ide.meaning import meaning_at
from pto_analysis.ide.pto import hover as pto_hover
from pto_lsp.server.app import PtoServer
from pto_lsp.server.located import locate, locate_pto


def register(server: PtoServer, _params: lsp.InitializeParams) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        ir = locate_pto(server, params.text_document.uri, params.position)
        if ir is not None:
            told = await server.analyses.run(partial(pto_hover.hover_at, ir.ir, ir.line, ir.column))
            return _hover(told, ir.range(told.span)) if told is not None else None
        at = await locate(server, params.text_document.uri, params.position)
        if at is None:
            return None
        found = await server.analyses.run(partial(hover_at, at.unit, at.kernels, at.line, at.column))
        if found is None:
            modules = await server.analyses.modules(at.document)
            found = await server.analyses.run(
                partial(meaning_at, at.document.path, at.unit, modules, at.line, at.column)
            )
        if found is None:
            return None
        return _hover(found, at.range(found.span))

    _ = hover


def _hover(found: Hover, range_: lsp.Range) -> lsp.Hover:
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, found.markdown), range_)
