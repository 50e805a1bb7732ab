"""Flags of an author that balance and still leave ops unordered which share bytes (sync.md B.7)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.manual_races import manual_races
from pto_analysis.sync.program import Pipe, TileShape


def hand_over(build: ProgramBuilder, source: Pipe, target: Pipe, event: int = 0) -> None:
    build.manual("set", source, target, event)
    build.manual("wait", source, target, event)


def start() -> ProgramBuilder:
    build = ProgramBuilder("k")
    for tensor in ("x", "y"):
        build.tensor(tensor)
    for tile in ("a", "b"):
        build.tile(tile, "vec", TileShape(1, 64))
    return build


def load_and_use(build: ProgramBuilder) -> None:
    build.op("tload", Pipe.MTE2, ["x"], ["a"])
    hand_over(build, Pipe.MTE2, Pipe.V)
    build.op("tabs", Pipe.V, ["a"], ["b"])


def complete(build: ProgramBuilder) -> None:
    load_and_use(build)
    hand_over(build, Pipe.V, Pipe.MTE3)
    build.op("tstore", Pipe.MTE3, ["b"], ["y"])


def no_wait_for_the_store(build: ProgramBuilder) -> None:
    load_and_use(build)
    build.op("tstore", Pipe.MTE3, ["b"], ["y"])


def no_barrier(build: ProgramBuilder) -> None:
    load_and_use(build)
    build.op("tneg", Pipe.V, ["b"], ["a"])


def a_barrier(build: ProgramBuilder) -> None:
    load_and_use(build)
    build.manual("barrier", Pipe.V, Pipe.V)
    build.op("tneg", Pipe.V, ["b"], ["a"])


def the_next_round_overwrites(build: ProgramBuilder) -> None:
    with build.loop("i", stop=build.argument("n")):
        load_and_use(build)


def the_next_round_waits(build: ProgramBuilder) -> None:
    build.manual("set", Pipe.V, Pipe.MTE2, 1)
    with build.loop("i", stop=build.argument("n")):
        build.manual("wait", Pipe.V, Pipe.MTE2, 1)
        load_and_use(build)
        build.manual("barrier", Pipe.V, Pipe.V)
        build.manual("set", Pipe.V, Pipe.MTE2, 1)
    build.manual("wait", Pipe.V, Pipe.MTE2, 1)


def in_one_arm(build: ProgramBuilder) -> None:
    build.op("tload", Pipe.MTE2, ["x"], ["a"])
    with build.branch(build.argument("c", bits=1)):
        hand_over(build, Pipe.MTE2, Pipe.V)
    build.op("tabs", Pipe.V, ["a"], ["b"])


def no_flags(build: ProgramBuilder) -> None:
    build.op("tload", Pipe.MTE2, ["x"], ["a"])
    build.op("tabs", Pipe.V, ["a"], ["b"])


def a_flag_that_run_time_names(build: ProgramBuilder) -> None:
    no_wait_for_the_store(build)
    hand_over(build, Pipe.V, Pipe.MTE2)
    build.manual("set", Pipe.V, Pipe.MTE3, build.argument("e"))
    build.manual("wait", Pipe.V, Pipe.MTE3, build.argument("f"))


def an_unknown_branch(build: ProgramBuilder) -> None:
    no_wait_for_the_store(build)
    with build.branch(None):
        build.op("tabs", Pipe.V, ["b"], ["b"])


@pytest.mark.parametrize(
    ("write", "races"),
    [
        (complete, []),
        (no_wait_for_the_store, [("op1", "op2", "RAW")]),
        (no_barrier, [("op1", "op2", "RAW")]),
        (a_barrier, []),
        (the_next_round_overwrites, [("op1", "op0", "WAR"), ("op1", "op1", "WAW")]),
        (the_next_round_waits, []),
        (in_one_arm, [("op0", "op1", "RAW")]),
        (no_flags, []),
        (a_flag_that_run_time_names, []),
        (an_unknown_branch, []),
    ],
)
def test_races(write: Callable[[ProgramBuilder], None], races: list[tuple[str, str, str]]) -> None:
    build = start()
    write(build)
    assert [(one.source, one.target, one.kind) for one in manual_races(build.build())] == races
