"""Files that change while they are looked at: open buffers first, then the disk, looked at again when it changed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from attrs import field, frozen

from pto_lsp.workspace.reading import ReadError, python_files, read_source

_Signature = tuple[int, int, int] | None


class DiskTexts:
    """Texts of files by absolute path, read again when size, time or inode changed. Safe for threads."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[_Signature, str | None]] = {}
        self._lock = Lock()

    def read(self, path: str) -> str | None:
        signature = _signature(path)
        with self._lock:
            known = self._known.get(path)
        if known is not None and known[0] == signature:
            return known[1]
        text = _read(path) if signature is not None else None
        with self._lock:
            self._known[path] = (signature, text)
        return text


@frozen(eq=False)
class Snapshot:
    """One state of the files below some roots. What was read once stays the same for the life of the snapshot."""

    roots: tuple[str, ...]
    overlay: Mapping[str, str]
    disk: DiskTexts
    _texts: dict[str, str | None] = field(factory=dict[str, "str | None"])
    _present: dict[str, bool] = field(factory=dict[str, bool])
    _listed: dict[str, tuple[str, ...]] = field(factory=dict[str, tuple[str, ...]])

    def read(self, path: str) -> str | None:
        if path in self.overlay:
            return self.overlay[path]
        if path not in self._texts:
            self._texts[path] = self.disk.read(path)
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


def _signature(path: str) -> _Signature:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _read(path: str) -> str | None:
    try:
        return read_source(Path(path))
    except ReadError:
        return None
