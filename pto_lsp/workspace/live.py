"""Files that change while they are looked at: the disk, looked at again when it changed."""

from __future__ import annotations

import os
from threading import Lock

from pto_lsp.workspace.reading import text_of

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
        text = text_of(path) if signature is not None else None
        with self._lock:
            self._known[path] = (signature, text)
        return text


def _signature(path: str) -> _Signature:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)
