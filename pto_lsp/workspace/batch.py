"""Analysing many files: from the cache where it holds, in several processes where that pays."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from attrs import frozen

from pto_analysis.report import CheckOptions, FileAnalysis, InternalError
from pto_lsp.workspace.cache import CacheFolder, Result
from pto_lsp.workspace.pool import forks, run_in_processes

if TYPE_CHECKING:
    from pto_lsp.workspace.provider import Surroundings

POOL_FROM = 200_000
"""Characters of source that must be waiting before more processes than one are worth their start."""

Progress = Callable[[int, int, str], None]
"""(done, all, the file just done)"""


@frozen
class Job:
    """One text to analyse. `path` is what the user sees, `text` what it holds now."""

    path: str
    text: str
    options: CheckOptions


Work = Callable[[Job, "Surroundings"], Result]
"""What is done about one job."""


def analyze_all(
    jobs: Sequence[Job], processes: int, cache: CacheFolder | None, progress: Progress
) -> list[FileAnalysis]:
    """The analyses of `jobs`, in their order."""
    results = [cache.read(job.path, job.text, job.options) if cache is not None else None for job in jobs]
    waiting = [index for index, result in enumerate(results) if result is None]
    done = len(jobs) - len(waiting)
    work = analyze if cache is None else analyze_with_dependencies
    for index, result in _run([(index, jobs[index]) for index in waiting], processes, work):
        results[index] = result.analysis
        if cache is not None:
            cache.write(jobs[index].path, jobs[index].text, jobs[index].options, result)
        done += 1
        progress(done, len(jobs), jobs[index].path)
    return [result for result in results if result is not None]


def _run(jobs: list[tuple[int, Job]], processes: int, work: Work) -> Iterator[tuple[int, Result]]:
    if not jobs:
        return
    from pto_lsp.workspace.provider import Surroundings  # the analysis loads when there is something to analyse

    processes = min(processes, len(jobs))
    if processes < 2 or sum(len(job.text) for _, job in jobs) < POOL_FROM:
        surroundings = Surroundings()
        with without_collector():
            for index, job in jobs:
                yield index, work(job, surroundings)
        return
    yield from _run_in_pool(jobs, processes, work)


def _run_in_pool(jobs: list[tuple[int, Job]], processes: int, work: Work) -> Iterator[tuple[int, Result]]:
    """The jobs in the order of their paths, for the files of a folder import each other."""
    if forks():
        _load_analysis()
    in_order = sorted(jobs, key=lambda item: os.path.split(item[1].path))
    for (index, job), result in run_in_processes(in_order, _size, partial(_work_in_worker, work), processes):
        yield index, _died(job) if result is None else result


def _size(item: tuple[int, Job]) -> int:
    return len(item[1].text)


def _load_analysis() -> None:
    """Loads what workers need once for all that are forked off, which takes 0.5 s."""
    for module in ("pto_analysis.check", "pto_analysis.source.concrete", "pto_lsp.workspace.provider"):
        import_module(module)
    import_module("pto_analysis.rules.registry").all_rules()


def _died(job: Job) -> Result:
    error = InternalError(job.path, "a worker process died before this file was done", "")
    return Result(FileAnalysis(errors=(error,)), {})


@cache
def _surroundings_of_worker() -> Surroundings:
    """A worker process lives for one run."""
    from pto_lsp.workspace.provider import Surroundings

    return Surroundings()


def _work_in_worker(work: Work, item: tuple[int, Job]) -> Result:
    return work(item[1], _surroundings_of_worker())


def analyze(job: Job, surroundings: Surroundings) -> Result:
    """The analysis alone."""
    from pto_analysis.check import analyze_file

    path = os.path.abspath(job.path)
    return Result(analyze_file(path, job.text, surroundings.of(path, job.text).modules, job.options), {})


def analyze_with_dependencies(job: Job, surroundings: Surroundings) -> Result:
    """The same for a cache, which has to know what an analysis depends on."""
    path = os.path.abspath(job.path)
    analysis = analyze(job, surroundings).analysis
    return Result(analysis, surroundings.of(path, job.text).dependencies.of(path))


@contextmanager
def without_collector() -> Generator[None]:
    """Analysis makes many small values and no cycles; the collector would only look at them again and again.

    What was made meanwhile stays out of its sight afterwards too: looking through the memory of a large folder once
    more, as the collector does at the end of the process, takes as long as checking a third of it.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
