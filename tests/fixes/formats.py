"""Other layouts of the same code: comments, line breaks, quotes, tabs, joined statements, line ends."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

BYTE_ORDER_MARK = "\ufeff"

Layout = Callable[[Random, str], str]


def comments(text: str) -> Counter[str]:
    """The comments of a module that parses."""
    return Counter(token.string for token in _tokens(text) if token.type == tokenize.COMMENT)


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    return tokenize.generate_tokens(io.StringIO(text.lstrip(BYTE_ORDER_MARK)).readline)


def with_comments(random: Random, text: str) -> str:
    """Comments and blank lines above and behind lines, some of them beyond ASCII."""
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        indent = line[: len(line) - len(line.lstrip())]
        if line.strip() and random.random() < 0.2:
            lines.append(f"{indent}# above {number} é中")
        if random.random() < 0.1:
            lines.append("")
        ends_well = line.strip() and not line.endswith("\\") and '"""' not in line
        lines.append(f"{line}  # behind {number} “ü”" if ends_well and random.random() < 0.3 else line)
    return "\n".join(lines)


def with_breaks(random: Random, text: str) -> str:
    """Lines broken at commas inside brackets, with a comment behind some."""
    depth = 0
    places: list[tuple[int, int]] = []
    for token in _tokens(text):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == "," and depth and random.random() < 0.3:
                places.append(token.end)
    lines = text.split("\n")
    for number, (row, column) in enumerate(reversed(places)):
        line = lines[row - 1]
        note = f"  # in {number}" if random.random() < 0.5 else ""
        lines[row - 1] = f"{line[:column]}{note}\n            {line[column:].lstrip()}"
    return "\n".join(lines)


def with_parentheses(random: Random, text: str) -> str:
    """Parentheses around some numbers."""
    return re.sub(
        r"(?<=[\[, ])\d+(?=[\],])", lambda found: f"({found[0]})" if random.random() < 0.3 else found[0], text
    )


def with_joined(random: Random, text: str) -> str:
    """Two assignments on one line."""
    lines: list[str] = []
    for line in text.split("\n"):
        before = lines[-1] if lines else ""
        alike = re.match(r"\s+\w+ = .*\)$", before) and re.match(r"\s+\w+ = .*\)$", line)
        if alike and _indent(before) == _indent(line) and random.random() < 0.7:
            lines[-1] = f"{before}; {line.lstrip()}"
        else:
            lines.append(line)
    return "\n".join(lines)


def with_one_line_suites(_random: Random, text: str) -> str:
    """A suite of one statement behind its header."""
    lines, kept, number = text.split("\n"), list[str](), 0
    while number < len(lines):
        header, body, after = [*lines, "", ""][number : number + 3]
        alone = (
            body.strip() and _indent(body) > _indent(header) and (not after.strip() or _indent(after) < _indent(body))
        )
        if re.match(r"\s*(?:for|if)\b[^#]*:$", header) and alone and re.match(r"\s*\w+ = ", body):
            kept.append(f"{header} {body.lstrip()}")
            number += 2
        else:
            kept.append(header)
            number += 1
    return "\n".join(kept)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def with_tabs(_random: Random, text: str) -> str:
    return re.sub(r"(?m)^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), text)


def with_form_feed(_random: Random, text: str) -> str:
    return text.replace("\n\n", "\n\f\n", 1)


def with_mark(_random: Random, text: str) -> str:
    return BYTE_ORDER_MARK + text


def without_end(_random: Random, text: str) -> str:
    return text.rstrip("\n")


def with_crlf(_random: Random, text: str) -> str:
    return text.replace("\n", "\r\n")


LAYOUTS: tuple[Layout, ...] = (
    with_breaks, with_parentheses, with_joined, with_one_line_suites, with_comments, with_tabs, with_form_feed,
    with_mark, without_end, with_crlf,
)  # fmt: skip
"""In the order in which they can follow each other."""


def laid_out(random: Random, text: str) -> str:
    """The text in some of the layouts."""
    for layout in LAYOUTS:
        if random.random() < 0.35:
            text = layout(random, text)
    return text
