"""Hover, completion, navigation, hints, lenses, tokens and symbols over the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from lsprotocol import types as lsp

from tests.server import kernels
from tests.server.editor import CURSOR, PATIENCE, Buffer, Editor


async def hover(buffer: Buffer) -> str:
    found = await buffer.editor.client.text_document_hover_async(lsp.HoverParams(buffer.identifier, buffer.position))
    if found is None:
        return ""
    assert isinstance(found.contents, lsp.MarkupContent)
    return found.contents.value


async def test_hover_tells_type_place_and_window(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED)
    text = await hover(buffer.at("w = pl.tile.slice"))
    assert "w: pl.Tile[[64, 8], pl.FP32" in text
    assert "in Vec" in text
    assert "2048 bytes" in text
    assert "window of `t` at [0, 6]" in text
    assert "24 bytes past a multiple of 32" in text
    assert "not contiguous: 64 rows of 8 of the 64 columns" in text
    assert "the compiler copies it for `muls`" in text


async def test_hover_tells_what_else_is_live(editor: Editor) -> None:
    text = await hover(editor.open(kernels.COPIED).at("w = pl.tile.slice"))
    assert "live in Vec here: `t` 16,384, `w` 2,048" in text


async def test_hover_documents_operations_and_dtypes(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED)
    assert "slice(" in await hover(buffer.at("slice"))
    assert "32 bits" in await hover(buffer.at("FP32"))
    assert await hover(buffer.at("import")) == ""


async def test_hover_explains_a_rule_in_a_comment(editor: Editor) -> None:
    assert "PTO201" in await hover(editor.open(kernels.UNUSED).at("PTO201"))


async def test_hover_says_whether_an_accumulator_window_is_contiguous(editor: Editor) -> None:
    assert "not contiguous in L0C (16 of 32 rows in 4 blocks of columns)" in await hover(
        editor.open(kernels.STRIDED).at("band = ")
    )


async def labels(buffer: Buffer) -> list[str]:
    params = lsp.CompletionParams(buffer.identifier, buffer.position)
    found = await buffer.editor.client.text_document_completion_async(params)
    assert isinstance(found, lsp.CompletionList)
    return [each.label for each in found.items]


def half_typed(line: str) -> str:
    return kernels.CLEAN.replace("        y = pl.store", f"        {line}\n        y = pl.store")


async def test_completion_works_on_half_typed_code(editor: Editor) -> None:
    assert {"load", "tile", "FP32", "Mem"} <= set(await labels(editor.open(half_typed(f"u = pl.{CURSOR}"))))
    assert {"slice", "extract"} <= set(await labels(editor.open(half_typed(f"u = pl.tile.sl{CURSOR}"))))
    assert {"Vec", "Mat", "Acc"} <= set(await labels(editor.open(half_typed(f"u = pl.Mem.{CURSOR}"))))
    assert "target_memory" in " ".join(await labels(editor.open(half_typed(f"u = pl.load(x, {CURSOR}"))))
    assert "t" in await labels(editor.open(half_typed(f"u = pl.exp({CURSOR})")))


async def test_a_comment_brings_up_no_list(editor: Editor) -> None:
    buffer = editor.open(half_typed(f"#{CURSOR}"))
    context = lsp.CompletionContext(lsp.CompletionTriggerKind.TriggerCharacter, "#")
    params = lsp.CompletionParams(buffer.identifier, buffer.position, context)
    found = await editor.client.text_document_completion_async(params)
    assert isinstance(found, lsp.CompletionList)
    assert not found.items


async def test_completion_replaces_the_word_before_the_cursor(editor: Editor) -> None:
    buffer = editor.open(half_typed(f"# 𝄞\n        u = pl.tile.sli{CURSOR}"))
    params = lsp.CompletionParams(buffer.identifier, buffer.position)
    found = await editor.client.text_document_completion_async(params)
    assert isinstance(found, lsp.CompletionList)
    item = next(each for each in found.items if each.label == "slice")
    assert isinstance(item.text_edit, lsp.TextEdit)
    assert buffer.slice(item.text_edit.range) == "sli"


async def test_signature_help_follows_the_argument(editor: Editor) -> None:
    buffer = editor.open(half_typed(f"u = pl.tile.slice(t, [64, 8], {CURSOR}"))
    params = lsp.SignatureHelpParams(buffer.identifier, buffer.position)
    found = await editor.client.text_document_signature_help_async(params)
    assert found is not None
    shown = found.signatures[found.active_signature or 0]
    assert shown.label.startswith("slice(") or "slice(" in shown.label
    assert shown.active_parameter == 2


async def definition(buffer: Buffer) -> lsp.Location:
    """The one place that the name at the cursor is defined at."""
    found = await buffer.editor.client.text_document_definition_async(
        lsp.DefinitionParams(buffer.identifier, buffer.position)
    )
    assert isinstance(found, Sequence)
    (place,) = found
    assert isinstance(place, lsp.Location)
    return place


async def test_definition_of_a_tile_is_its_last_assignment(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED).at("w, 3.0")
    place = await definition(buffer)
    assert buffer.slice(place.range) == "w"
    assert "pl.tile.slice" in buffer.lines[place.range.start.line]


async def test_references_of_a_tile(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED).at("t = pl.load")
    params = lsp.ReferenceParams(lsp.ReferenceContext(include_declaration=True), buffer.identifier, buffer.position)
    found = await editor.client.text_document_references_async(params) or []
    assert [buffer.slice(each.range) for each in found] == ["t", "t"]


LIBRARY = """\
import pypto.language as pl


@pl.jit.incore
def scale(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [64, 64])
    out = pl.store(pl.mul(t, 2.0), [0, 0], out)
    return out
"""

CALLER = """\
import pypto.language as pl
from {module} import scale


@pl.jit
def main(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    out = scale(x, out)
    return out
"""


async def test_kernels_are_found_across_files(editor: Editor) -> None:
    module = f"library_{'pull' if editor.pulls else 'push'}"
    path = editor.folder / f"{module}.py"
    path.write_text(LIBRARY)
    caller = editor.open(CALLER.replace("{module}", module)).at("scale(x")
    place = await definition(caller)
    assert place.uri == path.as_uri()
    assert place.range.start.line == LIBRARY.split("\n").index(next(x for x in LIBRARY.split("\n") if "def scale" in x))
    other = editor.open(LIBRARY + CALLER.partition("import scale\n")[2])
    library = editor.open(LIBRARY, f"{module}.py").at("scale(x")
    call, header = (caller.uri, caller.cursor[0]), (library.uri, library.cursor[0])
    for buffer in (caller, library):
        assert await references(buffer) == {call, header}
        assert await references(buffer, declared=False) == {call}
    assert await references(other.at("scale(x, out)")) == {(other.uri, 4), (other.uri, other.cursor[0])}


async def references(buffer: Buffer, *, declared: bool = True) -> set[tuple[str, int]]:
    """Files and lines of the references of what the cursor is on."""
    params = lsp.ReferenceParams(lsp.ReferenceContext(declared), buffer.identifier, buffer.position)
    found = await buffer.editor.client.text_document_references_async(params) or []
    return {(each.uri, each.range.start.line) for each in found}


async def test_highlights_join_the_names_of_one_window(editor: Editor) -> None:
    text = kernels.COPIED.replace("        y = pl.store", "        v = w\n        y = pl.store").replace(
        "(w, 3", "(v, 3"
    )
    buffer = editor.open(text).at("v = w")
    params = lsp.DocumentHighlightParams(buffer.identifier, buffer.position)
    found = await editor.client.text_document_document_highlight_async(params) or []
    assert {buffer.slice(each.range) for each in found} == {"v", "w"}
    assert len(found) == 4


async def test_symbols_are_kernels_with_their_tiles(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED)
    found = await editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(buffer.identifier))
    (kernel,) = [each for each in found or [] if isinstance(each, lsp.DocumentSymbol)]
    assert kernel.name == "kernel"
    assert [each.name for each in kernel.children or []] == ["t", "w"]
    assert buffer.slice(kernel.selection_range) == "kernel"


async def test_kernels_fold(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED)
    found = await editor.client.text_document_folding_range_async(lsp.FoldingRangeParams(buffer.identifier)) or []
    assert [(each.start_line, each.end_line) for each in found] == [(6, 10)]


T = TypeVar("T")


async def settled(ask: Callable[[], Awaitable[T]], good: Callable[[T], bool]) -> T:
    """Asks until the answer is as expected; settings take a round trip to arrive."""
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while True:
        found = await ask()
        if good(found) or asyncio.get_running_loop().time() > deadline:
            return found
        await asyncio.sleep(0.05)


async def hints(buffer: Buffer) -> list[str]:
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(len(buffer.lines), 0))
    found = await buffer.editor.client.text_document_inlay_hint_async(lsp.InlayHintParams(buffer.identifier, whole))
    return [each.label if isinstance(each.label, str) else "" for each in found or []]


async def test_inlay_hints_tell_types_windows_and_copies(editor: Editor) -> None:
    found = await hints(editor.open(kernels.COPIED))
    assert ": [64, 64] FP32 Vec" in found
    assert "t + 24 B" in found
    assert "copy of w" in found


async def test_lenses_count_copies_and_open_previews(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED)
    found = await editor.client.text_document_code_lens_async(lsp.CodeLensParams(buffer.identifier)) or []
    assert len(found) == 3
    copies, waits = found[0].command, (await editor.client.code_lens_resolve_async(found[1])).command
    capacity = found[2].command
    assert copies is not None
    assert (copies.title, copies.command) == ("1 copy inserted", "pto.canonicalPreview")
    assert waits is not None
    assert waits.title.endswith(" waits")
    assert waits.command == "pto.syncPreview"
    assert waits.arguments == copies.arguments
    assert capacity is not None
    assert (capacity.title, capacity.command) == ("Vec 18 of 184 KiB", "pto.budgetPreview")
    assert capacity.arguments == copies.arguments


async def test_inlay_hints_tell_waits_when_they_are_switched_on(pulling: Editor) -> None:
    buffer = pulling.open(kernels.COPIED)
    assert not [each for each in await hints(buffer) if "waits" in each]
    pulling.client.set_configuration({"inlayHints": {"waits": True, "types": False}}, section="pto")
    pulling.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
    shown = await settled(lambda: hints(buffer), lambda found: any("waits" in each for each in found))
    pulling.client.set_configuration({}, section="pto")
    pulling.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({}))
    assert any("V waits for MTE2" in each for each in shown)
    assert not [each for each in shown if "FP32" in each]


async def test_tokens_colour_tiles_by_memory(editor: Editor) -> None:
    buffer = editor.open(kernels.STRIDED)
    found = await editor.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(buffer.identifier))
    legend = editor.capabilities.semantic_tokens_provider
    assert found is not None
    assert legend is not None
    seen = decoded(buffer, found.data, legend.legend.token_modifiers)
    assert {("acc", "acc"), ("left", "left"), ("right", "right"), ("am", "mat"), ("a", "gm")} <= seen


def decoded(buffer: Buffer, numbers: Sequence[int], names: Sequence[str]) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    line = start = 0
    for at in range(0, len(numbers), 5):
        lines, chars, length, _, bits = numbers[at : at + 5]
        line, start = line + lines, chars + (0 if lines else start)
        text = buffer.slice(lsp.Range(lsp.Position(line, start), lsp.Position(line, start + length)))
        found.add((text, names[bits.bit_length() - 1]))
    return found


async def test_every_answer_survives_a_broken_file(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED.replace("[64, 8], [0, 6])", "[64, 8], [0, "))
    assert await hover(buffer.at("t = pl.load"))
    await hints(buffer)
    await editor.client.text_document_code_lens_async(lsp.CodeLensParams(buffer.identifier))
    await editor.client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(buffer.identifier))
    await editor.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(buffer.identifier))
