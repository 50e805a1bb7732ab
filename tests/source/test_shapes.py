"""Statements filled in by their shape against the same statements parsed by libcst one by one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.source.concrete import node_spans
from pto_analysis.source.headers import plain_header
from pto_analysis.source.shapes import shape_of
from pto_analysis.source.statements import StatementError, concrete, parse_statement, positions

STATEMENTS = (
    "q_0 = pl.slice(x, [16, 64], [i * 16, 0])",
    "acc: pl.Tile[[M, N], pl.FP32] = pl.matmul_acc(acc, a, b, b_trans=True)",
    "x = 'a' 'b'",
    'x = "0" "1", _0, 1',
    'x = r"_0", b"1", """2""", "3"',
    'x = "\\n", "a\\"b", _',
    'x = f"{a[0]} {b!r:>{w}}", a',
    "x = 0x10, 007, 1_000, 1e-5, 2.50, 3., .5, 6j, 1.real, 12345678901234567890",
    "x = 0 if a else 1 or not b",
    "x = [f(*a, k=1, **b)[:, 1:2, ::3] for c in d if c]",
    "x = None, True, ..., match, type, case, naïve, ª",
    "lambda a, *b: (yield a)",
    "@pl.function(type=pl.FunctionType.InCore)",
    "for i, (j, *k) in pl.range(0, 8, init_values=(a,)):",
    "with pl.at(level=1) as t, open('f') as (a, b):",
    "elif (n := len(x)) > 3:",
    "if x: # as ever",
    "x = (a  # one\n     + b,\r\n\tc)",
    "x = a \\\n  + b",
    "class A(B, metaclass=C):",
    "import a.b as c",
    "assert x, 'why'",
    "print 1",
    "x = = 1",
    "x = 'open",
    "x = a b",
    "x = 1if y else 2",
    "1if y else 2, 0.0or 3, 0x1for z",
    "1if y else 2",
    "return 2.0or x, 2.5",
    "x = e\u0301 + a\u00b7b * a\u203fb + \u2118",
    "x = '\ud800'",
    "x = '→', \"it's\"",
)

HEADERS = (
    "def f():",
    "def f(self, a: T, ) -> tuple[A, B]:",
    "def f(a: pl.Tensor[[M, 16], pl.FP32],  # in, and\n  # out\n  b: pl.Out[pl.Tensor[[M], pl.FP32]]) -> None:",
    "def f(a:\n  T, b\n  : U\n):",
    "def f(a: \"T, U\", b: '#') :",
    "def  f (a: lambda: 0, b: (yield)):",
    "def f(a: x == y):",
    "def f(a: T = 1, *, b=2, **c):",
    "def f(a, /, *b: T, c: U):",
    "async def f(a: T):",
    "def f(a: T b):",
    "def f(a: T\nb):",
    "def f(a: T; b):",
    "def f(,):",
    "def f(a,, b):",
    "def f(a: T))",
    "def f(a: [T):",
    "def f(None, a):",
    "def f(None: T):",
    "def if(a):",
    "def f(a) -> T; U:",
    "def f(a) -> T = U:",
    "def f(a) # :",
    "def f(a) -> T # :",
    "def f(a)\n:",
    "def f(a: T\x0b):",
    "def f(a:):",
    "def f[T](a: T):",
    "def f(a: T, a.b: U):",
)


def check(text: str) -> None:
    """The statement and its positions are what libcst says of this very text."""
    found, wanted = parse_statement(text), concrete(text)
    if isinstance(wanted, StatementError):
        assert found == wanted
        return
    assert not isinstance(found, StatementError)
    assert found.statement == wanted.statement
    assert positions(found) == node_spans(wanted, text)


@pytest.mark.parametrize("text", [*STATEMENTS, *HEADERS])
def test_a_filled_statement_is_the_parsed_one(text: str) -> None:
    check(text)
    check(text.replace("a", "other_name").replace("1", "23"))


TOKENS = st.sampled_from(
    [
        *("a", "b1", "_0", "pl.x", "if", "else", "not", "lambda", "for", "in", "is", "None", "type", "é"),
        *("0", "1", "42", "1.5", "00", "1e3", "0x1", "'s'", '"1"', '"_0"', "r'x'", "'''t'''", "b''", "f'{a}'", "'\\n'"),
        *("(", ")", "[", "]", "{", "}", ",", ":", "=", "==", "+", "-", "*", "**", ".", "->", ":=", "@", ";", "\\"),
        *(" ", "  ", "\n", "\r\n", "\t", "# c\n"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["x = ", "x: ", "", "if ", "for i in ", "@", "return ", "with "]), st.lists(TOKENS, max_size=12))
def test_any_tokens(start: str, tokens: list[str]) -> None:
    text = f"{start}{' '.join(tokens)}".strip(" \n\r\t")
    check(f"{text}:" if start in ("if ", "for i in ", "with ") else text)


@settings(max_examples=150, deadline=None)
@given(st.lists(TOKENS, max_size=8), st.lists(TOKENS, max_size=3))
def test_any_header(parameters: list[str], returns: list[str]) -> None:
    check(f"def f({''.join(parameters)}) -> {''.join(returns)}:")
    check(f"def f(a: {' '.join(parameters)}, b: T):")


def test_statements_that_differ_in_names_literals_and_spaces_have_one_shape() -> None:
    first, second = shape_of('a=f(b, "x",1.5)[0]'), shape_of('acc = load( tile, "", 2.0 ) [17]')
    assert first is not None
    assert second is not None
    assert first.text == second.text == '_0=_1(_2,"3",4.0)[5]'
    assert second.leaves == ("acc", "load", "tile", "", 2.0, 17)


def test_what_a_header_must_be_to_be_read_by_parameters() -> None:
    assert plain_header("def f(self, a: T) -> R:") is not None
    assert plain_header("def f(a: T = 1):") is None
