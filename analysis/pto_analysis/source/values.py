"""What a name or expression outside of the DSL is worth, as far as it can be known without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import EllipsisType
from typing import TypeAlias, Union

from attrs import field

from pto_analysis.frozen import frozen


@frozen
class Unknown:
    """A value that cannot be known, and why. `defined` is False for a name that nothing defines."""

    why: str
    defined: bool = True


@frozen
class DslName:
    """Something of the DSL by its canonical path, whatever the import is called.

    "pl" is `pypto.language` itself, "pl.FP32" and "pl.Mem.Vec" are names in it, "pld" is
    `pypto.language.distributed`, "pypto" the package around both.
    """

    path: str


@frozen
class DynVar:
    """`pl.dynamic("N")`: an extent that is known at run time only."""

    name: str


@frozen
class External:
    """A module, or a name of one, that is not in the workspace: `math`, `torch.float32`."""

    path: str


@frozen
class ModuleRef:
    """A module of the workspace by its file, or a namespace package by its folder."""

    path: str


@frozen
class FunctionRef:
    """A function or method by file and qualified name (`make.Prog.kernel`); `Workspace.unit_of` gives its source.

    `line` is where its `def` stands in that unit, for a function defined inside of another.
    """

    path: str
    name: str
    line: int | None = None


@frozen
class ClassRef:
    """A class, as `FunctionRef` a function."""

    path: str
    name: str
    line: int | None = None


@frozen(hash=False)
class Instance:
    """An object of a dataclass, named tuple or plain class, by its fields."""

    cls: ClassRef
    fields: Mapping[str, Value]


@frozen
class EnumMember:
    """A member of an enum class; it is what its class and name say, so it may be the key of a dictionary."""

    cls: ClassRef
    name: str
    value: Value = field(eq=False)


@frozen(hash=False)
class Method:
    """A method looked up on a value, not yet called."""

    receiver: Value
    name: str


@frozen
class HostTensor:
    """A torch or numpy tensor: its extents, all positive, and the name of its dtype in torch."""

    shape: tuple[int, ...]
    dtype: str


@frozen(eq=False)
class LocalFunction:
    """A function defined inside of one that is being followed; `call` follows a call of it."""

    name: str
    call: Callable[[tuple[Value, ...], Mapping[str, Value]], Value]


Value: TypeAlias = Union[
    bool, int, float, complex, str, bytes, EllipsisType, range, "list[Value]", "tuple[Value, ...]",
    "dict[Value, Value]", "frozenset[Value]", Unknown, DslName, DynVar, External, ModuleRef, FunctionRef, ClassRef,
    Instance, EnumMember, Method, HostTensor, LocalFunction, None,
]  # fmt: skip
"""Plain Python values stand for themselves, and are never changed once made."""


def parts(value: Value) -> Iterator[Value]:
    """A value and everything inside of it."""
    waiting: list[Value] = [value]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, (list, tuple, frozenset)):
            waiting.extend(each)
        elif isinstance(each, dict):
            waiting.extend(each.values())
        elif isinstance(each, Instance):
            waiting.extend(each.fields.values())


def is_known(value: Value) -> bool:
    """Whether a value holds nothing unknown, nested values included."""
    return not any(isinstance(each, Unknown) for each in parts(value))


_OBJECTS = (Instance, ModuleRef, FunctionRef, ClassRef, Method, LocalFunction)


def truth(value: Value) -> bool | None:
    """What `bool(value)` is; None when that is not known."""
    if isinstance(value, (Unknown, DynVar, External, DslName, HostTensor)):
        return None
    if isinstance(value, EnumMember):
        return truth(value.value) if isinstance(value.value, int) else True
    return (
        True if isinstance(value, (Instance, ModuleRef, FunctionRef, ClassRef, Method, LocalFunction)) else bool(value)
    )


def in_common(one: Value, other: Value) -> Value:
    """What two values have in common, field by field and item by item."""
    if one is other or (type(one) is type(other) and one == other):
        return one
    if isinstance(one, Instance) and isinstance(other, Instance) and one.cls == other.cls:
        missing = Unknown("set on one way only")
        names = (*one.fields, *(name for name in other.fields if name not in one.fields))
        return Instance(
            one.cls,
            {name: in_common(one.fields.get(name, missing), other.fields.get(name, missing)) for name in names},
        )
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [in_common(*pair) for pair in zip(one, other, strict=True)]
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return tuple(in_common(*pair) for pair in zip(one, other, strict=True))
    return Unknown("depends on a branch that cannot be decided")
