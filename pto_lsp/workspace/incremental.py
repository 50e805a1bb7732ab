"""Analyses that are kept unit by unit, so that a keystroke costs the kernel it stands in.

A unit's result is remembered by everything it may depend on: its text, the module-level statements, the units of
the file that it mentions (and so on), and the files that the module imports. That is more than it reads, so a hit
is always right.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b

from attrs import frozen

from pto_analysis.check import CheckOptions, FileAnalysis, UnitAnalysis, analyze_unit, assemble
from pto_analysis.frontend.discovery import mentions_dsl
from pto_analysis.frontend.module import Modules
from pto_analysis.rules.facts import FileFacts
from pto_analysis.source.imports import SourceProvider
from pto_analysis.source.unit import ModuleSource, Unit, split_units
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.dependencies import READ, dependencies

MAX_UNITS = 4096
"""Remembered results: the kernels of some hundreds of open files."""

_WORD = re.compile(r"\w+")
_BARE_PARAMETER = re.compile(r"\bTensor\b(?!\s*\[)")

Cancelled = Callable[[], bool]


class SupersededError(Exception):
    """The analysis was stopped because a newer text has come."""


@frozen
class _Key:
    path: str
    unit: str
    around: bytes
    options: int


class Engine:
    """Analyses of changing texts. Not for several threads at once."""

    def __init__(self) -> None:
        self._results: OrderedDict[_Key, UnitAnalysis] = OrderedDict()

    def analyze(
        self, path: str, text: str, provider: SourceProvider, options: CheckOptions, cancelled: Cancelled
    ) -> FileAnalysis:
        """All findings of one file; the same as `analyze_file` gives. Errors: SupersededError.

        `provider` must give `text` for `path`.
        """
        if not mentions_dsl(text):
            return FileAnalysis()
        source = split_units(text)
        file = FileFacts(path, source, Modules(Workspace(provider)), options.toolchain, options.rule_options)
        around = _Around(path, source, provider)
        units: list[UnitAnalysis] = []
        for unit in source.units:
            if cancelled():
                raise SupersededError
            units.append(self._unit(file, unit, _Key(path, unit.text, around.of(unit), hash(str(options)))))
        return assemble(text, source, units)

    def _unit(self, file: FileFacts, unit: Unit, key: _Key) -> UnitAnalysis:
        known = self._results.get(key)
        if known is None:
            known = self._results[key] = analyze_unit(file, unit)
        self._results.move_to_end(key)
        while len(self._results) > MAX_UNITS:
            self._results.popitem(last=False)
        return known


class _Around:
    """What the units of one file may depend on besides their own text, as digests."""

    def __init__(self, path: str, source: ModuleSource, provider: SourceProvider) -> None:
        self._source = source
        self._module = _digest([*(line.text for line in source.statements), *_imported(path, provider)])
        self._by_name: dict[str, list[Unit]] = {}
        for unit in source.units:
            for name in _names(unit):
                self._by_name.setdefault(name, []).append(unit)

    def of(self, unit: Unit) -> bytes:
        near = self._mentioned(unit)
        if any(_BARE_PARAMETER.search(each.text) for each in near):
            return _digest([self._module.hex(), self._source.source.text])
        return _digest([self._module.hex(), *(each.text for each in near)])

    def _mentioned(self, unit: Unit) -> list[Unit]:
        """The unit and those whose names it mentions, directly or through others, in a stable order."""
        seen: dict[int, Unit] = {unit.first_line: unit}
        waiting = [unit]
        while waiting:
            for name in _words(waiting.pop().text) & self._by_name.keys():
                for other in self._by_name[name]:
                    if other.first_line not in seen:
                        seen[other.first_line] = other
                        waiting.append(other)
        return [seen[line] for line in sorted(seen)]


def _names(unit: Unit) -> Iterator[str]:
    """What a unit defines; an `if` or `try` at module level may define anything that it mentions."""
    if unit.name is not None:
        yield unit.name
    else:
        yield from _words(unit.text)


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _imported(path: str, provider: SourceProvider) -> Iterator[str]:
    """Every file that the module's names may come from, with its text."""
    found: Mapping[str, str | None] = dependencies(path, provider)
    for name in sorted(found):
        yield name
        yield (provider.read(name) or "") if found[name] == READ else str(found[name])


def _digest(parts: list[str]) -> bytes:
    state = blake2b(digest_size=16)
    for part in parts:
        state.update(part.encode("utf-8", "surrogatepass"))
        state.update(b"\0")
    return state.digest()
