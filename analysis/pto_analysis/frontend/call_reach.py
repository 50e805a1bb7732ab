"""Which functions of Python code may come to a kernel: all others need not be followed to find the calls of kernels.

A reference implementation loops over tensors for many statements, and none of its names leads anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from pto_analysis.source.dsl_names import dsl_module
from pto_analysis.source.unit import ModuleSource, Unit
from pto_analysis.source.values import (
    DslName,
    DynVar,
    External,
    FunctionRef,
    HostTensor,
    ModuleRef,
    Unknown,
    Value,
)
from pto_analysis.source.words import words_of

_IMPORT = re.compile(r"(?:from|import)\b")
_PLAIN_IMPORT = re.compile(r"import\s+([\w.]+)(?:\s+as\s+\w+)?")
_QUOTES = ('"', "'")

_LEADS_NOWHERE = (Unknown, DslName, DynVar, External, HostTensor, str, bytes, int, float, complex, range, type(None))


class CallReach:
    """Asks of one file. `final` tells what a name means in the end, `imported` what `import name` brings."""

    def __init__(
        self, path: str, source: ModuleSource, final: Callable[[str], Value], imported: Callable[[str], Value]
    ) -> None:
        self._path = path
        self._final = final
        self._imported = imported
        self._units: Mapping[str, Unit] = {unit.name: unit for unit in source.units if unit.name is not None}
        self._used: dict[Unit, frozenset[Unit] | None] = {}

    def may_come_to_a_kernel(self, unit: Unit, here: Callable[[str], Value]) -> bool:
        """False for a function only of which nothing leads to a kernel, a class or a function of another file.

        `here` tells what names mean where the function stands; what it calls sees what they mean in the end.
        """
        seen: set[Unit] = set()
        waiting = [self._uses(unit, here), self._uses_in_the_end(unit)]
        while waiting:
            used = waiting.pop()
            if used is None:
                return True
            waiting += [self._uses_in_the_end(each) for each in used - seen]
            seen |= used
        return False

    def _uses_in_the_end(self, unit: Unit) -> frozenset[Unit] | None:
        if unit not in self._used:
            self._used[unit] = self._uses(unit, self._final)
        return self._used[unit]

    def _uses(self, unit: Unit, lookup: Callable[[str], Value]) -> frozenset[Unit] | None:
        """The functions of the file that a function mentions; None where it mentions anything else that counts."""
        if unit.keyword != "def" or any(line.text.startswith("@") for line in unit.lines):
            return None
        values = [*map(lookup, _words(unit)), *map(self._brought, _imports(unit))]
        found: set[Unit] = set()
        for value in _leaves(values):
            used = self._units.get(value.name) if isinstance(value, FunctionRef) and value.path == self._path else None
            if used is None:
                return None
            found.add(used)
        return frozenset(found)

    def _brought(self, statement: str) -> Value:
        """What an import inside of a function brings; where that is not plain, something that counts."""
        plain = _PLAIN_IMPORT.fullmatch(statement)
        if plain is None:
            return ModuleRef(statement)
        return dsl_module(plain[1]) or self._imported(plain[1])


def _leaves(values: Iterable[Value]) -> Iterator[Value]:
    """What counts of some values and of what they hold."""
    waiting = [*values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, (list, tuple, frozenset)):
            waiting += value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif not isinstance(value, _LEADS_NOWHERE):
            yield value


def _code(unit: Unit) -> Iterator[str]:
    """The statements that are no docstrings."""
    return (line.text for line in unit.lines if not line.text.startswith(_QUOTES))


def _words(unit: Unit) -> frozenset[str]:
    return frozenset[str]().union(*(words_of(text).names for text in _code(unit) if not _IMPORT.match(text)))


def _imports(unit: Unit) -> Iterator[str]:
    return (text for text in _code(unit) if _IMPORT.match(text))
