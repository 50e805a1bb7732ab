"""The variables that stand for dynamic extents and unknown constants, one for each name of a unit.

Functions of a unit that are read at different times, after an edit as well, mean the same by them.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from weakref import WeakValueDictionary

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Var

_KNOWN: WeakValueDictionary[tuple[str, str, str], Var] = WeakValueDictionary()


def symbols_of(path: str, unit: str) -> MutableMapping[str, Var]:
    """The symbols of the units of a file that define this name; those that nobody uses any more are forgotten."""
    return _Symbols(path, unit)


@frozen
class _Symbols(MutableMapping[str, Var]):
    path: str
    unit: str

    def __getitem__(self, name: str) -> Var:
        return _KNOWN[self.path, self.unit, name]

    def __setitem__(self, name: str, var: Var) -> None:
        _KNOWN[self.path, self.unit, name] = var

    def __delitem__(self, name: str) -> None:
        del _KNOWN[self.path, self.unit, name]

    def __iter__(self) -> Iterator[str]:
        return (name for path, unit, name in list(_KNOWN) if (path, unit) == (self.path, self.unit))

    def __len__(self) -> int:
        return sum(1 for _ in self)
