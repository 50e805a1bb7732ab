"""Where a command writes: results to standard output or a file, problems and progress to standard error."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pto_lsp.cli.arguments import UsageError
from pto_lsp.output.style import Style

PROGRESS_FROM = 20
"""Files in a run from which on a terminal shows progress."""

Progress = Callable[[int, int, str], None]


class Console:
    """The outside of one run. `failed` turns true with the first problem that is not a finding."""

    def __init__(self, arguments: Namespace) -> None:
        self._file: str | None = getattr(arguments, "output_file", None)
        self._verbose: bool = arguments.verbose
        self._quiet: bool = getattr(arguments, "quiet", False)
        self.style = Style(enabled=self._file is None and wants_color(arguments.color, sys.stdout))
        self.failed = False

    def write(self, text: str) -> None:
        """Writes a result. Errors: UsageError for an output file that cannot be written."""
        if self._file is None:
            write_text(text)
            return
        try:
            Path(self._file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write {self._file}: {error.strerror or error}") from None

    def fail(self, message: str) -> None:
        self.failed = True
        print(f"pto-lint: error: {message}", file=sys.stderr)

    def detail(self, message: str) -> None:
        """Something for `--verbose` only."""
        if self._verbose and message:
            print(message.rstrip(), file=sys.stderr)

    @contextmanager
    def progress(self, total: int) -> Generator[Progress]:
        """A bar on a terminal for long runs, nothing elsewhere."""
        if self._quiet or total < PROGRESS_FROM or not sys.stderr.isatty():
            yield _no_progress
            return
        from rich.console import Console as RichConsole
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
        with Progress(*columns, console=RichConsole(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=total)
            yield lambda done, _, name: bar.update(task, completed=done, description=name)


def write_text(text: str) -> None:
    """To standard output as UTF-8, whatever the terminal's encoding can say."""
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        sys.stdout.buffer.write(text.encode("utf-8"))


def wants_color(choice: str, stream: TextIO) -> bool:
    """`--color`, then NO_COLOR and FORCE_COLOR, then whether `stream` is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _no_progress(done: int, total: int, name: str) -> None:
    del done, total, name
