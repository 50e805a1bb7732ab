"""Python functions and classes followed statement by statement, also where a branch cannot be decided."""

from __future__ import annotations

import pytest

from pto_analysis.source.values import HostTensor, Unknown, Value
from tests.source.files import workspace

CLASSES = """
class Base:
    def __init__(self, config=None, *, rows=16, mode="a"):
        self.config = config or RunConfig()
        self.rows = rows
        self.mode = mode
class Case(Base):
    def __init__(self, *, cols=32, config=None, **rest):
        super().__init__(config, **rest)
        if config is None:
            self.config.rtol = 1e-4
        self.cols = cols
class Other(missing.Parent):
    def __init__(self, n):
        super().__init__(n)
        self.n = n
        if mystery:
            self.n, self.m = 2 * n, 3
            self.kept = n
        else:
            self.kept = n
"""


def value_of(text: str) -> Value:
    """The value of `V`, the last expression of a module."""
    return workspace(m=text).lookup("/w/m.py", "V")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("Case().rows", 16),
        ("Case(rows=8).rows", 8),
        ("Case(mode='b').mode", "b"),
        ("Case(cols=64).cols", 64),
        ("Other(5).kept", 5),
    ],
)
def test_constructors_go_through_their_bases(expression: str, expected: object) -> None:
    assert value_of(f"{CLASSES}\nV = {expression}\n") == expected


@pytest.mark.parametrize("expression", ["Other(5).n", "Other(5).m", "Case(config=mystery).config"])
def test_what_a_branch_may_change_is_not_known(expression: str) -> None:
    assert isinstance(value_of(f"{CLASSES}\nV = {expression}\n"), Unknown)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if mystery:\n        return 3\n    return 3", 3),
        ("if mystery:\n        raise ValueError\n    return 4", 4),
        ("x = 1\n    if mystery:\n        x = 2\n    y = 5\n    return y", 5),
        ("if mystery:\n        x = [1, 2]\n    else:\n        x = [1, 2]\n    return x", [1, 2]),
        ("def twice(n, k=2):\n        return n * k\n    return twice(4) + twice(1, k=3)", 11),
        ("def fact(n):\n        return 1 if n < 2 else n * fact(n - 1)\n    return fact(5)", 120),
        ("import math\n    from math import ceil as up\n    return math.floor(2.5) + up(2.5)", 5),
    ],
)
def test_functions_with_open_branches(body: str, expected: object) -> None:
    assert value_of(f"def f():\n    {body}\nV = f()\n") == expected


@pytest.mark.parametrize(
    "body",
    [
        "if mystery:\n        return 3\n    return 4",
        "x = 1\n    if mystery:\n        x = 2\n    return x",
        "for i in [1, 2]:\n        if mystery:\n            break\n    return i",
        "def fib(n):\n        return n if n < 2 else fib(n - 1) + fib(n - 2)\n    return fib(40)",
        "def f(n):\n        return f(n + 1)\n    return f(0)",
        "def items():\n        yield 3\n    return items()",
    ],
)
def test_functions_whose_result_stays_open(body: str) -> None:
    assert isinstance(value_of(f"def f():\n    {body}\nV = f()\n"), Unknown)


def test_many_open_branches_take_no_longer_than_a_budget() -> None:
    branches = "".join(f"    if mystery{n}:\n        a = {n}\n" for n in range(200))
    assert isinstance(value_of(f"def f():\n{branches}    return a\nV = f()\n"), Unknown)


@pytest.mark.parametrize(
    ("expression", "shape", "dtype"),
    [
        ("torch.zeros(2, 3)", (2, 3), "float32"),
        ("torch.zeros((2, 3), dtype=torch.int8)", (2, 3), "int8"),
        ("np.ones([4])", (4,), "float64"),
        ("torch.full((2,), 1.5).half()", (2,), "float16"),
        ("torch.randint(0, 9, (4, 2))", (4, 2), "int64"),
        ("torch.arange(1, 9, 2)", (4,), "int64"),
        ("torch.arange(0.0, 1.0, 0.25)", (4,), "float32"),
        ("torch.tensor([[1, 2, 3]])", (1, 3), "int64"),
        ("torch.tensor([True])", (1,), "bool"),
        ("torch.eye(3)", (3, 3), "float32"),
        ("torch.linspace(0, 1, 5)", (5,), "float32"),
        ("torch.empty(2, 6).view(3, -1)", (3, 4), "float32"),
        ("torch.empty(2, 6).T.contiguous()", (6, 2), "float32"),
        ("torch.empty(2, 6, 4).transpose(-1, 0)", (4, 6, 2), "float32"),
        ("torch.empty(2, 6).unsqueeze(1)", (2, 1, 6), "float32"),
        ("torch.empty_like(torch.zeros(2), dtype=torch.bfloat16)", (2,), "bfloat16"),
        ("-torch.rand(2, 1) * 3 + torch.rand(4)", (2, 4), "float32"),
        ("torch.arange(4) / 2", (4,), "float32"),
        ("torch.rand(2).to('cpu').to(torch.float16)", (2,), "float16"),
        ("torch.zeros(torch.rand(2, 5).shape[1], torch.rand(7).numel())", (5, 7), "float32"),
    ],
)
def test_tensors_of_host_code(expression: str, shape: tuple[int, ...], dtype: str) -> None:
    assert value_of(f"import torch\nimport numpy as np\nV = {expression}\n") == HostTensor(shape, dtype)


@pytest.mark.parametrize(
    "expression",
    [
        "torch.zeros(mystery)", "torch.zeros(0)", "torch.zeros(2, dtype=mystery)", "torch.zeros()", "torch.arange('a')",
        "torch.arange(0, 1e308, 1e-308)", "torch.arange(3, 1)", "torch.arange(0, 5, 0)", "torch.tensor([])",
        "torch.rand(2, 6).view(5, -1)", "torch.rand(2).unsqueeze(9)", "torch.rand(2).unknown()", "torch.rand(2)[0]",
        "torch.rand(2) == torch.rand(2)", "bool(torch.rand(2))", "torch.rand(2) @ torch.rand(2)", "len(torch.rand(2))",
        "torch.rand(2) + torch.rand(3)", "torch.rand(2).size(5)", "torch.rand(2).transpose(0, 4)",
    ],
)  # fmt: skip
def test_tensors_that_are_not_known(expression: str) -> None:
    assert isinstance(value_of(f"import torch\nV = {expression}\n"), Unknown)
