"""From a keystroke to its findings in the largest files of a folder of real kernels, against `ast.parse` of the file.

Without protocol and process around it, in CPU time, so that figures of a busy machine can be compared.
Goal: p95 at most twice the time of `ast.parse`.
"""

from __future__ import annotations

import ast
import gc
import re
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from benchmarks.measure import Setting
from pto_analysis.report import CheckOptions
from pto_lsp.workspace.incremental import Engine
from pto_lsp.workspace.live import DiskTexts
from pto_lsp.workspace.provider import project_root
from pto_lsp.workspace.reading import read_source
from pto_lsp.workspace.snapshot import Snapshot

FILES = 8
EDITS = 40

_KERNEL = re.compile(r"@pl\.(?:function|inline|jit)")
_NAME = re.compile(r"\b[a-z_]\w{2,}\b")
_NUMBER = re.compile(r"(?<![\w.])[1-9]\d*\b")

Edit = Callable[[str, Random], str]


def run(setting: Setting) -> Iterator[str]:
    if setting.kernels is None:
        yield "  (name a folder with --kernels)"
        return
    files = sorted(setting.kernels.rglob("*.py"), key=lambda path: -path.stat().st_size)
    chosen = [path for path in files if _KERNEL.search(read_source(path))][: FILES * 3 : 3]
    for path in chosen:
        yield from keystrokes(path.resolve())


def keystrokes(path: Path) -> Iterator[str]:
    """One edit after the other, each made to the file as it is on disk."""
    text = read_source(path)
    engine, disk, random = Engine(), DiskTexts(), Random(1)

    def findings(newest: str) -> None:
        snapshot = Snapshot((project_root(str(path.parent)),), {str(path): newest}, disk.read)
        engine.analyze(str(path), newest, snapshot, CheckOptions(), lambda: False)

    findings(text)
    gc.collect()
    gc.freeze()
    gc.disable()
    times: dict[str, list[float]] = {}
    parses = [_cpu(lambda: ast.parse(text))]
    for number in range(EDITS):
        kind = list(KINDS)[number % len(KINDS)]
        edited = KINDS[kind](text, random)
        parses.append(_cpu(lambda: ast.parse(text)))
        times.setdefault(kind, []).append(_cpu(lambda edited=edited: findings(edited)))
        findings(text)
    gc.enable()
    parse = statistics.median(parses)
    every = sorted(seconds / parse for found in times.values() for seconds in found)
    kinds = ", ".join(f"{kind} {statistics.median(found) / parse:.1f}" for kind, found in times.items())
    name = f"{path.parent.name}/{path.name}"
    yield (
        f"  {name:<50} {text.count(chr(10)):5} lines, ast.parse {parse * 1000:6.1f} ms, "
        f"p50 {statistics.median(every):6.2f}x  p95 {every[round(0.95 * (len(every) - 1))]:6.2f}x  ({kinds})"
    )


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _lines_of_kernels(text: str) -> Iterator[tuple[int, str]]:
    """Statements of kernels with their offsets."""
    offset, inside = 0, False
    for line in text.split("\n"):
        if line and not line[0].isspace():
            inside = bool(_KERNEL.match(line)) or (inside and line.startswith(("@", "def", "class", ")")))
        if inside and line.startswith("    ") and ("pl." in line or "=" in line):
            yield offset, line
        offset += len(line) + 1


def _place(text: str, random: Random, pattern: re.Pattern[str]) -> re.Match[str]:
    lines = [(offset, line) for offset, line in _lines_of_kernels(text) if pattern.search(line)]
    offset, line = random.choice(lines)
    found = random.choice(list(pattern.finditer(line)))
    match = pattern.match(text, offset + found.start())
    assert match is not None
    return match


def letter(text: str, random: Random) -> str:
    """A letter more in a name."""
    at = _place(text, random, _NAME).end()
    return text[:at] + random.choice("abcxyz") + text[at:]


def number(text: str, random: Random) -> str:
    """Another constant."""
    found = _place(text, random, _NUMBER)
    return text[: found.start()] + str(random.randrange(1, 512)) + text[found.end() :]


def parenthesis(text: str, random: Random) -> str:
    """A parenthesis less."""
    at = _place(text, random, re.compile(r"[()]")).start()
    return text[:at] + text[at + 1 :]


def new_line(text: str, random: Random) -> str:
    """A statement that is half typed."""
    offset, line = random.choice([pair for pair in _lines_of_kernels(text) if pair[1].rstrip().endswith(")")])
    indent = line[: len(line) - len(line.lstrip())]
    at = offset + len(line)
    return f"{text[:at]}\n{indent}{random.choice(('t = pl.', 'pl.tile.slice(', 'acc = x', 'for i in'))}{text[at:]}"


def comment(text: str, random: Random) -> str:
    """A comment behind a statement."""
    offset, line = random.choice([pair for pair in _lines_of_kernels(text) if pair[1].rstrip().endswith(")")])
    at = offset + len(line)
    return f"{text[:at]}  # {random.choice('abc')}{text[at:]}"


KINDS: dict[str, Edit] = {
    "letter": letter,
    "number": number,
    "parenthesis": parenthesis,
    "line": new_line,
    "comment": comment,
}
