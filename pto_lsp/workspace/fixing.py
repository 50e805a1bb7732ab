"""Applying fixes to a text: edits that do not touch each other at once, the rest in the next round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pto_analysis.findings import Applicability, Edit, Finding
from pto_analysis.source.text import SourceText


def apply_fixes(
    text: str, findings: Iterable[Finding], allowed: frozenset[Applicability], path: str
) -> tuple[str, int]:
    """One round: the text after all fixes that do not overlap an earlier one, and how many there were.

    Fixes that edit another file are left to the editor.
    """
    fixes = (finding.fix for finding in findings if finding.fix is not None)
    own = (fix for fix in fixes if all(edit.path in (None, path) for edit in fix.edits))
    return apply_together(text, (fix.edits for fix in own if fix.applicability in allowed))


def apply_together(text: str, groups: Iterable[Sequence[Edit]]) -> tuple[str, int]:
    """The text after every group of edits that touches none before it, and how many groups that were."""
    source = SourceText(text)
    taken: list[tuple[int, int, str]] = []
    count = 0
    for group in groups:
        edits = _offsets(source, group)
        if edits and not any(_clash(edit, other) for edit in edits for other in taken):
            taken += edits
            count += 1
    return _replace(text, taken), count


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits that do not overlap."""
    return _replace(text, _offsets(SourceText(text), edits))


def _offsets(source: SourceText, edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    rows: list[tuple[int, int, str]] = []
    for edit in edits:
        span = edit.span
        start, end = source.offset(span.line, span.column), source.offset(span.end_line, span.end_column)
        rows.append((start, end, edit.text))
    return rows


def _clash(edit: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    return edit[0] <= other[1] and other[0] <= edit[1]


def _replace(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end, new in sorted(edits):
        pieces += [text[position:start], new]
        position = end
    return "".join([*pieces, text[position:]])
