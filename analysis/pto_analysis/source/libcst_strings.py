"""The values of string literals in libcst's trees."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import libcst as cst


def string_value(node: cst.SimpleString) -> str | bytes:
    """What a literal that is no f-string is worth. Escapes that Python warns of are taken silently."""
    if "\\" in node.value or "\r" in node.value:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return node.evaluated_value
    value = node.value[len(node.prefix) :]
    quotes = 3 if value[:3] in ('"""', "'''") else 1
    plain = value[quotes:-quotes]
    return plain.encode() if "b" in node.prefix.lower() else plain


def string_pieces(node: cst.ConcatenatedString) -> list[cst.BaseExpression]:
    """The literals of adjacent strings, in order."""
    pieces: list[cst.BaseExpression] = []
    rest: cst.BaseExpression = node
    while isinstance(rest, cst.ConcatenatedString):
        pieces.append(rest.left)
        rest = rest.right
    return [*pieces, rest]


def joined_value(pieces: Sequence[cst.BaseExpression]) -> str | bytes | None:
    """What adjacent literals are worth together; None when an f-string is among them."""
    plain = [string_value(piece) for piece in pieces if isinstance(piece, cst.SimpleString)]
    if len(plain) < len(pieces):
        return None
    texts = [value for value in plain if isinstance(value, str)]
    return "".join(texts) if len(texts) == len(plain) else b"".join(each for each in plain if isinstance(each, bytes))
