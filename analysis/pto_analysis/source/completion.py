"""Completing one statement to something that parses as a module."""

from __future__ import annotations

import re

AFTER_IF = "if 0: pass\n"
_FIRST_WORD = re.compile(r"(?:async\s+)?(?:def|class|for|with|while)\b|(?:if|elif|else)\b")


def completed(text: str) -> tuple[str, str] | None:
    """What goes before a statement, and the statement with what goes behind; None for a header without its colon."""
    if text.startswith("@"):
        return "", f"{text}\ndef _(): pass\n"
    if _FIRST_WORD.match(text) is None:
        return "", f"{text}\n"
    if not text.endswith(":"):
        return None
    return (AFTER_IF if text.startswith(("elif", "else")) else ""), f"{text} pass\n"
