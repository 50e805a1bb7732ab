"""What editors tell about `.pto` text."""

from __future__ import annotations

import pytest

from pto_analysis.ide.hints import Hint
from pto_analysis.ide.pto import decorations, navigation, outline
from pto_analysis.ide.pto.completion import completions_at
from pto_analysis.ide.pto.document import PtoDocument
from pto_analysis.ide.pto.hover import hover_at
from pto_analysis.ide.tokens import TOKEN_MODIFIERS
from pto_analysis.source.span import Span

TEXT = """\
!row = !pto.tile_buf<vec, 4x64xf32>
#line = loc("rows.py":12:5)
module attributes {pto.target_arch = "a3"} {
  func.func private @helper(%a: index)
  func.func @rows(%x: !pto.ptr<f32>, %n: index, %c: i1) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %base = arith.constant 2048 : i64
    %all = pto.alloc_tile addr = %base : !row
    %view = pto.make_tensor_view %x, shape = [%one, %n], strides = [%n, %one] : !pto.tensor_view<?x?xf32>
    %part = pto.partition_view %view, offsets = [%zero, %zero], sizes = [%one, %n]
      : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<1x64xf32>
    scf.for %i = %zero to %n step %one {
      %t = pto.subview %all[%i, %zero] sizes [1, 64] : !row -> !pto.tile_buf<vec, 1x64xf32>
      pto.tload ins(%part : !pto.partition_tensor_view<1x64xf32>) outs(%t : !pto.tile_buf<vec, 1x64xf32>) loc(#line)
    }
    scf.if %c {
      %t = pto.subview %all[%one, %zero] sizes [1, 64] : !row -> !pto.tile_buf<vec, 1x64xf32>
      pto.tabs ins(%t : !pto.tile_buf<vec, 1x64xf32>) outs(%t : !pto.tile_buf<vec, 1x64xf32>)
    }
    func.call @helper(%zero) : (index) -> ()
    return
  }
}
"""
DOCUMENT = PtoDocument(TEXT, "a2a3")


def place(text: str, occurrence: int = 0) -> tuple[int, int]:
    offset = -1
    for _ in range(occurrence + 1):
        offset = TEXT.index(text, offset + 1)
    before = TEXT[:offset]
    return before.count("\n"), len(before) - before.rfind("\n") - 1


def words(spans: list[Span]) -> list[str]:
    lines = TEXT.split("\n")
    return [lines[span.line][span.column : span.end_column] for span in spans]


def hover(text: str, occurrence: int = 0) -> str:
    line, column = place(text, occurrence)
    found = hover_at(DOCUMENT, line, column + 1)
    return found.markdown if found is not None else ""


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("%all =", ("%all : [4, 64] f32 vec", "1,024 bytes", "at bytes 2,048 to 3,072 of vec", "`pto.alloc_tile`")),
        ("%t =", ("[1, 64] f32 vec", "window of `%all`: 1 x 64 elements")),
        ("%base", ("%base : i64 = 2048",)),
        ("%part :", ("[1, 64] f32", "256 bytes of global memory")),
        ("pto.tload", ("runs on MTE2, reads `%part`, writes `%t`", "`rows.py`, line 12")),
        ("pto.tabs", ("absolute", "runs on V")),
        (
            "@rows",
            ("func.func @rows(%x: pointer to f32 in gm, %n: index, %c: i1)", "on the vector core: 2 queued operations"),
        ),
        ("!row", ("[4, 64] f32 vec", "1,024 bytes")),
        ("!pto.partition_tensor_view", ("[1, 64] f32",)),
        ("f32>, %n", ("`f32`: 32 bits",)),
        ("#line)", ("`rows.py`, line 12",)),
    ],
)
def test_a_hover_tells(at: str, told: tuple[str, ...]) -> None:
    shown = hover(at).replace("Absolute", "absolute")
    assert all(each in shown for each in told), shown


def test_a_hover_on_nothing_is_nothing() -> None:
    assert hover("attributes") == ""
    assert hover_at(DOCUMENT, 999, 0) is None


def test_sibling_regions_may_reuse_a_name() -> None:
    in_loop, in_branch = (navigation.occurrences_at(DOCUMENT, *place("%t =", nth)) for nth in (0, 1))
    assert words([each.span for each in in_loop]) == ["%t"] * 2
    assert words([each.span for each in in_branch]) == ["%t"] * 3
    assert not {each.span for each in in_loop} & {each.span for each in in_branch}


@pytest.mark.parametrize(
    ("use", "nth", "definition"),
    [
        ("%t :", 0, "%t ="),
        ("%zero to", 0, "%zero ="),
        ("%i,", 0, "%i ="),
        ("@helper", 1, "@helper"),
        ("!row", 2, "!row"),
    ],
)
def test_the_definition_of_a_name(use: str, nth: int, definition: str) -> None:
    span = navigation.definition_at(DOCUMENT, *place(use, nth))
    assert span is not None
    assert (span.line, span.column) == place(definition)


def test_symbols_are_functions_with_their_tiles() -> None:
    helper, rows = outline.symbols(DOCUMENT)
    assert (helper.name, helper.children) == ("@helper", ())
    assert (rows.name, rows.detail, [(each.name, each.detail) for each in rows.children]) == (
        "@rows",
        "vector",
        [("%all", "[4, 64] f32 vec")],
    )


def test_functions_and_regions_fold() -> None:
    starts = [TEXT.split("\n")[first].strip().split()[0] for first, _ in outline.folds(DOCUMENT)]
    assert starts == ["func.func", "scf.for", "scf.if"]


def test_tokens_colour_values_by_memory() -> None:
    found = decorations.tokens(DOCUMENT)
    seen = {(word, TOKEN_MODIFIERS[token.modifier]) for token in found for word in words([token.span])}
    assert seen == {("%x", "gm"), ("%view", "gm"), ("%part", "gm"), ("%all", "vec"), ("%t", "vec")}


def test_a_lens_counts_waits_and_bytes() -> None:
    waits, capacity = decorations.lenses(DOCUMENT)
    assert (waits.title, waits.qualname) == (None, "rows")
    assert decorations.waits_title(DOCUMENT, waits.span.line).endswith(("wait", "waits"))
    assert capacity.title == "Vec 3 of 184 KiB"


def test_waits_are_hinted_where_they_are_switched_on() -> None:
    assert decorations.hints(DOCUMENT, frozenset({"types"})) == ()
    found: tuple[Hint, ...] = decorations.hints(DOCUMENT, frozenset({"waits"}))
    assert any("V waits for MTE2" in hint.label for hint in found)


def complete(before: str, line: int = 13) -> list[str]:
    return [each.label for each in completions_at(DOCUMENT, before, line, len(before)).items]


@pytest.mark.parametrize(
    ("before", "offered", "not_offered"),
    [
        ("      pto.tload ins(%", {"%all", "%part", "%i", "%x"}, {"%t"}),
        ("      pto.tl", {"tload", "alloc_tile", "set_flag"}, {"addi"}),
        ("      arith.", {"constant", "remui"}, {"tload"}),
        ("      %r = ", {"pto.tload", "arith.constant"}, set[str]()),
        ("      %r = pto.alloc_tile : !", {"!row", "!pto.tile_buf"}, set[str]()),
        ("      %r = pto.alloc_tile : !pto.", {"tile_buf", "ptr"}, {"!row"}),
        ("      %r = pto.alloc_tile : !pto.tile_buf<", {"vec", "loc="}, set[str]()),
        ("      %r = pto.alloc_tile : !pto.tile_buf<loc=", {"vec", "acc"}, {"loc="}),
        ("      %r = pto.alloc_tile : !pto.tile_buf<loc=vec, dtype=f32, blayout=", {"row_major"}, {"none_box"}),
        ("      %r = pto.alloc_tile : !pto.tile_buf<loc=vec, ", {"dtype="}, {"loc="}),
        ("      func.call @", {"@helper", "@rows"}, set[str]()),
        ("      x #pto.kernel_kind<", {"cube", "vector"}, set[str]()),
    ],
)
def test_completion(before: str, offered: set[str], not_offered: set[str]) -> None:
    found = set(complete(before))
    assert offered <= found
    assert not not_offered & found


def test_no_completion_in_comments() -> None:
    assert complete("  // pto.") == []


def test_an_operation_says_its_queue() -> None:
    items = {each.label: each for each in completions_at(DOCUMENT, "pto.", 13, 4).items}
    assert items["tload"].detail == "MTE2"
    assert items["tabs"].documentation


def test_every_answer_survives_every_prefix() -> None:
    for end in range(0, len(TEXT), 7):
        document = PtoDocument(TEXT[:end], "a2a3")
        lines = TEXT[:end].split("\n")
        at = len(lines) - 1, len(lines[-1])
        hover_at(document, *at)
        navigation.occurrences_at(document, *at)
        completions_at(document, lines[-1], *at)
        assert decorations.tokens(document) == tuple(sorted(decorations.tokens(document)))
        decorations.lenses(document)
        outline.symbols(document)
        outline.folds(document)
