"""Timing, and the rows that a benchmark prints."""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import frozen


@frozen
class Row:
    """One figure. `ratio` compares it with the base line that `note` names."""

    name: str
    seconds: float
    ratio: float | None = None
    note: str = ""

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:8.2f}x"
        return f"  {self.name:<44} {self.seconds * 1000:10.1f} ms {ratio:>9}  {self.note}".rstrip()


@frozen
class Setting:
    """Where real kernels lie, if the user named a folder."""

    kernels: Path | None = None


def best(action: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest of some runs: the one that was disturbed least."""
    return min(_timed(action) for _ in range(repeats))


def median(action: Callable[[], object], repeats: int = 9) -> float:
    return statistics.median(_timed(action) for _ in range(repeats))


def command(arguments: Sequence[str], cwd: Path | None = None) -> Callable[[], object]:
    return lambda: subprocess.run(arguments, cwd=cwd, capture_output=True, check=False)


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
