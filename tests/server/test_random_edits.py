"""Sequences of random edits end in the results of a fresh run, in the engine and over the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from typing import cast

import pytest
from lsprotocol import types as lsp

from pto_analysis.check import analyze_file
from pto_analysis.frontend.module import Modules
from pto_analysis.report import CheckOptions, FileAnalysis
from pto_analysis.source.text import SourceText
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.incremental import Engine
from tests.server import kernels
from tests.server.editor import Buffer, Editor
from tests.server.random_edits import edit, start, typed
from tests.support.checking import PATH, Texts, check_text

Change = Callable[[str, Random], "tuple[int, int, str]"]


def apply(text: str, change: tuple[int, int, str]) -> str:
    begin, end, new = change
    return text[:begin] + new + text[end:]


def fresh(text: str) -> FileAnalysis:
    return analyze_file(PATH, text, Modules(Workspace(Texts({PATH: text}))), CheckOptions())


def replay(text: str, change: Change, random: Random, edits: int) -> None:
    engine = Engine()
    for _ in range(edits):
        text = apply(text, change(text, random))
        found = engine.analyze(PATH, text, Texts({PATH: text}), CheckOptions(), lambda: False)
        expected = fresh(text)
        assert found.errors == expected.errors == ()
        assert found == expected, text


@pytest.mark.parametrize("seed", range(4))
def test_the_engine_finds_what_a_fresh_run_finds(seed: int) -> None:
    random = Random(seed)
    replay(start(random), edit, random, 25)


@pytest.mark.parametrize("seed", range(4))
def test_the_engine_follows_an_author(seed: int) -> None:
    """Kernels that depend on each other, edited line by line and now and then put back."""
    random, before = Random(seed), kernels.MODEL

    def change(text: str, random: Random) -> tuple[int, int, str]:
        return (0, len(text), before) if random.random() < 0.2 else typed(text, random)

    replay(before, change, random, 40)


async def random_edits(editor: Editor, seed: int, edits: int, every: int) -> None:
    random = Random(seed)
    buffer = editor.open(start(random))
    for number in range(1, edits + 1):
        if len(buffer.text) > 20_000:
            buffer.set(start(random))
        change(buffer, random)
        if number % every == 0:
            await ask_everything(buffer, random)
            await same_as_fresh(buffer)
    buffer.close()


def change(buffer: Buffer, random: Random) -> None:
    """One edit as an incremental change, which must arrive as it was meant."""
    begin, end, new = edit(buffer.text, random)
    buffer.change(begin, end, new.replace("\r", ""))


async def ask_everything(buffer: Buffer, random: Random) -> None:
    line = random.randrange(len(buffer.lines))
    client, position = buffer.editor.client, buffer.position_of(line, len(buffer.lines[line]) // 2)
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(len(buffer.lines), 0))
    await asyncio.gather(
        client.text_document_hover_async(lsp.HoverParams(buffer.identifier, position)),
        client.text_document_completion_async(lsp.CompletionParams(buffer.identifier, position)),
        client.text_document_signature_help_async(lsp.SignatureHelpParams(buffer.identifier, position)),
        client.text_document_definition_async(lsp.DefinitionParams(buffer.identifier, position)),
        client.text_document_inlay_hint_async(lsp.InlayHintParams(buffer.identifier, whole)),
        client.text_document_code_lens_async(lsp.CodeLensParams(buffer.identifier)),
        client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(buffer.identifier)),
        client.text_document_document_symbol_async(lsp.DocumentSymbolParams(buffer.identifier)),
        client.text_document_folding_range_async(lsp.FoldingRangeParams(buffer.identifier)),
        client.text_document_code_action_async(
            lsp.CodeActionParams(buffer.identifier, whole, lsp.CodeActionContext([]))
        ),
    )


async def same_as_fresh(buffer: Buffer) -> None:
    """What is reported, apart from what broken kernels keep, is what a fresh run reports."""
    found = [each for each in await buffer.diagnostics() if not is_stale(each)]
    source = SourceText(buffer.text)
    assert source.text == buffer.text
    expected = check_text(buffer.text).findings
    assert sorted((each.range.start.line, str(each.code), each.message) for each in found) == sorted(
        (each.span.line, each.code, each.message) for each in expected
    )


def is_stale(diagnostic: lsp.Diagnostic) -> bool:
    return "stale" in cast("dict[str, object]", diagnostic.data or {})


async def test_random_edits_over_the_protocol(pulling: Editor) -> None:
    await random_edits(pulling, 7, 120, 12)


async def test_random_edits_with_a_pushed_client(pushed: Editor) -> None:
    await random_edits(pushed, 8, 60, 20)


@pytest.mark.soak
async def test_ten_thousand_edits(pulling: Editor) -> None:
    await random_edits(pulling, 11, 10_000, 50)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 130))
def test_the_engine_for_long(seed: int) -> None:
    random = Random(seed)
    replay(start(random), edit, random, 120)
    replay(kernels.MODEL, typed, random, 60)
