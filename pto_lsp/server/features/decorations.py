"""Inlay hints, code lenses and semantic tokens."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import cast

from lsprotocol import types as lsp

from pto_analysis.ide import hints, tokens
from pto_analysis.ide.pto import decorations as pto
from pto_lsp.server.app import PtoServer
from pto_lsp.server.located import every_unit, locate, locate_pto
from pto_lsp.server.previews import kernel_at

COMMANDS: dict[hints.LensKind, str] = {
    "canonical": "pto.canonicalPreview",
    "sync": "pto.syncPreview",
    "budget": "pto.budgetPreview",
}


def register(server: PtoServer, _params: lsp.InitializeParams) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        shown = server.documents.editor.inlay_hints
        ir = locate_pto(server, params.text_document.uri)
        if ir is not None:
            written = await server.analyses.run(partial(pto.hints, ir.ir, shown))
            places = ((hint, ir.converter.position(hint.line, hint.column)) for hint in written)
            inside = (params.range.start.line, params.range.end.line)
            return [_hint(hint, place) for hint, place in places if inside[0] <= place.line <= inside[1]]
        found: list[lsp.InlayHint] = []
        for at in await every_unit(server, params.text_document.uri) if shown else []:
            first = at.unit.first_line
            if first > params.range.end.line or first + at.unit.line_count < params.range.start.line:
                continue
            for hint in await server.analyses.run(partial(hints.hints, at.unit, at.kernels, shown)):
                line = hint.line + first
                if params.range.start.line <= line <= params.range.end.line:
                    found.append(_hint(hint, at.converter.position(line, hint.column)))
        return found

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS, lsp.CodeLensOptions(resolve_provider=True))
    async def lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        if not server.documents.editor.code_lens:
            return []
        ir = locate_pto(server, params.text_document.uri)
        if ir is not None:
            above = await server.analyses.run(partial(pto.lenses, ir.ir))
            return [_lens(each, ir.range(each.span), ir.document.uri) for each in above]
        found: list[lsp.CodeLens] = []
        for at in await every_unit(server, params.text_document.uri):
            for each in await server.analyses.run(partial(hints.lenses, at.unit, at.kernels)):
                found.append(_lens(each, at.range(each.span), params.text_document.uri))
        return found

    @server.feature(lsp.CODE_LENS_RESOLVE)
    async def resolve(lens: lsp.CodeLens) -> lsp.CodeLens:
        """The number of waits, which takes a plan of the whole kernel."""
        data = cast("dict[str, object]", lens.data) if isinstance(lens.data, dict) else {}
        uri = str(data.get("uri", ""))
        title = await _waits_title(server, uri, lens.range.start)
        lens.command = _command(title, "sync", uri, lens.range.start)
        return lens

    legend = lsp.SemanticTokensLegend(list(tokens.TOKEN_TYPES), list(tokens.TOKEN_MODIFIERS))

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def semantic_tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        ir = locate_pto(server, params.text_document.uri)
        if ir is not None:
            values = await server.analyses.run(partial(pto.tokens, ir.ir))
            return lsp.SemanticTokens(_encoded((ir.range(token.span), token.modifier) for token in values))
        placed: list[tuple[lsp.Range, int]] = []
        for at in await every_unit(server, params.text_document.uri):
            found = await server.analyses.run(partial(tokens.tokens, at.unit, at.kernels))
            placed += [(at.range(token.span), token.modifier) for token in found]
        return lsp.SemanticTokens(_encoded(placed))

    _ = (inlay, lens, resolve, semantic_tokens)


async def _waits_title(server: PtoServer, uri: str, position: lsp.Position) -> str:
    ir = locate_pto(server, uri, position)
    if ir is not None:
        return await server.analyses.run(partial(pto.waits_title, ir.ir, ir.line))
    at = await locate(server, uri, position)
    kernel = kernel_at(at.read, at.line) if at is not None else None
    if at is None or kernel is None:
        return "sync preview"
    return await server.analyses.run(partial(hints.waits_title, at.kernels, kernel))


def _encoded(placed: Iterable[tuple[lsp.Range, int]]) -> list[int]:
    """Ranges with their modifiers, each relative to the one before it (LSP, semantic tokens)."""
    data: list[int] = []
    line, start = 0, 0
    for range_, modifier in placed:
        length = range_.end.character - range_.start.character
        same = range_.start.line == line
        data += [range_.start.line - line, range_.start.character - (start if same else 0), length, 0, 1 << modifier]
        line, start = range_.start.line, range_.start.character
    return data


def _lens(lens: hints.Lens, range_: lsp.Range, uri: str) -> lsp.CodeLens:
    """Lenses without a title are completed when they are looked at."""
    if lens.title is None:
        return lsp.CodeLens(range_, data={"uri": uri})
    return lsp.CodeLens(range_, _command(lens.title, lens.kind, uri, range_.start))


def _command(title: str, kind: hints.LensKind, uri: str, start: lsp.Position) -> lsp.Command:
    argument = {"uri": uri, "line": start.line, "character": start.character}
    return lsp.Command(title, COMMANDS[kind], arguments=[argument])


def _hint(hint: hints.Hint, position: lsp.Position) -> lsp.InlayHint:
    return lsp.InlayHint(
        position,
        hint.label,
        kind=lsp.InlayHintKind.Type if hint.kind == "types" else None,
        tooltip=hint.tooltip or None,
        padding_left=hint.kind == "windows",
        padding_right=hint.kind in ("copies", "waits"),
    )
