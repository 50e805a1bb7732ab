"""The language server: from a keystroke to its diagnostics, hovers, completions, the start, and memory.

Speaks the protocol to a real server process. Diagnostics are pulled right after each change; `ast.parse` of the same
text is measured in the same run, for scale.
"""

from __future__ import annotations

import ast
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import IO, Any, cast

from benchmarks.measure import Setting

KERNEL = """
    @pl.function(type=pl.FunctionType.InCore)
    def kernel_{n}(
        self,
        x: pl.Tensor[[64, 512], pl.FP32],
        g: pl.Tensor[[1, 512], pl.FP32],
        y: pl.Out[pl.Tensor[[64, 512], pl.FP32]],
    ) -> pl.Tensor[[64, 512], pl.FP32]:
        gamma = pl.load(g, [0, 0], [1, 512])
        for i in pl.range(8):
            row = i * 8
            t = pl.load(x, [row, 0], [8, 512])
            square = pl.mul(t, t)
            total = pl.row_sum(square)
            mean = pl.mul(total, {n} + 0.001953125)
            root = pl.rsqrt(pl.add(mean, 1e-6))
            scaled = pl.row_expand_mul(t, root)
            left = pl.tile.slice(scaled, [8, 256], [0, 0])
            right = pl.tile.slice(scaled, [8, 256], [0, 256])
            both = pl.add(left, right)
            twice = pl.mul(both, 2.0)
            y = pl.store(twice, [row, 0], y)
            normed = pl.col_expand_mul(scaled, gamma)
            y = pl.store(normed, [row, 0], y)
        return y
"""
"""27 lines, as long as the median kernel of a model file."""


def kernel_file(lines: int) -> str:
    """Programs of two kernels each, of about so many lines together."""
    parts = ["import pypto.language as pl\n"]
    number = 0
    while sum(part.count("\n") for part in parts) < lines:
        body = "".join(KERNEL.replace("{n}", str(number + step)) for step in range(2))
        parts.append(f"\n\n@pl.program\nclass Program{number}:{body}")
        number += 2
    return "".join(parts)


class Client:
    """A server process, spoken to one request at a time."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "pto_lsp.server", "--log-level", "error"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0
        capabilities: dict[str, object] = {
            "textDocument": {"diagnostic": cast("object", {})},
            "general": {"positionEncodings": ["utf-8"]},
        }
        self.request("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": capabilities})
        self.notify("initialized", {})

    def notify(self, method: str, params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: object) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            answer = self._read()
            if answer.get("id") == self._number and "method" not in answer:
                return answer

    def open(self, uri: str, text: str) -> None:
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, place: dict[str, Any], text: str) -> None:
        changes = [{"range": place, "text": text}]
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes},
        )

    def pull(self, uri: str) -> None:
        self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})

    def memory(self) -> float:
        """Resident megabytes; 0 where the system does not tell."""
        status = Path(f"/proc/{self.process.pid}/status")
        rows = status.read_text().splitlines() if status.exists() else []
        return sum(int(row.split()[1]) for row in rows if row.startswith("VmRSS")) / 1024

    def close(self) -> None:
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.wait(30)

    def _send(self, message: object) -> None:
        body = json.dumps(message).encode()
        stream = cast("IO[bytes]", self.process.stdin)
        stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        stream.flush()

    def _read(self) -> dict[str, Any]:
        stream = cast("IO[bytes]", self.process.stdout)
        length = 0
        while line := stream.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return cast("dict[str, Any]", json.loads(stream.read(length)))


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def row(name: str, times: list[float]) -> str:
    ordered = sorted(times)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return f"{name:<52} median {statistics.median(ordered):8.1f} ms   p95 {p95:8.1f} ms"


def keystrokes(client: Client, name: str, text: str, folder: Path, count: int) -> Iterator[str]:
    """Types one character at a time into random statements of a file."""
    random = Random(1)
    uri = (folder / f"{name.replace(' ', '_')}.typed.py").as_uri()
    client.open(uri, text)
    client.pull(uri)
    rows = [number for number, line in enumerate(text.split("\n")) if " = pl." in line]
    answers: list[float] = []
    parses: list[float] = []
    for version in range(2, count + 2):
        line, column = random.choice(rows), 12
        place = {"start": {"line": line, "character": column}, "end": {"line": line, "character": column}}
        client.change(uri, version, place, random.choice("abcxyz"))
        answers.append(timed(lambda: client.pull(uri)))
        parses.append(timed(lambda: ast.parse(text)))
    yield row(f"keystroke to diagnostics, {name}", answers)
    yield row("  ast.parse of the same file", parses)
    p95 = sorted(answers)[round(0.95 * (count - 1))] / sorted(parses)[round(0.95 * (count - 1))]
    yield f"  p95 against p95 of ast.parse: {p95:.2f}"
    place = {"textDocument": {"uri": uri}, "position": {"line": rows[5], "character": 14}}
    for method in ("hover", "completion"):
        times = [timed(lambda method=method: client.request(f"textDocument/{method}", place)) for _ in range(50)]
        yield row(f"  {method}", times)


def start(folder: Path) -> Iterator[str]:
    """From the start of the process to the first diagnostics of a small file."""
    text = kernel_file(60)

    def once() -> None:
        client = Client(folder)
        client.open((folder / "first.py").as_uri(), text)
        client.pull((folder / "first.py").as_uri())
        client.close()

    yield row("cold start to the first diagnostics", [timed(once) for _ in range(3)])


def memory(client: Client, folder: Path, files: int, edits: tuple[int, ...]) -> Iterator[tuple[int, float]]:
    """Megabytes that many open files and many edits leave in memory, after each of some numbers of edits, and none."""
    for number in range(files):
        uri = (folder / f"open_{number}.py").as_uri()
        client.open(uri, kernel_file(100).replace("Program", f"P{number}_"))
        client.pull(uri)
    yield 0, client.memory()
    uri, random = (folder / "open_0.py").as_uri(), Random(2)
    for version in range(2, max(edits) + 2):
        line = random.randrange(5, 60)
        place = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": version % 2}}
        client.change(uri, version, place, "" if version % 2 else " ")
        if version % 10 == 0:
            client.pull(uri)
        if version - 1 in edits:
            yield version - 1, client.memory()


def _memory(client: Client, folder: Path) -> Iterator[str]:
    opened = 0.0
    for edits, now in memory(client, folder, 300, (1_000, 10_000, 40_000)):
        opened = opened or now
        yield f"memory with 300 files open, after {edits} edits: {now:.0f} MB, {now / opened - 1:+.1%}"


def run(setting: Setting) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pyproject.toml").write_text("[project]\nname = 'bench'\n")
        client = Client(folder)
        for lines in (1000, 3000):
            yield from keystrokes(client, f"{lines} lines of kernels", kernel_file(lines), folder, 60)
        client.close()
        if setting.kernels is not None:
            yield from _real(setting.kernels)
        yield from start(folder)
        client = Client(folder)
        yield from _memory(client, folder)
        client.close()


def _real(kernels: Path) -> Iterator[str]:
    """The file of median length of a folder of real kernels."""
    files = sorted(kernels.rglob("*.py"), key=lambda path: path.stat().st_size)
    chosen = [path for path in files if "@pl." in path.read_text()]
    if not chosen:
        return
    path = chosen[len(chosen) // 2]
    client = Client(path.parent)
    yield from keystrokes(client, path.name, path.read_text(), path.parent, 30)
    client.close()
