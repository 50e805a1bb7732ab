"""The names in a statement by the company they keep, without parsing it: more than there are, never fewer.

Remembered by the statement's text, as a keystroke changes one of hundreds in a kernel.
"""

from __future__ import annotations

import re

from pto_analysis.frozen import frozen
from pto_analysis.source.remembered import remembered

_WORD = re.compile(r"[^\W\d]\w*")
_CALL = re.compile(r"((?:\w+\.)*\w+)\(")
_HANDED = re.compile(r"([^\W\d]\w*)\s*[(,)\]]")
_AS = re.compile(r"\b(\w+)\s+as\s+(\w+)")
_IS = re.compile(r"(\w+)\s*=\s*(?:\w+\.)*(\w+)")


@frozen(eq=False)
class Words:
    """`names` are all of them; `called`, plain and dotted, stand before a parenthesis; `handed` there or where an
    argument ends; `renamed` are names with the names that an import or an assignment gives them."""

    names: frozenset[str]
    called: frozenset[str]
    handed: frozenset[str]
    renamed: tuple[tuple[str, str], ...]


@remembered(characters=300_000)
def words_of(statement: str) -> Words:
    plain = _IS.fullmatch(statement)
    return Words(
        frozenset(_WORD.findall(statement)),
        frozenset(_CALL.findall(statement)),
        frozenset(_HANDED.findall(statement)),
        (
            *(_AS.findall(statement) if " as " in statement else ()),
            *([(plain[2], plain[1])] if plain is not None else ()),
        ),
    )
