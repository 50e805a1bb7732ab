"""The projects around the files of one run."""

from __future__ import annotations

import os
from functools import lru_cache

from attrs import frozen

from pto_analysis.frontend.module import Modules
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.dependencies import Dependencies
from pto_lsp.workspace.snapshot import Snapshot

_ROOT_MARKS = (".git", ".hg", "pto-lint.toml", "pyproject.toml", "setup.py", "setup.cfg")


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
            self._projects[root] = _project(Snapshot((root,)))
        project = self._projects[root]
        if project.modules.workspace.provider.read(path) == text:
            return project
        return _project(Snapshot((root,), {path: text}))


def _project(provider: Snapshot) -> Project:
    workspace = Workspace(provider)
    return Project(Modules(workspace), Dependencies(workspace))


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
