"""Bytes at the worst point, against numbers worked out by hand and against a model that looks at every point."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.passes.budget import budget
from pto_analysis.passes.kernel import analyse_kernel
from pto_analysis.passes.lowering.placement import place
from pto_analysis.rules.example import X_Y, incore
from tests.passes.dsl_reader import read_function

K = 1024


def needed(body: str, parameters: str = X_Y) -> dict[str, int]:
    """Bytes by space. Every `[64, 64]` FP32 tile takes 16 KB."""
    function = analyse_kernel(read_function(incore(body, parameters))).canonical.function
    return {usage.space.value: usage.needed for usage in budget(place(function), "a2a3")}


LOAD = "pl.tile.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Vec)"

KERNELS = {
    "one tile": (1, """
        t = LOAD
        y = pl.store(t, [0, 0], y)
    """),
    "two operands; the sum takes the place of one": (2, """
        t = LOAD
        u = LOAD
        y = pl.store(pl.tile.add(t, u), [0, 0], y)
    """),
    "an operand that is read again": (2, """
        t = LOAD
        u = LOAD
        v = pl.tile.add(t, u)
        y = pl.store(pl.tile.add(v, t), [0, 0], y)
    """),
    "a chain in one place": (1, """
        t = LOAD
        u = pl.tile.exp(t)
        v = pl.tile.exp(u)
        y = pl.store(v, [0, 0], y)
    """),
    "two results of one tile": (2, """
        t = LOAD
        u = pl.tile.exp(t)
        v = pl.tile.exp(t)
        y = pl.store(pl.tile.add(u, v), [0, 0], y)
    """),
    "one after the other": (1, """
        t = LOAD
        y = pl.store(t, [0, 0], y)
        u = LOAD
        y = pl.store(u, [0, 0], y)
    """),
    "a second name": (1, """
        t = LOAD
        u = t
        y = pl.store(pl.tile.add(t, u), [0, 0], y)
    """),
    "a view": (1, """
        t = LOAD
        u = pl.tile.reshape(t, [128, 32])
        y = pl.store(pl.tile.exp(t), [0, 0], y)
    """),
    "a loop": (1, """
        for i in pl.range(4):
            t = LOAD
            y = pl.store(t, [0, 0], y)
    """),
    "a tile from before the loop lives through it": (2, """
        t = LOAD
        for i in pl.range(4):
            u = pl.tile.add(t, LOAD)
            y = pl.store(u, [0, 0], y)
            w = LOAD
            y = pl.store(w, [0, 0], y)
    """),
    "a carried value is one place": (1, """
        t = LOAD
        for i, (a,) in pl.range(4, init_values=(t,)):
            b = pl.yield_(pl.tile.exp(a))
        y = pl.store(b, [0, 0], y)
    """),
    "a carried value beside what each turn loads": (2, """
        t = LOAD
        for i, (a,) in pl.range(4, init_values=(t,)):
            u = LOAD
            b = pl.yield_(pl.tile.add(a, u))
        y = pl.store(b, [0, 0], y)
    """),
    "only one arm runs": (1, """
        t = LOAD
        if 1 < 2:
            u = pl.tile.exp(t)
        else:
            u = pl.tile.neg(t)
        y = pl.store(u, [0, 0], y)
    """),
}  # fmt: skip
"""Tiles of 16 KB at the worst point, and the kernel."""


@pytest.mark.parametrize("name", KERNELS)
def test_tiles_at_the_worst_point(name: str) -> None:
    tiles, body = KERNELS[name]
    text = dedent(body).strip().replace("LOAD", LOAD)
    assert needed(f"{text}\nreturn y\n") == {"Vec": tiles * 16 * K}


def test_each_space_counts_for_itself() -> None:
    found = needed(
        """\
        am = pl.tile.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        bm = pl.tile.load(b, [0, 0], [64, 128], target_memory=pl.Mem.Mat)
        left = pl.tile.move(am, target_memory=pl.Mem.Left)
        right = pl.tile.move(bm, target_memory=pl.Mem.Right)
        acc = pl.tile.matmul(left, right)
        acc = pl.tile.matmul_acc(acc, left, right)
        c = pl.store(acc, [0, 0], c)
        return c
        """,
        "a: pl.Tensor[[32, 64], pl.BF16], b: pl.Tensor[[64, 128], pl.BF16], c: pl.Out[pl.Tensor[[32, 128], pl.FP32]]",
    )
    assert found == {"Mat": 4 * K + 16 * K, "Left": 4 * K, "Right": 16 * K, "Acc": 16 * K}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=10), st.integers(0, 3))
def test_straight_line_code_agrees_with_a_look_at_every_point(ops: list[tuple[int, int]], stored: int) -> None:
    """Four names, rebound by sums of two of them; a value is alive from its definition to its last use."""
    lines = [f"v{name} = {LOAD}" for name in range(4)]
    reads: list[tuple[int, tuple[int, ...]]] = [(number, ()) for number in range(4)]
    current = [0, 1, 2, 3]
    for target, (left, right) in zip(range(4, 4 + len(ops)), ops, strict=True):
        name = target % 4
        lines.append(f"v{name} = pl.tile.add(v{left}, v{right})")
        reads.append((target, (current[left], current[right])))
        current[name] = target
    lines += [f"y = pl.store(v{stored}, [0, 0], y)", "return y"]
    last = {value: number for number, (_, read) in enumerate(reads) for value in read}
    last[current[stored]] = len(reads)
    after_each = [
        len({value for value in range(number + 1) if value == number or last.get(value, -1) > number})
        for number in range(len(reads))
    ]
    during_each = [
        len({value for value in range(number) if last.get(value, -1) >= number}) for number in range(len(reads))
    ]
    assert needed("\n".join(lines) + "\n") == {"Vec": max(after_each + during_each) * 16 * K}
