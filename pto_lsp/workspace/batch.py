"""Analysing many files: from the cache where it holds, in several processes where that pays."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from itertools import groupby
from multiprocessing import get_all_start_methods, get_context
from typing import TYPE_CHECKING

from attrs import frozen

from pto_analysis.report import CheckOptions, FileAnalysis, InternalError
from pto_lsp.workspace.cache import CacheFolder, Result

if TYPE_CHECKING:
    from pto_lsp.workspace.provider import Surroundings

POOL_FROM = 200_000
"""Characters of source that must be waiting before more processes than one are worth their start."""

_BATCHES_EACH = 3
"""Batches for each process, at the least: fewer read less twice, more keep all processes busy to the end."""

Progress = Callable[[int, int, str], None]
"""(done, all, the file just done)"""


@frozen
class Job:
    """One text to analyse. `path` is what the user sees, `text` what it holds now."""

    path: str
    text: str
    options: CheckOptions


def analyze_all(
    jobs: Sequence[Job], processes: int, cache: CacheFolder | None, progress: Progress
) -> list[FileAnalysis]:
    """The analyses of `jobs`, in their order."""
    results = [cache.read(job.path, job.text, job.options) if cache is not None else None for job in jobs]
    waiting = [index for index, result in enumerate(results) if result is None]
    done = len(jobs) - len(waiting)
    for index, result in _run([(index, jobs[index]) for index in waiting], processes):
        results[index] = result.analysis
        if cache is not None:
            cache.write(jobs[index].path, jobs[index].text, jobs[index].options, result)
        done += 1
        progress(done, len(jobs), jobs[index].path)
    return [result for result in results if result is not None]


def _run(jobs: list[tuple[int, Job]], processes: int) -> Iterator[tuple[int, Result]]:
    if not jobs:
        return
    from pto_lsp.workspace.provider import Surroundings  # the analysis loads when there is something to analyse

    processes = min(processes, len(jobs))
    if processes < 2 or sum(len(job.text) for _, job in jobs) < POOL_FROM:
        surroundings = Surroundings()
        with _without_collector():
            for index, job in jobs:
                yield index, analyze(job, surroundings)
        return
    yield from _run_in_pool(jobs, processes)


def _run_in_pool(jobs: list[tuple[int, Job]], processes: int) -> Iterator[tuple[int, Result]]:
    """Largest batches first, so that no process is left alone with one at the end."""
    forks = "fork" in get_all_start_methods()
    if forks:
        _load_analysis()
    context = get_context("fork" if forks else "spawn")
    with ProcessPoolExecutor(processes, context, initializer=gc.disable) as pool:
        futures = {
            pool.submit(_analyze_in_worker, [job for _, job in batch]): batch for batch in _batches(jobs, processes)
        }
        for future in as_completed(futures):
            batch = futures[future]
            yield from zip([index for index, _ in batch], _results(future, batch), strict=True)


def _load_analysis() -> None:
    """Loads what workers need once for all that are forked off, which takes 0.5 s."""
    for module in ("pto_analysis.check", "pto_analysis.source.concrete", "pto_lsp.workspace.dependencies"):
        import_module(module)
    import_module("pto_analysis.rules.registry").all_rules()


def _batches(jobs: Sequence[tuple[int, Job]], processes: int) -> list[list[tuple[int, Job]]]:
    """The jobs cut up for the processes, each folder's together as far as the work stays even: the files of a folder
    import each other and repeat each other's statements, and what a process has read once it need not read again."""
    most = sum(len(job.text) for _, job in jobs) // (processes * _BATCHES_EACH)
    batches: list[list[tuple[int, Job]]] = []
    for _, folder in groupby(sorted(jobs, key=_place), key=lambda item: os.path.dirname(item[1].path)):
        room = 0
        for item in folder:
            if room < len(item[1].text):
                batches.append([])
                room = most
            batches[-1].append(item)
            room -= len(item[1].text)
    return sorted(batches, key=lambda batch: -sum(len(job.text) for _, job in batch))


def _place(item: tuple[int, Job]) -> tuple[str, str]:
    return os.path.split(item[1].path)


def _results(future: Future[list[Result]], batch: Sequence[tuple[int, Job]]) -> list[Result]:
    try:
        return future.result()
    except BrokenProcessPool:
        return [_died(job) for _, job in batch]


def _died(job: Job) -> Result:
    error = InternalError(job.path, "a worker process died before this file was done", "")
    return Result(FileAnalysis(errors=(error,)), {})


@cache
def _surroundings_of_worker() -> Surroundings:
    """A worker process lives for one run."""
    from pto_lsp.workspace.provider import Surroundings

    return Surroundings()


def _analyze_in_worker(jobs: Sequence[Job]) -> list[Result]:
    return [analyze(job, _surroundings_of_worker()) for job in jobs]


def analyze(job: Job, surroundings: Surroundings) -> Result:
    from pto_analysis.check import analyze_file
    from pto_lsp.workspace.dependencies import dependencies

    path = os.path.abspath(job.path)
    provider, modules = surroundings.of(path, job.text)
    analysis = analyze_file(path, job.text, modules, job.options)
    return Result(analysis, dependencies(path, provider))


@contextmanager
def _without_collector() -> Generator[None]:
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
