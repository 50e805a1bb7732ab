"""Every fix of every example in other layouts: the text parses, comments and line ends stay, the finding goes."""

from __future__ import annotations

import ast
from collections import Counter
from random import Random

import pytest

from pto_analysis.findings import Applicability, Finding, Severity
from pto_analysis.report import CheckOptions
from pto_analysis.rules.marks import unmarked
from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.rule import Example, Rule
from pto_lsp.workspace.fixing import apply_edits
from tests.fixes.fixing import EVERYTHING
from tests.fixes.formats import BYTE_ORDER_MARK, comments, laid_out
from tests.support.checking import check_text

FIXABLE = [
    pytest.param(rule, example, id=f"{rule.code}-{example.title}")
    for rule in all_rules().values()
    if rule.fix != "never"
    for example in rule.bad
]
SILENCING = "PTO002"
"""Its fix takes a comment away, which is the point."""


def _findings(rule: Rule, example: Example, text: str) -> tuple[Finding, ...]:
    options = CheckOptions(rule.bites.latest, rule_options={rule.code: example.options})
    report = check_text(text, options, EVERYTHING)
    assert report.analysis.errors == ()
    return report.findings


def _holds(rule: Rule, example: Example, text: str) -> None:
    before = _findings(rule, example, text)
    counts = Counter(finding.code for finding in before)
    for finding in before:
        if finding.fix is None or not finding.fix.edits:
            continue
        after = apply_edits(text, finding.fix.edits)
        assert after != text
        ast.parse(after.lstrip(BYTE_ORDER_MARK))
        if finding.code != SILENCING:
            assert not comments(text) - comments(after), (finding.code, after)
        assert after.count("\n") == after.count("\r\n") or "\r" not in text, after
        if finding.fix.applicability is not Applicability.DISPLAY:
            _is_gone(finding, counts, _findings(rule, example, after), after)


def _is_gone(finding: Finding, before: Counter[str], left: tuple[Finding, ...], text: str) -> None:
    after = Counter(each.code for each in left)
    same = [each for each in left if (each.code, each.message) == (finding.code, finding.message)]
    assert after[finding.code] < before[finding.code] or not same, text
    errors = {each.code for each in left if each.severity is Severity.ERROR}
    assert [code for code in errors if after[code] > before[code]] == [], text


def _check(rule: Rule, example: Example, seed: str) -> None:
    random = Random(f"{rule.code} {example.title} {seed}")
    text = laid_out(random, unmarked(example.code))
    ast.parse(text.lstrip(BYTE_ORDER_MARK))
    _holds(rule, example, text)


@pytest.mark.parametrize(("rule", "example"), FIXABLE)
@pytest.mark.parametrize("seed", ["a", "b"])
def test_fixes_keep_what_is_written(rule: Rule, example: Example, seed: str) -> None:
    _check(rule, example, seed)


@pytest.mark.soak
@pytest.mark.parametrize(("rule", "example"), FIXABLE)
def test_fixes_keep_what_is_written_in_many_layouts(rule: Rule, example: Example) -> None:
    for number in range(60):
        _check(rule, example, str(number))
