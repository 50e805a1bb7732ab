"""What stands behind an operation's name: operands, groups, dictionaries, types, regions (see `operation`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pto_analysis.frozen import evolve
from pto_analysis.pto.aliases import type_end
from pto_analysis.pto.syntax import Argument, Literal, Name, Operation, Region, SourceLocation, Use
from pto_analysis.pto.tokens import Kind
from pto_analysis.pto.types import Type
from pto_analysis.source.span import Span

if TYPE_CHECKING:
    from pto_analysis.pto.operation import OperationReader

# Groups inside groups: `(buf(%ping, %pong))` is the deepest the dialect has.
_DEEPEST_GROUP = 8
_TYPED_GROUPS = frozenset({"ins", "outs"})


class PieceReader:
    """Collects the pieces of one operation."""

    def __init__(self, reader: OperationReader, depth: int, holds_regions: bool) -> None:
        self.reader = reader
        self.stream = reader.stream
        self.depth = depth
        self.holds_regions = holds_regions
        self.arguments: list[Argument] = []
        self.definitions: list[Name] = []
        self.attributes: dict[str, str] = {}
        self.words: list[str] = []
        self.enums: list[str] = []
        self.symbols: list[str] = []
        self.types: tuple[Type, ...] = ()
        self.result_types: tuple[Type, ...] = ()
        self.regions: list[Region] = []
        self.location: SourceLocation | None = None
        self.keys: set[str] = set()
        self._role: str | None = None
        self._typed = 0

    def read(self, start: int, end: int) -> PieceReader:
        """Read the tokens from `start` up to `end` and return self."""
        self._group(start, end, "", 0)
        return self

    def operation(self, name: str, at: int, span: Span, results: tuple[Name, ...]) -> Operation:
        """The finished operation. Without an arrow the types before it are the results' own."""
        types = self.result_types if self.result_types else self.types
        if len(types) == 1 and len(results) > 1 and not self.result_types:
            types = types * len(results)
        typed = tuple(evolve(one, type=types[k]) if k < len(types) else one for k, one in enumerate(results))
        return Operation(
            name=name,
            name_span=self.stream.span(at, at),
            span=span,
            results=typed,
            arguments=tuple(self.arguments),
            attributes=self.attributes,
            words=tuple(self.words),
            enums=tuple(self.enums),
            symbols=tuple(self.symbols),
            types=self.types,
            result_types=self.result_types,
            regions=tuple(self.regions),
            location=self.location,
            keys=frozenset(self.keys),
        )

    def _group(self, index: int, end: int, key: str, nesting: int) -> None:
        first_argument, first_type, opener = len(self.arguments), self._typed, index - 1
        while index < end:
            index = self._piece(index, end, key, nesting, first_argument)
        uses = sum(1 for arg in self.arguments[first_argument:] if isinstance(arg, Use))
        types = self._typed - first_type
        if key in _TYPED_GROUPS and types not in (0, uses):
            self.reader.complain(opener, f"{uses} operands but {types} types in '{key}(…)'")

    def _piece(self, index: int, end: int, key: str, nesting: int, first: int) -> int:
        """Read one piece; the token behind it."""
        kind, text = self.stream.kinds[index], self.stream.texts[index]
        if kind is Kind.VALUE:
            return self._value(index, end, key)
        if kind is Kind.WORD:
            return self._word(index, end, nesting)
        if kind in (Kind.NUMBER, Kind.DIMENSIONS):
            self.arguments.append(Literal(_number(text), self.stream.span(index, index), key))
            return index + 1
        if kind is Kind.PUNCTUATION or kind is Kind.ARROW:
            return self._punctuation(index, end, key, nesting, first)
        return self._leaf(index, end)

    def _value(self, index: int, end: int, key: str) -> int:
        name, span = self.stream.texts[index], self.stream.span(index, index)
        if index + 1 < end and self.stream.texts[index + 1] == "=":
            self.definitions.append(Name(name, span))
            return index + 2
        self.arguments.append(Use(name, span, key, self._role))
        self._role = None
        return index + 1

    def _word(self, index: int, end: int, nesting: int) -> int:
        text = self.stream.texts[index]
        following = self.stream.texts[index + 1] if index + 1 < end else ""
        if text == "loc" and following == "(":
            self.location, behind = self.reader.location(index, end)
            return max(behind, index + 1)
        if text == "attributes" and following == "{":
            self.attributes.update(self.reader.dictionary(index + 1))
            return self._behind(index + 1, end)
        if following == "=":
            return self._assignment(index, end, nesting)
        if following in ("(", "["):
            return self._bracket(index + 1, end, text, nesting)
        if following == "<" and self.stream.is_closed(index + 1):
            self.words.append(self.stream.source(index, self.stream.partner[index + 1] + 1))
            return self._behind(index + 1, end)
        self.words.append(text)
        self._role = text
        return index + 1

    def _assignment(self, index: int, end: int, nesting: int) -> int:
        """`addr = %x`, `offsets = [%a, %b]`, or a plain attribute."""
        key, value = self.stream.texts[index], index + 2
        self.keys.add(key)
        if value >= end:
            self.reader.complain(index + 1, f"expected a value behind '{key} ='")
            return value
        if self.stream.kinds[value] is Kind.VALUE:
            self.arguments.append(Use(self.stream.texts[value], self.stream.span(value, value), key))
            return value + 1
        if self.stream.texts[value] == "[":
            return self._bracket(value, end, key, nesting)
        behind = max(type_end(self.stream, value, end), value + 1)
        self.attributes[key] = self.stream.source(value, behind)
        return behind

    def _punctuation(self, index: int, end: int, key: str, nesting: int, first: int) -> int:
        text = self.stream.texts[index]
        if text == "(":
            return self._bracket(index, end, key, nesting)
        if text == "[":
            return self._bracket(index, end, "index", nesting)
        if text == "{":
            return self._braces(index, end)
        if text == "<":
            return self._angles(index, end)
        if text == ":":
            return self._types(index, end, key, first)
        if text == "->":
            self.result_types, behind = self.reader.type_list(index + 1, end)
            return max(behind, index + 1)
        if text not in (",", "=", ")", "]", "}", ">"):
            self.reader.complain(index, f"unexpected '{text}'")
        return index + 1

    def _bracket(self, index: int, end: int, key: str, nesting: int) -> int:
        """A keyed group. An unclosed one (reported already) is entered without its end."""
        self.keys.add(key)
        if not self.stream.is_closed(index):
            return index + 1
        if nesting < _DEEPEST_GROUP:
            role, self._role = self._role, None
            self._group(index + 1, min(self.stream.partner[index], end), key, nesting + 1)
            self._role = role if key == "" else None
        return self._behind(index, end)

    def _braces(self, index: int, end: int) -> int:
        if self._is_region(index):
            arguments = tuple(self.definitions) if not self.regions else ()
            self.regions.append(self.reader.inner_region(index, arguments, self.depth))
        else:
            self.attributes.update(self.reader.dictionary(index))
        return self._behind(index, end)

    def _is_region(self, index: int) -> bool:
        inside = index + 1
        if inside >= self.stream.partner[index]:
            return self.holds_regions or self.stream.texts[index - 1] == "("
        kind = self.stream.kinds[inside]
        following = self.stream.texts[inside + 1] if inside + 1 < len(self.stream) else ""
        if kind in (Kind.WORD, Kind.STRING) and following == "=":
            return False
        if self.holds_regions:
            return True
        if kind in (Kind.WORD, Kind.STRING) and following in (",", "}", ":"):
            return False
        return kind in (Kind.WORD, Kind.STRING, Kind.VALUE, Kind.BLOCK)

    def _angles(self, index: int, end: int) -> int:
        if not self.stream.is_closed(index):
            return index + 1
        if self.stream.texts[index + 1] == "{":
            self.attributes.update(self.reader.dictionary(index + 1))
        else:
            self.enums.append(self.stream.source(index + 1, self.stream.partner[index]))
        return self._behind(index, end)

    def _leaf(self, index: int, end: int) -> int:
        kind, text = self.stream.kinds[index], self.stream.texts[index]
        following = index + 1
        if kind is Kind.ATTRIBUTE and following < end and self.stream.texts[following] == "<":
            return self._angles(following, end)
        if kind is Kind.SYMBOL:
            self.symbols.append(text)
        elif kind is Kind.UNREADABLE:
            self.reader.complain(index, f"unexpected character {text!r}")
        else:
            self.words.append(text)
        return following

    def _types(self, index: int, end: int, key: str, first: int) -> int:
        """The types behind a colon, given to the operands of the group in order."""
        if index + 1 < end and self.stream.texts[index + 1] == "[":
            return self._bracket(index + 1, end, self.words[-1] if self.words else "", 1)
        types, behind = self.reader.type_list(index + 1, end)
        if behind == index + 1:
            self.reader.complain(index, "expected a type behind ':'")
        if key == "" and first == 0:
            self.types = types
            if behind < end and self.stream.texts[behind] == "to":
                self.result_types, behind = self.reader.type_list(behind + 1, end)
        self._typed += len(types)
        self._give_types(types, first)
        return behind

    def _give_types(self, types: tuple[Type, ...], first: int) -> None:
        remaining = iter(types)
        for at in range(first, len(self.arguments)):
            argument = self.arguments[at]
            if isinstance(argument, Use) and argument.type is None:
                given = next(remaining, None)
                if given is None:
                    return
                self.arguments[at] = evolve(argument, type=given)

    def _behind(self, opener: int, end: int) -> int:
        close = self.stream.partner[opener]
        return min(close + self.stream.is_closed(opener), end) if close >= 0 else opener + 1


def _number(text: str) -> int | float | str:
    if text.lstrip("-").isdigit() and len(text) < 40:
        return int(text)
    if text.startswith(("0x", "-0x")) and len(text) < 40:
        return int(text, 16)
    try:
        return float(text)
    except ValueError:
        return text
