"""Cuts a module into pieces that can be scanned each by itself, so that a keystroke costs only the piece it stands in.

A piece begins at a line that is not indented and ends before another. It is right to scan it alone when nothing of
it could be closed by what follows; where that is in doubt, the piece takes in what follows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from pto_analysis.frozen import frozen
from pto_analysis.source.recovery import cannot_be_inside
from pto_analysis.source.remembered import remembered
from pto_analysis.source.scanner import PATIENCE, Scanned, scan_text
from pto_analysis.source.text import SourceText

_START = re.compile(r"^[^\s#)\]}\\]", re.MULTILINE)
_BELONGS_TO_BEFORE = re.compile(r"(?:elif|else|except|finally)\b")
_QUOTES = re.compile(r"\"\"\"|'''")


@frozen
class Piece:
    """`tried` are the shorter texts that were scanned before, and found not to be complete."""

    first_line: int
    text: str
    tried: tuple[str, ...] = ()


def cut(source: SourceText) -> tuple[Piece, ...]:
    """The pieces of a module, in order: together they are its text, and their scans together are its scan."""
    text = source.text
    pieces: list[Piece] = []
    vain = 0
    for start, ends in _pieces(text, _starts(text)):
        tried = tuple([text[start:end] for end in ends[:-1]])
        pieces.append(Piece(source.position(start)[0], text[start : ends[-1]], tried))
        vain += scan_piece(pieces[-1].text).vain
    if vain > PATIENCE or (pieces and scan_piece(pieces[-1].text).lost_string):
        tried = tuple(scanned for piece in pieces for scanned in (*piece.tried, piece.text))
        return (Piece(0, text, tried),)  # the scanner's mood depends on what came before
    return tuple(pieces)


@remembered(characters=400_000)
def scan_piece(text: str) -> Scanned:
    """The logical lines of a piece, counted from its first line."""
    return scan_text(text)


def _starts(text: str) -> list[int]:
    """Where pieces may begin: never between a decorator and its function, or between the branches of a statement."""
    starts = [0]
    decorating = text.startswith("@")
    for match in _START.finditer(text, 1):
        at = match.start()
        belongs = decorating or _BELONGS_TO_BEFORE.match(text, at) or text.endswith(("\\\n", "\\\r\n"), 0, at)
        decorating = text[at] == "@"
        if not belongs:
            starts.append(at)
    return starts


def _pieces(text: str, starts: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Where each piece begins and ends; its ends are those that were tried, the last one is right."""
    first = 0
    while first < len(starts):
        following, step = first + 1, 1
        ends: list[int] = []
        while following < len(starts) and not _is_complete(text, starts[first], starts[following]):
            ends.append(starts[following])
            beyond = bisect_left(starts, _closed(text, starts[first], starts[following]))
            following = max(following + step, beyond)
            step *= 2
        yield starts[first], [*ends, starts[following] if following < len(starts) else len(text)]
        first = following


def _is_complete(text: str, begin: int, end: int) -> bool:
    scanned = scan_piece(text[begin:end])
    return not scanned.lost_string and (not scanned.ran_out or cannot_be_inside(text, end))


def _closed(text: str, begin: int, end: int) -> int:
    """Where an incomplete piece may be complete: behind the first quotes that may close its string."""
    quotes = _QUOTES.search(text, end) if scan_piece(text[begin:end]).lost_string else None
    return end if quotes is None else quotes.end()
