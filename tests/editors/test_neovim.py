"""The Neovim plugin in the real Neovim, without a screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server import kernels

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = Path(__file__).parent / "neovim"
SECONDS = 120


def nvim() -> str | None:
    beside = Path(sys.executable).parent / "nvim"
    return str(beside) if beside.exists() else shutil.which("nvim")


pytestmark = [pytest.mark.editor, pytest.mark.skipif(nvim() is None, reason="no Neovim on this machine")]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "pyproject.toml").write_text("[project]\nname = 'kernels'\n")
    (folder / "kernel.py").write_text(kernels.UNUSED.replace("pl.exp(", "pl.expp("))
    (folder / "copied.py").write_text(kernels.COPIED)
    (folder / "copy.pto").write_text(kernels.PTO_FILE)
    return folder


def run(scenario: str, workspace: Path) -> dict[str, object]:
    """What a scenario wrote into its result file; its assertions are its own."""
    result = workspace / "result.json"
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_STATE_HOME": str(workspace / "state"),
        "XDG_CONFIG_HOME": str(workspace / "config"),
        "XDG_DATA_HOME": str(workspace / "data"),
        "PTO_RESULT": str(result),
        "PTO_PLUGIN": str(ROOT / "editors" / "neovim"),
    }
    command = [str(nvim()), "--headless", "--clean", "-u", str(SCENARIOS / "init.lua")]
    ran = subprocess.run(
        [*command, "-c", f"luafile {SCENARIOS / scenario}.lua"],
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert result.exists(), ran.stdout + ran.stderr
    found = json.loads(result.read_text())
    assert "error" not in found, found["error"]
    return found


def test_diagnostics_appear_once_and_a_fix_changes_the_buffer(workspace: Path) -> None:
    found = run("fix", workspace)
    assert found["codes"] == ["PTO002", "PTO003"]
    assert found["fixed"] == ["PTO003"]
    assert "ignore" not in str(found["line"])


def test_hover_and_completion_answer(workspace: Path) -> None:
    found = run("ask", workspace)
    assert "window of `t`" in str(found["hover"])
    assert "slice" in str(found["completions"])


def test_previews_open_and_follow_the_text(workspace: Path) -> None:
    found = run("preview", workspace)
    assert "pl.tile.extract(" in str(found["canonical"])
    assert "MTE2" in str(found["sync"])
    assert "0, 16" in str(found["followed"])
    assert found["kept_on_broken_text"] is True


def test_restart_brings_the_diagnostics_back(workspace: Path) -> None:
    found = run("restart", workspace)
    assert found["before"] == found["after"] == ["PTO002", "PTO003"]
    assert found["first_client"] != found["second_client"]


def test_a_pto_file_is_known_and_checked(workspace: Path) -> None:
    found = run("ir", workspace)
    assert found["filetype"] == "pto"
    assert found["codes"] == ["PTO003"]
    assert "pto-lsp" in str(found["health"])
