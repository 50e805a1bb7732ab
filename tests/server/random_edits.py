"""Random edits of kernel files: what people type, and what cats type."""

from __future__ import annotations

import re
from random import Random

from tests.server import kernels

SEEDS = (kernels.MISSPELT, kernels.COPIED, kernels.UNUSED, kernels.STRIDED)

MOVES = ("\n", "\n\n", "# a comment\n", "    # a comment\n", "# pto: ignore[PTO103]\n")
"""Lines that change no statement."""

SNIPPETS = (
    "pl.",
    "pl.tile.slice(",
    "t = pl.load(x, [0, 0], [64, 64])",
    "# pto: ignore[PTO104]",
    "\n",
    "\n        ",
    "    for i in pl.range(4):\n",
    "@pl.function\n",
    "def f(",
    "class X:\n",
    '"""',
    "'",
    "(",
    "]",
    "é漢𝄞",
    "\t",
    "\r\n",
    "\x00",
    "\\",
    ":",
    "= ",
    "lambda: (yield)",
    "0x",
    "1" * 40,
    "match x:\n    case _:\n",
    "async ",
    "\ufeff",
    "\x0c",
)


def start(random: Random) -> str:
    """A file of several kernels."""
    chosen = [random.choice(SEEDS) for _ in range(3)]
    return "\n".join(text.replace("class K", f"class K{number}") for number, text in enumerate(chosen))


def edit(text: str, random: Random) -> tuple[int, int, str]:
    """(start, end, new text) of one edit."""
    at = random.randint(0, len(text))
    kind = random.randrange(8)
    if kind == 0:
        return at, min(len(text), at + random.randint(1, 40)), ""
    if kind == 1:
        lines = text.split("\n")
        line = random.choice(lines)
        return at, at, f"\n{line}\n"
    if kind == 2:
        words = [word for seed in SEEDS for word in seed.split()]
        return at, at, random.choice(words)
    if kind == 3:
        return at, min(len(text), at + 1), chr(random.randint(32, 126))
    if kind == 4 and len(text) > 8000:
        return 0, len(text), start(random)
    if kind == 5:
        return 0, len(text), start(random) if random.random() < 0.05 else text
    return at, at, random.choice(SNIPPETS)


def typed(text: str, random: Random) -> tuple[int, int, str]:
    """One edit as an author makes it: a digit, a letter of a name, a comment, a blank line, a statement less."""
    lines = text.split("\n")
    row = random.randrange(len(lines))
    begin = sum(len(line) + 1 for line in lines[:row])
    end = begin + len(lines[row])
    kind = random.randrange(6)
    if kind == 0:
        return begin, begin, random.choice(MOVES)
    if kind == 1 and row + 1 < len(lines):
        return begin, end + 1, ""
    if kind == 2:
        return end, end, random.choice(("  # why", "x", " ", "("))
    digits = [match.start() for match in re.finditer(r"[1-9]" if kind < 5 else r"\w", text)]
    at = random.choice(digits) if digits else 0
    return at, min(at + 1, len(text)), str(random.choice((1, 2, 4, 6, 8))) if kind < 5 else random.choice("axy_")
