"""The shape of a statement: its text with stand-ins for names and literals.

Statements of one shape parse alike. Of 12,600 distinct statements in a large repository of kernels 3,500 differ in
shape; most are `a = b * c` or a call with other names.
"""

from __future__ import annotations

import keyword
import re
from typing import NamedTuple, Union

from attrs import frozen

Leaf = Union[str, int, float]
"""What a name or literal is worth."""

SIMPLE_STRING = r'"""[\s\S]*?"""' r"|'''[\s\S]*?'''" r'|"[^"\n\r]*"' r"|'[^'\n\r]*'"
"""The pattern of strings in a text without backslashes."""

_TOKEN = re.compile(
    r"(?P<prefix>[A-Za-z]{1,3})?(?:"
    r'"""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*"""'
    r"|'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*'''"
    r'|(?P<string>"[^"\\\n\r]*(?:\\[\s\S][^"\\\n\r]*)*"'
    r"|'[^'\\\n\r]*(?:\\[\s\S][^'\\\n\r]*)*'))"
    r"|(?P<name>(?:[^\W\d]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])*)"  # accents and `·` are no `\w`
    r"|(?P<number>\.?[0-9](?:[eE][+-]|[\w.])*)"
    r"|\#[^\n\r]*"
)
_BRACKET_OR_BLANK = re.compile(rf"{SIMPLE_STRING}|[()\[\]{{}}]|(?P<blank>(?:[ \t\f\n\r]|\#[^\n\r]*)+)")
_INT = re.compile(r"0|[1-9][0-9]{0,17}")
_FLOAT = re.compile(r"[0-9]+\.[0-9]+")
_KEYWORD_BEHIND = re.compile(r"[0-9.](?:and|else|for|if|in|is|not|or)")
_WORDS = frozenset({*keyword.kwlist, *keyword.softkwlist})
_FORMATTED = frozenset("fFtT")


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
    """The shape of a statement; None where tokens cannot be told without parsing it: `f"{a}"`, `1if a else 2`."""
    found = stand_ins(text)
    if found is None:
        return None
    pieces: list[str] = []
    end = 0
    for each in found:
        pieces += (text[end : each.start], each.spelling)
        end = each.end
    return Shape("".join(pieces) + text[end:], tuple([each.leaf for each in found]))


def stand_ins(text: str) -> list[StandIn] | None:
    """A stand-in for every name, plain decimal number and plain string on one line, in order; None as `shape_of`.

    What has none is spelled out in the shape: keywords, other literals, comments, whitespace. A shape is a shape of
    its own: its stand-ins stand for themselves.
    """
    found: list[StandIn] = []
    for match in _TOKEN.finditer(text):
        token, kind = match[0], match.lastgroup
        if kind == "name":
            if token not in _WORDS and token.isascii():
                found.append(StandIn(match.start(), match.end(), f"_{len(found)}", token))
        elif kind == "number":
            if _INT.fullmatch(token):
                found.append(StandIn(match.start(), match.end(), str(len(found)), int(token)))
            elif _FLOAT.fullmatch(token):
                found.append(StandIn(match.start(), match.end(), f"{len(found)}.0", float(token)))
            elif _KEYWORD_BEHIND.search(token):
                return None
        elif match["prefix"]:
            if not _FORMATTED.isdisjoint(match["prefix"]):
                return None
        elif kind == "string" and "\\" not in token and token.isprintable():
            found.append(StandIn(match.start(), match.end(), f'"{len(found)}"', token[1:-1]))
    return found
