"""Python's operators on known values, bounded so that no constant takes more than a moment or a megabyte."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import islice
from typing import Any

from pto_analysis.source import host_tensors
from pto_analysis.source.values import (
    DslName,
    DynVar,
    EnumMember,
    External,
    HostTensor,
    Instance,
    Unknown,
    Value,
    is_known,
    parts,
)

MAX_BITS = 4096
"""Widest integer that is computed."""

MAX_ITEMS = 10_000
"""Longest list, string or range that is built."""

MAX_PARTS = 50_000
"""Most values inside of a value."""

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "//": lambda left, right: left // right,
    "%": lambda left, right: left % right,
    "**": lambda left, right: left**right,
    "<<": lambda left, right: left << right,
    ">>": lambda left, right: left >> right,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
    "is": operator.eq,
    "is not": operator.ne,
}
_UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
_FAILURES = (TypeError, ValueError, ArithmeticError, MemoryError, RecursionError, AttributeError, LookupError)


def binary(op: str, left: Value, right: Value) -> Value:
    """`left op right`, Unknown when an operand is or when Python would raise."""
    if isinstance(left, HostTensor) or isinstance(right, HostTensor):
        return host_tensors.binary(op, left, right)
    left, right = _plain(left), _plain(right)
    for operand in (left, right):
        if (missing := opaque(operand)) is not None:
            return missing
    if op not in _BINARY:
        return Unknown(f"operator {op}")
    if _too_large(op, left, right):
        return Unknown("number or list too large")
    return guarded(_BINARY[op], left, right)


def compare(op: str, left: Value, right: Value) -> Value:
    """One link of a comparison. Names of the DSL compare by their path."""
    left, right = (left, right) if op in ("is", "is not", "==", "!=") else (_plain(left), _plain(right))
    if op in ("==", "!="):
        left, right = _int_enum(left), _int_enum(right)
    for operand in (left, right):
        if isinstance(operand, Unknown):
            return operand
        if isinstance(operand, (DynVar, External, HostTensor)):
            return Unknown("compares something known at run time only")
        if not is_known(operand):
            return Unknown("compares something that is not all known")
    if op not in _COMPARE:
        return Unknown(f"operator {op}")
    return guarded(_COMPARE[op], left, right)


def unary(op: str, operand: Value) -> Value:
    """`-`, `+` or `~` of a value."""
    if isinstance(operand, HostTensor):
        return operand
    operand = _plain(operand)
    missing = opaque(operand)
    return missing if missing is not None else guarded(_UNARY[op], operand)


def guarded(function: Callable[..., Any], *operands: Any) -> Value:
    """The result of a pure function, Unknown when it raises or gives too much."""
    try:
        result = function(*operands)
    except _FAILURES as error:
        return Unknown(f"{type(error).__name__}: {error}"[:200])
    return bounded(result)


def bounded(value: Value) -> Value:
    """The value, unless it is too large to keep. Nested values count in full: sharing makes them small to write."""
    if isinstance(value, int):
        return Unknown("number too large") if value.bit_length() > MAX_BITS else value
    if not isinstance(value, (str, bytes, list, tuple, dict, frozenset, Instance)):
        return value
    if not isinstance(value, Instance) and len(value) > MAX_ITEMS:
        return Unknown("list or string too long")
    if isinstance(value, (str, bytes)):
        return value
    beyond = next(islice(parts(value), MAX_PARTS, None), value)
    return value if beyond is value else Unknown("nested value too large")


def opaque(value: Value) -> Unknown | None:
    """Why a value cannot be computed with; None when it can."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, DynVar):
        return Unknown(f"depends on the dynamic extent {value.name}")
    if isinstance(value, External):
        return Unknown(f"comes from {value.path}, outside of the workspace")
    if isinstance(value, DslName):
        return Unknown(f"depends on {value.path}")
    return None


def _plain(value: Value) -> Value:
    """The number of an IntEnum member."""
    return value.value if isinstance(value, EnumMember) else value


def _int_enum(value: Value) -> Value:
    return value.value if isinstance(value, EnumMember) and isinstance(value.value, int) else value


def _too_large(op: str, left: Value, right: Value) -> bool:
    if isinstance(left, Instance) or isinstance(right, Instance):
        return False
    if op == "<<":
        return isinstance(right, int) and right > MAX_BITS
    if op == "**":
        return _power_too_large(left, right)
    if op == "*":
        return _repeat_too_long(left, right) or _repeat_too_long(right, left)
    return op == "%" and isinstance(left, (str, bytes))


def _power_too_large(base: Value, exponent: Value) -> bool:
    if not isinstance(base, int) or not isinstance(exponent, int):
        return False
    return abs(exponent) * max(base.bit_length(), 1) > MAX_BITS


def _repeat_too_long(items: Value, count: Value) -> bool:
    return isinstance(items, (str, bytes, list, tuple)) and isinstance(count, int) and len(items) * count > MAX_ITEMS
