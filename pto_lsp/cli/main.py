"""The entry point of `pto-lint`. Imports as little as a run needs: a hook that finds nothing to do must be quick."""

from __future__ import annotations

import os
import sys
from importlib import import_module

TYPE_CHECKING = False
"""As in `typing`, which takes longer to import than all of this."""

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

COMMANDS = ("check", "canonicalize", "rule", "sync", "budget")

ERROR = 2
"""The exit status for wrong usage, unreadable input and internal errors."""


def run() -> None:
    """The console script: runs the command line and ends the process."""
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except KeyboardInterrupt:
        status = 130
    sys.exit(status)


def main(argv: Sequence[str]) -> int:
    """Runs one command line and gives its exit status."""
    if list(argv) in (["--version"], ["-V"]):
        from pto_lsp import __version__

        print(f"pto-lint {__version__}")
        return 0
    from pto_lsp.cli.arguments import UsageError, parse

    try:
        arguments = parse(argv)
        return _command(arguments.command)(arguments)
    except UsageError as error:
        print(f"pto-lint: error: {error}", file=sys.stderr)
        return ERROR


def _command(name: str) -> Callable[[Namespace], int]:
    return import_module(f"pto_lsp.cli.{name}").run
