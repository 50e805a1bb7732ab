"""PTO001 for what Python's compiler refuses although its parser takes it, wherever it stands in the module."""

from __future__ import annotations

import pytest

from tests.support.checking import check_text

MODULE = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64])
{kernel}
        y = pl.store(t, [0, 0], y)
        return y


def helper(a, b):
    c = 1
{helper}
    return c

{module}
"""
PLACES = {"kernel": 8, "helper": 4, "module": 0}

REFUSED = [
    "break",
    "continue",
    "if c:\n    break",
    "for i in pl.range(3):\n    z = 1\nbreak",
    "with pl.scope():\n    continue",
    "for i in pl.range(4):\n    z = 1\nelse:\n    break",
    "nonlocal z",
    "def g():\n    z = 1\n    global z",
    "z = pl.exp(input=t, input=t)",
    "f('(', a=1, b=g(a=2), a=3)",
    "x = 'é'; f(a='é', a=2)",
    "await t",
    "async for i in t: pass",
    "*z",
    "z = *t",
    "*a, *b = t",
    "__debug__ = 1",
    "def g(a, a): pass",
    "def g(a, *, a=1): pass",
    "z = lambda a, a: 1",
    "try: pass\nexcept: pass\nexcept ValueError: pass",
    "[t := 1 for t in y]",
    "if z:\n\tz = 1\n        z = 2",
    "from __future__ import annotations",
    "z = '\0'",
    "class C:\n    return 1",
]
ACCEPTED = [
    "for i in pl.range(3):\n    break",
    "z = f(g(a=1), a=[b for b in t], c={'a': 1})",
    "z = f('a=1', a=1)",
    "def g(a, b=f(a=1), *, c): return a * b",
    "z = [*t, *t]",
    "z = f(*t, **t)",
    "z = (1\n     * 2)",
    "if z:\n\tz = 1\n\tz = 2",
    "z = lambda a, b: a * b",
]


def module(place: str, text: str) -> str:
    indented = "\n".join(" " * PLACES[place] + line for line in text.split("\n"))
    return MODULE.format(**{name: indented if name == place else "" for name in PLACES})


def compiler_line(text: str) -> int | None:
    """The line that Python itself names (0-based), None for none; -1 when it accepts the text."""
    try:
        compile(text, "<module>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return None if error.lineno is None else error.lineno - 1
    except ValueError:
        return None
    return -1


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("statement", REFUSED)
def test_what_python_refuses_is_a_syntax_error(statement: str, place: str) -> None:
    text = module(place, statement)
    line = compiler_line(text)
    assert line != -1
    found = [each for each in check_text(text).findings if each.code == "PTO001"]
    assert found
    assert line is None or found[0].span.line == line


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("statement", ACCEPTED)
def test_what_python_accepts_is_none(statement: str, place: str) -> None:
    text = module(place, statement)
    assert compiler_line(text) == -1
    assert [each for each in check_text(text).findings if each.code == "PTO001"] == []


def test_the_place_is_told_in_characters() -> None:
    text = module("helper", "x = 'éé'; f(a=1, a=2)")
    (found,) = [each for each in check_text(text).findings if each.code == "PTO001"]
    line = text.split("\n")[found.span.line]
    assert line[found.span.column : found.span.end_column] == "a=2"
