"""Whole workspaces: diagnostics of files that are not open, several roots, settings, progress and refreshes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types as lsp

from tests.server import kernels
from tests.server.client import Client
from tests.server.conftest import SERVER, parameters
from tests.server.editor import PATIENCE, Editor


@pytest.fixture
def roots(tmp_path: Path) -> tuple[Path, Path]:
    """Two projects; the second ignores PTO003."""
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "sizes.py").write_text(f"OFFSET = {6 if folder is first else 8}\n")
        (folder / "kernel.py").write_text(kernels.USES_CONFIG.replace("{module}", "sizes"))
        (folder / "misspelt.py").write_text(kernels.MISSPELT)
        (folder / "plain.py").write_text("print('no kernel')\n")
    (first / "pyproject.toml").write_text("[project]\nname = 'first'\n")
    (second / "pto-lint.toml").write_text('ignore = ["PTO003"]\n')
    return first, second


@pytest_asyncio.fixture(loop_scope="session")
async def editor(roots: tuple[Path, Path]) -> AsyncGenerator[Editor]:
    client = await SERVER.start()
    assert isinstance(client, Client)
    wanted = parameters("neovim", *roots)
    workspace = wanted.capabilities.workspace
    assert workspace is not None
    workspace.diagnostics = lsp.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
    workspace.inlay_hint = lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True)
    workspace.code_lens = lsp.CodeLensWorkspaceClientCapabilities(refresh_support=True)
    await client.begin(wanted)
    yield Editor(client, roots[0])
    await client.shutdown_session()
    await client.stop()


async def pull(editor: Editor, previous: dict[str, str] | None = None) -> dict[str, list[str] | None]:
    """Codes by `folder/file`; None where the server says that nothing changed."""
    known = [lsp.PreviousResultId(uri, value) for uri, value in (previous or {}).items()]
    params = lsp.WorkspaceDiagnosticParams(known, work_done_token="whole")
    editor.client.progress_reports["whole"] = []
    answer = await editor.client.workspace_diagnostic_async(params)
    found: dict[str, list[str] | None] = {}
    for report in answer.items:
        if previous is not None and isinstance(report, lsp.WorkspaceFullDocumentDiagnosticReport):
            previous.pop(report.uri, None)
        name = "/".join(report.uri.split("/")[-2:])
        full = isinstance(report, lsp.WorkspaceFullDocumentDiagnosticReport)
        found[name] = sorted(str(each.code) for each in report.items) if full else None
        if full and previous is None:
            IDS[report.uri] = report.result_id or ""
    return found


IDS: dict[str, str] = {}
"""The result ids of the last pull without previous ones."""


async def test_the_workspace_is_checked_root_by_root(editor: Editor, roots: tuple[Path, Path]) -> None:
    IDS.clear()
    assert await pull(editor) == {
        "first/kernel.py": ["PTO104"],
        "first/misspelt.py": ["PTO003"],
        "second/kernel.py": [],
        "second/misspelt.py": [],
    }
    steps = [type(each).__name__.removeprefix("WorkDoneProgress") for each in editor.client.progress_reports["whole"]]
    assert steps == ["Begin", *["Report"] * 4, "End"]
    assert set((await pull(editor, dict(IDS))).values()) == {None}
    (roots[0] / "sizes.py").write_text("OFFSET = 16\n")
    after = await pull(editor, dict(IDS))
    assert after["first/kernel.py"] == []
    assert after["first/misspelt.py"] is None


async def test_an_open_buffer_wins_over_the_disk(editor: Editor) -> None:
    buffer = editor.open(kernels.CLEAN, "misspelt.py")
    assert (await pull(editor))["first/misspelt.py"] == []
    buffer.close()
    assert (await pull(editor))["first/misspelt.py"] == ["PTO003"]


async def test_settings_of_the_client_win_and_are_live(editor: Editor) -> None:
    buffer = editor.open(kernels.MISSPELT)
    assert await buffer.codes() == ["PTO003"]
    await configure(editor, {"ignore": ["PTO003"]})
    await until_codes(editor, buffer.uri, [])
    await configure(editor, {"enable": False})
    await until_codes(editor, buffer.uri, [])
    await configure(editor, {})
    await until_codes(editor, buffer.uri, ["PTO003"])


async def test_a_saved_configuration_file_counts_at_once(editor: Editor, roots: tuple[Path, Path]) -> None:
    buffer = editor.open(kernels.MISSPELT)
    assert await buffer.codes() == ["PTO003"]
    config = roots[0] / "pyproject.toml"
    config.write_text('[project]\nname = "first"\n[tool.pto-lint]\nignore = ["PTO003"]\n')
    event = lsp.FileEvent(config.as_uri(), lsp.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([event]))
    assert await buffer.codes() == []


async def test_other_documents_are_asked_for_again(editor: Editor) -> None:
    editor.open(kernels.MISSPELT)
    other = editor.open(kernels.CLEAN)
    editor.client.refreshed.clear()
    before = editor.client.diagnostic_refresh_count
    other.replace("class K", "class L")
    deadline = asyncio.get_running_loop().time() + PATIENCE
    wanted = {lsp.WORKSPACE_CODE_LENS_REFRESH, lsp.WORKSPACE_INLAY_HINT_REFRESH}
    while not wanted <= set(editor.client.refreshed) or editor.client.diagnostic_refresh_count == before:
        assert asyncio.get_running_loop().time() < deadline, editor.client.refreshed
        await asyncio.sleep(0.02)


async def configure(editor: Editor, section: dict[str, object]) -> None:
    editor.client.set_configuration(section, section="pto")
    editor.client.workspace_did_change_configuration(lsp.DidChangeConfigurationParams({"pto": section}))


async def until_codes(editor: Editor, uri: str, codes: list[str]) -> None:
    """Settings take a round trip to arrive."""
    deadline = asyncio.get_running_loop().time() + PATIENCE
    params = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(uri))
    while True:
        report = await editor.client.text_document_diagnostic_async(params)
        assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
        if [str(each.code) for each in report.items] == codes:
            return
        assert asyncio.get_running_loop().time() < deadline, report.items
        await asyncio.sleep(0.05)
