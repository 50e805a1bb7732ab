"""Names that a `.pto` file gives to types, attributes and locations (`!ring = …`, `#loc3 = loc(…)`).

They may stand behind their uses, so they are collected before anything else is read.
"""

from __future__ import annotations

import re

from pto_analysis.frozen import frozen
from pto_analysis.pto.syntax import SourceLocation
from pto_analysis.pto.tokens import Kind, TokenStream
from pto_analysis.pto.types import OtherType, Type, parse_type

# A type longer than this is nonsense or an alias bomb; it is kept as unknown text.
_LONGEST_TYPE = 4096
_DEEPEST_ALIAS = 8
_ALIAS_USE = re.compile(r"![A-Za-z_][\w$]*(?![\w$.])")


@frozen(eq=False)
class Aliases:
    """`types` maps an alias to its text, `locations` to its place, `definitions` the first token of each alias
    definition to the token behind it."""

    types: dict[str, str]
    locations: dict[str, SourceLocation | str]
    definitions: dict[int, int]
    _cache: dict[str, Type]

    def type(self, text: str) -> Type:
        """The type spelled by `text`, aliases replaced. One object for equal texts."""
        found = self._cache.get(text)
        if found is None:
            found = self._cache[text] = self._parsed(text)
        return found

    def _parsed(self, text: str) -> Type:
        for _ in range(_DEEPEST_ALIAS):
            if len(text) > _LONGEST_TYPE:
                return OtherType(text[:64])
            replaced = _ALIAS_USE.sub(lambda match: self.types.get(match.group(), match.group()), text)
            if replaced == text:
                break
            text = replaced
        return parse_type(re.sub(r"//[^\n]*", "", text))

    def location(self, name: str) -> SourceLocation | None:
        """Where a location alias leads, through aliases of aliases."""
        for _ in range(_DEEPEST_ALIAS):
            target = self.locations.get(name)
            if not isinstance(target, str):
                return target
            name = target
        return None


def read_aliases(stream: TokenStream) -> Aliases:
    """Collect every `!name = type` and `#name = attribute` of the file."""
    aliases = Aliases({}, {}, {}, {})
    for index in range(len(stream) - 2):
        kind = stream.kinds[index]
        if kind not in (Kind.TYPE, Kind.ATTRIBUTE) or stream.texts[index + 1] != "=":
            continue
        if kind is Kind.TYPE:
            end = type_end(stream, index + 2, len(stream))
            aliases.types[stream.texts[index]] = stream.source(index + 2, end)
        else:
            end = _attribute_end(stream, index + 2)
            place = location_in(stream, index + 2, end)
            if place is not None:
                aliases.locations[stream.texts[index]] = place
        aliases.definitions[index] = max(end, index + 2)
    return aliases


def type_end(stream: TokenStream, index: int, end: int) -> int:
    """The token behind the type that begins at `index`; `index` itself when no type begins there."""
    texts, kinds = stream.texts, stream.kinds
    while index < end:
        text = texts[index]
        if kinds[index] in (Kind.TYPE, Kind.WORD):
            index += 1
            if index < end and texts[index] == "<" and stream.is_closed(index):
                return min(stream.partner[index] + 1, end)
            return index
        if text not in ("(", "<") or not stream.is_closed(index):
            return index
        index = min(stream.partner[index] + 1, end)
        if text == "<" or index >= end or kinds[index] is not Kind.ARROW:
            return index
        index += 1
    return index


def _attribute_end(stream: TokenStream, index: int) -> int:
    index += 1
    while index < len(stream) and stream.texts[index] in ("(", "<") and stream.is_closed(index):
        index = stream.partner[index] + 1
    return index


def location_in(stream: TokenStream, start: int, end: int) -> SourceLocation | str | None:
    """The first `"file":line:column` between two tokens, else the name of a location alias, else None."""
    alias = None
    for index in range(start, end):
        kind = stream.kinds[index]
        if kind is Kind.ATTRIBUTE and alias is None:
            alias = stream.texts[index]
        if kind is Kind.STRING and index + 4 < end:
            line, column = stream.texts[index + 2], stream.texts[index + 4]
            colons = stream.texts[index + 1] == ":" == stream.texts[index + 3]
            if colons and _is_small(line) and _is_small(column):
                path = stream.texts[index][1:-1]
                return SourceLocation(path, max(int(line) - 1, 0), max(int(column) - 1, 0))
    return alias


def _is_small(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
