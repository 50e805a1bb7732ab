"""A workspace held in memory."""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import dirname
from textwrap import dedent

from attrs import frozen

from pto_analysis.source.workspace import Workspace


@frozen
class MemoryFiles:
    """A source provider whose files are given by path."""

    files: Mapping[str, str]
    roots: tuple[str, ...] = ("/w",)

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def exists(self, path: str) -> bool:
        return path in self.files or any(each.startswith(f"{path}/") for each in self.files)

    def listing(self, folder: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self.files if dirname(path) == folder))


def workspace(**files: str) -> Workspace:
    """A workspace of the modules `/w/<name>.py`."""
    return Workspace(MemoryFiles({f"/w/{name}.py": dedent(text) for name, text in files.items()}))
