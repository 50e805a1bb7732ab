"""Reading one source file, with a plain message for everything that can be wrong with it."""

from __future__ import annotations

from pathlib import Path

MAX_BYTES = 10_000_000
"""Larger files are refused: no kernel file comes near it, and a generated one would stall the run."""


class ReadError(Exception):
    """A file that cannot be checked; the message says what is wrong, without the path."""


def read_source(path: Path) -> str:
    """The text of a file with its line ends as they are; a byte order mark is kept. Errors: ReadError."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ReadError(f"{size / 1e6:.1f} MB; files over {MAX_BYTES // 1_000_000} MB are not checked")
        data = path.read_bytes()
    except OSError as error:
        raise ReadError((error.strerror or str(error)).lower()) from None
    return decode(data)


def decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReadError(f"not UTF-8: byte 0x{data[error.start]:02x} on line {line}") from None


def mentions_dsl(path: str, text: str) -> bool:
    """Whether a file can hold a kernel at all; the others are passed over at the price of this search."""
    return path.endswith(".pto") or "pypto" in text
