"""One operation of `.pto` text, of any shape (reference: sync section 9 and appendix A).

The ops are many and their shapes irregular, so there is one lenient grammar for all of them: an operation is its
results, its name, and pieces (operands, keyed groups in round or square brackets, dictionaries, angle-bracket
words, types, regions, a location) up to where the next operation begins.
"""

from __future__ import annotations

from pto_analysis.pto.aliases import Aliases, location_in, type_end
from pto_analysis.pto.pieces import PieceReader
from pto_analysis.pto.syntax import Complaint, Name, Operation, Region, SourceLocation
from pto_analysis.pto.tokens import Kind, TokenStream
from pto_analysis.pto.types import OtherType, Type

# Deeper nesting than any kernel has; keeps every later stage safe to recurse over regions.
_DEEPEST_REGION = 64
# Operations whose name carries no dialect.
_BARE_NAMES = frozenset({"return", "call", "module"})
# Right behind these names a value is defined, not an operation begun.
_DEFINING = frozenset({"scf.for", "affine.for"})
_REGION_OPERATIONS = ("scf.", "affine.", "pto.section.", "func.func", "module")


class OperationReader:
    """Reads regions and operations out of one token stream, and keeps what it had to complain about."""

    def __init__(self, stream: TokenStream, aliases: Aliases) -> None:
        self.stream = stream
        self.aliases = aliases
        self.complaints: list[Complaint] = []

    def region(self, start: int, end: int, arguments: tuple[Name, ...], depth: int) -> Region:
        """The operations between two tokens; `arguments` come from the operation's head."""
        operations: list[Operation] = []
        blocks = 0
        index = start
        while index < end:
            if self.stream.kinds[index] is Kind.BLOCK:
                names, index = self._block(index, end)
                blocks += bool(operations)
                arguments = arguments or names
                continue
            operation, index = self.one(index, end, depth)
            if operation is not None:
                operations.append(operation)
        span = self.stream.span(max(start - 1, 0), end)
        return Region(arguments, tuple(operations), span, blocks)

    def one(self, index: int, end: int, depth: int) -> tuple[Operation | None, int]:
        """The operation at `index` and the token behind it; None (and a complaint) where there is none."""
        name = self._behind_results(index, end)
        if name is None or name >= end or not self._is_name(name):
            return None, self._recover(index if name is None else name, index, end)
        behind = self._operation_end(name, end)
        results = self._results(index, name)
        pieces = PieceReader(self, depth, self._holds_regions(name)).read(name + 1, behind)
        if not results and self.stream.texts[name] == "scf.for" and not pieces.definitions:
            self.complain(name, "expected '%i = lower to upper step width' behind 'scf.for'")
        return pieces.operation(self._name(name), name, self.stream.span(index, behind - 1), results), behind

    def _behind_results(self, index: int, end: int) -> int | None:
        if self.stream.kinds[index] is not Kind.VALUE:
            return index
        equals = self._results_end(index, end)
        return None if equals is None else equals + 1

    def _results_end(self, index: int, end: int) -> int | None:
        """The `=` of `%a, %b:2 =`, or None when the values do not name results."""
        texts, kinds = self.stream.texts, self.stream.kinds
        while index < end and kinds[index] is Kind.VALUE:
            index += 1
            if index + 1 < end and texts[index] == ":" and kinds[index + 1] is Kind.NUMBER:
                index += 2
            if index < end and texts[index] == "=":
                return index
            if index >= end or texts[index] != ",":
                return None
            index += 1
        return None

    def _results(self, index: int, name: int) -> tuple[Name, ...]:
        names: list[Name] = []
        for at in range(index, name):
            if self.stream.kinds[at] is not Kind.VALUE:
                continue
            text, span = self.stream.texts[at], self.stream.span(at, at)
            count = self._count_behind(at)
            names.extend([Name(text, span)] if count is None else [Name(f"{text}#{k}", span) for k in range(count)])
        return tuple(names)

    def _count_behind(self, at: int) -> int | None:
        if self.stream.texts[at + 1] != ":":
            return None
        digits = self.stream.texts[at + 2]
        return int(digits) if digits.isdigit() and len(digits) < 4 else 1

    def _is_name(self, index: int) -> bool:
        kind, text = self.stream.kinds[index], self.stream.texts[index]
        if kind is Kind.STRING:
            return "." in text and index + 1 < len(self.stream) and self.stream.texts[index + 1] in ("(", "<")
        return kind is Kind.WORD and ("." in text.strip(".") or text in _BARE_NAMES)

    def _name(self, index: int) -> str:
        text = self.stream.texts[index].strip('"')
        return {"return": "func.return", "call": "func.call"}.get(text, text)

    def _holds_regions(self, index: int) -> bool:
        """Whether every brace behind this name opens a region (in the generic form they stand in round brackets)."""
        text = self.stream.texts[index]
        return text.startswith(_REGION_OPERATIONS)

    def _operation_end(self, name: int, end: int) -> int:
        """The first token behind the operation: where the next operation, a block or the region's end stands."""
        index = name + (3 if self.stream.texts[name] in _DEFINING else 1)
        while index < end:
            if self._starts_operation(index, end) or self.stream.kinds[index] is Kind.BLOCK:
                return index
            index = self._behind(index, end)
        return end

    def _behind(self, index: int, end: int) -> int:
        """One step: over a whole group, or one token. A brace reaches to where it was given up when nothing
        closes it; other unclosed brackets are stepped into."""
        partner = self.stream.partner[index]
        if partner < 0:
            return index + 1
        if self.stream.is_closed(index):
            return min(partner + 1, end)
        return min(partner, end) if self.stream.texts[index] == "{" else index + 1

    def _starts_operation(self, index: int, end: int) -> bool:
        kind = self.stream.kinds[index]
        before = self.stream.texts[index - 1]
        if kind is Kind.VALUE:
            return before not in (",", "=") and self._results_end(index, end) is not None
        return kind in (Kind.WORD, Kind.STRING) and before != "=" and self._is_name(index)

    def _recover(self, at: int, start: int, end: int) -> int:
        """Complain and find the next place where an operation begins, at the latest behind the next brace."""
        found = self.stream.texts[at][:40] if at < len(self.stream) else "the end of the file"
        self.complain(min(at, end), f"expected an operation, found '{found}'")
        index = max(start, min(at, end)) + 1 if at == start else max(at, start + 1)
        while index < end and not self._starts_operation(index, end):
            if self.stream.texts[index] == "{":
                return self.stream.partner[index] + self.stream.is_closed(index)
            index += 1
        return index

    def _block(self, index: int, end: int) -> tuple[tuple[Name, ...], int]:
        """`^bb0(%x : T, %y : T):` and the token behind it."""
        names: tuple[Name, ...] = ()
        index += 1
        if index < end and self.stream.texts[index] == "(" and self.stream.is_closed(index):
            names = self._block_arguments(index + 1, self.stream.partner[index])
            index = self.stream.partner[index] + 1
        if index < end and self.stream.texts[index] == ":":
            index += 1
        return names, index

    def _block_arguments(self, start: int, end: int) -> tuple[Name, ...]:
        names: list[Name] = []
        index = start
        while index < end:
            if self.stream.kinds[index] is not Kind.VALUE:
                index += 1
                continue
            found, behind = self.one_type(index + 2, end)
            names.append(Name(self.stream.texts[index], self.stream.span(index, index), found))
            index = max(behind, index + 1)
        return tuple(names)

    def inner_region(self, opener: int, arguments: tuple[Name, ...], depth: int) -> Region:
        """The region in the braces that open at `opener`."""
        close = self.stream.partner[opener]
        if depth >= _DEEPEST_REGION:
            message = f"regions nested deeper than {_DEEPEST_REGION} are not read"
            self.complaints.append(Complaint("unsupported", message, self.stream.span(opener, opener)))
            return Region(arguments, (), self.stream.span(opener, close))
        return self.region(opener + 1, close, arguments, depth + 1)

    def one_type(self, index: int, end: int) -> tuple[Type, int]:
        """The type at `index` and the token behind it."""
        behind = type_end(self.stream, index, end)
        if behind == index:
            return OtherType(""), index
        return self.aliases.type(self.stream.source(index, behind)), behind

    def type_list(self, index: int, end: int) -> tuple[tuple[Type, ...], int]:
        """`T`, `T, T` or `(T, T)`, and the token behind it."""
        texts = self.stream.texts
        if index < end and texts[index] == "(" and self.stream.is_closed(index):
            close = self.stream.partner[index]
            inner, _ = self.type_list(index + 1, close) if texts[index + 1] != "(" else ((), close)
            return inner, close + 1
        types: list[Type] = []
        while index < end:
            found, behind = self.one_type(index, end)
            if behind == index:
                break
            types.append(found)
            index = behind
            if index < end and texts[index] == "{" and self.stream.is_closed(index) and index + 1 < end:
                index = self._behind_type_attributes(index, end)
            if index >= end or texts[index] != ",":
                break
            index += 1
        return tuple(types), index

    def _behind_type_attributes(self, index: int, end: int) -> int:
        """In a list of result types each may carry a dictionary; elsewhere the brace is not ours."""
        behind = self.stream.partner[index] + 1
        return behind if behind < end and self.stream.texts[behind] == "," else index

    def dictionary(self, opener: int) -> dict[str, str]:
        """`{a = 1, "b" = #x<y>, unit}` as name → text; a unit attribute's text is empty."""
        found: dict[str, str] = {}
        end = self.stream.partner[opener]
        index = opener + 1
        while index < end:
            key = self.stream.texts[index].strip('"')
            index += 1
            start = index + 1
            has_value = index < end and self.stream.texts[index] == "="
            while index < end and self.stream.texts[index] != ",":
                closed = self.stream.partner[index] >= 0 and self.stream.is_closed(index)
                index = self.stream.partner[index] + 1 if closed else index + 1
            found[key] = self.stream.source(start, min(index, end)) if has_value else ""
            index += 1
        return found

    def location(self, index: int, end: int) -> tuple[SourceLocation | None, int]:
        """A `loc(…)` trailer at `index`, if one stands there, and the token behind it."""
        behind = self.skip_location(index, end)
        if behind == index:
            return None, index
        found = location_in(self.stream, index + 2, behind - 1)
        return (self.aliases.location(found) if isinstance(found, str) else found), behind

    def skip_location(self, index: int, end: int) -> int:
        """The token behind a `loc(…)` trailer; `index` itself when none stands there."""
        texts = self.stream.texts
        if index + 1 < end and texts[index] == "loc" and texts[index + 1] == "(" and self.stream.is_closed(index + 1):
            return self.stream.partner[index + 1] + 1
        return index

    def complain(self, index: int, message: str) -> None:
        self.complaints.append(Complaint("syntax", message, self.stream.span(index, index)))
