"""Every rule's examples say the truth: bad ones give exactly the marked findings, good ones none."""

from __future__ import annotations

import pytest

from pto_analysis.findings import Applicability, Finding
from pto_analysis.report import CheckOptions, FileReport
from pto_analysis.rules.marks import marks, unmarked
from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.rule import GROUPS, Example, Rule
from pto_analysis.rules.selection import Selection, resolve
from pto_lsp.workspace.fixing import apply_fixes
from tests.support.checking import check_text
from tests.support.marks import observed

RULES = list(all_rules().values())
BAD = [pytest.param(rule, example, id=f"{rule.code}-{example.title}") for rule in RULES for example in rule.bad]
GOOD = [pytest.param(rule, example, id=f"{rule.code}-{example.title}") for rule in RULES for example in rule.good]
ALL = frozenset((Applicability.SAFE, Applicability.UNSAFE))


def check(rule: Rule, example: Example, text: str) -> FileReport:
    """All rules that are on by default, and this one, with the newest toolchain that it applies to."""
    selection = Selection(extend_select=(rule.code,))
    options = CheckOptions(rule.bites.latest, rule_options={rule.code: example.options})
    return check_text(text, options, resolve(selection), path=f"/project/example{example.suffix}")


def test_there_are_rules() -> None:
    assert {"PTO001", "PTO002", "PTO003", "PTO004"} <= set(all_rules())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_is_complete(rule: Rule) -> None:
    assert rule.code[:4] in GROUPS
    assert rule.name == rule.name.lower()
    assert " " not in rule.name
    assert not rule.summary.endswith(".")
    assert rule.what
    assert rule.why
    assert rule.bad
    assert rule.good
    assert (rule.fix == "never") == (not rule.fix_note)
    for example in rule.bad:
        assert rule.code in {mark.code for mark in marks(example.code)}, example.title
    for example in rule.good:
        assert rule.code not in {mark.code for mark in marks(example.code)}, example.title


def test_names_are_unique() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize(("rule", "example"), [*BAD, *GOOD])
def test_an_example_gives_exactly_its_marks(rule: Rule, example: Example) -> None:
    report = check(rule, example, unmarked(example.code))
    assert report.analysis.errors == ()
    assert observed(example.code, report.findings) == marks(example.code)


@pytest.mark.parametrize(("rule", "example"), BAD)
def test_a_fix_removes_its_finding_and_adds_none(rule: Rule, example: Example) -> None:
    text = unmarked(example.code)
    own = [finding for finding in check(rule, example, text).findings if _is_fixable(finding, rule)]
    if example.fixed is None and not own:
        assert rule.fix != "always"
        return
    fixed, count = apply_fixes(text, own, ALL, "example.py")
    assert count
    if example.fixed is not None:
        assert fixed == example.fixed
    before, after = check(rule, example, text), check(rule, example, fixed)
    left = [finding for finding in after.findings if finding.code == rule.code]
    assert len(left) < sum(finding.code == rule.code for finding in before.findings)
    assert {finding.code for finding in after.findings} <= {finding.code for finding in before.findings}
    again = [finding for finding in left if _is_fixable(finding, rule)]
    assert again == [] or count < len(own)


def _is_fixable(finding: Finding, rule: Rule) -> bool:
    return finding.code == rule.code and finding.fix is not None and finding.fix.applicability in ALL
