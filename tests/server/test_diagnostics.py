"""Diagnostics, pulled and pushed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

from lsprotocol import types as lsp

from tests.server import kernels
from tests.server.editor import PATIENCE, Buffer, Editor
from tests.support.checking import check_text


async def until(condition: object, what: str) -> None:
    assert callable(condition)
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not condition():
        assert asyncio.get_running_loop().time() < deadline, what
        await asyncio.sleep(0.02)


async def test_a_finding_has_its_place_code_source_and_link(editor: Editor) -> None:
    buffer = editor.open(kernels.MISSPELT)
    (found,) = await buffer.diagnostics()
    assert found.code == "PTO003"
    assert found.source == "pto"
    assert found.severity == lsp.DiagnosticSeverity.Warning
    assert "expp" in buffer.slice(found.range)
    if not editor.pulls:  # this Neovim does not say that it can show links
        assert found.code_description is not None
        assert "PTO003" in found.code_description.href


async def test_positions_count_the_units_that_were_agreed_on(editor: Editor) -> None:
    buffer = editor.open(kernels.MISSPELT.replace("pl.expp", '("é漢𝄞", pl.expp)[1]  and pl.expp'))
    found = await buffer.diagnostics()
    assert found
    assert all("expp" in buffer.slice(each.range) for each in found if each.code == "PTO003")


async def test_each_client_gets_diagnostics_in_one_way_only(pulling: Editor, pushed: Editor) -> None:
    assert pulling.pulls
    assert not pushed.pulls
    buffer = pulling.open(kernels.MISSPELT)
    assert await buffer.codes() == ["PTO003"]
    await asyncio.sleep(0.4)
    assert pulling.client.publications == []


async def test_every_change_brings_the_findings_of_the_new_text(editor: Editor) -> None:
    buffer = editor.open(kernels.MISSPELT)
    assert await buffer.codes() == ["PTO003"]
    buffer.replace("expp", "exp")
    assert await buffer.codes() == []
    buffer.replace("pl.exp(", "pl.expp(")
    assert await buffer.codes() == ["PTO003"]
    buffer.replace("[64, 64])\n", "[64, 64)\n")
    assert "PTO001" in await buffer.codes()


async def test_hints_are_shown_and_files_without_kernels_are_silent(editor: Editor) -> None:
    assert await editor.open(kernels.COPIED).codes() == ["PTO104"]
    assert await editor.open("x = (1, 2\n").codes() == []


async def test_findings_are_those_of_the_command_line(editor: Editor) -> None:
    for text in (kernels.MISSPELT, kernels.COPIED, kernels.UNUSED, kernels.STRIDED):
        buffer = editor.open(text)
        expected = sorted((each.span.line, each.code, each.message) for each in check_text(text).findings)
        found = sorted((each.range.start.line, str(each.code), each.message) for each in await buffer.diagnostics())
        assert found == expected


async def test_related_places_are_told(editor: Editor) -> None:
    buffer = editor.open(kernels.STRIDED)
    found = next(each for each in await buffer.diagnostics() if each.code == "PTO201")
    related = found.related_information or []
    assert any("tile.create" in buffer.slice(each.location.range) or each.message for each in related)
    assert all(each.location.uri == buffer.uri for each in related)


async def test_what_could_be_deleted_is_faded(editor: Editor) -> None:
    (found,) = await editor.open(kernels.UNUSED).diagnostics()
    assert [*(found.tags or [])] == [lsp.DiagnosticTag.Unnecessary]


async def test_a_broken_kernel_keeps_its_findings_and_silences_no_other(editor: Editor) -> None:
    other = kernels.COPIED.replace("class K", "class Other").replace("import pypto.language as pl\n", "")
    buffer = editor.open(kernels.MISSPELT + other)
    assert await buffer.codes() == ["PTO003", "PTO104"]
    buffer.replace("    def kernel(", "\n    def kernel((")
    found = await buffer.diagnostics()
    assert {"PTO001", "PTO003", "PTO104"} <= {str(each.code) for each in found}
    kept = next(each for each in found if each.code == "PTO003")
    assert "expp" in buffer.slice(kept.range)
    assert cast("dict[str, object]", kept.data)["stale"] is True


async def test_pull_answers_unchanged_by_content_not_by_version(pulling: Editor) -> None:
    buffer = pulling.open(kernels.MISSPELT, "unchanged.py")
    first = await _pull(buffer, None)
    assert isinstance(first, lsp.RelatedFullDocumentDiagnosticReport)
    buffer.replace("class K", "class  K")
    again = await _pull(buffer, first.result_id)
    assert isinstance(again, lsp.RelatedUnchangedDocumentDiagnosticReport)
    buffer.close()
    reopened = pulling.open(kernels.CLEAN, "unchanged.py")
    other = await _pull(reopened, first.result_id)
    assert isinstance(other, lsp.RelatedFullDocumentDiagnosticReport)
    assert not other.items


async def _pull(buffer: Buffer, previous: str | None) -> lsp.DocumentDiagnosticReport:
    params = lsp.DocumentDiagnosticParams(buffer.identifier, previous_result_id=previous)
    return await buffer.editor.client.text_document_diagnostic_async(params)


async def test_push_names_versions_and_clears_what_is_closed(pushed: Editor) -> None:
    buffer = pushed.open(kernels.MISSPELT)
    assert len(await buffer.pushed()) == 1
    buffer.close()
    await until(lambda: not pushed.client.diagnostics[buffer.uri], "the diagnostics of a closed file stayed")


async def test_push_never_goes_back_and_never_flickers(pushed: Editor) -> None:
    buffer = pushed.open(kernels.MISSPELT)
    for number in range(30):
        buffer.replace("class K", f"class K{number}") if number == 0 else buffer.replace(
            f"class K{number - 1}", f"class K{number}"
        )
        await asyncio.sleep(0.01)
    await buffer.pushed()
    seen = [each for each in pushed.client.publications if each.uri == buffer.uri]
    versions = [each.version or 0 for each in seen]
    assert versions == sorted(versions)
    assert all(len(each.diagnostics) == 1 for each in seen)


async def test_a_changed_constant_reaches_the_kernels_that_use_it(editor: Editor) -> None:
    module = "constants_" + ("pull" if editor.pulls else "push")
    config = editor.open(kernels.CONFIG, f"{module}.py")
    buffer = editor.open(kernels.USES_CONFIG.replace("{module}", module))
    assert await buffer.codes() == ["PTO104"]
    config.replace("OFFSET = 6", "OFFSET = 8")
    if editor.pulls:
        assert await buffer.codes() == []
    else:
        uri, client = buffer.uri, editor.client
        await until(lambda: not client.diagnostics[uri], "the kernel still has the old constant")


async def test_a_constant_changed_on_disk_is_seen(pulling: Editor) -> None:
    path = pulling.folder / "on_disk.py"
    path.write_text(kernels.CONFIG)
    buffer = pulling.open(kernels.USES_CONFIG.replace("{module}", "on_disk"))
    assert await buffer.codes() == ["PTO104"]
    path.write_text(kernels.CONFIG.replace("6", "16"))
    changed(pulling, path, lsp.FileChangeType.Changed)
    assert await buffer.codes() == []
    path.rename(pulling.folder / "moved.py")
    changed(pulling, path, lsp.FileChangeType.Deleted)
    assert all("24 bytes" not in each.message for each in await buffer.diagnostics())
    (pulling.folder / "moved.py").rename(path)
    path.write_text(kernels.CONFIG)
    changed(pulling, path, lsp.FileChangeType.Created)
    assert await buffer.codes() == ["PTO104"]


def changed(editor: Editor, path: Path, kind: lsp.FileChangeType) -> None:
    params = lsp.DidChangeWatchedFilesParams([lsp.FileEvent(path.as_uri(), kind)])
    editor.client.workspace_did_change_watched_files(params)


async def test_a_pto_file_is_read_as_what_it_is(editor: Editor) -> None:
    buffer = editor.open(kernels.PTO_FILE, f"copy_{editor.pulls}.pto")
    found = await buffer.diagnostics()
    assert [str(each.code) for each in found] == ["PTO003"]
    assert "tnonsense" in buffer.slice(found[0].range)


async def test_form_feeds_end_no_line(editor: Editor) -> None:
    buffer = editor.open("# a\x0cb\u2028c\n" + kernels.MISSPELT)
    buffer.replace("pl.expp", "pl.exp")
    buffer.replace("pl.exp(", "pl.expq(")
    (found,) = await buffer.diagnostics()
    assert "expq" in buffer.slice(found.range)


async def test_a_change_behind_a_form_feed_arrives_where_it_was_made(editor: Editor) -> None:
    buffer = editor.open("#\x0c = some words at the end\n" + kernels.MISSPELT)
    buffer.replace(" at the end", "\n\n")
    (found,) = await buffer.diagnostics()
    assert buffer.slice(found.range) == "pl.expp(t)"
