"""Reading one source file, with a plain message for everything that can be wrong with it."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from pto_analysis.source.encoding import decode_source
from pto_analysis.source.text import mentions_dsl

MAX_BYTES = 10_000_000
"""Larger files are refused: no kernel file comes near it, and a generated one would stall the run."""


MAX_LISTED = 1000
"""Python files in one folder beyond which nobody looks through them for imports."""


class ReadError(Exception):
    """A file that cannot be checked; the message says what is wrong, without the path."""


def read_source(path: Path) -> str:
    """The text of a file, its line ends as they are, without a byte order mark. Errors: ReadError."""
    return decode(read_bytes(path))


def text_of(path: str) -> str | None:
    """The text of a file, or `None` where it cannot be read."""
    try:
        return read_source(Path(path))
    except ReadError:
        return None


def read_bytes(path: Path) -> bytes:
    """What a file holds. Errors: ReadError, also for a pipe or a device, which may never come to an end."""
    try:
        status = path.stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            raise ReadError("not a regular file")
        if status.st_size > MAX_BYTES:
            raise ReadError(f"{status.st_size / 1e6:.1f} MB; files over {MAX_BYTES // 1_000_000} MB are not checked")
        return path.read_bytes()
    except OSError as error:
        raise ReadError((error.strerror or str(error)).lower()) from None


def decode(data: bytes) -> str:
    """Errors: ReadError."""
    text = decode_source(data)
    if isinstance(text, str):
        return text
    raise ReadError(f"not UTF-8: byte 0x{data[text.offset]:02x} on line {text.line + 1}")


def python_files(folder: str, overlay: Iterable[str] = ()) -> tuple[str, ...]:
    """The Python files in a folder and those of `overlay` that belong there, sorted; none of too large a folder."""
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".py")]
    except OSError:
        names = []
    if len(names) > MAX_LISTED:
        return ()
    paths = {os.path.join(folder, name) for name in names}
    paths.update(path for path in overlay if path.endswith(".py") and os.path.dirname(path) == folder)
    return tuple(sorted(paths))


def write_source(path: Path, text: str) -> None:
    """Replaces the text of a file, keeping its byte order mark. Errors: ReadError."""
    try:
        mark = path.read_bytes()[:3] if path.exists() else b""
        path.write_bytes((codecs.BOM_UTF8 if mark == codecs.BOM_UTF8 else b"") + text.encode())
    except OSError as error:
        raise ReadError((error.strerror or str(error)).lower()) from None


def is_relevant(path: str, text: str) -> bool:
    """Whether a file can hold a kernel at all; the others are passed over at the price of this search."""
    return path.endswith(".pto") or mentions_dsl(text)
