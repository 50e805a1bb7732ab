"""Analyses for the features: off the event loop, one at a time, always of the newest text."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from attrs import evolve, frozen

from pto_analysis.check import CheckOptions, FileAnalysis, FileReport, UnitKernels, report_file
from pto_analysis.frontend.module import Modules
from pto_analysis.rules.guard import InternalError
from pto_analysis.source.workspace import Workspace
from pto_lsp.config.settings import Settings
from pto_lsp.server.documents import Document, Documents
from pto_lsp.server.stale import LastGood
from pto_lsp.workspace.incremental import Engine, SupersededError
from pto_lsp.workspace.live import Snapshot

log = logging.getLogger("pto.analyses")

T = TypeVar("T")


@frozen(eq=False)
class Analysed:
    """One text with what is reported about it. `settings` are those it was analysed under."""

    document: Document
    report: FileReport
    settings: Settings


class Analyses:
    """Gives the report of a document. Runs in one worker thread: a second would only share the interpreter lock."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._engine = Engine()
        self._last_good = LastGood()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="pto-analysis")
        self._known: dict[str, tuple[int, Analysed]] = {}
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
                continue
            if self._documents.get(document.path) is not None:
                self._known[current.path] = (generation, analysed)
            newest = self._documents.get(document.path)
            if newest is None or newest.version == current.version:
                return analysed

    async def kernels(self, document: Document, line: int) -> UnitKernels | None:
        """The kernels of the unit at a line of a document, as its text is now."""
        return await self.run(partial(self._kernels, document, line))

    async def modules(self, document: Document) -> Modules:
        """The workspace as a document sees it now."""
        return await self.run(lambda: Modules(Workspace(self._snapshot(document))))

    async def run(self, work: Callable[[], T]) -> T:
        """Anything that takes longer than a moment, behind the analyses that already wait."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, work)

    def forget(self, path: str) -> None:
        self._known.pop(path, None)

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _analyse(self, document: Document, generation: int) -> Analysed:
        """Runs in the worker."""
        settings, enabled, problem = self._documents.settings(document.path)
        if problem is not None:
            self._report_once(problem, problem)
        options = CheckOptions(settings.toolchain, settings.rule_options)
        snapshot = self._snapshot(document)
        analysis = self._engine.analyze(
            document.path, document.text, snapshot, options, lambda: self._superseded(document, generation)
        )
        self._report_errors(analysis)
        kept = self._last_good.complete(document.path, document.text, analysis)
        return Analysed(document, report_file(kept, enabled), settings)

    def _kernels(self, document: Document, line: int) -> UnitKernels | None:
        """Runs in the worker."""
        settings, _, _ = self._documents.settings(document.path)
        options = CheckOptions(settings.toolchain, settings.rule_options)
        return self._engine.kernels(document.path, document.text, self._snapshot(document), options, line)

    def _snapshot(self, document: Document) -> Snapshot:
        """The files, with this text for the document even if a newer one has come."""
        snapshot = self._documents.snapshot(document.path)
        return evolve(snapshot, overlay={**snapshot.overlay, document.path: document.text})

    def _superseded(self, document: Document, generation: int) -> bool:
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
