"""The head of a function: name, arguments, result types, attributes."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.pto.operation import OperationReader
from pto_analysis.pto.syntax import Complaint, FunctionSyntax, Name, Operation
from pto_analysis.pto.tokens import Kind, TokenStream
from pto_analysis.pto.types import Type


def read_function_header(
    stream: TokenStream, operations: OperationReader, index: int, end: int
) -> tuple[FunctionSyntax | Complaint, int]:
    """Read from the word `func.func` up to the body's brace (or behind a declaration). On a fault the place to go
    on is the body's brace or the next function."""
    cursor = index + 1
    while cursor < end and stream.kinds[cursor] is Kind.WORD:
        cursor += 1
    if cursor >= end or stream.kinds[cursor] is not Kind.SYMBOL:
        return _fault(stream, cursor, end, "expected a function name such as '@kernel'")
    name = cursor
    cursor += 1
    if cursor >= end or stream.texts[cursor] != "(" or not stream.is_closed(cursor):
        return _fault(stream, cursor, end, "expected '(' with the function's arguments")
    arguments = _arguments(stream, operations, cursor + 1, stream.partner[cursor])
    cursor = stream.partner[cursor] + 1
    results: tuple[Type, ...] = ()
    if cursor < end and stream.kinds[cursor] is Kind.ARROW:
        results, cursor = operations.type_list(cursor + 1, end)
    attributes: dict[str, str] = {}
    if cursor + 1 < end and stream.texts[cursor] == "attributes" and stream.texts[cursor + 1] == "{":
        attributes = operations.dictionary(cursor + 1)
        cursor = stream.partner[cursor + 1] + stream.is_closed(cursor + 1)
    text = stream.texts[name].lstrip("@").strip('"')
    spans = stream.span(name, name), stream.span(index, name)
    return FunctionSyntax(text, *spans, arguments, results, attributes, None), cursor


def _fault(stream: TokenStream, cursor: int, end: int, message: str) -> tuple[Complaint, int]:
    place = stream.span(cursor, cursor)
    while cursor < end and stream.texts[cursor] not in ("func.func", "module"):
        if stream.texts[cursor] == "{":
            return Complaint("syntax", message, place), stream.partner[cursor] + stream.is_closed(cursor)
        cursor += 1
    return Complaint("syntax", message, place), cursor


def _arguments(stream: TokenStream, operations: OperationReader, start: int, end: int) -> tuple[Name, ...]:
    """`%a: T {…}, %b: T`, or types alone in a declaration (then numbered)."""
    names: list[Name] = []
    cursor = start
    while cursor < end:
        first = cursor
        if stream.kinds[cursor] is Kind.VALUE:
            cursor += 2
        types, behind = operations.one_type(cursor, end)
        text = stream.texts[first] if stream.kinds[first] is Kind.VALUE else f"%arg{len(names)}"
        names.append(Name(text, stream.span(first, first), types))
        cursor = _next_comma(stream, max(behind, first + 1), end)
    return tuple(names)


def _next_comma(stream: TokenStream, cursor: int, end: int) -> int:
    while cursor < end and stream.texts[cursor] != ",":
        closed = stream.partner[cursor] >= 0 and stream.is_closed(cursor)
        cursor = stream.partner[cursor] + 1 if closed else cursor + 1
    return cursor + 1


def function_from_generic(operation: Operation, module_attributes: Mapping[str, str]) -> FunctionSyntax:
    """A `"func.func"() ({ … }) {sym_name = "f", …}` as a function."""
    body = operation.regions[0] if operation.regions else None
    return FunctionSyntax(
        operation.attributes.get("sym_name", "").strip('"'),
        operation.name_span,
        operation.span,
        body.arguments if body is not None else (),
        (),
        operation.attributes,
        body,
        module_attributes,
        operation.location,
    )
