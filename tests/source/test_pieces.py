"""Scanning a module piece by piece gives what scanning it whole gives."""

from __future__ import annotations

import time
from random import Random

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.rules.suppression import suppressions, suppressions_of
from pto_analysis.source.pieces import cut, scan_piece
from pto_analysis.source.scanner import LogicalLine, scan, scan_text, shifted_line
from pto_analysis.source.text import SourceText

MODULE = '''\
"""A docstring
with text at the margin,

def in_it(): as well.
"""

import pypto.language as pl

SIZES = [
1, 2,
]
WIDE = (1 +
    2)  # both


@pl.jit(
    name="k",
)
@other
def k(x):
    """Quotes."""
    y = f(x, [1, 2])
    if y: z = {"a": 1}; w = 2
    # a comment
    return y
# at the margin


if True:
    A = 1
elif B:
    A = 2
else:
    A = 3
last = A + \\
B


class C:
    def f(self): pass
'''

TYPED = (
    "(",
    "[",
    "}",
    ")",
    '"""',
    "'''",
    "'",
    '"',
    "#",
    "\\",
    "@",
    ":",
    ";",
    "\n",
    "\n\n",
    "def ",
    "x = 1",
    "else",
    " ",
)

SNIPPETS = [
    "x = 1\n", "f(\n", ")\n", "]\n", "@d\n", "def f(a,\n", "def f():\n", "    y = [\n", "    z = 1\n", '"""\n', "'''\n",
    "'\n", "class A: b\n", "if x:\n", "else:\n", "# c\n", "\n", "\\\n", "x = 1 + \\\n", "import a\n", "\x0c", "\r",
    "\ufeff", "a; b\n", "    return (\n", "@\n", "async def g(): {\n", "x = '''\n", "end",
]  # fmt: skip


def pieced(text: str) -> list[LogicalLine]:
    """The lines of the pieces, where they stand in the text."""
    return [
        plain(shifted_line(line, piece.first_line)) for piece in cut(SourceText(text)) for line in _lines(piece.text)
    ]


def _lines(text: str) -> tuple[LogicalLine, ...]:
    return scan_piece(text).lines


def plain(line: LogicalLine) -> LogicalLine:
    """Without what counts from the beginning of a piece."""
    return evolve(line, index=0, comments=tuple(evolve(comment, owner=None) for comment in line.comments))


def same(text: str) -> None:
    assert "".join(piece.text for piece in cut(SourceText(text))) == text
    assert pieced(text) == [plain(line) for line in scan(text)]


@given(st.lists(st.sampled_from(SNIPPETS), max_size=30).map("".join))
def test_any_text(text: str) -> None:
    same(text)


@pytest.mark.parametrize("seed", range(5))
def test_a_module_that_is_typed_into(seed: int) -> None:
    random = Random(seed)
    for _ in range(60):
        text = MODULE
        for _ in range(random.randint(1, 3)):
            at = random.randint(0, len(text))
            text = text[:at] + random.choice(TYPED) + text[at + random.choice((0, 0, 1)) :]
            same(text)


@given(st.lists(st.sampled_from([*SNIPPETS, "# noqa: PTO201", "# pto: ignore[PTO104]"]), max_size=20).map("".join))
def test_directives_reach_as_far(text: str) -> None:
    assert suppressions_of(cut(SourceText(text))) == suppressions(scan_text(text))


def test_pieces_are_small() -> None:
    begins = [piece.text.split("\n")[0] for piece in cut(SourceText(MODULE))]
    assert begins[1:] == [
        "import pypto.language as pl",
        "SIZES = [",
        "WIDE = (1 +",
        "@pl.jit(",
        "if True:",
        "last = A + \\",
        "class C:",
    ]


@pytest.mark.parametrize("text", ["x = f(\n" * 20_000, 'x = """\n' * 20_001, "x = (\n'''\n" * 20_001, "@d\n" * 50_000])
def test_time_is_linear_in_the_text(text: str) -> None:
    began = time.process_time()
    cut(SourceText(text))
    assert time.process_time() - began < 10
