"""Kernels for which two plans need the same number of waits and order different ops: ours orders none that the stock
assembler leaves free, where its plan is sound."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.checker import Rules
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import plan_precise, plan_stock
from pto_analysis.sync.program import Core, Pipe, SyncProgram, TileShape
from pto_analysis.sync.verify import verify
from tests.sync.order import more_ordered

ROW = TileShape(1, 64)


def start(core: Core, *tiles: str) -> ProgramBuilder:
    """Tensors x and y, and tiles named after their space: `a0` is in the accumulator."""
    build = ProgramBuilder("k", core)
    for tensor in ("x", "y"):
        build.tensor(tensor)
    spaces = {"v": "vec", "m": "mat", "l": "left", "r": "right", "a": "acc"}
    for number, tile in enumerate(tiles):
        build.tile(tile, spaces[tile[0]], ROW, base=256 * number)  # pyright: ignore[reportArgumentType]
    return build


def a_barrier_for_two() -> SyncProgram:
    """The second of three vector ops waits for one before the loop, the third for the first. A barrier before the
    second does for both; ours would keep the first one back for the second and the second for the third."""
    build = start("vector", "v0", "v1", "v2", "v3", "v4")
    build.op("tabs", Pipe.V, ["v3"], ["v0"])
    with build.loop("i", stop=build.argument("n")):
        build.op("texp", Pipe.V, ["v4"], ["v1"])
        build.op("tneg", Pipe.V, ["v0"], ["v2"])
        build.op("tadds", Pipe.V, ["v1"], ["v3"])
    return build.build()


def a_wait_before_or_behind_the_feed() -> SyncProgram:
    """What the last op of the loop overwrites is waited for by the first one, or by that op alone."""
    build = start("cube", "m0", "m1", "l0", "l1", "r0", "a0", "a1")
    n, m = build.argument("n"), build.argument("m")
    with build.loop("i", stop=n):
        build.op("tload", Pipe.MTE2, ["x"], ["m1"])
    with build.loop("j", stop=m):
        build.op("tmov", Pipe.MTE1, ["m0"], ["r0"])
        build.op("tmatmul.acc", Pipe.M, ["a0", "l0", "r0"], ["a0"])
        build.op("tmov", Pipe.FIX, ["a0"], ["m1"])
        build.op("tmov", Pipe.MTE1, ["m1"], ["l1"])
    return build.build()


def a_flag_raised_behind_a_wait() -> SyncProgram:
    """The store waits for the load before the loop; raised behind that, the flag of the accumulator would keep the
    matrix unit back as well."""
    build = start("cube", "m0", "l0", "l1", "r0", "a0")
    n = build.argument("n")
    build.op("tload", Pipe.MTE2, ["x"], ["m0"])
    with build.branch(build.argument("c", bits=1)):
        build.op("tmatmul.acc", Pipe.M, ["a0", "l0", "r0"], ["a0"])
        with build.loop("i", stop=n):
            with build.loop("j", stop=n):
                build.op("tmatmul.acc", Pipe.M, ["a0", "l1", "r0"], ["a0"])
                build.op("tmov", Pipe.MTE1, ["m0"], ["l1"])
            build.op("tmatmul", Pipe.M, ["l1", "r0"], ["a0"])
            build.op("tstore", Pipe.FIX, ["a0"], ["x"])
    return build.build()


def a_flag_lowered_before_one_is_raised() -> SyncProgram:
    """The matrix unit needs the feed, not the load behind it: the feed's last flag of the loop is waited for late."""
    build = start("cube", "m0", "l0", "r0", "a0")
    with build.branch(build.argument("c", bits=1)), build.loop("i", stop=build.argument("n")):
        build.op("tmov", Pipe.MTE1, ["m0"], ["r0"])
        build.op("tload", Pipe.MTE2, ["x"], ["m0"])
    build.op("tmatmul", Pipe.M, ["l0", "r0"], ["a0"])
    return build.build()


KERNELS = (
    a_barrier_for_two,
    a_wait_before_or_behind_the_feed,
    a_flag_raised_behind_a_wait,
    a_flag_lowered_before_one_is_raised,
)


def is_sound(program: SyncProgram, plan: Plan) -> bool:
    return verify(program, plan, Rules(program.target, scalar_at_issue=False), runs=400).ok


@pytest.mark.parametrize("write", KERNELS, ids=lambda write: write.__name__)
def test_nothing_is_ordered_beyond_the_stock_plan(write: Callable[[], SyncProgram]) -> None:
    program = write()
    ours, theirs = plan_precise(program), plan_stock(program)
    assert is_sound(program, theirs)
    assert is_sound(program, ours)
    for n, m, c in product((0, 1, 2, 3), (0, 1, 2), (0, 1)):
        assert not more_ordered(program, ours, theirs, {"n": n, "m": m, "c": c})
