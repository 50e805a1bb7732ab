"""What is known of an expression without looking further: its constant value, and whether it rests on unknowns."""

from __future__ import annotations

from typing import cast

from pto_analysis.ir.expr import Const, Var, is_expression, type_of
from pto_analysis.ir.types import TensorType, TileType, TupleType, Type, UnknownType
from pto_analysis.ops.table import get


def constant_int(value: object) -> int | None:
    """The value of an int or an integer literal; None for everything else (a bool is not an int here)."""
    number = value.value if type(value) is Const else value
    return number if type(number) is int else None


def rests_on_unknown(value: object) -> bool:
    """Whether an operand is, or is computed from, something that is not known; its extents count too."""
    if isinstance(value, tuple):
        return any(rests_on_unknown(item) for item in cast("tuple[object, ...]", value))
    if not is_expression(value) or isinstance(value, Const):
        return False
    if _is_uncertain(type_of(value)):
        return True
    return not isinstance(value, Var) and any(rests_on_unknown(child) for child in value.children)


def _is_uncertain(type_: Type) -> bool:
    if isinstance(type_, UnknownType):
        return not _is_handle(type_)
    if isinstance(type_, TupleType):
        return any(_is_uncertain(item) for item in type_.items)
    if not isinstance(type_, (TileType, TensorType)):
        return False
    valid = type_.view.valid_shape if type_.view is not None else None
    return any(not isinstance(dim, int) and rests_on_unknown(dim) for dim in (*type_.shape, *(valid or ())))


def _is_handle(type_: UnknownType) -> bool:
    """Whether a value has no type by its nature: a buffer, context or event, and not one that was not followed."""
    return type_.why.endswith(" handle") or get(type_.why) is not None
