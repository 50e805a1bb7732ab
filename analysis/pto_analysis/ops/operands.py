"""How an argument becomes an IR operand, by the kind of its parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, cast

from pto_analysis.ir.dtypes import BOOL, DTYPES, FP32, INDEX, INT32, DType
from pto_analysis.ir.expr import (
    Const,
    Expr,
    Tuple,
    is_expression,
    type_of,
)
from pto_analysis.ir.types import ScalarType
from pto_analysis.ops.deduction.site import refuse
from pto_analysis.ops.signature import Param


class References(Protocol):
    """What a converter may ask about the parameters that are bound already."""

    def reference_dtype(self, name: str) -> DType | None:
        """The dtype that a literal beside parameter `name` takes."""

    def attribute(self, name: str) -> object:
        """The value of an attribute, None when it has none."""


def _literal(value: object) -> Const | None:
    """A plain number as a constant of its default dtype."""
    if isinstance(value, bool):
        return Const(value, BOOL)
    if isinstance(value, int):
        return Const(value, INDEX)
    return Const(value, FP32) if isinstance(value, float) else None


def _any_operand(binder: References, param: Param, value: object) -> Expr:
    del binder
    if is_expression(value):
        return value
    literal = _literal(value)
    if literal is None:
        refuse("operand-kind", f"'{param.name}' must be a value, not {type(value).__name__}", keyword=param.name)
    return literal


def _index_operand(binder: References, param: Param, value: object) -> Expr:
    return _any_operand(binder, param, value)


def _typed_literal(value: float, dtype: DType) -> Const:
    """A number at a dtype: a float for float dtypes, an integer for the rest."""
    return Const(float(value) if dtype.is_float else int(value), dtype)


def _is_placeholder(value: object) -> bool:
    """Plain numbers and INDEX literals take the dtype of what they meet."""
    if isinstance(value, Const):
        return isinstance(value.value, int) and not isinstance(value.value, bool) and value.dtype == INDEX
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _scalar_operand(binder: References, param: Param, value: object) -> Expr:
    reference, _, mode = param.argument.partition(",")
    dtype = binder.reference_dtype(reference.strip())
    retype = mode.strip() == "signed"
    if not _is_placeholder(value) and not (retype and isinstance(value, Const)):
        expr = _any_operand(binder, param, value)
        _check_not_index(param, expr, dtype)
        return expr
    number = value.value if isinstance(value, Const) else cast("int | float", value)
    target = dtype
    if target is None or (not retype and isinstance(number, float) and target.is_int):
        target = FP32 if isinstance(number, float) or mode.strip() == "float" else INT32
    if retype:
        return _signed_literal(param, number, target)
    if not target.is_float and not target.is_int:
        return _typed_literal(number, FP32 if isinstance(number, float) else INT32)
    return _typed_literal(number, target)


def _signed_literal(param: Param, number: float, dtype: DType) -> Const:
    """sels: an unsigned source takes the bits of its scalar from a signed one."""
    if dtype.is_int and isinstance(number, float) and not number.is_integer():
        refuse("dtype", f"'{param.name}' {number} is no {dtype}", keyword=param.name)
    if dtype.signed or not dtype.is_int:
        return _typed_literal(number, dtype)
    value = int(number)
    wrapped = value - (1 << dtype.bits) if value >= 1 << (dtype.bits - 1) else value
    return Const(wrapped, DTYPES[dtype.name[1:]])


def _check_not_index(param: Param, expr: Expr, dtype: DType | None) -> None:
    type_ = type_of(expr)
    if isinstance(type_, ScalarType) and type_.dtype == INDEX:
        wanted = dtype.name if dtype is not None and dtype.is_int else "INT32"
        message = f"'{param.name}' is an INDEX scalar, which ops on data do not take: cast it to {wanted} first"
        refuse("dtype", message, keyword=param.name)


def _int32_operand(binder: References, param: Param, value: object) -> Expr:
    if isinstance(value, Const) and isinstance(value.value, int):
        return Const(value.value, INT32)
    if isinstance(value, int):
        return Const(value, INT32)
    return _any_operand(binder, param, value)


def _float32_operand(binder: References, param: Param, value: object) -> Expr:
    if _is_placeholder(value):
        return _typed_literal(value.value if isinstance(value, Const) else cast("int | float", value), FP32)
    expr = _any_operand(binder, param, value)
    _check_not_index(param, expr, FP32)
    return expr


def _number_operand(binder: References, param: Param, value: object) -> Expr:
    """The value of full: a number at the dtype of the call."""
    dtype = binder.attribute("dtype")
    number = value.value if isinstance(value, Const) else value
    if isinstance(number, (int, float)) and isinstance(dtype, DType):
        return Const(number, dtype)
    return _any_operand(binder, param, value)


def _counter_start(binder: References, param: Param, value: object) -> Expr:
    """The start of ci: a constant of any dtype takes the dtype of the call."""
    dtype = binder.attribute("dtype")
    number = value.value if isinstance(value, Const) else value
    if isinstance(number, int) and isinstance(dtype, DType):
        return Const(number, dtype)
    return _any_operand(binder, param, value)


def _shape_operand(binder: References, param: Param, value: object) -> Expr:
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[object]", value)
        return Tuple(tuple(_any_operand(binder, param, item) for item in items))
    return _any_operand(binder, param, value)


def _indices_operand(binder: References, param: Param, value: object) -> Expr:
    if isinstance(value, Tuple):
        return value
    if isinstance(value, (list, tuple)):
        return _shape_operand(binder, param, cast("object", value))
    return Tuple((_any_operand(binder, param, value),))


OPERANDS: dict[str, Callable[[References, Param, object], Expr]] = {
    "tile": _any_operand,
    "tensor": _any_operand,
    "shaped": _any_operand,
    "value": _any_operand,
    "predicate": _any_operand,
    "index": _index_operand,
    "scalar": _scalar_operand,
    "int32": _int32_operand,
    "float32": _float32_operand,
    "number": _number_operand,
    "start": _counter_start,
    "shape": _shape_operand,
    "axes": _shape_operand,
    "indices": _indices_operand,
}
