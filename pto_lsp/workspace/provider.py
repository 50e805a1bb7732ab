"""Source text for the analysis: what the user has in hand first, then the disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from attrs import field, frozen

from pto_analysis.frontend.module import Modules
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.dependencies import Dependencies
from pto_lsp.workspace.reading import ReadError, python_files, read_source

_ROOT_MARKS = (".git", ".hg", "pto-lint.toml", "pyproject.toml", "setup.py", "setup.cfg")


@frozen(eq=False)
class DiskProvider:
    """Files as they were when first asked for. `overlay` holds texts that are newer than the disk, by absolute path."""

    roots: tuple[str, ...]
    overlay: Mapping[str, str] = field(factory=dict[str, str])
    _texts: dict[str, str | None] = field(factory=dict[str, "str | None"])
    _present: dict[str, bool] = field(factory=dict[str, bool])
    _listed: dict[str, tuple[str, ...]] = field(factory=dict[str, tuple[str, ...]])

    def read(self, path: str) -> str | None:
        if path in self.overlay:
            return self.overlay[path]
        if path not in self._texts:
            self._texts[path] = _read(path)
        return self._texts[path]

    def exists(self, path: str) -> bool:
        if path in self.overlay:
            return True
        if path not in self._present:
            self._present[path] = os.path.exists(path)
        return self._present[path]

    def listing(self, folder: str) -> tuple[str, ...]:
        if folder not in self._listed:
            self._listed[folder] = python_files(folder, self.overlay)
        return self._listed[folder]


@frozen(eq=False)
class Project:
    """The files below one project root: their kernels, and what each depends on."""

    modules: Modules
    dependencies: Dependencies


class Surroundings:
    """The projects of one run; every file is read once."""

    def __init__(self) -> None:
        self._projects: dict[str, Project] = {}

    def of(self, path: str, text: str) -> Project:
        """The project around a file (absolute), which sees `text` as its content."""
        root = project_root(os.path.dirname(path))
        if root not in self._projects:
            self._projects[root] = _project(DiskProvider((root,)))
        project = self._projects[root]
        if project.modules.workspace.provider.read(path) == text:
            return project
        return _project(DiskProvider((root,), {path: text}))


def _project(provider: DiskProvider) -> Project:
    workspace = Workspace(provider)
    return Project(Modules(workspace), Dependencies(workspace))


def _read(path: str) -> str | None:
    try:
        return read_source(Path(path))
    except ReadError:
        return None


@lru_cache(maxsize=4096)
def project_root(folder: str) -> str:
    """The folder that a project's absolute imports start from: the nearest above with a mark of a project."""
    current = folder
    while True:
        if any(os.path.exists(os.path.join(current, mark)) for mark in _ROOT_MARKS):
            return current
        parent = os.path.dirname(current)
        if parent == current:
            return folder
        current = parent
