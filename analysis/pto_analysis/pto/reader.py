"""Text → `PtoFile`. The public door of the reader (reference: sync section 9; issue 3, item 1)."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.frozen import evolve, frozen
from pto_analysis.pto.aliases import Aliases, read_aliases
from pto_analysis.pto.header import function_from_generic, read_function_header
from pto_analysis.pto.operation import OperationReader
from pto_analysis.pto.syntax import Complaint, FunctionSyntax, PtoFile, Region, walk
from pto_analysis.pto.tokens import Kind, TokenStream, tokenize

_DEEPEST_MODULE = 16
# Nobody reads more; a binary file would give one for every byte.
_MOST_COMPLAINTS = 500


def read_pto(text: str) -> PtoFile:
    """Read a whole file. Never raises; what cannot be read becomes a complaint with its place, and reading goes
    on at the next operation, line or brace."""
    stream = tokenize(text)
    aliases = read_aliases(stream)
    faults = [Complaint("syntax", fault.message, stream.span(fault.token, fault.token)) for fault in stream.faults]
    reader = _FileReader(stream, aliases, OperationReader(stream, aliases))
    functions = reader.read()
    complaints = sorted([*faults, *reader.complaints, *reader.operations.complaints], key=lambda item: item.span)
    return PtoFile(tuple(functions), tuple(dict.fromkeys(complaints))[:_MOST_COMPLAINTS])


@frozen
class _ModuleLevel:
    """A stretch of tokens at module level that is still to be read."""

    start: int
    end: int
    attributes: Mapping[str, str]
    depth: int


class _FileReader:
    """Walks over modules with a list of stretches; function bodies go to the operation reader."""

    def __init__(self, stream: TokenStream, aliases: Aliases, operations: OperationReader) -> None:
        self.stream = stream
        self.aliases = aliases
        self.operations = operations
        self.complaints: list[Complaint] = []
        self._functions: list[FunctionSyntax] = []

    def read(self) -> list[FunctionSyntax]:
        stretches = [_ModuleLevel(0, len(self.stream), {}, 0)]
        while stretches:
            stretches.extend(reversed(self._read_stretch(stretches.pop())))
        return sorted(self._functions, key=lambda function: function.span)

    def _read_stretch(self, level: _ModuleLevel) -> list[_ModuleLevel]:
        modules: list[_ModuleLevel] = []
        index = level.start
        while index < level.end:
            word = self.stream.texts[index]
            if word == "module" and self.stream.kinds[index] is Kind.WORD:
                index, inner = self._module(index, level)
                modules.extend(inner)
            elif word == "func.func":
                index = self._function(index, level)
            elif word == '"builtin.module"' or word == '"func.func"':
                index = self._generic(index, level)
            else:
                index = self._other(index, level)
        return modules

    def _module(self, index: int, level: _ModuleLevel) -> tuple[int, list[_ModuleLevel]]:
        texts = self.stream.texts
        cursor = index + 1
        attributes = dict(level.attributes)
        if cursor < level.end and self.stream.kinds[cursor] is Kind.SYMBOL:
            cursor += 1
        if cursor < level.end and texts[cursor] == "attributes" and self._opens(cursor + 1, level.end):
            attributes.update(self.operations.dictionary(cursor + 1))
            cursor = self._after(cursor + 1)
        if not self._opens(cursor, level.end):
            self._complain(index, "expected '{' after 'module'")
            return index + 1, []
        if level.depth >= _DEEPEST_MODULE:
            self._complain(index, "modules nested too deeply are not read")
            return self._after(cursor), []
        end = self.stream.partner[cursor]
        after = self.operations.skip_location(self._after(cursor), level.end)
        return after, [_ModuleLevel(cursor + 1, end, attributes, level.depth + 1)]

    def _function(self, index: int, level: _ModuleLevel) -> int:
        header, cursor = read_function_header(self.stream, self.operations, index, level.end)
        if isinstance(header, Complaint):
            self.complaints.append(header)
            return cursor
        body = None
        if self._opens(cursor, level.end):
            body = self.operations.region(cursor + 1, self.stream.partner[cursor], (), 0)
            cursor = self._after(cursor)
        location, cursor = self.operations.location(cursor, level.end)
        function = evolve(
            header,
            span=self.stream.span(index, cursor - 1),
            body=body,
            module_attributes=level.attributes,
            location=location,
        )
        self._functions.append(function)
        return cursor

    def _generic(self, index: int, level: _ModuleLevel) -> int:
        """`"builtin.module"() ({ … }) {attributes} : () -> ()` and the same for functions."""
        operation, cursor = self.operations.one(index, level.end, 0)
        if operation is None:
            return cursor
        inherited = {**level.attributes, **(operation.attributes if operation.name != "func.func" else {})}
        outer = Region((), (operation,), operation.span)
        found = [function_from_generic(inner, inherited) for inner in walk(outer) if inner.name == "func.func"]
        self._functions.extend(found)
        return cursor

    def _other(self, index: int, level: _ModuleLevel) -> int:
        """Anything else at module level: alias definitions were read before; the rest is named and skipped."""
        kind, text = self.stream.kinds[index], self.stream.texts[index]
        if kind in (Kind.TYPE, Kind.ATTRIBUTE) and index in self.aliases.definitions:
            return self.aliases.definitions[index]
        if text == "}":
            return index + 1
        end = self._next_top_level(index + 1, level.end)
        self._complain(index, f"expected 'func.func' or 'module', found '{text[:40]}'")
        return end

    def _next_top_level(self, index: int, end: int) -> int:
        while index < end:
            if self.stream.texts[index] in ("module", "func.func", '"func.func"', '"builtin.module"'):
                return index
            if index in self.aliases.definitions:
                return index
            index += 1
        return end

    def _opens(self, index: int, end: int) -> bool:
        return index < end and self.stream.texts[index] == "{"

    def _after(self, opener: int) -> int:
        return self.stream.partner[opener] + self.stream.is_closed(opener)

    def _complain(self, index: int, message: str) -> None:
        self.complaints.append(Complaint("syntax", message, self.stream.span(index, index)))
