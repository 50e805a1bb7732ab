"""The hooks, run by the real pre-commit on a scratch repository."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(find_spec("pre_commit") is None, reason="no pre-commit on this machine")

BAD = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64])
        y = pl.store(pl.expp(t), [0, 0], y)
        return y
"""


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    path = os.pathsep.join((str(Path(sys.executable).parent), clean["PATH"]))
    environment = {**clean, "PATH": path, "PRE_COMMIT_HOME": str(folder / ".hooks")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def git(folder: Path, *arguments: str) -> str:
    names = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    done = run(folder, "git", *names, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """This project as a repository that pre-commit can clone: the files that a wheel is built from."""
    folder = tmp_path / "pto-lsp"
    folder.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "pto_lsp", "analysis", "*.toml", "*.md", "LICENSE", "*.yaml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in {*listed.stdout.splitlines(), ".pre-commit-hooks.yaml"}:
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "kernel.py").write_text(BAD, encoding="utf-8")
    (folder / "notes.txt").write_text("pypto pl.expp(\n", encoding="utf-8")
    return folder


def configure(project: Path, hooks: Path, hook: str) -> None:
    revision = git(hooks, "rev-parse", "HEAD")
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {hooks.as_posix()}\n  rev: {revision}\n  hooks:\n  - id: {hook}\n", encoding="utf-8"
    )
    git(project, "add", "-A")


def test_the_hook_stops_a_commit_and_lets_the_repaired_file_pass(hooks: Path, project: Path) -> None:
    configure(project, hooks, "pto-lint-system")
    stopped = run(project, sys.executable, "-m", "pre_commit", "run")
    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    assert "PTO003" in stopped.stdout
    assert "notes.txt" not in stopped.stdout
    (project / "kernel.py").write_text(BAD.replace("expp", "exp"), encoding="utf-8")
    git(project, "add", "-A")
    passed = run(project, sys.executable, "-m", "pre_commit", "run")
    assert passed.returncode == 0, passed.stdout + passed.stderr


def test_the_hook_builds_its_own_environment(hooks: Path, project: Path) -> None:
    """Needs the package registry for the dependencies, as any first use of a Python hook does."""
    configure(project, hooks, "pto-lint")
    stopped = run(project, sys.executable, "-m", "pre_commit", "run")
    if "No matching distribution" in stopped.stdout + stopped.stderr:
        pytest.skip("the package registry cannot be reached")
    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    assert "PTO003" in stopped.stdout
