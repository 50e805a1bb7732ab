"""Values at a lower price than those of the libraries: classes that never change, changed copies, and enumerations.

`frozen` is that of attrs at less than half the price of making an instance. The type checker sees attrs' own and
refuses every assignment to a field. At run time nothing guards the fields: a guarded class has to go around its own
guard to be filled in, field by field, and making small values is a good part of all that the analysis does. Values are
shared and remembered, so nobody may change one all the same.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attrs import evolve, frozen
else:
    from functools import cache

    from attrs import define, fields, setters

    def frozen(kind: type | None = None, *, eq: bool = True, **options: Any) -> Any:
        """`attrs.frozen` but for the guard: values compare and hash by their fields, unless `eq` says otherwise."""
        return define(kind, eq=eq, unsafe_hash=True if eq else None, on_setattr=setters.NO_OP, **options)

    def evolve(value: Any, /, **changes: Any) -> Any:
        """`attrs.evolve`, which asks the class for its fields anew each time."""
        kind = type(value)
        for name, parameter in _parameters_of(kind):
            if parameter not in changes:
                changes[parameter] = getattr(value, name)
        return kind(**changes)

    @cache
    def _parameters_of(kind: type) -> tuple[tuple[str, str], ...]:
        """The fields of a class, and the parameters that fill them in."""
        return tuple((each.name, each.alias) for each in fields(kind) if each.init)


class QuickEnum(Enum):
    """An enumeration whose members are often looked up: they hash as the single objects that they are, in no time.

    `Enum` hashes the name of a member, by a method in Python.
    """

    __hash__ = object.__hash__


__all__ = ["QuickEnum", "evolve", "frozen"]
