"""Statements that stand on one line with all their brackets and strings closed, as most do: told by one pattern each.

What these patterns do not match is left to the scanner's loop, which gives the same for what they do match.
"""

from __future__ import annotations

import re

_STRING = r""""(?!"")[^"\\\n\r]*"|'(?!'')[^'\\\n\r]*'"""
_INSIDE = r"""[^\n\r#'"()\[\]{}\\]*"""
_OUTSIDE = r"""[^\n\r#'"()\[\]{};\\]*"""
_BEFORE_COLON = r"""[^\n\r#'"()\[\]{};:\\]*"""
_BRACKETS = ((r"\(", r"\)"), (r"\[", r"\]"), (r"\{", r"\}"))
_DEPTH = 3


def _closed(outside: str, depth: int) -> str:
    """The pattern of text with strings, and with brackets to a depth."""
    inner = _closed(_INSIDE, depth - 1) if depth else ""
    brackets = [f"{opening}{inner}{closing}" for opening, closing in _BRACKETS] if depth else []
    return f"{outside}(?:(?:{'|'.join([_STRING, *brackets])}){outside})*"


_SIMPLE = re.compile(rf"{_closed(_OUTSIDE, _DEPTH)}(?=[\n\r]|\Z)")
_HEADER = re.compile(rf"({_closed(_BEFORE_COLON, _DEPTH)}:)[ \t\f\ufeff]*(?=[\n\r]|\Z)")
_LAMBDA = re.compile(r"\blambda\b")


def simple_statement(text: str, start: int) -> tuple[int, int] | None:
    """The end of a simple statement, and of its line; None where it takes more than a look."""
    match = _SIMPLE.match(text, start)
    return None if match is None else (match.end(), match.end())


def header(text: str, start: int) -> tuple[int, int] | None:
    """The same for a compound header, which ends with its colon, the only one outside of brackets."""
    match = _HEADER.match(text, start)
    return None if match is None or _LAMBDA.search(match[1]) else (match.end(1), match.end())
