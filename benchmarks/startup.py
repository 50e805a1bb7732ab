"""Start-up of the command line, against a Python that does nothing. Goal: `--version` within 2.5 times."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Row, Setting, command, median


def run(setting: Setting) -> Iterator[Row]:
    del setting
    pto_lint = str(Path(sys.executable).with_name("pto-lint"))
    bare = median(command([sys.executable, "-c", "pass"]), 21)
    yield Row("python -c pass", bare)
    version = median(command([pto_lint, "--version"]), 21)
    yield Row("pto-lint --version", version, version / bare, "of python -c pass; goal 2.5")
    with TemporaryDirectory() as folder:
        (Path(folder) / "plain.py").write_text("x = 1\n" * 1000, encoding="utf-8")
        nothing = median(command([pto_lint, "check", "plain.py"], Path(folder)))
        yield Row("pto-lint check, a file without kernels", nothing, nothing / bare, "of python -c pass")
