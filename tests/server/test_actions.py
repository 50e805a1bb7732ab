"""Code actions, their edits, and the preview commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.server import kernels
from tests.server.editor import Buffer, Editor


async def test_the_fix_of_a_finding_is_preferred_and_removes_it(editor: Editor) -> None:
    buffer = editor.open(kernels.UNUSED).at("PTO201")
    action = await buffer.action("Remove it")
    assert action.kind == lsp.CodeActionKind.QuickFix
    assert action.is_preferred
    assert [each.code for each in action.diagnostics or []] == ["PTO002"]
    buffer.apply(action.edit)
    assert "pto: ignore" not in buffer.text
    assert await buffer.codes() == []


async def test_silencing_here_removes_the_finding(editor: Editor) -> None:
    buffer = editor.open(kernels.MISSPELT).at("expp")
    buffer.apply((await buffer.action("Silence PTO003 here")).edit)
    assert "# pto: ignore[PTO003]" in buffer.text
    assert await buffer.codes() == []


async def test_silencing_joins_a_comment_that_is_there(editor: Editor) -> None:
    text = kernels.COPIED.replace("[0, 6])", "[0, 6])  # pto: ignore[PTO201]")
    buffer = editor.open(text).at("pl.tile.slice")
    buffer.apply((await buffer.action("Silence PTO104 here")).edit)
    assert "# pto: ignore[PTO201, PTO104]" in buffer.text
    assert await buffer.codes() == ["PTO002"]


async def test_fix_all_fixes_everything_that_is_safe(editor: Editor) -> None:
    text = kernels.UNUSED.replace("        return y", "        return y  # pto: ignore[PTO104]")
    buffer = editor.open(text)
    assert await buffer.codes() == ["PTO002", "PTO002"]
    (action,) = await buffer.actions(["source.fixAll.pto"])
    if action.edit is None:
        action = await editor.client.code_action_resolve_async(action)
    buffer.apply(action.edit)
    assert await buffer.codes() == []
    assert await buffer.actions(["source.fixAll"]) == []


async def test_edits_for_an_old_version_are_refused(pulling: Editor) -> None:
    buffer = pulling.open(kernels.UNUSED)
    (action,) = await buffer.actions(["source.fixAll"])
    if action.edit is not None:
        pytest.skip("this client does not resolve actions later")
    buffer.replace("class K", "class L")
    with pytest.raises(JsonRpcException, match="changed"):
        await pulling.client.code_action_resolve_async(action)


async def test_the_canonical_form_replaces_the_kernel(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED).at("def kernel")
    buffer.apply((await buffer.action("canonical form of `kernel`")).edit)
    assert "pl.tile.extract(" in buffer.text
    assert "pl.tile.slice(" not in buffer.text
    assert await buffer.codes() == []
    assert not [each for each in await buffer.actions() if "canonical" in each.title]


async def test_only_the_kinds_that_were_asked_for(editor: Editor) -> None:
    buffer = editor.open(kernels.UNUSED).at("PTO201")
    assert await buffer.actions(["refactor.extract"]) == []
    assert {each.kind for each in await buffer.actions(["quickfix"])} == {"quickfix"}


async def preview(buffer: Buffer, kind: str, **options: str) -> Mapping[str, Any] | None:
    position = buffer.position
    argument = {"uri": buffer.uri, "line": position.line, "character": position.character, **options}
    answer = await buffer.editor.client.workspace_execute_command_async(
        lsp.ExecuteCommandParams(f"pto.{kind}Preview", [argument])
    )
    return cast("Mapping[str, Any] | None", answer)


async def test_the_canonical_preview_shows_the_kernel_at_the_cursor(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED).at("pl.load")
    answer = await preview(buffer, "canonical")
    assert answer is not None
    assert answer["kernel"] == "K.kernel"
    assert answer["format"] == "text"
    assert answer["stale"] is False
    assert "pl.tile.extract(" in answer["content"]


async def test_a_preview_of_a_broken_kernel_is_the_last_good_one(editor: Editor) -> None:
    buffer = editor.open(kernels.COPIED).at("pl.load")
    good = await preview(buffer, "canonical")
    buffer.replace("[64, 64])\n", "[64, 64)\n")
    kept = await preview(buffer, "canonical")
    assert good is not None
    assert kept is not None
    assert kept["stale"] is True
    assert kept["content"] == good["content"]


@pytest.mark.parametrize(
    ("form", "start"), [("markdown", "```python"), ("html", "<!doctype html>"), ("svg", "<svg"), ("text", "# ")]
)
async def test_a_preview_comes_in_every_format(pulling: Editor, form: str, start: str) -> None:
    answer = await preview(pulling.open(kernels.COPIED).at("pl.load"), "canonical", format=form)
    assert answer is not None
    assert answer["format"] == form
    assert answer["content"].startswith(start)


async def test_there_is_no_preview_outside_kernels(editor: Editor) -> None:
    assert await preview(editor.open(kernels.COPIED), "canonical") is None
    assert await preview(editor.open("x = 1\n"), "sync") is None


async def test_the_budget_preview_shows_what_is_live(editor: Editor) -> None:
    answer = await preview(editor.open(kernels.COPIED).at("pl.load"), "budget")
    assert answer is not None
    assert answer["kernel"].endswith("kernel")
    assert "of 188,416 bytes" in answer["content"]


PTO_COPY = """\
func.func @copy(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>) {
  return
}
"""


async def test_the_sync_preview_of_a_pto_file(pulling: Editor) -> None:
    buffer = pulling.open(PTO_COPY, "preview.pto").at("func.func")
    for form, start in (("text", "copy"), ("markdown", "```"), ("html", "<!doctype"), ("svg", "<svg")):
        answer = await preview(buffer, "sync", format=form)
        assert answer is not None
        assert answer["kernel"] == "copy"
        assert answer["content"].startswith(start)


async def test_malformed_arguments_are_no_reason_to_fall(pulling: Editor) -> None:
    arguments: tuple[lsp.LSPAny, ...] = ({}, {"uri": 3}, "x", None)
    for argument in arguments:
        params = lsp.ExecuteCommandParams("pto.syncPreview", [argument])
        assert await pulling.client.workspace_execute_command_async(params) is None


async def test_a_place_may_be_given_as_the_protocol_does(pulling: Editor) -> None:
    buffer = pulling.open(kernels.COPIED).at("pl.load")
    place: lsp.LSPAny = {
        "textDocument": {"uri": buffer.uri},
        "position": {"line": buffer.position.line, "character": buffer.position.character},
    }
    for kind in ("canonical", "sync", "budget"):
        params = lsp.ExecuteCommandParams(f"pto.{kind}Preview", [place])
        answer = cast("dict[str, str]", await pulling.client.workspace_execute_command_async(params))
        assert answer == await preview(buffer, kind)


async def test_restart_answers_and_keeps_the_documents(editor: Editor) -> None:
    buffer = editor.open(kernels.MISSPELT)
    assert await buffer.codes() == ["PTO003"]
    await editor.client.workspace_execute_command_async(lsp.ExecuteCommandParams("pto.restart", [{}]))
    await editor.client.workspace_execute_command_async(lsp.ExecuteCommandParams("pto.restart", []))
    assert await buffer.codes() == ["PTO003"]
