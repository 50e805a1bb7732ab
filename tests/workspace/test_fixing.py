from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.findings import Applicability, Edit, Finding, Fix, Severity
from pto_analysis.source.span import Span
from pto_analysis.source.text import SourceText
from pto_lsp.workspace.fixing import apply_edits, apply_fixes

SAFE = frozenset((Applicability.SAFE,))


def finding(*edits: Edit, applicability: Applicability = Applicability.SAFE) -> Finding:
    return Finding("PTO000", Severity.ERROR, "m", edits[0].span, fix=Fix("t", applicability, edits))


def edit(start: int, end: int, text: str, line: int = 0, path: str | None = None) -> Edit:
    return Edit(Span(line, start, line, end), text, path)


def test_fixes_far_apart_are_applied_together() -> None:
    text, count = apply_fixes("abcdef", [finding(edit(0, 1, "AA")), finding(edit(4, 5, ""))], SAFE, "f.py")
    assert (text, count) == ("AAbcdf", 2)


def test_an_overlapping_or_touching_fix_waits_for_the_next_round() -> None:
    text, count = apply_fixes("abcdef", [finding(edit(0, 3, "x")), finding(edit(3, 4, "y"))], SAFE, "f.py")
    assert (text, count) == ("xdef", 1)


def test_a_fix_is_applied_whole_or_not_at_all() -> None:
    first, second = finding(edit(2, 3, "x")), finding(edit(0, 1, "y"), edit(2, 4, "z"))
    assert apply_fixes("abcdef", [first, second], SAFE, "f.py") == ("abxdef", 1)


def test_what_is_not_allowed_or_edits_another_file_is_left() -> None:
    unsafe = finding(edit(0, 1, "x"), applicability=Applicability.UNSAFE)
    elsewhere = finding(edit(0, 1, "x", path="g.py"))
    assert apply_fixes("abc", [unsafe, elsewhere], SAFE, "f.py") == ("abc", 0)
    assert apply_fixes("abc", [unsafe], frozenset(Applicability), "f.py") == ("xbc", 1)


def test_line_ends_survive() -> None:
    text, _ = apply_fixes("é\r\nxyz\r\n", [finding(edit(1, 2, "𝄞", line=1))], SAFE, "f.py")
    assert text == "é\r\nx𝄞z\r\n"


@given(st.text(alphabet="ab\n", max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), max_size=6))
def test_disjoint_edits_are_the_same_in_any_order(text: str, places: list[tuple[int, int]]) -> None:
    source = SourceText(text)
    spans: list[tuple[int, int]] = []
    position = 0
    for gap, length in places:
        start, end = position + gap + 1, position + gap + 1 + length
        if end <= len(text):
            spans.append((start, end))
            position = end
    edits = [Edit(source.span(start, end), f"<{index}>") for index, (start, end) in enumerate(spans)]
    expected = text
    for (start, end), item in reversed(list(zip(spans, edits, strict=True))):
        expected = expected[:start] + item.text + expected[end:]
    assert apply_edits(text, edits) == expected
    assert apply_edits(text, reversed(edits)) == expected
