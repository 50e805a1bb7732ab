"""One state of the files below some roots: what the user has in hand first, then the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from attrs import field, frozen

from pto_lsp.workspace.reading import python_files, text_of


@frozen(eq=False)
class Snapshot:
    """Files by absolute path. What was read once stays the same for the life of the snapshot.

    `overlay` holds texts that are newer than the disk; `from_disk` reads the others, `None` where that fails.
    """

    roots: tuple[str, ...]
    overlay: Mapping[str, str] = field(factory=dict[str, str])
    from_disk: Callable[[str], str | None] = text_of
    _texts: dict[str, str | None] = field(factory=dict[str, "str | None"])
    _present: dict[str, bool] = field(factory=dict[str, bool])
    _listed: dict[str, tuple[str, ...]] = field(factory=dict[str, tuple[str, ...]])

    def read(self, path: str) -> str | None:
        if path in self.overlay:
            return self.overlay[path]
        if path not in self._texts:
            self._texts[path] = self.from_disk(path)
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
