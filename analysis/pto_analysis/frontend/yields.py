"""`pl.yield_`: the values that a loop body or branch hands on."""

from __future__ import annotations

from typing import TypeGuard

from pto_analysis.frontend.names import last_name
from pto_analysis.frontend.reading import Reading
from pto_analysis.ir.expr import type_of
from pto_analysis.ir.stmt import Yield
from pto_analysis.ir.types import Type, UnknownType
from pto_analysis.source import syntax


def is_yield(node: syntax.Expression | None) -> TypeGuard[syntax.Call]:
    return isinstance(node, syntax.Call) and last_name(node.func) == "yield_"


def read_yield(
    reading: Reading, node: syntax.Call, targets: tuple[syntax.Name, ...], annotated: Type | None = None
) -> None:
    """`a, b = pl.yield_(x, y)`: the names become visible when the loop or branch is done."""
    values = tuple(reading.expression(argument.value) for argument in node.args)
    reading.emit(Yield(values, reading.here()))
    if not reading.yields:
        return
    reading.yields[-1].bare |= not targets
    for position, target in enumerate(targets):
        type_ = type_of(values[position]) if position < len(values) else UnknownType("nothing was yielded")
        if annotated is not None and not isinstance(annotated, UnknownType):
            type_ = annotated
        reading.yields[-1].names.append((target.name, type_, reading.origin(target)))
