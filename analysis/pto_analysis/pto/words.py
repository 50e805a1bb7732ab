"""Small helpers on the text inside brackets."""

from __future__ import annotations

_OPEN = "<([{"
_CLOSE = ">)]}"


def split_top_level(text: str, separator: str = ",") -> list[str]:
    """The parts of `text` between separators that stand in no bracket, stripped; empty parts are left out."""
    parts: list[str] = []
    depth = start = 0
    for index, char in enumerate(text):
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= char != ">" or text[index - 1] != "-"
        elif char == separator and depth <= 0:
            parts.append(text[start:index].strip())
            start = index + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]
