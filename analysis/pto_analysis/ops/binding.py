"""Turns the arguments of a DSL call into IR operands and attributes.

Arguments are what the frontend makes of them: IR expressions (positional literals are `Const`), and for everything
that is not an expression plain values: `DType`, the enums of `ir.types`, numbers, booleans, strings, None, and
lists or tuples of these for shapes. A positional float literal keeps its dtype FP32, an integer literal takes the
dtype of the tile it meets, and a plain number (a keyword literal) always does, as in the DSL's own builders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NoReturn, cast

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import (
    Const,
    Expr,
    Tuple,
    is_expression,
    type_of,
)
from pto_analysis.ir.types import TensorType, TileType, UnknownType
from pto_analysis.ops.attributes import ATTRIBUTES
from pto_analysis.ops.deduction.site import RefusedError, refuse
from pto_analysis.ops.operands import OPERANDS
from pto_analysis.ops.signature import Param, Signature, read_signature
from pto_analysis.ops.spec import OpSpec, Refusal


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
    known = read_signature(signature)
    if not keywords.keys() <= known.names:
        _refuse_keyword(what, known, keywords)
    slots = [param.name for param in known.positional if param.passing == "positional" or param.name not in keywords]
    if len(positional) > len(slots) and known.rest is None:
        refuse("arity", f"{what} takes {len(slots)} positional arguments, got {len(positional)}")
    values = dict(zip(slots, positional, strict=False))
    for name in values:
        if name in keywords:
            refuse("arity", f"{what} got '{name}' twice", keyword=name)
    if known.rest is not None:
        values[known.rest] = tuple(positional[len(slots) :])
    values.update(keywords)
    missing = [name for name in known.required if name not in values]
    if missing:
        refuse("arity", f"{what} needs {', '.join(missing)}", keyword=missing[0])
    return values


def _refuse_keyword(what: str, signature: Signature, keywords: Mapping[str, object]) -> NoReturn:
    """The first that names no parameter."""
    names = [param.name for param in signature.params if param.name in signature.names]
    key = next(key for key in keywords if key not in signature.names)
    near = tuple(get_close_matches(key, names, 3, 0.5))
    hint = f", did you mean {near[0]}?" if near else ""
    refuse("keyword", f"{what} has no parameter '{key}'{hint}", keyword=key, suggestions=near)


class _Binder:
    """Converts the assigned arguments of one call, parameter by parameter."""

    def __init__(self, spec: OpSpec, values: Mapping[str, object]) -> None:
        self._spec: OpSpec = spec
        self._values: Mapping[str, object] = values
        self._args: dict[str, Expr] = {}
        self._attrs: dict[str, object] = {}

    def bound(self) -> Bound:
        signature = read_signature(self._spec.signature)
        for param in signature.attributes:
            self._bind_attribute(param)
        args: list[Expr] = []
        pending: list[Param] = []
        for param in signature.operands:
            if param.passing == "rest":
                args.extend(
                    self._operand(param, value) for value in cast("tuple[object, ...]", self._values[param.name])
                )
                continue
            value = self._value_or_default(param)
            if value is None:
                pending.append(param)
                continue
            if pending:
                args.extend(Tuple(()) for gap in pending if gap.base_kind == "shape")
                pending = [gap for gap in pending if gap.base_kind != "shape"]
            operand = self._operand(param, value)
            self._args[param.name] = operand
            args.append(operand)
        return Bound(self._spec.name, tuple(args), self._attrs)

    def _value_or_default(self, param: Param) -> object:
        if param.name in self._values:
            value = self._values[param.name]
            if value is None and param.default is not None and param.default.startswith("$"):
                return self._values.get(param.default[1:])
            return None if param.base_kind == "axes" and not value else value
        if param.default is not None and param.default.startswith("$"):
            return self._values.get(param.default[1:])
        if param.default is None or param.default == "None":
            return None
        return param.default

    def _operand(self, param: Param, value: object) -> Expr:
        converter = OPERANDS[param.base_kind]
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
        if is_expression(value) and isinstance(type_of(value), UnknownType):
            self._attrs[param.name] = value
            return
        converted = ATTRIBUTES[param.base_kind](param, value, given)
        if param.omitted_by_default and self._is_default(param, converted):
            return
        self._attrs[param.name] = converted

    def _is_default(self, param: Param, converted: object) -> bool:
        if param.default in (None, "None"):
            return False
        return converted == ATTRIBUTES[param.base_kind](param, param.default, False)


def known_kinds() -> frozenset[str]:
    """Every kind a signature may use, attribute kinds with `@`."""
    return frozenset(OPERANDS) | {f"@{kind}" for kind in ATTRIBUTES}
