"""Which definition each `%name` of a `.pto` file means.

Names are unique in a function but for sibling regions, which may reuse them: a name means the innermost definition
that stands before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.ide.occurrences import Occurrence
from pto_analysis.pto.syntax import FunctionSyntax, Name, Operation, PtoFile, Region
from pto_analysis.pto.types import Type
from pto_analysis.source.span import Span


@define(eq=False)
class Definition:
    """A value with every place that names it. `operation` is None for arguments of functions and regions.

    `visible` is the region in which the name may be used.
    """

    name: Name
    function: FunctionSyntax
    operation: Operation | None
    visible: Span
    uses: list[Span] = field(factory=list[Span])
    used_type: Type | None = None

    @property
    def type(self) -> Type | None:
        """As it is declared, else as its uses say."""
        return self.name.type or self.used_type

    def occurrences(self) -> tuple[Occurrence, ...]:
        return (Occurrence(self.name.span, writes=True), *(Occurrence(span) for span in self.uses))


@frozen(eq=False)
class PtoNames:
    """All definitions of a file, in text order."""

    definitions: tuple[Definition, ...]

    def at(self, line: int, column: int) -> Definition | None:
        """The value that is named at a place."""
        for definition in self.definitions:
            for span in chain((definition.name.span,), definition.uses):
                if span.line == line and span.contains(line, column):
                    return definition
        return None

    def visible_at(self, line: int, column: int) -> Iterator[Definition]:
        """The values that may be used at a place."""
        for definition in self.definitions:
            end = definition.operation.span if definition.operation is not None else definition.name.span
            if (end.end_line, end.end_column) < (line, column) and definition.visible.contains(line, column):
                yield definition


def resolve_names(file: PtoFile) -> PtoNames:
    found: list[Definition] = []
    for function in file.functions:
        if function.body is not None:
            _Resolver(function, found).function(function.body)
    return PtoNames(tuple(found))


@frozen(eq=False)
class _Resolver:
    """Walks over one function. Regions nest at most as deep as the reader reads them."""

    function_syntax: FunctionSyntax
    found: list[Definition]
    scopes: list[dict[str, Definition]] = field(factory=list[dict[str, Definition]])

    def function(self, body: Region) -> None:
        self.scopes.append({})
        for argument in self.function_syntax.arguments:
            self._define(argument, None, self.function_syntax.span)
        self._region(body)

    def _region(self, region: Region) -> None:
        self.scopes.append({})
        for argument in region.arguments:
            self._define(argument, None, region.span)
        for operation in region.operations:
            self._operation(operation, region)
        self.scopes.pop()

    def _operation(self, operation: Operation, region: Region) -> None:
        for use in operation.uses():
            meant = next((scope[use.name] for scope in reversed(self.scopes) if use.name in scope), None)
            if meant is not None:
                meant.uses.append(use.span)
                meant.used_type = meant.used_type or use.type
        for inner in operation.regions:
            self._region(inner)
        for result in operation.results:
            self._define(result, operation, region.span)

    def _define(self, name: Name, operation: Operation | None, visible: Span) -> None:
        definition = Definition(name, self.function_syntax, operation, visible)
        self.scopes[-1][name.text] = definition
        self.found.append(definition)
