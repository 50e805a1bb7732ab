"""Analyses that are kept unit by unit, so that a keystroke costs the kernel it stands in.

A unit's result is remembered by everything it may depend on: its statements, the module-level statements, the units
of the file that it mentions (and so on), what Python code hands to kernels, and the files that the module imports.
That is more than it reads, so a hit is always right. Comments and blank lines only move a result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from hashlib import blake2b

from attrs import evolve, frozen

from pto_analysis.check import UnitAnalysis, UnitKernels, analyze_pto, assemble, judge_unit, kernels_at, read_unit
from pto_analysis.frontend.module import Modules
from pto_analysis.report import CheckOptions, FileAnalysis
from pto_analysis.rules.facts import FileFacts
from pto_analysis.source.imports import SourceProvider
from pto_analysis.source.remembered import Store
from pto_analysis.source.text import mentions_dsl
from pto_analysis.source.unit import ModuleSource, Unit, UnitContent, split_units
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.bound_names import bound_names
from pto_lsp.workspace.dependencies import Dependencies, leaves_shapes_open
from pto_lsp.workspace.moving import moved_analysis
from pto_lsp.workspace.states import READ

MAX_JUDGED = 1_500_000
"""Characters of units whose results are remembered: those of some hundreds of open files."""

MAX_READ = 300_000
"""Characters of units whose kernels are kept for hovers and previews; they are large."""

_SCRIPT = ('if __name__ == "__main__":', "if __name__ == '__main__':")
"""What runs when a file is no module, and so defines nothing in the module."""

_GLOBAL = re.compile(r"^[ \t]+global[ \t][^#\n]+", re.MULTILINE)

Cancelled = Callable[[], bool]


class SupersededError(Exception):
    """The analysis was stopped because a newer text has come."""


@frozen(eq=False)
class _Judged:
    """What is said about a unit, and where its statements stood."""

    text: str
    content: UnitContent
    analysis: UnitAnalysis


@frozen
class _Key:
    path: str
    unit: bytes
    around: bytes
    options: int


class Engine:
    """Analyses of changing texts. Not for several threads at once."""

    def __init__(self) -> None:
        self._results: Store[_Key, _Judged] = Store(MAX_JUDGED)
        self._read: Store[_Key, UnitKernels] = Store(MAX_READ)

    def analyze(
        self, path: str, text: str, provider: SourceProvider, options: CheckOptions, cancelled: Cancelled
    ) -> FileAnalysis:
        """All findings of one file; the same as `analyze_file` gives. Errors: SupersededError.

        `provider` must give `text` for `path`.
        """
        if path.endswith(".pto"):
            return analyze_pto(text, options)
        if not mentions_dsl(text):
            return FileAnalysis()
        file, around = self._file(path, text, provider, options)
        units: list[UnitAnalysis] = []
        for unit in file.source.units:
            if cancelled():
                raise SupersededError
            units.append(self._unit(file, unit, _Key(path, unit.content.digest, around.of(unit), hash(str(options)))))
        return assemble(file.source, units)

    def kernels(
        self, path: str, text: str, provider: SourceProvider, options: CheckOptions, line: int
    ) -> UnitKernels | None:
        """The kernels of the unit at a line of the file; None outside of units."""
        file, around = self._file(path, text, provider, options)
        unit = file.source.unit_at(line)
        if unit is None:
            return None
        return self._kernels(file, unit, _Key(path, unit.content.digest, around.of(unit), hash(str(options))))

    def _file(self, path: str, text: str, provider: SourceProvider, options: CheckOptions) -> tuple[FileFacts, _Around]:
        source = split_units(text)
        file = FileFacts(path, source, Modules(Workspace(provider)), options.toolchain, options.rule_options)
        reader = file.modules.reader(path)
        told = "" if reader is None else reader.callers.told()
        return file, _Around(path, source, file.modules.workspace, told)

    def _unit(self, file: FileFacts, unit: Unit, key: _Key) -> UnitAnalysis:
        known = self._results.get(key)
        analysis = None if known is None else _analysis_at(known, unit)
        if analysis is None:
            analysis = judge_unit(self._kernels(file, unit, key))
        self._results.put(key, _Judged(unit.text, unit.content, analysis), len(unit.text))
        return analysis

    def _kernels(self, file: FileFacts, unit: Unit, key: _Key) -> UnitKernels:
        known = self._read.get(key)
        if known is None:
            known = read_unit(file, unit)
        elif known.unit is not unit:
            known = evolve(known, unit=unit) if known.unit.text == unit.text else kernels_at(known, unit)
        self._read.put(key, known, len(unit.text))
        return known


def _analysis_at(known: _Judged, unit: Unit) -> UnitAnalysis | None:
    """The analysis of the same statements where they stand now; None where it has to be made again."""
    return known.analysis if known.text == unit.text else moved_analysis(known.analysis, known.content, unit.content)


class _Around:
    """What the units of one file may depend on besides their own statements, as digests."""

    def __init__(self, path: str, source: ModuleSource, workspace: Workspace, told: str) -> None:
        self._source = source
        imported = list(_imported(path, workspace))
        rebound = [match[0] for unit in source.units for match in _GLOBAL.finditer(unit.text)]
        statements = [line.text for line in source.statements]
        self._module = _digest([*statements, *rebound, told, *imported])
        self._is_caller = any(map(leaves_shapes_open, imported))
        self._by_name: dict[str, list[Unit]] = {}
        for unit in source.units:
            for name in _names(path, unit):
                self._by_name.setdefault(name, []).append(unit)

    @cached_property
    def _kernels(self) -> bytes:
        """Everything that may call a kernel, or be one."""
        return b"".join(unit.content.digest for unit in self._source.units if "@" in unit.text)

    def of(self, unit: Unit) -> bytes:
        near = self._mentioned(unit)
        state = blake2b(self._module, digest_size=16)
        for each in near:
            state.update(each.content.digest)
        if self._is_caller:
            state.update(self._source.source.text.encode("utf-8", "surrogatepass"))
        elif any(leaves_shapes_open(each.text) for each in near):
            state.update(self._kernels)
        return state.digest()

    def _mentioned(self, unit: Unit) -> list[Unit]:
        """The unit and those whose names it mentions, directly or through others, in a stable order."""
        seen: dict[int, Unit] = {unit.first_line: unit}
        waiting = [unit]
        while waiting:
            for name in waiting.pop().content.words & self._by_name.keys():
                for other in self._by_name[name]:
                    if other.first_line not in seen:
                        seen[other.first_line] = other
                        waiting.append(other)
        return [seen[line] for line in sorted(seen)]


def _names(path: str, unit: Unit) -> Iterator[str]:
    """What a unit defines; an `if` or `try` at module level defines what its statements bind."""
    if unit.name is not None:
        yield unit.name
    elif not (unit.text.startswith(_SCRIPT) and not path.endswith("__main__.py")):
        yield from bound_names(unit.text)


def _imported(path: str, workspace: Workspace) -> Iterator[str]:
    """Every file that the module's names may come from, with its text."""
    found = Dependencies(workspace).of(path)
    for name in sorted(found):
        yield name
        yield (workspace.provider.read(name) or "") if found[name] == READ else str(found[name])


def _digest(parts: list[str]) -> bytes:
    state = blake2b(digest_size=16)
    for part in parts:
        state.update(part.encode("utf-8", "surrogatepass"))
        state.update(b"\0")
    return state.digest()
