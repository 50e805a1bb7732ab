"""Fingerprints of the IR: equal for what differs in the identity of its variables only.

Names, types, attributes and origins all count, so what was worked out of one piece of IR holds for another that has
the same fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from hashlib import blake2b
from typing import Any, cast

import attrs

from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import Var
from pto_analysis.ir.types import TensorType, TileType

_FIELDS: dict[type[object], tuple[str, ...]] = {}


def fingerprint(*parts: object) -> bytes:
    """The fingerprint of IR, of its types and attributes, of plain values and of tuples and mappings of all these."""
    writer = _Writer()
    for part in parts:
        writer.write(part)
    return blake2b(repr(writer.out).encode("utf-8", "surrogatepass"), digest_size=16).digest()


class _Writer:
    """Writes values down one after the other; a variable in full where it comes first, by its number from then on."""

    def __init__(self) -> None:
        self.out: list[object] = []
        self._variables: dict[Var, int] = {}
        self._types: dict[int, tuple[object, int]] = {}

    def write(self, value: Any) -> None:
        kind = cast("type[object]", type(value))
        if kind in _PLAIN:
            self.out.append(value)
        elif kind is tuple or kind is list:
            self.out.append(len(value))
            for item in value:
                self.write(item)
        elif kind is Var:
            self._variable(value)
        else:
            writer = _WRITERS.get(kind) or _writer_of(kind)
            writer(self, value)

    def fields(self, value: Any) -> None:
        """An object of the IR."""
        kind = cast("type[object]", type(value))
        self.out.append(kind.__name__)
        for name in _FIELDS[kind]:
            part = getattr(value, name)
            if part is None or type(part) in _PLAIN:
                self.out.append(part)
            else:
                self.write(part)

    def shared(self, value: object) -> None:
        """A type, which many have: by its number where the same object was written before."""
        known = self._types.get(id(value))
        if known is None:
            self._types[id(value)] = (value, len(self._types))
            self.fields(value)
        else:
            self.out.append(f"type {known[1]}")

    def mapping(self, value: Mapping[Any, Any]) -> None:
        self.out.append(f"{len(value)} items")
        for key, item in value.items():
            self.write(key)
            self.write(item)

    def _variable(self, var: Var) -> None:
        number = self._variables.get(var)
        if number is None:
            self._variables[var] = len(self._variables)
            self.fields(var)
        else:
            self.out.append(f"variable {number}")


_PLAIN = frozenset({str, int, float, bool, bytes, type(None)})

_Write = Callable[[_Writer, Any], None]


def _enum(writer: _Writer, value: Enum) -> None:
    writer.out.append(f"{type(value).__name__}.{value.name}")


def _dtype(writer: _Writer, value: DType) -> None:
    writer.out.append(f"dtype {value.name}")


def _set(writer: _Writer, value: frozenset[object]) -> None:
    writer.out.append(sorted(map(repr, value)))


def _text(writer: _Writer, value: object) -> None:
    """Whatever else an attribute may hold."""
    writer.out.append(f"{type(value).__name__} {value!r}")


_WRITERS: dict[type[object], _Write] = {
    DType: _dtype,
    TileType: _Writer.shared,
    TensorType: _Writer.shared,
    dict: _Writer.mapping,
    frozenset: _set,
    set: _set,
}


def _writer_of(kind: type[object]) -> _Write:
    """Found once for each class."""
    if issubclass(kind, Enum):
        write: _Write = _enum
    elif attrs.has(kind):
        _FIELDS[kind] = tuple(each.name for each in attrs.fields(kind))
        write = _Writer.fields
    elif issubclass(kind, Mapping):
        write = _Writer.mapping
    else:
        write = _text
    _WRITERS[kind] = write
    return write


for _kind in (Var, TileType, TensorType):
    _FIELDS[_kind] = tuple(each.name for each in attrs.fields(_kind))
