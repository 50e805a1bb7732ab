"""`pto-lint check` on a folder of kernels against bare `libcst.parse_module` of the same files.

Goals on pypto-lib with two processes: cold at most 0.5 of libcst in one process, warm at most 0.03.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import libcst

from benchmarks.measure import Row, Setting, command
from pto_lsp.workspace.discovery import discover
from pto_lsp.workspace.reading import is_relevant, read_source

PTO_LINT = str(Path(sys.executable).with_name("pto-lint"))
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

KERNEL = """\
    @pl.function(type=pl.FunctionType.InCore)
    def kernel_{number}(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
"""
STEP = "        t{number} = pl.tile.adds(t{before}, {number}.0)\n"


def run(setting: Setting) -> Iterator[Row]:
    with TemporaryDirectory() as scratch:
        kernels = Path(scratch) / "kernels"
        copytree(setting.kernels or EXAMPLES, kernels)
        yield from _folder(kernels, Path(scratch))
        yield from _growth(Path(scratch))


def _folder(kernels: Path, scratch: Path) -> Iterator[Row]:
    files = [path for path in discover([kernels]).files if path.suffix == ".py"]
    texts = [text for path in files if is_relevant(str(path), text := read_source(path))]
    parse = _libcst(texts)
    lines = sum(text.count("\n") for text in texts)
    yield Row(f"libcst.parse_module, {len(texts)} files, {lines} lines", parse)
    check = [
        str(Path(sys.executable).with_name("pto-lint")),
        "check",
        str(kernels),
        "--cache-dir",
        str(scratch / "cache"),
    ]
    for jobs in (1, 2):
        seconds = _timed([*check, "--no-cache", "--jobs", str(jobs)])
        yield Row(
            f"cold, {jobs} process{'es' if jobs > 1 else ''}", seconds, seconds / parse, "of libcst; goal 0.5 with two"
        )
    _timed([*check, "--jobs", "2"])
    warm = _timed([*check, "--jobs", "2"])
    yield Row("warm, nothing changed", warm, warm / parse, "of libcst; goal 0.03")
    files[0].write_text(read_source(files[0]) + "\n", encoding="utf-8")
    changed = _timed([*check, "--jobs", "2"])
    yield Row("one file changed", changed, changed / parse, "of libcst")


def _growth(scratch: Path) -> Iterator[Row]:
    first = None
    for factor in (1, 2, 4, 8):
        path = scratch / f"grown_{factor}.py"
        path.write_text(_kernel(200 * factor), encoding="utf-8")
        seconds = _timed([PTO_LINT, "check", str(path), "--no-cache"])
        first = first or seconds
        yield Row(f"one kernel of {200 * factor} operations", seconds, seconds / first, "of the smallest")


def _kernel(operations: int) -> str:
    lines = ["import pypto.language as pl\n\n\n@pl.program\nclass K:\n", KERNEL.format(number=0)]
    lines.append("        t0 = pl.load(x, [0, 0], [64, 64])\n")
    lines += [STEP.format(number=number, before=number - 1) for number in range(1, operations)]
    lines.append(f"        y = pl.store(t{operations - 1}, [0, 0], y)\n        return y\n")
    return "".join(lines)


def _libcst(texts: list[str]) -> float:
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    for text in texts:
        libcst.parse_module(text)
    seconds = time.perf_counter() - start
    gc.enable()
    return seconds


def _timed(arguments: list[str]) -> float:
    start = time.perf_counter()
    command(arguments)()
    return time.perf_counter() - start
