"""Blocks from indentation, whole and broken."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.source.blocks import MAX_DEPTH, Block, build_blocks, walk_lines
from pto_analysis.source.scanner import scan

Tree = list[object]


def tree(source: str) -> Tree:
    """Nested lists: a header is followed by the list of its body; decorators are joined to their def by " / "."""
    return _tree(build_blocks(scan(source)))


def _tree(blocks: tuple[Block, ...]) -> Tree:
    found: Tree = []
    for block in blocks:
        found.append(" / ".join(line.text for line in (*block.decorators, block.line)))
        if block.body:
            found.append(_tree(block.body))
    return found


def errors(source: str) -> list[str]:
    found: list[str] = []
    waiting = list(build_blocks(scan(source)))
    while waiting:
        block = waiting.pop(0)
        if block.error:
            found.append(f"{block.line.text}: {block.error}")
        waiting = [*block.body, *waiting]
    return found


def test_nesting() -> None:
    source = "@a\n@b\ndef f():\n  if x:\n    y\n  elif z:\n\tw\n  else: v\nu\n"
    assert tree(source) == ["@a / @b / def f():", ["if x:", ["y"], "elif z:", ["w"], "else:", ["v"]], "u"]
    assert errors(source) == []


def test_bodies_on_the_line_of_their_header() -> None:
    source = "if x: a; b\nelse: c\nclass A: pass\nd; e\n"
    assert tree(source) == ["if x:", ["a", "b"], "else:", ["c"], "class A:", ["pass"], "d", "e"]
    assert errors(source) == []


def test_a_clause_continues_the_statement_before_it() -> None:
    source = "for i in x: a\nelse: b\ntry: c\nexcept E: d\nelse: e\nfinally: f\nif g: h\nelif i: j\nelse: k\n"
    assert errors(source) == []
    assert errors("async for i in x: a\nelse: b\n") == []
    assert errors("a\nelse: b\n") == ["else:: `else` continues no statement"]
    assert errors("if a:\n  b\nc\nelif d:\n  e\n") == ["elif d:: `elif` continues no statement"]
    assert errors("if a: b\nelse: c\nelse: d\n") == ["else:: `else` continues no statement"]
    assert errors("def f():\n  except E:\n    a\n") == ["except E:: `except` continues no statement"]
    assert errors("elsewhere = 1\n") == []


def test_unexpected_indent_is_reported_once() -> None:
    source = "if x:\n  a\n    b\n    c\n  d\ne\n"
    assert tree(source) == ["if x:", ["a", "b", "c", "d"], "e"]
    assert errors(source) == ["b: unexpected indent"]


def test_dedent_to_no_enclosing_width() -> None:
    source = "def f():\n        a\n    b\n    c\nd\n"
    assert tree(source) == ["def f():", ["a"], "b", "c", "d"]
    assert errors(source) == ["b: unindent does not match any outer indentation level"]


def test_header_without_body() -> None:
    assert errors("for i in x:\ny\n") == ["for i in x:: expected an indented block"]


def test_decorator_of_nothing() -> None:
    source = "@a\nx = 1\n@b\n"
    assert tree(source) == ["@a", "x = 1", "@b"]
    assert len(errors(source)) == 2


def test_header_inside_lines_that_are_indented_for_no_reason() -> None:
    assert tree("a\n  for i in x:\n    b\n  c\n") == ["a", "for i in x:", ["b"], "c"]


def test_five_thousand_levels() -> None:
    source = "".join(" " * depth + "if x:\n" for depth in range(5000))
    blocks = build_blocks(scan(source))
    assert sum(1 for _ in walk_lines(blocks)) == 5000
    depth = 0
    while blocks:
        depth, blocks = depth + 1, blocks[0].body
    assert depth == MAX_DEPTH + 1
    assert errors(source) == ["if x:: too many levels of indentation"]


LINES = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.sampled_from(["x", "if x:", "if x: y; z", "@a", "def f():", "else:", "x; y", "class A: b"]),
    ),
    max_size=25,
)


@given(LINES)
def test_every_line_is_in_the_tree_once_and_in_order(lines: list[tuple[int, str]]) -> None:
    scanned = scan("".join(" " * indent + text + "\n" for indent, text in lines))
    assert [line.index for line in walk_lines(build_blocks(scanned))] == list(range(len(scanned)))
