"""Minimal edits turn one text into the other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.ide.edits import minimal_edits
from pto_lsp.workspace.fixing import apply_edits

TEXTS = st.lists(st.sampled_from(["a", "b\n", "c\r\n", "\n", "é𝄞"]), max_size=12).map("".join)


@given(TEXTS, TEXTS)
def test_the_edits_give_the_new_text(old: str, new: str) -> None:
    assert apply_edits(old, minimal_edits(old, new)) == new


def test_equal_lines_are_left_alone() -> None:
    (edit,) = minimal_edits("a\nb\nc\n", "a\nx\nc\n")
    assert (edit.span.line, edit.span.end_line, edit.text) == (1, 2, "x\n")
