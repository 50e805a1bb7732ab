"""Analyses for the features: off the event loop, one at a time, always of the newest text."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from attrs import evolve, frozen

from pto_analysis.check import UnitKernels
from pto_analysis.findings import Applicability, Fix
from pto_analysis.frontend.module import Modules
from pto_analysis.ide.aliases import dsl_aliases
from pto_analysis.ide.edits import minimal_edits
from pto_analysis.ide.rewriting import TITLE, printed_form, rewritten_kernel_at
from pto_analysis.report import CheckOptions, FileAnalysis, FileReport, InternalError, report_file
from pto_analysis.source.workspace import Workspace
from pto_lsp.config.settings import Settings
from pto_lsp.server.documents import Document, Documents
from pto_lsp.server.previews import (
    Format,
    Preview,
    Previews,
    budget_preview,
    canonical_preview,
    kernel_sync_preview,
    pto_planned_at,
    sync_preview,
)
from pto_lsp.server.stale import LastGood
from pto_lsp.workspace.dependencies import Dependencies
from pto_lsp.workspace.fixing import apply_fixes
from pto_lsp.workspace.incremental import Cancelled, Engine, SupersededError
from pto_lsp.workspace.rewriting import canonical_text
from pto_lsp.workspace.snapshot import Snapshot

log = logging.getLogger("pto.analyses")

T = TypeVar("T")

MAX_ROUNDS = 100
"""Fixes are applied until none is left, or so many times."""

_SAFE = frozenset((Applicability.SAFE,))


@frozen(eq=False)
class Analysed:
    """One text with what is reported about it. `settings` are those it was analysed under."""

    document: Document
    report: FileReport
    settings: Settings


@frozen(eq=False)
class _Closed:
    """A report with what it was made from."""

    analysed: Analysed
    seen: Mapping[str, object]

    def still_holds(self, snapshot: Snapshot) -> bool:
        return all(_seen(snapshot, path) == value for path, value in self.seen.items())


def _seen(snapshot: Snapshot, path: str) -> object:
    """The text of a file as far as it matters here: its hash; else whether the path is there, and what it lists."""
    text = snapshot.read(path)
    return hash(text) if text is not None else (snapshot.exists(path), snapshot.listing(path))


class Analyses:
    """Gives the report of a document. Runs in one worker thread: a second would only share the interpreter lock."""

    def __init__(self, documents: Documents, after_work: Callable[[], None] = lambda: None) -> None:
        """`after_work` is called on the event loop whenever something was worked out."""
        self._documents = documents
        self._after_work = after_work
        self._is_closed = False
        self._engine = Engine()
        self._last_good = LastGood()
        self._previews = Previews()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="pto-analysis")
        self._known: dict[str, tuple[int, Analysed]] = {}
        self._closed: dict[str, _Closed] = {}
        self._reported: set[tuple[str, str]] = set()

    async def of(self, document: Document) -> Analysed:
        """The report of the newest text of a document, or of this one when it is not open."""
        while True:
            current = self._documents.get(document.path) or document
            generation = self._documents.generation
            known = self._known.get(current.path)
            if known is not None and known[0] == generation and known[1].document.text == current.text:
                return known[1]
            try:
                analysed = await self.run(partial(self._analyse, current, generation))
            except SupersededError:
                if self._is_closed:
                    raise asyncio.CancelledError from None
                continue
            if self._documents.get(document.path) is not None:
                self._known[current.path] = (generation, analysed)
            newest = self._documents.get(document.path)
            if newest is None or newest.version == current.version:
                return analysed

    async def of_closed(self, document: Document) -> Analysed:
        """The report of a file that is not open, worked out again only when something it depends on changed."""
        return await self.run(partial(self._analyse_closed, document))

    async def kernels(self, document: Document, line: int) -> UnitKernels | None:
        """The kernels of the unit at a line of a document, as its text is now."""
        return await self.run(partial(self._kernels, document, line))

    async def modules(self, document: Document) -> Modules:
        """The workspace as a document sees it now."""
        return await self.run(lambda: Modules(Workspace(self._snapshot(document))))

    async def canonical_fix(self, document: Document, line: int) -> Fix | None:
        """The kernel at a line as the compiler rewrites it; None where it does not, or where no kernel stands."""
        return await self.run(partial(self._canonical_fix, document, line))

    async def canonical_preview(self, document: Document, line: int, format_: Format) -> Preview | None:
        """The canonical form of the kernel at a line; None where none stands."""
        return await self.run(partial(self._canonical_preview, document, line, format_))

    async def budget_preview(self, document: Document, line: int, format_: Format) -> Preview | None:
        """The on-chip buffers of the kernel at a line; None where none stands."""
        return await self.run(partial(self._budget_preview, document, line, format_))

    async def sync_preview(self, document: Document, line: int, format_: Format, model: str) -> Preview | None:
        """The synchronisation of the kernel at a line, by the "precise" or the "ptoas" model."""
        return await self.run(partial(self._sync_preview, document, line, format_, model))

    async def fixed_text(self, document: Document) -> str:
        """The text of a document after all safe fixes, until nothing is left to fix."""
        return await self.run(partial(self._fixed_text, document))

    async def run(self, work: Callable[[], T]) -> T:
        """Anything that takes longer than a moment, behind the analyses that already wait."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, work)
        finally:
            self._after_work()

    def forget(self, path: str) -> None:
        self._known.pop(path, None)
        self._last_good.forget(path)

    def restart(self) -> None:
        """Forgets every result."""
        self._engine = Engine()
        self._last_good = LastGood()
        self._previews = Previews()
        self._known.clear()
        self._closed.clear()
        self._reported.clear()

    def close(self) -> None:
        """Gives up what is being worked out."""
        self._is_closed = True
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _analyse(self, document: Document, generation: int) -> Analysed:
        """Runs in the worker."""
        settings, enabled, problem = self._documents.settings(document.path)
        if problem is not None:
            self._report_once(problem, problem)
        analysis = self._raw(document, settings, lambda: self._superseded(document, generation))
        self._report_errors(analysis)
        kept = self._last_good.complete(document.path, document.text, analysis)
        return Analysed(document, report_file(kept, enabled), settings)

    def _analyse_closed(self, document: Document) -> Analysed:
        """Runs in the worker."""
        settings, enabled, _ = self._documents.settings(document.path)
        snapshot = self._snapshot(document)
        known = self._closed.get(document.path)
        if known is not None and known.analysed.settings == settings and known.still_holds(snapshot):
            return known.analysed
        report = report_file(self._raw(document, settings, lambda: self._is_closed), enabled)
        self._report_errors(report.analysis)
        analysed = Analysed(document, report, settings)
        paths = [document.path, *Dependencies(Workspace(snapshot)).of(document.path)]
        self._closed[document.path] = _Closed(analysed, {path: _seen(snapshot, path) for path in paths})
        return analysed

    def _raw(self, document: Document, settings: Settings, cancelled: Cancelled) -> FileAnalysis:
        options = CheckOptions(settings.toolchain, settings.rule_options)
        return self._engine.analyze(document.path, document.text, self._snapshot(document), options, cancelled)

    def _kernels(self, document: Document, line: int) -> UnitKernels | None:
        """Runs in the worker."""
        settings, _, _ = self._documents.settings(document.path)
        options = CheckOptions(settings.toolchain, settings.rule_options)
        return self._engine.kernels(document.path, document.text, self._snapshot(document), options, line)

    def _canonical_fix(self, document: Document, line: int) -> Fix | None:
        """Runs in the worker."""
        read = self._kernels(document, line) if document.path.endswith(".py") else None
        kernel = rewritten_kernel_at(read.unit, read.kernels, line - read.unit.first_line) if read is not None else None
        if read is None or kernel is None:
            return None
        first = read.unit.first_line

        def reread(text: str) -> UnitKernels | None:
            return self._kernels(evolve(document, text=text), first)

        text = canonical_text(document.text, reread, kernel.function.qualname)
        if text is None:
            return printed_form(read.unit, kernel, dsl_aliases(document.text), line - first)
        title = TITLE.format(name=kernel.function.name)
        return Fix(title, Applicability.SAFE, minimal_edits(document.text, text))

    def _canonical_preview(self, document: Document, line: int, format_: Format) -> Preview | None:
        """Runs in the worker."""
        read = self._kernels(document, line) if document.path.endswith(".py") else None
        if read is None:
            return None
        inner = line - read.unit.first_line
        name = os.path.basename(document.path)
        make = partial(canonical_preview, name, read, inner, format_)
        return self._previews.of_unit(document.path, "canonical", format_, read, make)

    def _budget_preview(self, document: Document, line: int, format_: Format) -> Preview | None:
        """Runs in the worker."""
        read = self._kernels(document, line) if document.path.endswith(".py") else None
        if read is None:
            return None
        make = partial(budget_preview, os.path.basename(document.path), read, line - read.unit.first_line, format_)
        return self._previews.of_unit(document.path, "budget", format_, read, make)

    def _sync_preview(self, document: Document, line: int, format_: Format, model: str) -> Preview | None:
        """Runs in the worker."""
        settings, _, _ = self._documents.settings(document.path)
        name = os.path.basename(document.path)
        if document.path.endswith(".pto"):
            planned = pto_planned_at(document.text, line, settings.toolchain.target)
            shown = planned[0][0].qualname if planned else ""
            return sync_preview(name, document.text, planned, shown, format_, model)
        read = self._kernels(document, line) if document.path.endswith(".py") else None
        if read is None:
            return None
        make = partial(kernel_sync_preview, name, document.text, read, line, format_, model)
        return self._previews.of_unit(document.path, f"sync {model}", format_, read, make)

    def _fixed_text(self, document: Document) -> str:
        """Runs in the worker."""
        settings, enabled, _ = self._documents.settings(document.path)
        seen = {document.text}
        for _ in range(MAX_ROUNDS):
            report = report_file(self._raw(document, settings, lambda: self._is_closed), enabled)
            text, count = apply_fixes(document.text, report.findings, _SAFE, document.path)
            if not count or text in seen:
                break
            seen.add(text)
            document = evolve(document, text=text)
        return document.text

    def _snapshot(self, document: Document) -> Snapshot:
        """The files, with this text for the document even if a newer one has come."""
        snapshot = self._documents.snapshot(document.path)
        return evolve(snapshot, overlay={**snapshot.overlay, document.path: document.text})

    def _superseded(self, document: Document, generation: int) -> bool:
        if self._is_closed:
            return True
        if self._documents.generation == generation:
            return False
        newest = self._documents.get(document.path)
        return newest is not None and newest.text != document.text

    def _report_errors(self, analysis: FileAnalysis) -> None:
        for error in analysis.errors:
            self._report_once(error.where, _described(error))

    def _report_once(self, key: str, message: str) -> None:
        if (key, message) not in self._reported:
            self._reported.add((key, message))
            log.error("%s", message)


def _described(error: InternalError) -> str:
    return f"{error.where}: {error.summary}\n{error.traceback}".rstrip()
