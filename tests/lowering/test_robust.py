"""Half-written kernels lower as far as they go: nothing that an author can type makes the lowering raise."""

from __future__ import annotations

import random
import re

import pytest

from pto_analysis.passes.lowering import lower
from pto_analysis.toolchain import Toolchain
from tests.lowering.reading import KERNEL, modules
from tests.support.cases import load_cases

SOURCES = [case.source for case in load_cases("tensor")]
OPERATIONS = (
    "add", "matmul", "slice", "exp", "row_sum", "assemble", "reshape", "transpose", "cast", "gather", "scatter", "sin",
    "concat", "read", "write", "full",
)  # fmt: skip


def damaged(text: str, source: random.Random) -> str:
    """The text after one to three edits like those of somebody who is typing."""
    lines = text.splitlines()
    for _ in range(source.randint(1, 3)):
        place = source.randrange(len(lines))
        edits = (
            "",
            lines[source.randrange(len(lines))],
            re.sub(r"\d+", str(source.choice((0, 1, 2, 7, 16, 64, 1000))), lines[place], count=1),
            re.sub(r"pl\.\w+\(", f"pl.{source.choice(OPERATIONS)}(", lines[place], count=1),
            re.sub(r"\b[a-z]\w?\d*\b", source.choice(("t1", "out", "k", "acc4")), lines[place], count=1),
            lines[place].replace("[", "[0, ", 1),
            lines[place].replace(", ", " ", 1),
        )
        lines[place] = source.choice(edits)
    return "\n".join(lines)


def lower_damaged(seed: int, count: int) -> int:
    source = random.Random(seed)
    lowered = 0
    for _ in range(count):
        workspace = modules(damaged(source.choice(SOURCES), source))
        toolchain = Toolchain(target=source.choice(("a2a3", "a5")))
        for unit in workspace.read(KERNEL).units:
            functions = lower([facts.function for facts in unit.functions], toolchain, workspace.called)
            lowered += sum(len(function.placed.params) > 0 for function in functions)
    return lowered


def test_damaged_kernels_lower_as_far_as_they_go() -> None:
    assert lower_damaged(1, 150) > 100


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
def test_many_damaged_kernels_lower_as_far_as_they_go(seed: int) -> None:
    assert lower_damaged(seed, 1500) > 1000
