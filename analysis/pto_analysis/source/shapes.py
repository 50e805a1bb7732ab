"""The shape of a statement: its text with stand-ins for names and literals.

Statements of one shape parse alike. Of 12,600 distinct statements in a large repository of kernels 3,500 differ in
shape; most are `a = b * c` or a call with other names.
"""

from __future__ import annotations

import keyword
import re
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple, Union

from pto_analysis.frozen import frozen

Leaf = Union[str, int, float]
"""What a name or literal is worth."""

SIMPLE_STRING = r'"""[\s\S]*?"""' r"|'''[\s\S]*?'''" r'|"[^"\n\r]*"' r"|'[^'\n\r]*'"
"""The pattern of strings in a text without backslashes."""

_TOKEN = re.compile(
    r"((?:[A-Za-z]{1,3})?(?:"
    r'"""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*'''"
    r'|"[^"\\\n\r]*(?:\\[\s\S][^"\\\n\r]*)*"'
    r"|'[^'\\\n\r]*(?:\\[\s\S][^'\\\n\r]*)*')"
    r"|(?:[^\W\d]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])*"  # accents and `·` are no `\w`
    r"|\.?[0-9](?:[eE][+-]|[\w.])*"
    r"|\#[^\n\r]*)"
)
_BRACKET_OR_BLANK = re.compile(rf"{SIMPLE_STRING}|[()\[\]{{}}]|(?P<blank>(?:[ \t\f\n\r]|\#[^\n\r]*)+)")
_INT = re.compile(r"0|[1-9][0-9]{0,17}")
_FLOAT = re.compile(r"[0-9]+\.[0-9]+")
_KEYWORD_BEHIND = re.compile(r"[0-9.](?:and|else|for|if|in|is|not|or)")
_WORDS = frozenset({*keyword.kwlist, *keyword.softkwlist})
_FORMATTED = frozenset("fFtT")
_PREFIX = re.compile(r"[A-Za-z]*")
_NUMERIC = frozenset("0123456789.")
_TRIPLE = ('"""', "'''")
_BRACKET = re.compile(r" *([()\[\]{},]) *")


@frozen
class Shape:
    """`text` parses as the statement does; `leaves[i]` is what its stand-in number `i` stands for."""

    text: str
    leaves: tuple[Leaf, ...]


class StandIn(NamedTuple):
    """`spelling` stands in for the token between two offsets, which is worth `leaf`."""

    start: int
    end: int
    spelling: str
    leaf: Leaf


def on_one_line(text: str) -> str:
    """A statement that parses alike, with one space for what means nothing inside of brackets: line ends, comments."""
    if "\\" in text or ("\n" not in text and "\r" not in text):
        return text
    pieces: list[str] = []
    depth = end = 0
    for match in _BRACKET_OR_BLANK.finditer(text):
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif match["blank"] and depth > 0:
            pieces += (text[end : match.start()], " ")
            end = match.end()
    return "".join(pieces) + text[end:]


def shape_of(text: str) -> Shape | None:
    """The shape of a statement; None where tokens cannot be told without parsing it: `f"{a}"`, `1if a else 2`.

    Spaces that mean nothing are left out.
    """
    pieces = _TOKEN.split(text)
    found = _replaced(pieces)
    if found is None:
        return None
    pieces[::2] = map(_tight, pieces[::2])
    return Shape("".join(pieces), tuple([leaf for _, leaf in found]))


def spaced_shape_of(text: str) -> Shape | None:
    """The same with all spaces: only its leaves differ in length from the statement."""
    pieces = _TOKEN.split(text)
    found = _replaced(pieces)
    return None if found is None else Shape("".join(pieces), tuple([leaf for _, leaf in found]))


@lru_cache(maxsize=1024)
def _tight(between: str) -> str:
    """What stands between two tokens, without spaces beside brackets and commas and at its ends."""
    if between.isspace() or "." in between:
        return between
    return _BRACKET.sub(r"\1", between).strip(" ")


def stand_ins(text: str) -> list[StandIn] | None:
    """A stand-in for every name, plain decimal number and plain string on one line, in order; None as `shape_of`.

    What has none is spelled out in the shape: keywords, other literals, comments, whitespace. A shape is a shape of
    its own: its stand-ins stand for themselves.
    """
    pieces = _TOKEN.split(text)
    ends = [0, *accumulate(map(len, pieces))]
    found = _replaced(pieces)
    return None if found is None else [StandIn(ends[at], ends[at + 1], pieces[at], leaf) for at, leaf in found]


def _replaced(pieces: list[str]) -> list[tuple[int, Leaf]] | None:
    """Puts stand-ins for tokens, which are every other piece; gives their places with what they stand for."""
    found: list[tuple[int, Leaf]] = []
    for at in range(1, len(pieces), 2):
        token = pieces[at]
        if token.isidentifier():
            if token.isascii() and token not in _WORDS:
                pieces[at] = f"_{len(found)}"
                found.append((at, token))
        elif _is_unclear(token):
            return None
        elif (spelled := _literal(token, len(found))) is not None:
            pieces[at], leaf = spelled
            found.append((at, leaf))
    return found


def _is_unclear(token: str) -> bool:
    """Whether a token may be more than one, or hold expressions."""
    if token[0] in _NUMERIC:
        return _KEYWORD_BEHIND.search(token) is not None
    prefix = _PREFIX.match(token) if token[-1] in "\"'" else None
    return prefix is not None and not _FORMATTED.isdisjoint(prefix[0])


def _literal(token: str, number: int) -> tuple[str, Leaf] | None:
    """The stand-in of a plain literal, and its worth."""
    if _INT.fullmatch(token):
        return str(number), int(token)
    if _FLOAT.fullmatch(token):
        return f"{number}.0", float(token)
    if token[0] in "\"'" and token[:3] not in _TRIPLE and "\\" not in token and token.isprintable():
        return f'"{number}"', token[1:-1]
    return None
