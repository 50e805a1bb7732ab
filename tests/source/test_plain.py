"""Plain statements read by `ast` have the very tree, ids included, that libcst gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from pto_analysis.source.concrete import read_statement
from pto_analysis.source.plain import plain_statement
from pto_analysis.source.scanner import scan
from pto_analysis.source.statements import StatementError, StatementSyntax, parse_statement

EXAMPLES = Path(__file__).parents[2] / "examples"

PLAIN = [
    "x = a",
    "x = y = a.b.c(1, *rest)",
    "x = f(a, b=1, **more)",
    "x: pl.Tensor[[16, N], pl.FP32] = pl.load(t, [0, i * 4], [16, 16])",
    "x: int",
    "a, (b, c) = f(x)",
    "x += -y ** 2",
    "t[a, b : c, ::2] = u[i][-1:]",
    "x = t[(a, b), c]",
    "x = t[a,]",
    "x = {1: 'a' \"b\", k: b'c'}",
    "x = (a and b and c) or not (d or e)",
    "x = (a and b) and c",
    "x = a and (b and c)",
    "x = 0 <= i < n and k not in (1, 2) and j is not None",
    "x = a if b else c",
    "x = 1.5e3 + 2j + 0x1F + 1_000 + ... + True",
    '"""Words\nof several lines."""',
    "x = (  # a comment\n    a +\n    b)",
    "for i, (a, b) in pl.range(0, n, init_values=(x, y)):",
    "while i < n:",
    "if i == 0:",
    "elif i == 1:",
    "with pl.at(level=pl.Level.CORE_GROUP) as region, other():",
    "def f(a, b: pl.Scalar[pl.INDEX] = 3) -> tuple[int, int]:",
    "@pl.function(type=pl.FunctionType.InCore)",
    "return",
    "return a, b",
    "pass",
    "break",
    "continue",
    "assert M % 16 == 0, 'words'",
    "from a import b as c",
]

LEFT_TO_LIBCST = [
    "x = f'{a}'",
    "x = [i for i in a]",
    "x = lambda: 1",
    "x = t[(a, b)]",
    "x = t[()]",
    "x = f(b=1, *a)",
    "x = {**a}",
    "x = 'a\\n'",
    "x = é",
    "a = 1; b = 2",
    "def f(*a, b=1, **c):",
    "class A(B):",
    "del a, b",
    "x = " + "-" * 150 + "a",
]


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_statement_is_what_libcst_sees(text: str) -> None:
    assert plain_statement(text) == read_statement(text).statement


@pytest.mark.parametrize("text", LEFT_TO_LIBCST)
def test_other_forms_are_left_to_libcst(text: str) -> None:
    assert plain_statement(text) is None


@pytest.mark.parametrize("text", ["x = ", "for i in a", "x = (1", "a b", "return = 3", ""])
def test_broken_text_is_an_error_as_before(text: str) -> None:
    assert plain_statement(text) is None
    assert isinstance(parse_statement(text), StatementError)


def test_every_statement_of_the_examples() -> None:
    texts = {line.text for path in sorted(EXAMPLES.rglob("*.py")) for line in scan(path.read_text(encoding="utf-8"))}
    read = {text: plain for text in texts if (plain := plain_statement(text)) is not None}
    assert len(read) > len(texts) / 2
    for text, plain in read.items():
        assert plain == read_statement(text).statement
        assert isinstance(parse_statement(text), StatementSyntax)
