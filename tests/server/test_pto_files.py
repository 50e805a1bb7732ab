"""Every feature on `.pto` files, over the protocol."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from tests.ide.pto.test_pto_text import TEXT
from tests.server.editor import CURSOR, Buffer, Editor
from tests.server.test_features import definition, hints, hover, labels


def opened(editor: Editor, text: str = TEXT, name: str = "rows.pto") -> Buffer:
    return editor.open(text, name)


async def test_hover(editor: Editor) -> None:
    assert "at bytes 2,048 to 3,072 of vec" in await hover(opened(editor).at("%all ="))


async def test_completion_on_half_typed_text(editor: Editor) -> None:
    half = TEXT.replace("    return", f"    pto.tl{CURSOR}\n    return")
    assert "tload" in await labels(opened(editor, half))
    half = TEXT.replace("    return", f"    // 𝄞\n    pto.tabs ins(%a{CURSOR}\n    return")
    assert "%all" in await labels(opened(editor, half))


async def test_definition_references_and_highlights(editor: Editor) -> None:
    buffer = opened(editor).at("%all[")
    place = await definition(buffer)
    assert buffer.slice(place.range) == "%all"
    assert "alloc_tile" in buffer.lines[place.range.start.line]
    context = lsp.ReferenceContext(include_declaration=False)
    params = lsp.ReferenceParams(context, buffer.identifier, buffer.position)
    references = await editor.client.text_document_references_async(params) or []
    assert [buffer.slice(each.range) for each in references] == ["%all", "%all"]
    highlight = lsp.DocumentHighlightParams(buffer.identifier, buffer.position)
    assert len(await editor.client.text_document_document_highlight_async(highlight) or []) == 3


async def test_symbols_and_folds(editor: Editor) -> None:
    buffer = opened(editor)
    found = await editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(buffer.identifier))
    names = [each.name for each in found or [] if isinstance(each, lsp.DocumentSymbol)]
    assert names == ["@helper", "@rows"]
    folds = await editor.client.text_document_folding_range_async(lsp.FoldingRangeParams(buffer.identifier)) or []
    assert len(folds) == 3


async def test_lenses_open_the_preview(editor: Editor) -> None:
    buffer = opened(editor)
    found: Sequence[lsp.CodeLens] = (
        await editor.client.text_document_code_lens_async(lsp.CodeLensParams(buffer.identifier)) or []
    )
    waits = (await editor.client.code_lens_resolve_async(found[0])).command
    assert waits is not None
    assert "wait" in waits.title
    assert waits.command == "pto.syncPreview"


async def test_tokens_and_hints(editor: Editor) -> None:
    buffer = opened(editor)
    found = await editor.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(buffer.identifier))
    assert found is not None
    assert len(found.data) % 5 == 0
    assert found.data
    assert await hints(buffer) == []


async def test_no_comment_of_python_is_offered(editor: Editor) -> None:
    buffer = opened(editor, TEXT.replace("pto.tabs", "pto.tnonsense"), "nonsense.pto").at("pto.tnonsense")
    assert "PTO003" in await buffer.codes()
    assert [each.title for each in await buffer.actions() if "Silence" in each.title] == []
