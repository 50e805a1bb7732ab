"""What was not understood in a kernel, so that silence can be told from ignorance."""

from __future__ import annotations

from collections.abc import Iterator

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.report import Unknown
from pto_analysis.rules.facts import KernelFacts

_IGNORANCE = (IssueKind.SYNTAX, IssueKind.OUTSIDE_DSL, IssueKind.UNKNOWN_OPERATION, IssueKind.UNKNOWN_KEYWORD)
"""Issues behind which the analysis does not see further."""


def unknown_in(kernel: KernelFacts) -> tuple[Unknown, ...]:
    """The values of one kernel that are not known; those that only its lowering asked for, for a lowered one."""
    return tuple(_unknown(kernel))


def _unknown(kernel: KernelFacts) -> Iterator[Unknown]:
    for value in kernel.not_understood:
        yield Unknown(kernel.span(value.origin).line, value.what, value.why)
    for issue in kernel.issues:
        if issue.kind in _IGNORANCE:
            yield Unknown(kernel.span(issue.origin).line, issue.kind.value, issue.message)
    for note in kernel.lowered.notes if kernel.lowered is not None else ():
        if note.kind == "unknown":
            yield Unknown(kernel.span(note.origin).line, note.op, f"{note.stage}: {note.why}")
