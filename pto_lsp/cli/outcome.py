"""What a run of `check` found, and what of it is shown and counted."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from pto_analysis.findings import Severity
from pto_analysis.report import FileReport
from pto_lsp.cli.inputs import Input
from pto_lsp.config.settings import RANK, Settings, at_least
from pto_lsp.output.report import Diagnostic, Report, Statistics, UnknownValue


@frozen
class Checked:
    """One input with its report."""

    input: Input
    result: FileReport
    named: frozenset[str]


@frozen
class Outcome:
    """The results of a run, in the order of inputs."""

    checked: tuple[Checked, ...]
    files: int
    fixed: int = 0

    def texts(self, inputs: Iterable[Input]) -> list[str]:
        """The texts of `inputs` as they are now: changed where a fix changed them."""
        now = {checked.input.path: checked.input.text for checked in self.checked}
        return [now.get(item.path, item.text) for item in inputs]

    def report(self, settings: Settings, *, statistics: bool) -> Report:
        """What is shown: findings from the minimal severity up, and those of rules that were selected by name."""
        shown: list[Diagnostic] = []
        hidden = dict.fromkeys(Severity, 0)
        level = shown_from(settings)
        for checked in self.checked:
            for finding in checked.result.findings:
                if at_least(finding.severity, level) or finding.code in checked.named:
                    shown.append(Diagnostic(checked.input.shown, finding))
                else:
                    hidden[finding.severity] += 1
        shown.sort(key=lambda diagnostic: diagnostic.sort_key)
        sources = {checked.input.shown: checked.input.text for checked in self.checked}
        counted = _statistics(self) if statistics else None
        return Report(tuple(shown), sources, self.files, hidden, counted, self.fixed)


def shown_from(settings: Settings) -> Severity:
    """Whatever fails the run is shown, unless the user asked for less."""
    if settings.min_severity is not None:
        return settings.min_severity
    return max(Severity.WARNING, settings.fail_level, key=RANK.__getitem__)


def _statistics(outcome: Outcome) -> Statistics:
    counts: dict[str, int] = {}
    unknown: list[UnknownValue] = []
    for checked in outcome.checked:
        for finding in checked.result.findings:
            counts[finding.code] = counts.get(finding.code, 0) + 1
        unknown += [
            UnknownValue(checked.input.shown, value.line + 1, value.what, value.why)
            for value in checked.result.analysis.unknown
        ]
    analyses = [checked.result.analysis for checked in outcome.checked]
    return Statistics(
        files=outcome.files,
        kernels=sum(item.functions for item in analyses),
        regions=sum(item.cores for item in analyses),
        understood=sum(item.understood for item in analyses),
        rules=counts,
        unknown=tuple(sorted(unknown, key=_unknown_key)),
    )


def _unknown_key(value: UnknownValue) -> tuple[str, int, str, str]:
    return (value.path, value.line, value.what, value.why)
