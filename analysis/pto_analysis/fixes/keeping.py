"""What no fix may lose: the author's comments."""

from __future__ import annotations

from collections import Counter

from pto_analysis.findings import Fix
from pto_analysis.source.scanner import Comment
from pto_analysis.source.span import Span
from pto_analysis.source.unit import Unit


def keeps_comments(unit: Unit, fix: Fix) -> bool:
    """Whether every comment of the unit that the edits take away stands in what they put there."""
    taken = Counter(
        comment.text
        for edit in fix.edits
        if edit.path is None
        for comment in unit.comments
        if _covers(edit.span, comment)
    )
    put = "\n".join(edit.text for edit in fix.edits) if taken else ""
    return all(put.count(text) >= count for text, count in taken.items())


def _covers(span: Span, comment: Comment) -> bool:
    return (span.line, span.column) <= (comment.line, comment.column) < (span.end_line, span.end_column)
