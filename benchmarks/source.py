"""Scanning and parsing statement by statement, against bare libcst.parse_module of the same files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import libcst

from benchmarks.measure import Row, Setting, best
from pto_analysis.source import statements
from pto_analysis.source.modules import index_module, parse_ast
from pto_analysis.source.scanner import scan
from pto_analysis.source.unit import split_units

_EXAMPLES = Path(__file__).parents[1] / "examples"
_SIZES = (1, 2, 4, 8)


def run(setting: Setting) -> Iterator[Row]:
    texts = [path.read_text(encoding="utf-8") for path in sorted((setting.kernels or _EXAMPLES).rglob("*.py"))]
    lines = sum(text.count("\n") for text in texts)
    yield from _rows(texts, lines, best(lambda: [libcst.parse_module(text) for text in texts], 1))
    yield from _growth(max(texts, key=len))


def _rows(texts: list[str], lines: int, bare: float) -> Iterator[Row]:
    note = "of libcst.parse_module"
    yield Row(f"libcst.parse_module, {len(texts)} files, {lines} lines", bare, 1.0)
    scanned = best(lambda: [scan(text) for text in texts], 3)
    yield Row("scan", scanned, scanned / bare, f"{note}; {scanned / lines * 1e6:.1f} µs a line")
    found = [line.text for text in texts for line in scan(text)]
    cold = best(lambda: _parse(found), 1)
    repeats = 1 - len(set(found)) / len(found)
    yield Row("parse every statement, cold", cold, cold / bare, f"{note}; {repeats:.0%} are repeats")
    largest = max(texts, key=len)
    once = best(lambda: libcst.parse_module(largest), 1)
    _parse(line.text for line in scan(largest))
    key = best(lambda: _parse(line.text for line in scan(f"{largest}\nnew = 1\n")), 3)
    yield Row("scan and parse after a keystroke, largest file", key, key / once, note)
    units = best(lambda: _index(texts), 3)
    yield Row("units and the index of constants, cold", units, units / bare, note)
    sample = [statements.parse_statement(text) for text in found[:: max(len(found) // 500, 1)]]
    parsed = [each for each in sample if isinstance(each, statements.StatementSyntax)]
    places = best(lambda: [statements.positions(each) for each in parsed], 1)
    yield Row("positions of one statement", places / len(parsed))


def _growth(text: str) -> Iterator[Row]:
    """The time of one file, and of the same file several times over."""
    base = 0.0
    for size in _SIZES:
        grown = "".join(text + f"\nEND_{copy} = {copy}\n" for copy in range(size))
        taken = best(lambda grown=grown: scan(grown), 3)
        base = base or taken
        yield Row(f"scan, {size} times the largest file", taken, taken / base, "of once")


def _parse(texts: Iterable[str]) -> None:
    for text in texts:
        statements.parse_statement(text)


def _index(texts: list[str]) -> None:
    for remembered in (split_units, index_module, parse_ast):
        remembered.cache_clear()
    for text in texts:
        index_module(text)
