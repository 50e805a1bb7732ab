from __future__ import annotations

import pytest

from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.selection import Selection, UnknownRuleError, enabled_for, resolve

NONE: set[str] = set()


def test_default_is_every_rule_that_is_on_by_default() -> None:
    enabled = resolve(Selection())
    assert enabled.codes == {code for code, rule in all_rules().items() if rule.on_by_default}
    assert enabled.named == frozenset()


@pytest.mark.parametrize(
    ("selection", "on", "off"),
    [
        (Selection(select=("PTO0",)), {"PTO001", "PTO004"}, {"PTO201"}),
        (Selection(select=("PTO003",)), {"PTO003"}, {"PTO001", "PTO004"}),
        (Selection(select=("unknown-operation",)), {"PTO003"}, {"PTO004"}),
        (Selection(select=("pto003",)), {"PTO003"}, {"PTO004"}),
        (Selection(ignore=("PTO0",)), NONE, {"PTO001", "PTO004"}),
        (Selection(ignore=("PTO0",), extend_select=("PTO003",)), {"PTO003"}, {"PTO004"}),
        (Selection(select=("ALL",), ignore=("PTO00",)), NONE, {"PTO001", "PTO004"}),
        (Selection(select=("PTO0",), ignore=("PTO0",)), NONE, {"PTO001", "PTO004"}),
        (Selection(select=("PTO003",), extend_ignore=("PTO003",)), NONE, {"PTO003"}),
        (Selection(select=("PTO003",), extend_select=("PTO004",)), {"PTO003", "PTO004"}, {"PTO001"}),
        (Selection(select=()), NONE, {"PTO001", "PTO004"}),
    ],
)
def test_the_more_exact_selector_wins_and_ignore_wins_a_draw(selection: Selection, on: set[str], off: set[str]) -> None:
    codes = resolve(selection).codes
    assert on <= codes
    assert not off & codes


def test_only_rules_selected_one_by_one_count_as_named() -> None:
    selection = Selection(select=("PTO0", "PTO003"), extend_select=("outside-the-dsl",), ignore=("PTO004",))
    assert resolve(selection).named == {"PTO003"}


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("PTO999", "unknown rule `PTO999`"),
        ("PTO9", "unknown rule `PTO9`"),
        ("PTO25", "unknown rule `PTO25`"),
        ("unknown-operatoin", "unknown rule `unknown-operatoin` (did you mean `unknown-operation`?)"),
        ("E501", "unknown rule `E501`"),
    ],
)
def test_unknown_selectors_are_errors(selector: str, message: str) -> None:
    with pytest.raises(UnknownRuleError) as error:
        resolve(Selection(select=(selector,)))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("glob", "path", "ignored"),
    [
        ("test_*.py", "tests/deep/test_a.py", True),
        ("test_*.py", "tests/deep/a.py", False),
        ("tests/*", "tests/deep/a.py", True),
        ("tests/**/*.py", "tests/deep/a.py", True),
        ("./tests/*", "tests/a.py", True),
        ("tests/*", "src/a.py", False),
    ],
)
def test_per_file_ignores(glob: str, path: str, ignored: bool) -> None:
    selection = Selection(per_file_ignores=((glob, ("PTO003",)),))
    codes = enabled_for(path, resolve(selection), selection).codes
    assert ("PTO003" not in codes) is ignored
    assert "PTO004" in codes
