"""Analyses that are kept unit by unit, so that a keystroke costs the kernel it stands in.

A unit's result is remembered by everything it may depend on: its statements, the module-level statements, what it sees
of the units of the file that it mentions (and so on), what callers hand to its kernels, and the files that the module
imports (see `around`). That is more than it reads, so a hit is always right. Comments and blank lines only move a
result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from attrs import evolve, frozen

from pto_analysis.check import (
    ModuleAnalysis,
    UnitAnalysis,
    UnitKernels,
    analyze_module,
    analyze_pto,
    assemble,
    judge_unit,
    kernels_at,
    read_unit,
)
from pto_analysis.findings import Finding
from pto_analysis.frontend.module import Modules
from pto_analysis.report import CheckOptions, FileAnalysis, InternalError
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.source.forgetting import forget
from pto_analysis.source.imports import SourceProvider
from pto_analysis.source.remembered import Versions
from pto_analysis.source.text import mentions_dsl
from pto_analysis.source.unit import Unit, UnitContent, split_units
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.around import Around
from pto_lsp.workspace.moving import moved_analysis
from pto_lsp.workspace.recollection import Memory, Recollection

MAX_JUDGED = 1_500_000
"""Characters of units whose results are remembered: those of some hundreds of open files."""

MAX_READ = 300_000
"""Characters of units whose kernels are kept for hovers and previews; they are large."""

_LAYOUT = ("\t", "\0")
"""What Python may refuse between statements, too: tabs among blanks, null characters in comments."""

MAX_MODULES = 1_000
"""Files of which it is remembered what is said about the statements around their units."""

KEPT_TEXTS = 3
"""Texts of one file of which everything is remembered."""

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
class _Place:
    """A unit of a file: the so-manieth of its name."""

    path: str
    name: str
    number: int


class Engine:
    """Analyses of changing texts. Not for several threads at once."""

    def __init__(self) -> None:
        self._results: Versions[_Place, _Judged] = Versions(MAX_JUDGED)
        self._read: Versions[_Place, UnitKernels] = Versions(MAX_READ)
        self._modules: Versions[str, ModuleAnalysis] = Versions(MAX_MODULES)
        self._memory = Memory()
        self._recent: dict[str, list[str]] = {}

    def analyze(
        self, path: str, text: str, provider: SourceProvider, options: CheckOptions, cancelled: Cancelled
    ) -> FileAnalysis:
        """All findings of one file; the same as `analyze_file` gives. Errors: SupersededError.

        `provider` must give `text` for `path`.
        """
        self._forget_older(path, text)
        if path.endswith(".pto"):
            return analyze_pto(text, options)
        if not mentions_dsl(text):
            return FileAnalysis()
        state = _State.of(self._memory, path, text, provider, options)
        units: list[UnitAnalysis] = []
        for place, unit in state.places():
            if cancelled():
                raise SupersededError
            units.append(self._unit(state, place, unit))
        return assemble(state.file.source, units, self._module(state))

    def _forget_older(self, path: str, text: str) -> None:
        """What is remembered of the last few texts of a file stays, as edits are undone."""
        recent = [text, *(each for each in self._recent.get(path, ()) if each != text)]
        self._recent[path] = recent[:KEPT_TEXTS]
        for older in recent[KEPT_TEXTS:]:
            forget(older, recent[:KEPT_TEXTS])

    def kernels(
        self, path: str, text: str, provider: SourceProvider, options: CheckOptions, line: int
    ) -> UnitKernels | None:
        """The kernels of the unit at a line of the file; None outside of units."""
        state = _State.of(self._memory, path, text, provider, options)
        wanted = state.file.source.unit_at(line)
        found = next((each for each in state.places() if each[1] is wanted), None)
        return None if found is None else self._kernels(state, *found, state.key(found[1]))

    def _unit(self, state: _State, place: _Place, unit: Unit) -> UnitAnalysis:
        key = state.key(unit)
        known = self._results.get(place, key)
        analysis = None if known is None else _analysis_at(known, unit)
        if analysis is None:
            judge = partial(self._judge, unit.content, state.options)
            analysis = judge_unit(self._kernels(state, place, unit, key), judge)
        self._results.put(place, key, _Judged(unit.text, unit.content, analysis), len(unit.text))
        return analysis

    def _module(self, state: _State) -> ModuleAnalysis:
        """What is said about the statements around the units, which depends on these and on imported names."""
        key = state.module_key()
        known = self._modules.get(state.file.path, key)
        analysis = analyze_module(state.file) if known is None else known
        self._modules.put(state.file.path, key, analysis, 1)
        return analysis

    def _judge(
        self, content: UnitContent, options: bytes, kernel: KernelFacts, errors: list[InternalError]
    ) -> list[Finding]:
        return self._memory.cores.findings(kernel, content, options, errors)

    def _kernels(self, state: _State, place: _Place, unit: Unit, key: bytes) -> UnitKernels:
        known = self._read.get(place, key)
        if known is None:
            known = read_unit(state.file, unit)
        elif known.unit is not unit:
            known = evolve(known, unit=unit) if known.unit.text == unit.text else kernels_at(known, unit)
        self._read.put(place, key, known, len(unit.text))
        return known


@frozen(eq=False)
class _State:
    """One state of the files, as one of them sees it."""

    file: FileFacts
    around: Around | None
    options: bytes

    @classmethod
    def of(cls, memory: Memory, path: str, text: str, provider: SourceProvider, options: CheckOptions) -> _State:
        workspace = Workspace(provider)
        recall = Recollection(memory, workspace)
        modules = Modules(workspace, recall)
        lower = partial(memory.cores.lower, path)
        file = FileFacts(path, split_units(text), modules, options.toolchain, options.rule_options, lower)
        reader = modules.reader(path)
        return cls(file, None if reader is None else recall.around(reader), repr(options).encode())

    def places(self) -> Iterator[tuple[_Place, Unit]]:
        """The units of the file, each with a place that it keeps when others are edited."""
        counts: dict[str, int] = {}
        for unit in self.file.source.units:
            name = unit.name or unit.keyword
            counts[name] = counts.get(name, 0) + 1
            yield _Place(self.file.path, name, counts[name]), unit

    def key(self, unit: Unit) -> bytes:
        """The same for a unit of which the same is to be said."""
        around = b"" if self.around is None else self.around.lowering(unit) + self.around.given(unit)
        return unit.content.digest + around + self.options

    def module_key(self) -> bytes:
        """The same for equal statements around the units at equal places."""
        source = self.file.source
        places = [
            *((line.line, line.column) for line in source.statements),
            *(unit.first_line for unit in source.units),
        ]
        around = b"" if self.around is None else self.around.host
        return around + repr(places).encode() + self.options


def _analysis_at(known: _Judged, unit: Unit) -> UnitAnalysis | None:
    """The analysis of the same statements where they stand now; None where it has to be made again."""
    if known.text == unit.text:
        return known.analysis
    if any(sign in text for sign in _LAYOUT for text in (known.text, unit.text)):
        return None
    return moved_analysis(known.analysis, known.content, unit.content)
