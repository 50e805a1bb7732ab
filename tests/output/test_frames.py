from __future__ import annotations

import pytest

from pto_analysis.source.span import Span
from pto_lsp.output.frames import cells, frame
from pto_lsp.output.style import PLAIN


def shown(text: str, span: Span) -> str:
    return "\n".join(frame(text.split("\n"), span, PLAIN, "red"))


def test_one_line_with_context() -> None:
    assert shown("a = 1\nb = load(x)\nc = 2", Span(1, 4, 1, 11)) == (
        "  |\n1 | a = 1\n2 | b = load(x)\n  |     ^^^^^^^\n3 | c = 2\n  |"
    )


def test_each_line_of_a_span_is_marked_from_its_first_character() -> None:
    assert shown("f(\n    a,\n)", Span(0, 0, 2, 1)) == (
        "  |\n1 | f(\n  | ^^\n2 |     a,\n  |     ^^\n3 | )\n  | ^\n  |"
    )


def test_an_empty_span_still_shows_where() -> None:
    assert shown("abc", Span(0, 3, 0, 3)) == "  |\n1 | abc\n  |    ^\n  |"


def test_marks_stand_below_wide_characters_and_tabs() -> None:
    assert shown("\t漢 = 𝄞é", Span(0, 5, 0, 7)).split("\n")[1:3] == ["1 |     漢 = 𝄞é", "  |          ^^"]


def test_a_span_past_the_end_of_the_text_is_no_error() -> None:
    assert shown("a", Span(5, 0, 6, 0)).startswith("  |")


@pytest.mark.parametrize(("text", "width"), [("", 0), ("ab", 2), ("漢字", 4), ("e\u0301", 1), ("a\tb", 5), ("\t", 4)])
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width
