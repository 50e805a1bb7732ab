"""What a hover tells in `.pto` text: values, operations, types, functions, locations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pto_analysis.ide.hover import Hover
from pto_analysis.ide.pto.describe import brief_type, buffer_facts, dtype_facts, type_facts
from pto_analysis.ide.pto.document import PtoDocument
from pto_analysis.ide.pto.names import Definition
from pto_analysis.ops import table
from pto_analysis.pto.aliases import type_end
from pto_analysis.pto.syntax import FunctionSyntax, Literal, Operation, SourceLocation
from pto_analysis.pto.tokens import Kind
from pto_analysis.source.span import Span
from pto_analysis.sync.program import Op, Phase, operations


def hover_at(document: PtoDocument, line: int, column: int) -> Hover | None:
    """What is known about the place; None when that is nothing."""
    index = document.token_at(line, column)
    if index is None:
        return None
    markdown = _token(document, index)
    return None if not markdown else Hover(markdown, document.token_span(index))


def _token(document: PtoDocument, index: int) -> str | None:
    kind, text, span = document.stream.kinds[index], document.stream.texts[index], document.token_span(index)
    if kind is Kind.VALUE:
        definition = document.names.at(span.line, span.column)
        return _value(document, definition) if definition is not None else None
    if kind is Kind.SYMBOL:
        function = document.function_named(text)
        return _function(document, function) if function is not None else None
    if kind is Kind.TYPE:
        return _type(document, index)
    if kind is Kind.ATTRIBUTE:
        place = document.aliases.location(text)
        return _source_line(place) if place is not None else None
    operation = document.operation_at(span.line, span.column)
    if operation is not None and operation.name_span == span:
        return _operation(document, operation)
    return dtype_facts(text) if kind is Kind.WORD else None


def _value(document: PtoDocument, definition: Definition) -> str:
    operation = definition.operation
    value = _constant(operation) if operation is not None else ""
    head = f"```mlir\n{definition.name.text} : {brief_type(definition.type) or 'not known'}{value}\n```"
    facts = [*type_facts(definition.type), *buffer_facts(document, definition)]
    if operation is not None:
        facts.append(f"from `{operation.name}` in line {operation.span.line + 1}")
        facts += [_source_line(operation.location)] if operation.location is not None else []
    return "\n\n".join([head, "  \n".join(facts)]).strip()


def _constant(operation: Operation) -> str:
    literal = next((each for each in operation.arguments if isinstance(each, Literal)), None)
    return f" = {literal.value}" if operation.name == "arith.constant" and literal is not None else ""


def _source_line(place: SourceLocation) -> str:
    return f"written in `{place.path}`, line {place.line + 1}"


def _function(document: PtoDocument, function: FunctionSyntax) -> str:
    arguments = ", ".join(f"{name.text}: {brief_type(name.type)}" for name in function.arguments)
    lines = [f"```mlir\nfunc.func @{function.name}({arguments})\n```"]
    for program in document.programs:
        if program.where.span == function.name_span:
            count = sum(1 for _ in operations(program))
            lines.append(f"`{program.name}` on the {program.core} core: {count} queued operations")
    return "\n\n".join(lines)


def _type(document: PtoDocument, index: int) -> str | None:
    """A type alias or a type as a whole."""
    stream = document.stream
    end = type_end(stream, index, len(stream))
    type_ = document.aliases.type(stream.source(index, end))
    brief = brief_type(type_)
    return "\n\n".join([f"```mlir\n{brief}\n```", "  \n".join(type_facts(type_))]).strip() if brief else None


def _operation(document: PtoDocument, operation: Operation) -> str:
    doc = summaries().get(operation.name.removeprefix("pto."), "")
    facts = list(_queues(document, operation.span))
    if operation.location is not None:
        facts.append(_source_line(operation.location))
    return "\n\n".join(part for part in (f"`{operation.name}`", doc, "  \n".join(facts)) if part)


def _queues(document: PtoDocument, span: Span) -> Iterator[str]:
    for program in document.programs:
        for op in operations(program):
            if op.where.span == span:
                yield from _phases(op)


def _phases(op: Op) -> Iterator[str]:
    for phase in op.phases:
        yield f"runs on {phase.pipe.value}" + "".join(_touched(phase))
    if op.unknown:
        yield "not in the tables: taken as reading `ins` and writing `outs`"


def _touched(phase: Phase) -> Iterator[str]:
    for verb, handles in (("reads", phase.reads), ("writes", phase.writes), ("scratch", phase.scratch)):
        if handles:
            yield f", {verb} " + ", ".join(f"`%{handle}`" for handle in handles)


@lru_cache(maxsize=1)
def summaries() -> dict[str, str]:
    """What each pto operation does, in the words of the tile operation that becomes it."""
    return {spec.pto: spec.doc for spec in reversed(list(table().values())) if spec.pto}
