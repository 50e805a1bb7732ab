"""Running `pto-lint` in this process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, cast

from attrs import frozen

from pto_lsp.cli.main import main


@frozen
class Ran:
    """What a command line gave."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Mapping[str, Any]:
        return cast("Mapping[str, Any]", json.loads(self.out))

    @property
    def codes(self) -> list[str]:
        """The codes of a JSON report, in order."""
        return [diagnostic["code"] for diagnostic in self.json["diagnostics"]]


def pto_lint(*arguments: object, stdin: bytes = b"") -> Ran:
    """Runs one command line; paths may be given as they are."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            status = main([str(argument) for argument in arguments])
    finally:
        sys.stdin = before
    return Ran(status, out.getvalue(), err.getvalue())
