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
from pto_analysis.source.text import mentions_dsl
from pto_analysis.source.unit import Unit, UnitContent, split_units
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.around import Around, outer_lines
from pto_lsp.workspace.bound_names import bound_names
from pto_lsp.workspace.moving import moved_analysis, moved_findings
from pto_lsp.workspace.recollection import Memory, Recollection
from pto_lsp.workspace.versions import Stamp, Uses, Versions

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
    made_of: tuple[Stamp, ...]
    """What else is remembered of the unit, and stays so as long as this is of use."""


@frozen(eq=False)
class _JudgedModule:
    """What is said about the statements around units, and where they stood."""

    content: UnitContent
    analysis: ModuleAnalysis


@frozen
class _Analysed:
    """A text of a file, and when it was last analysed to the end."""

    text: str
    last: int


@frozen
class _Place:
    """A unit of a file: the so-manieth of its name."""

    name: str
    number: int


class Engine:
    """Analyses of changing texts. Not for several threads at once."""

    def __init__(self) -> None:
        self._uses = Uses()
        self._results: Versions[_Place, _Judged] = Versions(MAX_JUDGED, self._uses)
        self._read: Versions[_Place, UnitKernels] = Versions(MAX_READ, self._uses)
        self._modules: Versions[None, _JudgedModule] = Versions(MAX_MODULES, self._uses)
        self._memory = Memory(self._uses)
        self._recent: dict[str, list[str]] = {}
        self._analysed: dict[str, list[_Analysed]] = {}

    def analyze(
        self, path: str, text: str, provider: SourceProvider, options: CheckOptions, cancelled: Cancelled
    ) -> FileAnalysis:
        """All findings of one file; the same as `analyze_file` gives. Errors: SupersededError.

        `provider` must give `text` for `path`.
        """
        self._begin(path, text)
        if path.endswith(".pto"):
            return analyze_pto(text, options)
        if not mentions_dsl(text):
            return FileAnalysis()
        state = _State.of(self._memory, path, text, provider, options)
        try:
            units = [*self._units(state, cancelled)]
            module = self._module(state)
        finally:
            state.release()
        self._end(path, text)
        return assemble(state.file.source, units, module)

    def _units(self, state: _State, cancelled: Cancelled) -> Iterator[UnitAnalysis]:
        for place, unit in state.places():
            if cancelled():
                raise SupersededError
            yield self._unit(state, place, unit)

    def _begin(self, path: str, text: str) -> None:
        """What is remembered of the last few texts of a file stays, as edits are undone."""
        self._uses.begin()
        recent = [text, *(each for each in self._recent.get(path, ()) if each != text)]
        self._recent[path] = recent[:KEPT_TEXTS]
        for older in recent[KEPT_TEXTS:]:
            for part in forget(older, recent[:KEPT_TEXTS]):
                bound_names.forget(part)

    def _end(self, path: str, text: str) -> None:
        """Only analyses that come to their end tell what is of use."""
        older = [each for each in self._analysed.get(path, ()) if each.text != text]
        analysed = [_Analysed(text, self._uses.now), *older[: KEPT_TEXTS - 1]]
        self._analysed[path] = analysed
        if len(older) >= KEPT_TEXTS:
            for remembered in (self._results, self._read, self._modules, self._memory):
                remembered.sweep(path, analysed[-1].last)

    def kernels(
        self, path: str, text: str, provider: SourceProvider, options: CheckOptions, line: int
    ) -> UnitKernels | None:
        """The kernels of the unit at a line of the file; None outside of units."""
        self._begin(path, text)
        state = _State.of(self._memory, path, text, provider, options)
        try:
            wanted = state.file.source.unit_at(line)
            found = next((each for each in state.places() if each[1] is wanted), None)
            return None if found is None else self._kernels(state, *found, state.key(found[1]))
        finally:
            state.release()

    def _unit(self, state: _State, place: _Place, unit: Unit) -> UnitAnalysis:
        key = state.key(unit)
        path = state.file.path
        known = self._results.get(path, place, key)
        if known is not None and known.text == unit.text:
            self._uses.again(known.made_of)
            return known.analysis
        analysis = None if known is None else _analysis_at(known, unit)
        self._uses.taken()
        if analysis is None:
            judge = partial(self._judge, unit.content, state.options)
            analysis = judge_unit(self._kernels(state, place, unit, key), judge)
        made_of = tuple(dict.fromkeys((*(() if known is None else known.made_of), *self._uses.taken())))
        self._uses.again(made_of)
        self._results.put(path, place, key, _Judged(unit.text, unit.content, analysis, made_of), len(unit.text))
        return analysis

    def _module(self, state: _State) -> ModuleAnalysis:
        """What is said around the kernels, which depends on statements, decorators and what these mention."""
        key = state.module_key()
        content = UnitContent(outer_lines(state.file.source), ())
        known = self._modules.get(state.file.path, None, key)
        moved = None if known is None else moved_findings(known.analysis.findings, known.content, content)
        if known is not None and moved is not None:
            return evolve(known.analysis, findings=tuple(moved))
        analysis = analyze_module(state.file)
        self._modules.put(state.file.path, None, key, _JudgedModule(content, analysis), 1)
        return analysis

    def _judge(
        self, content: UnitContent, options: bytes, kernel: KernelFacts, errors: list[InternalError]
    ) -> list[Finding]:
        return self._memory.cores.findings(kernel, content, options, errors)

    def _kernels(self, state: _State, place: _Place, unit: Unit, key: bytes) -> UnitKernels:
        known = self._read.get(state.file.path, place, key)
        if known is not None and known.unit is unit:
            return known
        if known is None:
            known = read_unit(state.file, unit)
        else:
            known = evolve(known, unit=unit) if known.unit.text == unit.text else kernels_at(known, unit)
        self._read.put(state.file.path, place, key, known, len(unit.text))
        return known


@frozen(eq=False)
class _State:
    """One state of the files, as one of them sees it."""

    file: FileFacts
    around: Around | None
    options: bytes
    recall: Recollection

    @classmethod
    def of(cls, memory: Memory, path: str, text: str, provider: SourceProvider, options: CheckOptions) -> _State:
        workspace = Workspace(provider)
        recall = Recollection(memory, workspace)
        modules = Modules(workspace, recall)
        lower = partial(memory.cores.lower, path)
        file = FileFacts(path, split_units(text), modules, options.toolchain, options.rule_options, lower)
        reader = modules.reader(path)
        return cls(file, None if reader is None else recall.around(reader), repr(options).encode(), recall)

    def release(self) -> None:
        """Forgets what was worked out, which the garbage collector would have to find otherwise."""
        self.file.modules.release()
        self.recall.release()

    def places(self) -> Iterator[tuple[_Place, Unit]]:
        """The units of the file, each with a place that it keeps when others are edited."""
        counts: dict[str, int] = {}
        for unit in self.file.source.units:
            name = unit.name or unit.keyword
            counts[name] = counts.get(name, 0) + 1
            yield _Place(name, counts[name]), unit

    def key(self, unit: Unit) -> bytes:
        """The same for a unit of which the same is to be said."""
        around = b"" if self.around is None else self.around.lowering(unit) + self.around.given(unit)
        return unit.content.digest + around + self.options

    def module_key(self) -> bytes:
        """The same for the statements around the units when the same is to be said about them."""
        return (b"" if self.around is None else self.around.module) + self.options


def _analysis_at(known: _Judged, unit: Unit) -> UnitAnalysis | None:
    """The analysis of the same statements where they stand now; None where it has to be made again."""
    if any(sign in text for sign in _LAYOUT for text in (known.text, unit.text)):
        return None
    return moved_analysis(known.analysis, known.content, unit.content)
