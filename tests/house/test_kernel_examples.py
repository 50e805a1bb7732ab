"""Each kernel of examples/ gives exactly the findings that are marked in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_analysis.check import check_file
from pto_analysis.report import CheckOptions
from pto_analysis.rules.marks import marks, unmarked
from pto_analysis.rules.selection import Selection, resolve
from pto_lsp.workspace.provider import Surroundings
from tests.support.marks import observed

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


def test_there_are_a_dozen() -> None:
    assert len(EXAMPLES) >= 12


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_gives_exactly_its_marks(path: Path) -> None:
    code = path.read_text(encoding="utf-8")
    text = unmarked(code)
    modules = Surroundings().of(str(path), text).modules
    report = check_file(str(path), text, modules, CheckOptions(), resolve(Selection()))
    assert report.analysis.errors == ()
    assert observed(code, report.findings) == marks(code)


def test_what_is_marked_in_a_file_has_a_quiet_twin_in_it() -> None:
    """A file that shows a finding shows a kernel without one too."""
    for path in EXAMPLES:
        code = path.read_text(encoding="utf-8")
        if marks(code) and path.name != "fold_l1_window.py":
            last_kernel = code[code.rindex("\n", 0, code.rindex("def ")) :]
            assert marks(last_kernel) == [], path.name
