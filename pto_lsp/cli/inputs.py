"""The texts that a command works on: files, folders, standard input."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

from attrs import frozen

from pto_lsp.cli.arguments import UsageError
from pto_lsp.cli.console import Console
from pto_lsp.workspace.discovery import discover
from pto_lsp.workspace.reading import ReadError, decode, read_source


@frozen
class Input:
    """One text to check. `path` is where it is or would be, `shown` how it is called in output."""

    path: Path
    shown: str
    text: str


def gather(arguments: Namespace, exclude: tuple[str, ...], console: Console) -> list[Input]:
    """The texts to check; what cannot be read is reported and counts as an error of the run."""
    paths: list[str] = arguments.paths or ["."]
    if "-" in paths:
        if len(paths) > 1:
            raise UsageError("`-` (standard input) cannot be mixed with paths")
        return _standard_input(arguments, console)
    found = discover([Path(path) for path in paths], exclude)
    for path, problem in found.errors:
        console.fail(f"{shown_path(path)}: {problem}")
    return [item for path in found.files if (item := _read(path, console)) is not None]


def _standard_input(arguments: Namespace, console: Console) -> list[Input]:
    name = arguments.stdin_filename or "stdin.py"
    try:
        text = decode(sys.stdin.buffer.read())
    except ReadError as error:
        console.fail(f"{name}: {error}")
        return []
    return [Input(Path(name), shown_path(Path(name)), text)]


def _read(path: Path, console: Console) -> Input | None:
    try:
        return Input(path, shown_path(path), read_source(path))
    except ReadError as error:
        console.fail(f"{shown_path(path)}: {error}")
        return None


def shown_path(path: Path) -> str:
    """Relative to the working folder where it lies below it, with forward slashes."""
    full = path.absolute()
    try:
        return full.relative_to(Path.cwd()).as_posix()
    except ValueError:
        return full.as_posix()
