"""From bytes to text, and between the columns of the analysis (code points) and those of an editor.

The only module that knows what a UTF-8 or UTF-16 code unit is.
"""

from __future__ import annotations

import codecs
from typing import Literal

from pto_analysis.frozen import frozen

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]

BYTE_ORDER_MARK = "\ufeff"


@frozen
class DecodeError:
    """Why a file is not UTF-8 text. `offset` is the first offending byte, `line` its 0-based line."""

    message: str
    offset: int
    line: int


def decode_source(data: bytes) -> str | DecodeError:
    """UTF-8 bytes to text; a byte order mark is dropped, as editors do."""
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        skipped = len(data) - len(body)
        where = error.start + skipped
        return DecodeError(f"not UTF-8: {error.reason} at byte {where}", where, body.count(b"\n", 0, error.start))


def units_from_column(line: str, column: int, encoding: PositionEncoding) -> int:
    """The editor's column for a code point column. A column past the end of the line is clamped to it."""
    prefix = line[: max(column, 0)]
    if encoding == "utf-32" or prefix.isascii():
        return len(prefix)
    return sum(_width(char, encoding) for char in prefix)


def column_from_units(line: str, units: int, encoding: PositionEncoding) -> int:
    """The code point column for an editor's column. A place inside a character gives that character's start."""
    if encoding == "utf-32" or line.isascii():
        return min(max(units, 0), len(line))
    taken = 0
    for column, char in enumerate(line):
        taken += _width(char, encoding)
        if taken > units:
            return column
    return len(line)


def _width(char: str, encoding: PositionEncoding) -> int:
    code = ord(char)
    if encoding == "utf-16":
        return 2 if code > 0xFFFF else 1
    if code < 0x80:
        return 1
    if code < 0x800:
        return 2
    return 3 if code <= 0xFFFF else 4
