"""The comment that silences a finding, wherever the finding stands."""

from __future__ import annotations

import pytest

from pto_analysis.findings import Finding, Severity
from pto_analysis.ide.suppress import suppress_here
from pto_analysis.rules.suppression import suppressions
from pto_analysis.source.scanner import scan_text
from pto_analysis.source.span import Span
from pto_lsp.workspace.fixing import apply_edits

PLACES = [
    "x = 1\n",
    "x = 1",
    "x = 1   \n",
    "x = 1  # a comment\n",
    "x = 1  # pto: ignore[PTO201]\n",
    "x = 1  # pto: ignore[]\n",
    "x = f(\n    1,\n)\n",
    "x = 1 + \\\n    2\n",
    'x = """a\nb"""\n',
    "if x:\n    pass\n",
    "x = 1; y = 2\n",
    "x = 1\r\ny = 2\r\n",
]


@pytest.mark.parametrize("text", PLACES)
def test_the_comment_covers_the_finding_and_nothing_else_changes(text: str) -> None:
    finding = Finding("PTO104", Severity.HINT, "", Span(0, 0, 0, 1))
    edit = suppress_here(text, finding)
    assert edit is not None
    changed = apply_edits(text, [edit])
    assert any(
        each.reaches(finding) and "PTO104" in [word for word, _ in each.items or ()]
        for each in suppressions(scan_text(changed))
    )
    before, after = scan_text(text).lines, scan_text(changed).lines
    assert [line.text for line in after] == [line.text for line in before]


@pytest.mark.parametrize("code", ["PTO001", "PTO002"])
def test_broken_text_and_idle_comments_are_not_silenced(code: str) -> None:
    assert suppress_here("x = 1\n", Finding(code, Severity.ERROR, "", Span(0, 0, 0, 1))) is None
