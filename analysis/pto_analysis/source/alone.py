"""What is put around one statement or header so that it parses as a module of its own."""

from __future__ import annotations

import re

from pto_analysis.source.parse_failure import ParseFailure
from pto_analysis.source.text import split_lines

_AFTER_IF = "if 0: pass\n"
_HEADER = re.compile(r"(?:async\s+)?(?:def|class|for|with|while)\b|(?:if|elif|else)\b")
_BRANCHES = ("elif", "else")


def completed(text: str) -> tuple[str, str]:
    """What goes before a statement, and the statement with what goes behind. Errors: ParseFailure."""
    if text.startswith("@"):
        return "", f"{text}\ndef _(): pass\n"
    if _HEADER.match(text) is None:
        return "", f"{text}\n"
    if not text.endswith(":"):
        lines = split_lines(text)
        raise ParseFailure("expected ':'", len(lines) - 1, len(lines[-1]))
    return (_AFTER_IF if is_branch(text) else ""), f"{text} pass\n"


def is_branch(text: str) -> bool:
    """Whether a header belongs to an `if` before it."""
    return text.startswith(_BRANCHES)
