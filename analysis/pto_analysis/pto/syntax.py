"""What a `.pto` file says, as written: modules, functions, operations, with a span on everything.

The tree is uniform: every operation, known or not, is a name with results, arguments sorted into keyed groups,
attributes, types and regions. What an operation means is decided later, by name (`pto.lower`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal as OneOf

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.pto.types import Type
from pto_analysis.source.span import Span


@frozen
class Complaint:
    """Something the reader could not make sense of. The rest of the file was still read."""

    kind: OneOf["syntax", "unknown-operation", "unsupported"]
    message: str
    span: Span


@frozen
class SourceLocation:
    """A `loc("file":line:column)` trailer; line and column are 0-based here, as in every span."""

    path: str
    line: int
    column: int


@frozen
class Name:
    """A definition of an SSA value (result, block argument, function argument). `text` includes the `%`."""

    text: str
    span: Span
    type: Type | None = None


@frozen
class Use:
    """A use of an SSA value. `key` is the group it stands in (`ins`, `outs`, `offsets`, `addr`, …; "" when plain),
    `role` the word in front of it (`fp`, `pre_quant`), if any."""

    name: str
    span: Span
    key: str = ""
    role: str | None = None
    type: Type | None = None


@frozen
class Literal:
    """A number written where an operand may stand."""

    value: int | float | str
    span: Span
    key: str = ""


Argument = Use | Literal


@frozen
class Region:
    """The operations between two braces, with the arguments of its first block. `extra_blocks` counts further
    blocks, whose operations follow in text order."""

    arguments: tuple[Name, ...]
    operations: tuple[Operation, ...]
    span: Span
    extra_blocks: int = 0


@frozen
class Operation:
    """One operation. `types` are those before an arrow (or all of them), `result_types` those behind it."""

    name: str
    name_span: Span
    span: Span
    results: tuple[Name, ...] = ()
    arguments: tuple[Argument, ...] = ()
    attributes: Mapping[str, str] = field(factory=dict[str, str])
    words: tuple[str, ...] = ()
    enums: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    result_types: tuple[Type, ...] = ()
    regions: tuple[Region, ...] = ()
    location: SourceLocation | None = None
    keys: frozenset[str] = frozenset()

    def uses(self, key: str | None = None) -> tuple[Use, ...]:
        """The SSA operands, in text order; those of one group if `key` is given."""
        return tuple(arg for arg in self.arguments if isinstance(arg, Use) and key in (None, arg.key))

    def group(self, key: str) -> tuple[Argument, ...]:
        """Operands and numbers of one group, in text order."""
        return tuple(arg for arg in self.arguments if arg.key == key)

    def first(self, key: str) -> Argument | None:
        """The first member of a group, None when there is none."""
        return next((arg for arg in self.arguments if arg.key == key), None)


@frozen
class FunctionSyntax:
    """One `func.func`. `body` None is a declaration. `attributes` maps names to their text."""

    name: str
    name_span: Span
    span: Span
    arguments: tuple[Name, ...]
    result_types: tuple[Type, ...]
    attributes: Mapping[str, str]
    body: Region | None
    module_attributes: Mapping[str, str] = field(factory=dict[str, str])
    location: SourceLocation | None = None


@frozen
class PtoFile:
    """Everything read from one text, in text order. Functions of nested modules stand in the same list; each
    carries the attributes of the modules around it (inner ones win)."""

    functions: tuple[FunctionSyntax, ...]
    complaints: tuple[Complaint, ...]


def walk(region: Region) -> Iterator[Operation]:
    """Every operation of the region, outer before inner, in text order."""
    stack = list(reversed(region.operations))
    while stack:
        operation = stack.pop()
        yield operation
        for inner in reversed(operation.regions):
            stack.extend(reversed(inner.operations))
