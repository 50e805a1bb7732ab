"""Silencing one finding where it stands."""

from __future__ import annotations

import re

from pto_analysis.findings import Edit, Finding
from pto_analysis.source.scanner import Comment, LogicalLine, scan_text
from pto_analysis.source.span import Span
from pto_analysis.source.text import SourceText

_DIRECTIVE = re.compile(r"#\s*pto:\s*ignore\[(?P<codes>[^\]\n]*)\]", re.IGNORECASE)

UNSILENCED = frozenset({"PTO001", "PTO002"})
"""What no comment should hide: text that does not parse, and comments that do nothing."""


def suppress_here(text: str, finding: Finding) -> Edit | None:
    """The comment that silences a finding, on the last line of its statement, where a comment can always stand.

    A comment that silences other rules there takes the code in. None where the finding cannot be silenced.
    """
    if finding.code in UNSILENCED:
        return None
    scanned = scan_text(text)
    line = _last_line(scanned.lines, finding.span.line)
    comment = next((each for each in scanned.comments if each.line == line), None)
    directive = _DIRECTIVE.search(comment.text) if comment is not None else None
    if comment is not None and directive is not None:
        return _joined(comment, directive, finding.code)
    content = SourceText(text).line(line)
    end = len(content.rstrip())
    return Edit(Span(line, end, line, len(content)), f"  # pto: ignore[{finding.code}]")


def _last_line(lines: tuple[LogicalLine, ...], line: int) -> int:
    return max((each.end_line for each in lines if each.line <= line <= each.end_line), default=line)


def _joined(comment: Comment, directive: re.Match[str], code: str) -> Edit:
    """The code behind the last one of the list."""
    at = comment.column + directive.start("codes") + len(directive["codes"].rstrip())
    separator = ", " if directive["codes"].strip() else ""
    return Edit(Span(comment.line, at, comment.line, at), f"{separator}{code}")
