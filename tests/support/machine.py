"""What the editor tests need of the machine, and what of it is missing. Run as a script before the tests."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).resolve().parents[2]


@frozen
class Need:
    """Something that part of the tests cannot run without."""

    name: str
    used_for: str
    present: Callable[[], bool]


EXTENSION = ROOT / "editors" / "vscode"

WORKBENCH = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pto-lsp" / "workbench"
"""Where `editors/vscode/install-test-tools.sh` puts a VS Code for tests."""


def has_extension_modules() -> bool:
    return shutil.which("node") is not None and (EXTENSION / "node_modules" / "typescript").exists()


def has_workbench() -> bool:
    return has_extension_modules() and (WORKBENCH / "ready").exists() and shutil.which("chromium") is not None


def _neovim() -> bool:
    return shutil.which("nvim") is not None or (Path(sys.prefix) / "bin" / "nvim").exists()


NEEDS = (
    Need(
        "node with the modules of editors/vscode/install-test-tools.sh", "the VS Code extension", has_extension_modules
    ),
    Need("workbench of editors/vscode/install-test-tools.sh and Chromium", "VS Code end to end", has_workbench),
    Need("Neovim", "the Neovim plugin", _neovim),
    Need("pre-commit", "the pre-commit hook", lambda: find_spec("pre_commit") is not None),
)


def missing() -> list[Need]:
    return [need for need in NEEDS if not need.present()]


def main() -> int:
    """Names what is left out; with PTO_REQUIRE_ALL set, that is an error."""
    lacking = missing()
    for need in lacking:
        print(f"left out: {need.used_for} (no {need.name} on this machine)")
    return 1 if lacking and os.environ.get("PTO_REQUIRE_ALL") else 0


if __name__ == "__main__":
    sys.exit(main())
