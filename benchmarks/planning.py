"""The synchronisation of large kernels, by the whole way that `pto-lint sync` and the editor's preview take.

Goal: twice the operations in at most 2.3 times the CPU time. Start-up of the process is left out of the ratios.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measure import Row, Setting, command
from benchmarks.server import Client, timed

PTO_LINT = str(Path(sys.executable).with_name("pto-lint"))

HEAD = """\
import pypto.language as pl


@pl.program
class {name}:
    @pl.function(type=pl.FunctionType.InCore)
    def k(
        self,
        x: pl.Tensor[[64, 64], pl.FP32],
        n: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[64, 64], pl.FP32]],
    ):
"""
STEPS = ("t{k} = pl.load(x, [0, 0], [8, 64])", "u{k} = pl.tile.adds(t{k}, 1.0)", "y = pl.store(u{k}, [0, 0], y)")
SIZES = (2_500, 5_000, 10_000)
PREVIEWED = 1_000


def _rows(indent: int, number: int) -> str:
    return "".join(f"{' ' * indent}{step.format(k=number)}\n" for step in STEPS)


def _kernel(body: str, name: str = "K") -> str:
    return f"{HEAD.format(name=name)}{body}        return y\n"


def straight(operations: int) -> str:
    return _kernel("".join(_rows(8, k) for k in range(operations // 3)))


def branches(operations: int) -> str:
    return _kernel("".join(f"        if n > {k}:\n{_rows(12, k)}" for k in range(operations // 3)))


def loops(operations: int) -> str:
    return _kernel("".join(f"        for i{k} in pl.range(n):\n{_rows(12, k)}" for k in range(operations // 3)))


def nested(depth: int, *heads: str) -> str:
    """Statements of these kinds inside one another, with three operations in each."""
    lines = [f"{' ' * (8 + k)}{heads[k % len(heads)].format(k=k)}:\n{_rows(9 + k, k)}" for k in range(depth)]
    return _kernel("".join(lines))


LOOP, BRANCH = "for i{k} in pl.range(n)", "if n > {k}"
NESTS: dict[str, str] = {
    "24 loops in one another": nested(24, LOOP),
    "40 loops in one another": nested(40, LOOP),
    "20 branches in one another": nested(20, BRANCH),
    "24 loops and branches in one another": nested(24, LOOP, BRANCH),
}


def run(setting: Setting) -> Iterator[Row]:
    del setting
    with TemporaryDirectory() as scratch:
        start = _seconds(Path(scratch), straight(3))
        yield Row("three operations", start)
        for make in (straight, branches, loops):
            yield from _growth(Path(scratch), make, start)
        for name, text in NESTS.items():
            yield Row(name, _seconds(Path(scratch), text) - start)
        yield from _previews(Path(scratch))


def _growth(scratch: Path, make: Callable[[int], str], start: float) -> Iterator[Row]:
    before = None
    for size in SIZES:
        seconds = _seconds(scratch, make(size)) - start
        ratio = None if before is None else seconds / before
        yield Row(f"{make.__name__}, {size} operations", seconds, ratio, "of half as many; goal 2.3" if ratio else "")
        before = seconds


def _seconds(scratch: Path, text: str) -> float:
    """CPU time of `pto-lint sync` on a kernel."""
    path = scratch / "kernel.py"
    path.write_text(text, encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command([PTO_LINT, "sync", str(path), "--output-format", "json"])()
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def _previews(scratch: Path) -> Iterator[Row]:
    """The preview in an editor: at first, asked for again, and after edits that do not change what the kernel does."""
    uri, other = (scratch / "edited.py").as_uri(), _kernel(_rows(8, 0), "Other").partition("\n\n\n")[2]
    text = f"{straight(PREVIEWED)}\n\n{other}"
    inside, behind = HEAD.count("\n") + 1, text.count("\n")
    client = Client(scratch)
    client.open(uri, text)
    client.pull(uri)
    edits: dict[str, tuple[int, str] | None] = {
        "at first": None,
        "asked for again": None,
        "after an edit of another kernel": (behind - 2, "        v = pl.load(x, [8, 0], [8, 64])\n"),
        "after a comment in the kernel": (inside, "        # a comment\n"),
        "after a statement in the kernel": (inside, "        v = pl.load(x, [8, 0], [8, 64])\n"),
    }
    argument: dict[str, object] = {"uri": uri, "line": inside, "character": 8, "format": "text"}
    for version, (name, edit) in enumerate(edits.items(), 2):
        if edit is not None:
            place = {"line": edit[0], "character": 0}
            client.change(uri, version, {"start": place, "end": place}, edit[1])
            client.pull(uri)
        params = {"command": "pto.syncPreview", "arguments": [argument]}
        taken = timed(lambda params=params: client.request("workspace/executeCommand", params))
        yield Row(f"preview of {PREVIEWED} operations, {name}", taken / 1000)
    client.close()
