"""The planner's work grows with the program, not with its square, and nesting does not multiply it.

Growth is measured by the clock, so it is left to `make soak`; exponential work would take hours and fails anywhere.
"""

from __future__ import annotations

import time

import pytest

from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.policies import plan_precise, plan_stock
from pto_analysis.sync.program import Pipe, SyncProgram, TileShape

ROW = TileShape(1, 64)
TILES = 32


def body(build: ProgramBuilder, rounds: int, seed: int) -> None:
    for k in range(rounds):
        first, second = f"t{(seed + 7 * k) % TILES}", f"t{(3 * seed + 11 * k + 5) % TILES}"
        build.op("tload", Pipe.MTE2, ["x"], [first])
        build.op("tadd", Pipe.V, [first, second], [second])
        build.op("tabs", Pipe.V, [second], [first])
        build.op("tstore", Pipe.MTE3, [second], ["y"])


def start() -> ProgramBuilder:
    build = ProgramBuilder("k")
    build.tensor("x")
    build.tensor("y")
    for k in range(TILES):
        build.tile(f"t{k}", "vec", ROW, base=256 * k)
    return build


def straight(ops: int) -> SyncProgram:
    build = start()
    body(build, ops // 4, 1)
    return build.build()


def looped(ops: int) -> SyncProgram:
    build = start()
    n = build.argument("n")
    for k in range(ops // 40):
        with build.loop(f"i{k}", stop=n):
            body(build, 10, k)
    return build.build()


def branched(ops: int) -> SyncProgram:
    build = start()
    condition = build.argument("c", bits=1)
    for k in range(ops // 24):
        body(build, 2, k)
        with build.branch(condition):
            body(build, 2, k + 1)
            with build.branch(condition):
                body(build, 2, k + 2)
    return build.build()


def seconds(program: SyncProgram) -> float:
    begin = time.process_time()
    plan_precise(program)
    return time.process_time() - begin


@pytest.mark.soak
@pytest.mark.parametrize("make", [straight, looped, branched])
def test_growth(make: type) -> None:
    small, large = make(600), make(2400)
    seconds(small)
    assert seconds(large) < 10 * max(seconds(small), 0.05)


def test_nested_branches() -> None:
    build = start()
    condition = build.argument("c", bits=1)

    def nest(depth: int) -> None:
        body(build, 1, depth)
        if depth:
            with build.branch(condition):
                nest(depth - 1)

    nest(40)
    program = build.build()
    assert seconds(program) < 60
    assert plan_stock(program).items


def test_a_tower_of_loops() -> None:
    build = start()
    n = build.argument("n")

    def nest(depth: int) -> None:
        body(build, 1, depth)
        if depth:
            with build.loop(f"i{depth}", stop=n):
                nest(depth - 1)
        body(build, 1, depth + 3)

    nest(16)
    assert seconds(build.build()) < 20


def test_eighty_branches_in_a_row() -> None:
    """PTOAS #950."""
    build = start()
    condition = build.argument("c", bits=1)
    with build.loop("i", stop=build.argument("n")):
        for k in range(80):
            with build.branch(condition):
                body(build, 1, k)
    assert seconds(build.build()) < 20
