"""What checking gives, and what of it a user is told. Light: nothing here reads a kernel."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from pto_analysis.findings import Finding
from pto_analysis.frozen import evolve, frozen
from pto_analysis.rules.rule import OptionValue
from pto_analysis.rules.selection import Enabled
from pto_analysis.rules.suppression import Suppression, silence
from pto_analysis.toolchain import Toolchain


@frozen
class InternalError:
    """A rule or stage that raised: reported, and never the end of the run."""

    where: str
    summary: str
    traceback: str


@frozen
class Unknown:
    """A value that was asked for and is not known: an operation or name, and why. `line` is 0-based."""

    line: int
    what: str
    why: str


@frozen
class CheckOptions:
    """What a file's findings depend on besides its text."""

    toolchain: Toolchain = Toolchain()
    rule_options: Mapping[str, Mapping[str, OptionValue]] = field(factory=dict[str, Mapping[str, OptionValue]])


@frozen
class FileAnalysis:
    """What all rules say about one text.

    `findings` are sorted and come from every rule that bites on the toolchain, selected or not. `functions` are the
    kernels in the source, `cores` the InCore functions and regions among and in them, `understood` those in which
    nothing was unknown.
    """

    findings: tuple[Finding, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    functions: int = 0
    cores: int = 0
    understood: int = 0
    unknown: tuple[Unknown, ...] = ()
    errors: tuple[InternalError, ...] = ()


@frozen
class FileReport:
    """What a user is told about one text: findings that are selected and not silenced, sorted."""

    findings: tuple[Finding, ...]
    analysis: FileAnalysis


def shifted(finding: Finding, lines: int) -> Finding:
    """The same finding `lines` lines further down, with all that belongs to it in the same file."""
    related = tuple(
        item if item.path is not None else evolve(item, span=item.span.shifted(lines)) for item in finding.related
    )
    fix = finding.fix
    if fix is not None:
        edits = tuple(
            edit if edit.path is not None else evolve(edit, span=edit.span.shifted(lines)) for edit in fix.edits
        )
        fix = evolve(fix, edits=edits)
    return evolve(finding, span=finding.span.shifted(lines), related=related, fix=fix)


def report_file(analysis: FileAnalysis, enabled: Enabled) -> FileReport:
    """What of `analysis` is selected and not silenced, with configured severities and unused silencing comments."""
    chosen = [finding for finding in analysis.findings if finding.code in enabled.codes]
    kept = silence(chosen, analysis.suppressions, enabled)
    leveled = (_leveled(finding, enabled) for finding in kept)
    return FileReport(tuple(sorted(leveled, key=sort_key)), analysis)


def _leveled(finding: Finding, enabled: Enabled) -> Finding:
    severity = enabled.severities.get(finding.code, finding.severity)
    return finding if severity is finding.severity else evolve(finding, severity=severity)


def sort_key(finding: Finding) -> tuple[object, ...]:
    span = finding.span
    return (span.line, span.column, span.end_line, span.end_column, finding.code, finding.message)
