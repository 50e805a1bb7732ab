"""`pto-lint check --watch`: run, wait for a file to change, run again."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Callable, Mapping
from pathlib import Path

from pto_lsp.config.files import CONFIG_NAMES
from pto_lsp.workspace.discovery import discover

INTERVAL = 0.5

CLEAR = "\x1b[2J\x1b[H"


def watch(arguments: Namespace, run_once: Callable[[Namespace], int], wait: Callable[[], bool] | None = None) -> int:
    """Runs until interrupted, or until `wait` says no. Gives the status of the last run."""
    pause = wait or _sleep
    paths = [Path(path) for path in arguments.paths or ["."]]
    seen = snapshot(paths)
    status = run_once(arguments)
    while pause():
        now = snapshot(paths)
        if now == seen:
            continue
        seen = now
        if sys.stdout.isatty():
            sys.stdout.write(CLEAR)
        status = run_once(arguments)
        sys.stdout.flush()
    return status


def snapshot(paths: list[Path]) -> Mapping[Path, tuple[int, int]]:
    """Size and time of every file that a run would look at, and of the configuration files beside them."""
    found = discover(paths).files
    folders = {path.parent for path in found} | {Path.cwd()}
    configurations = (folder / name for folder in folders for name in CONFIG_NAMES)
    return {path: stamp for path in (*found, *configurations) if (stamp := _stamp(path)) is not None}


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns)


def _sleep() -> bool:
    time.sleep(INTERVAL)
    return True
