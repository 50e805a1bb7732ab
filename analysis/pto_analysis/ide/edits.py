"""The least that has to change between two texts."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from pto_analysis.findings import Edit
from pto_analysis.source.span import Span
from pto_analysis.source.text import SourceText


def minimal_edits(old: str, new: str) -> tuple[Edit, ...]:
    """Edits of `old` that make it `new`, by whole lines that differ, in order."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    return tuple(_edits(SourceText(old), before, after))


def _edits(source: SourceText, before: list[str], after: list[str]) -> Iterator[Edit]:
    offsets = [0]
    for line in before:
        offsets.append(offsets[-1] + len(line))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        if tag != "equal":
            first, last = source.position(offsets[start]), source.position(offsets[end])
            yield Edit(Span(*first, *last), "".join(after[new_start:new_end]))
