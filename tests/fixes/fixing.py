"""Applying one rule's fixes to a text, and what must hold of each."""

from __future__ import annotations

import ast
from collections import Counter

from pto_analysis.findings import Applicability, Finding
from pto_analysis.rules.selection import Selection, resolve
from pto_lsp.workspace.fixing import apply_fixes
from tests.support.checking import check_text

EVERYTHING = resolve(Selection(select=("ALL",)))
APPLIED = frozenset((Applicability.SAFE, Applicability.UNSAFE))


def findings(text: str, code: str | None = None) -> list[Finding]:
    """All findings of a module, or those of one rule; nothing may have raised."""
    report = check_text(text, None, EVERYTHING)
    assert report.analysis.errors == ()
    return [finding for finding in report.findings if code in (None, finding.code)]


def fixed_once(text: str, code: str) -> str:
    """The text after one round of a rule's fixes."""
    return apply_fixes(text, findings(text, code), APPLIED, "example.py")[0]


def fixed(text: str, code: str, *, partly: bool = False) -> str:
    """The text after a rule's fixes, up to the end. They must be gone (`partly`: those that had a fix), with nothing
    new, and the text must parse; a second run changes nothing."""
    before = Counter(finding.code for finding in findings(text))
    assert before[code], "nothing to fix"
    result = text
    for _ in range(before[code] + 1):
        result = fixed_once(result, code)
    left = findings(result)
    after = Counter(finding.code for finding in left)
    own = [finding for finding in left if finding.code == code]
    assert all(partly and finding.fix is None for finding in own), result
    assert after <= before, (after, before, result)
    ast.parse(result)
    assert fixed_once(result, code) == result
    return result
