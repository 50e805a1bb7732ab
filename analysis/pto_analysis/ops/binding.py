"""Turns the arguments of a DSL call into IR operands and attributes.

Arguments are what the frontend makes of them: IR expressions (positional literals are `Const`), and for everything
that is not an expression plain values: `DType`, the enums of `ir.types`, numbers, booleans, strings, None, and
lists or tuples of these for shapes. A positional float literal keeps its dtype FP32, an integer literal takes the
dtype of the tile it meets, and a plain number (a keyword literal) always does, as in the DSL's own builders.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import NoReturn, cast

from attrs import frozen

from pto_analysis.ir.dtypes import BOOL, DTYPES, FP32, INDEX, INT32, DType
from pto_analysis.ir.expr import (
    EXPRESSIONS,
    Const,
    Expr,
    Tuple,
    type_of,
)
from pto_analysis.ir.types import Atomic, Layout, Pad, ScalarType, Space, TensorType, TileType, UnknownType
from pto_analysis.ops.deduction.site import RefusedError
from pto_analysis.ops.signature import Param, parameters
from pto_analysis.ops.spec import OpSpec, Refusal, RefusalKind

CAST_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")
COMPARE_MODES = ("eq", "ne", "lt", "le", "gt", "ge")
COALESCE_MODES = ("row", "elem")
TENSOR_LAYOUTS = ("ND", "DN", "NZ", "MX_A_ZZ", "MX_B_NN")
OUT_OF_BOUNDS_MODES = ("undefined", "clamp", "wrap", "zero")


@frozen
class Bound:
    """A call of the IR: operands in signature order, attributes in signature order."""

    op: str
    args: tuple[Expr, ...]
    attrs: Mapping[str, object]


def bind(spec: OpSpec, positional: Sequence[object], keywords: Mapping[str, object]) -> Bound | Refusal:
    """Binds a call of `spec` by its own signature."""
    try:
        values = assign_arguments(spec.spelling, spec.signature, positional, keywords)
        return _Binder(spec, values).bound()
    except RefusedError as refused:
        return refused.refusal


def assign_arguments(
    what: str, signature: str, positional: Sequence[object], keywords: Mapping[str, object]
) -> dict[str, object]:
    """Which parameter gets which argument; only given ones are in the result. Raises `RefusedError`."""
    params = parameters(signature)
    _check_keywords(what, params, keywords)
    slots = [p for p in params if p.passing == "positional" or (p.passing == "floating" and p.name not in keywords)]
    rest = next((p for p in params if p.passing == "rest"), None)
    if len(positional) > len(slots) and rest is None:
        _refuse("arity", f"{what} takes {len(slots)} positional arguments, got {len(positional)}")
    values: dict[str, object] = {}
    for param, value in zip(slots, positional, strict=False):
        if param.name in keywords:
            _refuse("arity", f"{what} got '{param.name}' twice", keyword=param.name)
        values[param.name] = value
    if rest is not None:
        values[rest.name] = tuple(positional[len(slots) :])
    values.update(keywords)
    missing = [p.name for p in params if p.default is None and p.passing != "rest" and p.name not in values]
    if missing:
        _refuse("arity", f"{what} needs {', '.join(missing)}", keyword=missing[0])
    return values


def _check_keywords(what: str, params: Sequence[Param], keywords: Mapping[str, object]) -> None:
    names = [p.name for p in params if p.passing != "rest"]
    for key in keywords:
        if key not in names:
            near = tuple(get_close_matches(key, names, 3, 0.5))
            hint = f", did you mean {near[0]}?" if near else ""
            _refuse("keyword", f"{what} has no parameter '{key}'{hint}", keyword=key, suggestions=near)


def _refuse(
    kind: RefusalKind, message: str, *, keyword: str | None = None, suggestions: tuple[str, ...] = ()
) -> NoReturn:
    raise RefusedError(Refusal(kind, message, keyword=keyword, suggestions=suggestions))


class _Binder:
    """Converts the assigned arguments of one call, parameter by parameter."""

    def __init__(self, spec: OpSpec, values: Mapping[str, object]) -> None:
        self._spec: OpSpec = spec
        self._values: Mapping[str, object] = values
        self._args: dict[str, Expr] = {}
        self._attrs: dict[str, object] = {}

    def bound(self) -> Bound:
        params = parameters(self._spec.signature)
        for param in params:
            if param.is_attribute:
                self._bind_attribute(param)
        args: list[Expr] = []
        pending: list[Param] = []
        for param in params:
            if param.is_attribute:
                continue
            if param.passing == "rest":
                args.extend(
                    self._operand(param, value) for value in cast("tuple[object, ...]", self._values[param.name])
                )
                continue
            value = self._value_or_default(param)
            if value is None:
                pending.append(param)
                continue
            args.extend(Tuple(()) for gap in pending if gap.base_kind == "shape")
            pending = [gap for gap in pending if gap.base_kind != "shape"]
            operand = self._operand(param, value)
            self._args[param.name] = operand
            args.append(operand)
        ordered = {p.name: self._attrs[p.name] for p in params if p.name in self._attrs}
        return Bound(self._spec.name, tuple(args), ordered)

    def _value_or_default(self, param: Param) -> object:
        if param.name in self._values:
            value = self._values[param.name]
            if value is None and param.default is not None and param.default.startswith("$"):
                return self._values.get(param.default[1:])
            empty = param.name == "drop_dims" and not value
            return None if empty else value
        if param.default is not None and param.default.startswith("$"):
            return self._values.get(param.default[1:])
        if param.default is None or param.default == "None":
            return None
        return param.default

    def _operand(self, param: Param, value: object) -> Expr:
        converter = _OPERANDS[param.base_kind]
        return converter(self, param, value)

    def reference_dtype(self, name: str) -> DType | None:
        """The dtype that a literal beside parameter `name` takes."""
        attr = self._attrs.get(name)
        if isinstance(attr, DType):
            return attr
        operand = self._args.get(name)
        type_ = type_of(operand) if operand is not None else None
        return type_.dtype if isinstance(type_, (TileType, TensorType)) else None

    def attribute(self, name: str) -> object:
        return self._attrs.get(name)

    def _bind_attribute(self, param: Param) -> None:
        given = param.name in self._values
        value = self._values[param.name] if given else param.default
        if value is None or (value == "None" and not given):
            return
        if isinstance(value, Const):
            value = value.value
        if isinstance(value, EXPRESSIONS) and isinstance(type_of(value), UnknownType):
            self._attrs[param.name] = value
            return
        converted = _ATTRIBUTES[param.base_kind](param, value, given)
        if param.omitted_by_default and self._is_default(param, converted):
            return
        self._attrs[param.name] = converted

    def _is_default(self, param: Param, converted: object) -> bool:
        if param.default in (None, "None"):
            return False
        return converted == _ATTRIBUTES[param.base_kind](param, param.default, False)


def _literal(value: object) -> Const | None:
    """A plain number as a constant of its default dtype."""
    if isinstance(value, bool):
        return Const(value, BOOL)
    if isinstance(value, int):
        return Const(value, INDEX)
    return Const(value, FP32) if isinstance(value, float) else None


def _any_operand(binder: _Binder, param: Param, value: object) -> Expr:
    del binder
    if isinstance(value, EXPRESSIONS):
        return value
    literal = _literal(value)
    if literal is not None:
        return literal
    _refuse("operand-kind", f"'{param.name}' must be a value, not {type(value).__name__}", keyword=param.name)


def _index_operand(binder: _Binder, param: Param, value: object) -> Expr:
    return _any_operand(binder, param, value)


def _typed_literal(value: float, dtype: DType) -> Const:
    """A number at a dtype: a float for float dtypes, an integer for the rest."""
    return Const(float(value) if dtype.is_float else int(value), dtype)


def _is_placeholder(value: object) -> bool:
    """Plain numbers and INDEX literals take the dtype of what they meet."""
    if isinstance(value, Const):
        return isinstance(value.value, int) and not isinstance(value.value, bool) and value.dtype == INDEX
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _scalar_operand(binder: _Binder, param: Param, value: object) -> Expr:
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
        _refuse("dtype", f"'{param.name}' {number} is no {dtype}", keyword=param.name)
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
        _refuse("dtype", message, keyword=param.name)


def _int32_operand(binder: _Binder, param: Param, value: object) -> Expr:
    if isinstance(value, Const) and isinstance(value.value, int):
        return Const(value.value, INT32)
    if isinstance(value, int):
        return Const(value, INT32)
    return _any_operand(binder, param, value)


def _float32_operand(binder: _Binder, param: Param, value: object) -> Expr:
    if _is_placeholder(value):
        return _typed_literal(value.value if isinstance(value, Const) else cast("int | float", value), FP32)
    expr = _any_operand(binder, param, value)
    _check_not_index(param, expr, FP32)
    return expr


def _number_operand(binder: _Binder, param: Param, value: object) -> Expr:
    """The value of full: a number at the dtype of the call."""
    dtype = binder.attribute("dtype")
    number = value.value if isinstance(value, Const) else value
    if isinstance(number, (int, float)) and isinstance(dtype, DType):
        return Const(number, dtype)
    return _any_operand(binder, param, value)


def _counter_start(binder: _Binder, param: Param, value: object) -> Expr:
    """The start of ci: a constant of any dtype takes the dtype of the call."""
    dtype = binder.attribute("dtype")
    number = value.value if isinstance(value, Const) else value
    if isinstance(number, int) and isinstance(dtype, DType):
        return Const(number, dtype)
    return _any_operand(binder, param, value)


def _shape_operand(binder: _Binder, param: Param, value: object) -> Expr:
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[object]", value)
        return Tuple(tuple(_any_operand(binder, param, item) for item in items))
    return _any_operand(binder, param, value)


def _indices_operand(binder: _Binder, param: Param, value: object) -> Expr:
    if isinstance(value, Tuple):
        return value
    if isinstance(value, (list, tuple)):
        return _shape_operand(binder, param, cast("object", value))
    return Tuple((_any_operand(binder, param, value),))


_OPERANDS: dict[str, Callable[[_Binder, Param, object], Expr]] = {
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
    "indices": _indices_operand,
}


def _bad_attribute(param: Param, value: object, wanted: str) -> NoReturn:
    _refuse("attribute", f"'{param.name}' must be {wanted}, not {value!r}", keyword=param.name)


def _dtype_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in DTYPES:
        return DTYPES[value]
    _bad_attribute(param, value, "a dtype")


def _space_attribute(param: Param, value: object, given: bool) -> object:
    if isinstance(value, Space):
        return value
    if isinstance(value, str) and not given:
        return Space(value)
    _bad_attribute(param, value, "a memory space")


def _layout_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, Layout):
        return value
    _bad_attribute(param, value, "a TileLayout")


def _pad_attribute(param: Param, value: object, given: bool) -> object:
    if isinstance(value, str) and not given:
        return Pad(value)
    if isinstance(value, Pad):
        return value
    if value == 0 and not isinstance(value, bool):
        return Pad.ZERO
    if isinstance(value, float) and math.isinf(value):
        return Pad.MAX if value > 0 else Pad.MIN
    _bad_attribute(param, value, "a PadValue, 0 or an infinity")


def _bool_attribute(param: Param, value: object, given: bool) -> object:
    if isinstance(value, str) and not given:
        return value == "True"
    if isinstance(value, bool):
        return value
    _bad_attribute(param, value, "True or False")


def _int_attribute(param: Param, value: object, given: bool) -> object:
    if isinstance(value, str) and not given:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    _bad_attribute(param, value, "an integer")


def _str_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, str):
        return value
    _bad_attribute(param, value, "a string")


def _choice(param: Param, value: object, choices: Sequence[str]) -> int:
    """The number of a mode given by name or number."""
    if isinstance(value, str) and value in choices:
        return choices.index(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(choices):
        return value
    _bad_attribute(param, value, " or ".join(choices))


def _cast_mode(param: Param, value: object, given: bool) -> object:
    del given
    return CAST_MODES[_choice(param, value, CAST_MODES)]


def _cmp_mode(param: Param, value: object, given: bool) -> object:
    del given
    return _choice(param, value, COMPARE_MODES)


def _coalesce(param: Param, value: object, given: bool) -> object:
    del given
    return _choice(param, value, COALESCE_MODES)


def _gather_oob(param: Param, value: object, given: bool) -> object:
    del given
    return _choice(param, value, OUT_OF_BOUNDS_MODES)


def _atomic(param: Param, value: object, given: bool) -> object:
    if isinstance(value, Atomic):
        return value
    if isinstance(value, str) and not given:
        return Atomic(value)
    if value in (0, 1):
        return Atomic.ADD if value else Atomic.NONE
    _bad_attribute(param, value, "an AtomicType")


def _tensor_layout(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, str) and value in TENSOR_LAYOUTS:
        return value
    _bad_attribute(param, value, "a TensorLayout")


def _number_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    _bad_attribute(param, value, "a number")


def _shape_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, Tuple):
        return value.items
    if not isinstance(value, (list, tuple)):
        _bad_attribute(param, value, "a list of extents")
    return tuple(cast("Sequence[object]", value))


def _any_attribute(param: Param, value: object, given: bool) -> object:
    del param, given
    return value


_ATTRIBUTES: dict[str, Callable[[Param, object, bool], object]] = {
    "dtype": _dtype_attribute,
    "space": _space_attribute,
    "layout": _layout_attribute,
    "pad": _pad_attribute,
    "bool": _bool_attribute,
    "int": _int_attribute,
    "dim": _int_attribute,
    "str": _str_attribute,
    "cast_mode": _cast_mode,
    "cmp_mode": _cmp_mode,
    "coalesce": _coalesce,
    "gather_oob": _gather_oob,
    "atomic": _atomic,
    "shape": _shape_attribute,
    "tensor_layout": _tensor_layout,
    "number": _number_attribute,
    "any": _any_attribute,
}


def known_kinds() -> frozenset[str]:
    """Every kind a signature may use, attribute kinds with `@`."""
    return frozenset(_OPERANDS) | {f"@{kind}" for kind in _ATTRIBUTES}
