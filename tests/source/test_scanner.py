"""Logical lines: whole ones exactly, broken ones without harm to their neighbours."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.source import one_line
from pto_analysis.source.scanner import LogicalLine, scan, scan_text
from pto_analysis.source.text import SourceText


def texts(source: str) -> list[str]:
    return [line.text for line in scan(source)]


def errors(source: str) -> list[str | None]:
    return [line.error for line in scan(source)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", []),
        ("\n \n# only a comment\n\t\n", []),
        ("x = 1", ["x = 1"]),
        ("x = 1\r\ny = 2\rz = 3\n", ["x = 1", "y = 2", "z = 3"]),
        ("x = f(a,\n      b)  # why\ny = 2", ["x = f(a,\n      b)", "y = 2"]),
        ("x = [1, # one\n  2]\n", ["x = [1, # one\n  2]"]),
        ("x = 1 + \\\n  2\n", ["x = 1 + \\\n  2"]),
        ("a; b ;c;\nd", ["a", "b", "c", "d"]),
        ("s = ';#('; t = \"'\"", ["s = ';#('", 't = "\'"']),
        ("if x: y = 1; z = 2\n", ["if x:", "y = 1", "z = 2"]),
        ("for k in {1: 2}: pass", ["for k in {1: 2}:", "pass"]),
        ("while (n := f()): pass", ["while (n := f()):", "pass"]),
        ("if lambda a: a, lambda: 3: pass", ["if lambda a: a, lambda: 3:", "pass"]),
        ("w: int = 3", ["w: int = 3"]),
        ("match = x\nmatch x:\n  case [a, b]: pass", ["match = x", "match x:", "case [a, b]:", "pass"]),
        ("async def f(): pass", ["async def f():", "pass"]),
        ("@a.b(\n 1)\ndef f(): ...", ["@a.b(\n 1)", "def f():", "..."]),
        ('"""a\n b"""\nx', ['"""a\n b"""', "x"]),
        ("s = r'\\'  # x'\ny", ["s = r'\\'  # x'", "y"]),
        ("s = 'a\\\nb'\ny", ["s = 'a\\\nb'", "y"]),
        ("x = f'{a!r:>{w}}'\ny", ["x = f'{a!r:>{w}}'", "y"]),
        ("\x0cx = 1\n", ["x = 1"]),
        ("\ufeffx = 1\n", ["x = 1"]),
        ("\\\nx = 1\n", ["x = 1"]),
        ("é = '漢𝄞'; y", ["é = '漢𝄞'", "y"]),
    ],
)
def test_whole_statements(source: str, expected: list[str]) -> None:
    assert texts(source) == expected
    assert set(errors(source)) <= {None}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = f(a, [b\ny = g(c)\nreturn y", ["'[' was never closed", None, None]),
        ("x = f(a,\n\n# note\ng(b)\n", ["'(' was never closed", None]),
        ("    x = f(\n    return x\n", ["'(' was never closed", None]),
        ("with at(level=L:\n    x = 3\n    y = 4\n", ["'(' was never closed", None, None]),
        ("for i in r(3:\n    f(i)\n    g(i)\nh()", ["'(' was never closed", None, None, None]),
        ("def f(a, b:\n    return a\nx = 1\n", ["'(' was never closed", None, None]),
        ("x = f(a))\ny = 1", ["unmatched ')'", None]),
        ("x = f(a]\ny = 1", ["']' does not match '('", None]),
        ("x = f([a)\ny = 1", ["')' does not match '['", None]),
        ("x = 'abc\ny = 1", ["unterminated string", None]),
        ("x = f('abc\ny = 1", ["unterminated string", None]),
        ('def f():\n    """doc\n    x = 1\n\ndef g():\n    """doc"""\n    return 2\n',
         [None, "unterminated triple-quoted string", None, None, None, None]),
        ('def f():\n    """doc"""\n    y = """\n    x = 1\ny = 2\n',
         [None, None, "unterminated triple-quoted string", None, None]),
        ('def f():\n    it\'s gone."""\n    x = 1\n\ndef g():\n    """doc"""\n',
         [None, "unterminated string", None, None, None]),
        ("x = 1 +\ny = 2", [None, None]),
    ],
)  # fmt: skip
def test_a_broken_line_spoils_itself_only(source: str, expected: list[str | None]) -> None:
    assert errors(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "x = f(\na=1,\nb=2,\n)\n",
        "f(\n  name = value,\n  other = 2\n)\n",
        "x = [\nlen(a),\nb\n]\ny = 2\n",
        'def f():\n    """Example:\n\n    def g():\n        pass\n    """\n    return 1\n',
    ],
)
def test_unusual_layout_is_believed_while_it_closes(source: str) -> None:
    assert set(errors(source)) == {None}


def test_positions_and_indentation() -> None:
    first, second, third = scan("if é:\n\tx = f(1,\n 2); y = 3\n")
    assert (first.line, first.column, first.end_line, first.end_column, first.indent) == (0, 0, 0, 5, 0)
    assert (second.line, second.column, second.end_line, second.end_column, second.indent) == (1, 1, 2, 3, 8)
    assert (third.line, third.column, third.indent, third.joined) == (2, 5, 8, ";")
    assert [line.is_header for line in (first, second, third)] == [True, False, False]


def test_comments_know_their_statement() -> None:
    scanned = scan_text("# a\nx = [ # b\n] # c\nif y: # d\n  z # e\n'# no'\n")
    assert [(each.text, each.owner, each.line, each.column) for each in scanned.comments] == [
        ("# a", None, 0, 0),
        ("# b", 0, 1, 6),
        ("# c", 0, 2, 2),
        ("# d", 1, 3, 6),
        ("# e", 2, 4, 4),
    ]
    assert [len(line.comments) for line in scanned.lines] == [2, 1, 1, 0]


def test_the_place_of_an_error_is_the_open_bracket() -> None:
    (line,) = scan("x = f(a, [b")
    assert line.error_at == (0, 9)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("x = " + "[" * 5000 + "]" * 5000, "nesting deeper than 200"),
        ("x = " + " + ".join(["a"] * 20_000), "operator chain longer than 200"),
        ("x = a" + ".b" * 500, "operator chain longer than 200"),
        ("x = " + "not " * 500 + "a", "operator chain longer than 200"),
        ("x = " + "f(-" * 199 + "a" + ")" * 199, None),
        ("x = [" + "a, " * 5000 + "]", None),
        ("x = [" + "a, " * 50_000 + "]", "statement of more than 20000 tokens"),
        ("x = " + " + ".join(["a"] * 150), None),
    ],
)
def test_bounds_on_one_statement(source: str, error: str | None) -> None:
    assert errors(f"{source}\ny = 1\n") == [error, None]


def whole(line: LogicalLine, source: SourceText) -> str:
    start, end = source.offset(line.line, line.column), source.offset(line.end_line, line.end_column)
    return source.text[start:end]


PIECES = [
    "x", " = ", "(", ")", "[", "]", "\n", "\r\n", "    ", "\t", "'", '"', '"""', "#", ";", ":", "\\", "if ", "def f",
    "return", "lambda", "@", ",", "é", "\x0c", "\ufeff", "class A",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=60))
def test_no_text_is_lost_or_taken_twice(text: str) -> None:
    source = SourceText(text)
    scanned = scan_text(text)
    covered = [0] * len(text)
    for line in scanned.lines:
        assert whole(line, source) == line.text
        start = source.offset(line.line, line.column)
        for offset in range(start, start + len(line.text)):
            covered[offset] += 1
    assert max(covered, default=0) <= 1
    for comment in scanned.comments:
        start = source.offset(comment.line, comment.column)
        assert text.startswith(comment.text, start)
        for offset in range(start, start + len(comment.text)):
            covered[offset] += 1
    rest = "".join(char for char, count in zip(text, covered, strict=True) if not count)
    assert re.fullmatch(r"[\s\ufeff;\\]*", rest)
    assert [line.index for line in scanned.lines] == list(range(len(scanned.lines)))


@pytest.mark.parametrize(
    "text",
    [
        "x = f(\n" * 20_000,
        'x = """\n' * 20_001,
        "f(a]\n" * 20_000,
        "(" * 200_000,
        "'" * 200_001,
        "if lambda: " * 20_000,
        "x = 1\n" * 100_000,
        "x = ']\n" * 50_000,
    ],
)
def test_time_is_linear_in_the_text(text: str) -> None:
    began = time.process_time()
    scan(text)
    assert time.process_time() - began < 10


def matches_nothing(text: str, start: int) -> None:
    del text, start


@given(st.lists(st.sampled_from([*"abc=,:;.#\\'\"()[]{}\n\r\t\f ", "'''", '"""', "lambda", "if ", "for x in ", ":="])))
def test_what_stands_on_one_line_is_scanned_as_the_loop_would(pieces: list[str]) -> None:
    text = "".join(pieces)
    quick = scan_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_line, "simple_statement", matches_nothing)
        patch.setattr(one_line, "header", matches_nothing)
        assert scan_text(text) == quick
