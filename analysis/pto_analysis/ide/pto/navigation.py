"""Where a name of `.pto` text is defined and used."""

from __future__ import annotations

from pto_analysis.ide.occurrences import Occurrence
from pto_analysis.ide.pto.document import PtoDocument
from pto_analysis.pto.tokens import Kind
from pto_analysis.source.span import Span


def definition_at(document: PtoDocument, line: int, column: int) -> Span | None:
    """Where the value, function or alias at a place is defined."""
    found = next((each for each in occurrences_at(document, line, column) if each.writes), None)
    return found.span if found is not None else None


def occurrences_at(document: PtoDocument, line: int, column: int) -> tuple[Occurrence, ...]:
    """Every place that names the value, function or alias at a place."""
    index = document.token_at(line, column)
    if index is None:
        return ()
    stream = document.stream
    if stream.kinds[index] is Kind.VALUE:
        definition = document.names.at(line, column)
        return tuple(sorted(set(definition.occurrences()))) if definition is not None else ()
    if stream.kinds[index] not in (Kind.SYMBOL, Kind.TYPE, Kind.ATTRIBUTE):
        return ()
    same = [other for other, text in enumerate(stream.texts) if text == stream.texts[index]]
    found = [Occurrence(document.token_span(other), writes=_defines(document, other)) for other in same]
    return tuple(found) if any(each.writes for each in found) else ()


def _defines(document: PtoDocument, index: int) -> bool:
    if document.stream.kinds[index] is Kind.SYMBOL:
        span = document.token_span(index)
        return any(function.name_span == span for function in document.file.functions)
    return index in document.aliases.definitions
