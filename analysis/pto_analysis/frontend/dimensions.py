"""Extents written in annotations and shapes: numbers, closure names, `pl.dynamic` symbols, arithmetic on them."""

from __future__ import annotations

from pto_analysis.frontend.extents import as_dim
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frontend.values import is_undefined, is_unknown, value_to_expr
from pto_analysis.ir.types import Dim, Shape
from pto_analysis.source import syntax


def read_extents(reading: Reading, node: syntax.Expression) -> Shape | None:
    """A shape: a list or tuple literal, or a Python name or expression that holds one. None when not known."""
    if isinstance(node, syntax.Sequence):
        return tuple(read_extent(reading, item) for item in node.items)
    value = reading.closure.evaluate(node)
    if not isinstance(value, (list, tuple)):
        return None
    extents: list[Dim] = []
    for item in value:
        expr = None if is_unknown(item) else value_to_expr(reading, item, reading.origin(node))
        if expr is None:
            return None
        extents.append(as_dim(expr))
    return tuple(extents)


def read_extent(reading: Reading, node: syntax.Expression) -> Dim:
    """One extent. A closure value comes before a DSL variable of the same name here, as the DSL has it."""
    if isinstance(node, syntax.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, syntax.Name):
        value = reading.closure.lookup(node.name)
        if is_undefined(value) or (is_unknown(value) and node.name in reading.scope):
            return as_dim(reading.expression(node))
        if not is_unknown(value):
            expr = value_to_expr(reading, value, reading.origin(node))
            if expr is not None:
                return as_dim(expr)
        return reading.unknown_constant(node.name)
    value = reading.closure.evaluate(node)
    known = constant_int(value)
    return known if known is not None else as_dim(reading.expression(node))


def static_int(reading: Reading, node: syntax.Expression) -> int | None:
    """An integer that the closure decides."""
    return constant_int(reading.closure.evaluate(node))
