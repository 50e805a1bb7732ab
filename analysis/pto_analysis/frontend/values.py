"""Closure values as expressions of the IR."""

from __future__ import annotations

from pto_analysis.frontend.enums import dsl_constant
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.dtypes import BOOL, FP32, INDEX
from pto_analysis.ir.expr import Const, Expr, Tuple
from pto_analysis.source.span import Origin
from pto_analysis.source.values import DslName, DynVar, EnumMember, External, Unknown, Value


def is_unknown(value: Value) -> bool:
    """Whether nothing is known of a value; names from outside of the workspace count as unknown."""
    return isinstance(value, (Unknown, External))


def is_undefined(value: Value) -> bool:
    """Whether a looked-up name is defined nowhere."""
    return isinstance(value, Unknown) and not value.defined


def value_to_expr(reading: Reading, value: Value, origin: Origin) -> Expr | None:
    """A closure value as the DSL's parser takes it: numbers, `pl.dynamic` extents, lists and tuples of these.

    None for what is no value of the DSL (strings, functions, unknowns). An unknown item of a list is a symbol.
    """
    if isinstance(value, bool):
        return Const(value, BOOL, origin)
    if isinstance(value, int):
        return Const(value, INDEX, origin)
    if isinstance(value, float):
        return Const(value, FP32, origin)
    if isinstance(value, DynVar):
        return reading.symbol(value.name)
    if isinstance(value, (list, tuple)):
        items = [value_to_expr(reading, item, origin) for item in value]
        known = [item for item in items if item is not None]
        return Tuple(tuple(known), origin) if len(known) == len(items) else None
    if isinstance(value, EnumMember) and isinstance(value.value, int):
        return Const(value.value, INDEX, origin)
    return None


def constant_of(value: Value) -> object | None:
    """A closure value that is a dtype, an enum member or a plain Python value; None for others."""
    if isinstance(value, DslName):
        return dsl_constant(value.path.partition(".")[2])
    if isinstance(value, (bool, int, float, str)):
        return value
    return None


def plain_value(expr: Expr) -> int | float | bool | None:
    """The number of a literal."""
    if isinstance(expr, Const):
        known = constant_int(expr)
        return expr.value if known is None else known
    return None
