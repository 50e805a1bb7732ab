"""Python's pure builtins and methods on known values, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from pto_analysis.source.operators import MAX_ITEMS, guarded, opaque
from pto_analysis.source.values import EnumMember, Instance, Method, Unknown, Value, is_known, truth

_NUMERIC: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "bool": bool,
    "divmod": divmod,
    "float": float,
    "int": int,
    "max": max,
    "min": min,
    "pow": pow,
    "range": range,
    "round": round,
    "str": str,
    "sum": sum,
}
"""Functions that look at every part of their arguments."""


def _enumerate(items: list[Value], start: int = 0) -> list[tuple[int, Value]]:
    return list(enumerate(items, start))


def _reversed(items: list[Value]) -> list[Value]:
    return list(items)[::-1]


def _zip(*lists: list[Value]) -> list[tuple[Value, ...]]:
    return list(zip(*lists, strict=False))


_COLLECTING: dict[str, Callable[..., Any]] = {
    "all": all,
    "any": any,
    "dict": dict,
    "enumerate": _enumerate,
    "frozenset": frozenset,
    "len": len,
    "list": list,
    "reversed": _reversed,
    "set": frozenset,
    "sorted": sorted,
    "tuple": tuple,
    "zip": _zip,
}
"""Functions that move their arguments' items around, or ask for known truth only."""

BUILTINS = frozenset(_NUMERIC) | frozenset(_COLLECTING) | {"isinstance", "print"}

_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(
        {"lower", "upper", "strip", "lstrip", "rstrip", "split", "startswith", "endswith", "replace", "removeprefix"}
        | {
            "removesuffix",
            "join",
            "count",
            "find",
            "index",
            "title",
            "capitalize",
            "isdigit",
            "partition",
            "rpartition",
        }
    ),
    list: frozenset({"index", "count", "copy"}),
    tuple: frozenset({"index", "count"}),
    dict: frozenset({"get", "keys", "values", "items", "copy"}),
    int: frozenset({"bit_length"}),
    float: frozenset({"is_integer"}),
    range: frozenset({"index", "count"}),
}


def call_builtin(name: str, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """A builtin called with values."""
    if name == "print":
        return None
    if "key" in keywords:
        return Unknown(f"{name} with a key function")
    if name in _NUMERIC:
        return _call_numeric(name, args, keywords)
    if name not in _COLLECTING:
        return Unknown(f"call of {name}")
    unpacked = tuple(_unpacked(arg) for arg in args)
    missing = next((arg for arg in unpacked if isinstance(arg, Unknown)), None)
    if missing is not None:
        return missing
    if name in ("all", "any", "sorted", "set", "frozenset") and not all(map(is_known, unpacked)):
        return Unknown(f"{name} of values that are not all known")
    return guarded(partial(_COLLECTING[name], **keywords), *unpacked)


def method_of(receiver: Value, name: str) -> Value:
    """A method looked up on a plain Python value."""
    known = name in _METHODS.get(type(receiver), frozenset())
    return Method(receiver, name) if known else Unknown(f"attribute {name} of {type(receiver).__name__}")


def call_method(receiver: Value, name: str, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """A method of a plain Python value."""
    if not all(map(is_known, args)):
        return Unknown(f"argument of {name}")
    result = guarded(partial(getattr(receiver, name), **keywords), *args)
    return result if isinstance(result, (str, int, float, Unknown, list, tuple)) or name == "get" else _listed(result)


def sequence_of(value: Value) -> list[Value] | Unknown:
    """The items that iterating over a value gives."""
    if isinstance(value, (list, tuple, frozenset, range, dict, str)):
        return list(value) if len(value) <= MAX_ITEMS else Unknown("list too long")
    if isinstance(value, Instance):
        return list(value.fields.values())
    return opaque(value) or Unknown(f"items of {type(value).__name__}")


def _call_numeric(name: str, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    plain = tuple(arg.value if isinstance(arg, EnumMember) else arg for arg in args)
    for arg in plain:
        if (missing := opaque(arg)) is not None:
            return missing
        if not is_known(arg):
            return Unknown(f"{name} of values that are not all known")
        if isinstance(arg, Instance) or (isinstance(arg, range) and len(arg) > MAX_ITEMS):
            return Unknown(f"{name} of {type(arg).__name__}")
    if name == "bool" and len(plain) == 1:
        known = truth(plain[0])
        return Unknown("the truth of a value that is not known") if known is None else known
    return guarded(partial(_NUMERIC[name], **keywords), *plain)


def _unpacked(value: Value) -> Value:
    """Long ranges stay out of lists; everything else as it is."""
    if isinstance(value, range) and len(value) > MAX_ITEMS:
        return Unknown("range too long")
    return opaque(value) or value


def _listed(result: Any) -> Value:
    """A dictionary view as a list; None and a copied dictionary as they are."""
    if result is None or isinstance(result, dict):
        return cast("Value", result)
    return list(result)
