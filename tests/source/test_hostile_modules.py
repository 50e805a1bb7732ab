"""No text of a module raises, hangs or makes answers depend on the order of questions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.source.values import Unknown
from tests.source.files import workspace
from tests.source.test_workspace import lookup


@pytest.mark.parametrize(
    "text",
    [
        "V = " + " + ".join(["1"] * 5000),
        "V = " + "(" * 5000 + "1" + ")" * 5000,
        "V = f'{" + "(" * 5000 + "1" + ")" * 5000 + "}'",
        "class A:\n    x: int = " + " + ".join(["1"] * 900) + "\n    y: " + "a." * 900 + "b = 1\nV = A.x\n",
        "".join(f"{'el' if n else ''}if nothing == {n}:\n    V = {n}\n" for n in range(900)),
        "V = 0\n" + "V = V + 1\n" * 3000 + "def f():\n    return W\nW = f()\nV = W\n",
    ],
)
def test_deep_texts_are_unknown_and_no_crash(text: str) -> None:
    assert isinstance(lookup(workspace(m=text), "V"), Unknown)


def test_hundreds_of_branches_in_a_function() -> None:
    branches = "".join(f"    elif n == {n}:\n        return {n}\n" for n in range(1, 400))
    text = f"def f(n):\n    if n == 0:\n        return 0\n{branches}    return -1\nV = f(399) + f(500)\n"
    assert lookup(workspace(m=text), "V") == 398


PIECES = [
    "A = B + 1\n", "B = [A, 2]\n", "A, B = B\n",
    "if A:\n    B = 3\nelse:\n    A = f(B)\n", "def f(n):\n    return n + A\n",
    "class C:\n    B: int = A\n    @property\n    def p(self):\n        return self.B\n", "A = C(B).p\n", "A += B\n",
    "from m import *\n", "import m\n", "m.A = 3\n", "B = m.B\n", "A.append(1)\n", "for A in B: pass\n", "B = f'{A}'\n",
    "(\n",
    "'", '"""', "    ", "A = C\n", "B = {A: B}\n", "assert A % 4 == 0\n", "B = A if B else C\n", "global A\n",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_no_module_raises_and_answers_do_not_depend_on_the_order_of_questions(text: str) -> None:
    names = ("A", "B", "C", "f", "m")
    first, second = workspace(m=text), workspace(m=text)
    forwards = {name: lookup(first, name) for name in names}
    backwards = {name: lookup(second, name) for name in reversed(names)}
    assert {name: type(value) for name, value in forwards.items()} == {
        name: type(value) for name, value in backwards.items()
    }
