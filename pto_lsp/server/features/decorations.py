"""Inlay hints, code lenses and semantic tokens."""

from __future__ import annotations

from lsprotocol import types as lsp

from pto_analysis.ide import hints, tokens
from pto_lsp.server.app import PtoServer
from pto_lsp.server.located import every_unit

COMMANDS = {"canonical": "pto.canonicalPreview", "sync": "pto.syncPreview"}


def register(server: PtoServer, _params: lsp.InitializeParams) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        shown = server.documents.editor.inlay_hints
        found: list[lsp.InlayHint] = []
        for at in await every_unit(server, params.text_document.uri) if shown else []:
            first = at.unit.first_line
            if first > params.range.end.line or first + at.unit.line_count < params.range.start.line:
                continue
            for hint in hints.hints(at.unit, at.kernels):
                line = hint.line + first
                if hint.kind in shown and params.range.start.line <= line <= params.range.end.line:
                    found.append(_hint(hint, at.converter.position(line, hint.column)))
        return found

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        if not server.documents.editor.code_lens:
            return []
        found: list[lsp.CodeLens] = []
        for at in await every_unit(server, params.text_document.uri):
            for each in hints.lenses(at.unit, at.kernels):
                range_ = at.range(each.span)
                argument = {
                    "uri": params.text_document.uri,
                    "line": range_.start.line,
                    "character": range_.start.character,
                }
                command = lsp.Command(each.title, COMMANDS[each.kind], arguments=[argument])
                found.append(lsp.CodeLens(range_, command))
        return found

    legend = lsp.SemanticTokensLegend(list(tokens.TOKEN_TYPES), list(tokens.TOKEN_MODIFIERS))

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def semantic_tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        data: list[int] = []
        line, start = 0, 0
        for at in await every_unit(server, params.text_document.uri):
            for token in tokens.tokens(at.unit, at.kernels):
                range_ = at.range(token.span)
                length = range_.end.character - range_.start.character
                same = range_.start.line == line
                data += [range_.start.line - line, range_.start.character - (start if same else 0), length, 0]
                data.append(1 << token.modifier)
                line, start = range_.start.line, range_.start.character
        return lsp.SemanticTokens(data)

    _ = (inlay, lens, semantic_tokens)


def _hint(hint: hints.Hint, position: lsp.Position) -> lsp.InlayHint:
    return lsp.InlayHint(
        position,
        hint.label,
        kind=lsp.InlayHintKind.Type if hint.kind == "types" else None,
        tooltip=hint.tooltip or None,
        padding_left=hint.kind == "windows",
        padding_right=hint.kind == "copies",
    )
