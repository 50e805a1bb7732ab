"""What every output format is made from."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from pto_analysis.findings import Applicability, Finding, Severity
from pto_analysis.rules.index import rule_index
from pto_analysis.rules.rule import rule_url
from pto_lsp.config.settings import RANK


@frozen
class Diagnostic:
    """A finding with the file it is in. `path` is as the user would type it, with forward slashes."""

    path: str
    finding: Finding

    @property
    def name(self) -> str:
        rule = rule_index().get(self.finding.code)
        return rule.name if rule is not None else ""

    @property
    def url(self) -> str:
        return rule_url(self.finding.code)

    @property
    def sort_key(self) -> tuple[object, ...]:
        span = self.finding.span
        return (self.path, span.line, span.column, RANK[self.finding.severity], self.finding.code, self.finding.message)


@frozen
class UnknownValue:
    """A value that a rule asked for and that the analysis does not know: where, what and why. `line` is 1-based."""

    path: str
    line: int
    what: str
    why: str


@frozen
class Statistics:
    """Counts over a run: kernels in the source, InCore functions and regions, and those understood in full."""

    files: int = 0
    kernels: int = 0
    regions: int = 0
    understood: int = 0
    rules: Mapping[str, int] = field(factory=dict[str, int])
    unknown: tuple[UnknownValue, ...] = ()


@frozen
class Report:
    """The result of one run.

    `diagnostics` are sorted and are what is shown; `hidden` counts those below the shown severity. `sources` has the
    text of every file with a diagnostic. `fixed` counts applied fixes.
    """

    diagnostics: tuple[Diagnostic, ...]
    sources: Mapping[str, str]
    files: int = 0
    hidden: Mapping[Severity, int] = field(factory=dict[Severity, int])
    statistics: Statistics | None = None
    fixed: int = 0


def is_fixable(finding: Finding, applicability: Applicability) -> bool:
    return finding.fix is not None and finding.fix.applicability is applicability


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
