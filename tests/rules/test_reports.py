"""Each public report has a rule that has its shape among its examples, or a reason why it has none."""

from __future__ import annotations

import pytest

from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.reports import TOPICS, Report

REPORTS = [report for topic in TOPICS for report in topic.reports]
TOLD = [report for report in REPORTS if report.code is not None]


def name(report: Report) -> str:
    return report.references[0].label


@pytest.mark.parametrize("report", TOLD, ids=name)
def test_a_rule_speaks_of_the_report(report: Report) -> None:
    """The examples themselves are run by `test_examples`."""
    rule = all_rules()[report.code or ""]
    assert report.example in {example.title for example in rule.bad}
    assert set(report.references) <= set(rule.references)
    assert report.because == ""


@pytest.mark.parametrize("report", [each for each in REPORTS if each.code is None], ids=name)
def test_a_report_without_a_rule_says_why(report: Report) -> None:
    assert report.because
    assert report.example == ""


def test_every_report_that_a_rule_cites_has_a_row() -> None:
    listed = {reference for report in TOLD for reference in report.references}
    cited = {reference for rule in all_rules().values() for reference in rule.references}
    assert {each.label for each in cited - listed} == set()
