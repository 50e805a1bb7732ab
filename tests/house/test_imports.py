"""Who may import whom: the analysis knows no protocol and no screen, and its packages point one way only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ANALYSIS = ROOT / "analysis" / "pto_analysis"

LAYERS = (
    {"source"},
    {"ir", "findings"},
    {"ops"},
    {"arith"},
    {"frontend"},
    {"passes"},
    {"sync", "pto"},
    {"fixes"},
    {"rules", "report"},
)
"""A package may import those of earlier rows and of its own. `frontend` is read before `arith` where types need it."""

FREE = {"frozen", "suggest", "toolchain"}
"""Modules at the bottom: they import nothing of ours."""

TOP = {"check", "budget", "ide"}
"""What stands above every other package. `ide` asks `check`, never the reverse."""

FOREIGN = {"pto_lsp", "pygls", "lsprotocol", "rich", "click", "pathspec", "platformdirs", "torch", "pypto"}


def imported(path: Path) -> Iterator[str]:
    """The full names of everything that a file imports, late imports included."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def room(module: str) -> str:
    """The package or top-level module of `pto_analysis` that a full name belongs to."""
    return module.split(".")[1] if "." in module else ""


def layer(name: str) -> int:
    if name in FREE:
        return -1
    if name in TOP:
        return len(LAYERS)
    return next(index for index, names in enumerate(LAYERS) if name in names)


def analysis_files() -> list[Path]:
    return sorted(path for path in ANALYSIS.rglob("*.py") if path != ANALYSIS / "__init__.py")


def test_there_are_files_to_look_at() -> None:
    assert len(analysis_files()) > 30


def test_the_analysis_imports_no_protocol_and_no_screen() -> None:
    guilty = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in analysis_files()
        for name in imported(path)
        if name.split(".")[0] in FOREIGN
    ]
    assert guilty == []


def test_packages_point_one_way() -> None:
    guilty: list[str] = []
    for path in analysis_files():
        own = layer(path.relative_to(ANALYSIS).parts[0].removesuffix(".py"))
        for name in imported(path):
            if name.startswith("pto_analysis.") and layer(room(name)) > own:
                guilty.append(f"{path.relative_to(ROOT)} imports {name}")
    assert guilty == []


def test_the_bottom_modules_import_nothing_of_ours() -> None:
    for name in sorted(FREE):
        assert [item for item in imported(ANALYSIS / f"{name}.py") if item.startswith("pto_")] == []


@pytest.mark.parametrize("folder", ["cli", "config", "output", "workspace"])
def test_the_command_line_never_loads_the_protocol(folder: str) -> None:
    for path in sorted((ROOT / "pto_lsp" / folder).rglob("*.py")):
        roots = {name.split(".")[0] for name in imported(path)}
        assert not roots & {"pygls", "lsprotocol"}, path
        assert not any(name.startswith("pto_lsp.server") for name in imported(path)), path


def test_libcst_is_imported_late() -> None:
    """At the top of a module only in the few that are themselves imported late."""
    guilty: list[str] = []
    for path in analysis_files():
        top = (node for node in _tree(path).body if isinstance(node, (ast.Import, ast.ImportFrom)))
        for node in top:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if any(name.split(".")[0] == "libcst" for name in names):
                guilty.append(path.relative_to(ANALYSIS).as_posix())
    allowed = ("source/concrete.py", "source/convert.py", "source/libcst_", "fixes/")
    assert [path for path in guilty if not path.startswith(allowed)] == []
