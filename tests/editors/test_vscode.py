"""The VS Code extension: its own checks, and end to end in a real workbench (code-server) in headless Chromium."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server import kernels
from tests.support.machine import ROOT, WORKBENCH, has_extension_modules, has_workbench

EXTENSION = ROOT / "editors" / "vscode"
SECONDS = 400

pytestmark = [
    pytest.mark.editor,
    pytest.mark.xdist_group("vscode"),
    pytest.mark.skipif(not has_extension_modules(), reason="run editors/vscode/install-test-tools.sh first"),
]


def run(*command: object) -> str:
    """Output of a program in the extension's folder; fails with all that it printed."""
    words = [str(word) for word in command]
    ran = subprocess.run(words, cwd=EXTENSION, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize("script", ["check", "lint", "test"])
def test_the_extension_holds_its_own_checks(script: str) -> None:
    run("npm", "run", "--silent", script)


@pytest.fixture(scope="module")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("package") / "pto.vsix"
    run("npm", "run", "--silent", "package", "--", "--out", path)
    return path


def test_a_package_is_built(vsix: Path) -> None:
    assert vsix.stat().st_size > 10_000


@pytest.mark.skipif(not has_workbench(), reason="no workbench or no Chromium on this machine")
def test_a_real_workbench_shows_findings_and_follows_the_text(vsix: Path, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "pyproject.toml").write_text("[project]\nname = 'kernels'\n")
    text = kernels.STRIDED.replace("[16, 64], target_memory=pl.Mem.Mat)", "[16, 64], target_memory=pl.Mem.Mat)  {}")
    (files / "accumulator.py").write_text(text.replace("{}", "# pto: ignore[PTO101]", 1))
    result = tmp_path / "result.json"
    server = Path(sys.executable).parent / "pto-lsp"
    screenshots = os.environ.get("PTO_SCREENSHOTS", "")
    scenario = [EXTENSION / "test" / "e2e" / "scenario.mjs", WORKBENCH, vsix, shutil.which("chromium")]
    run("node", *scenario, files, server, result, *filter(None, [screenshots]))
    seen = json.loads(result.read_text())
    assert any("PTO201" in each for each in seen["problems"])
    assert sum("PTO201" in each for each in seen["problems"]) == 1
    assert any("waits" in each for each in seen["lenses"])
    assert "not contiguous in L0C" in seen["hover"]
    assert "row_bands" in seen["sync"]
    assert "pl.tile.matmul_acc" in seen["canonical"]
    assert "lhs__ssa" in seen["followed"]
    assert "[16, 128]" in seen["fixed"].replace("\xa0", " ")
