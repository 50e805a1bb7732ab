"""Rings whose normalisation is no multiple of their slot count."""

from __future__ import annotations

import pytest

from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.phase import broken_rings
from pto_analysis.sync.program import Pipe, TileShape


@pytest.mark.parametrize(
    ("modulus", "slots", "stop", "broken"),
    [(64, 3, None, True), (64, 4, None, False), (66, 3, None, False), (64, 3, 64, False), (64, 3, 65, True)],
)
def test_broken_rings(modulus: int, slots: int, stop: int | None, *, broken: bool) -> None:
    build = ProgramBuilder("k")
    x, ring = build.tensor("x"), build.ring("ring", "vec", TileShape(1, 64), slots, base=0)
    with build.loop("i", stop=build.argument("n") if stop is None else stop) as i:
        ordinal = build.scalar("urem", i, modulus)
        build.op("tload", Pipe.MTE2, [x], [build.slot(ring, build.scalar("urem", ordinal, slots))])
    found = broken_rings(build.build())
    assert [(one.slots, one.modulus, one.loop) for one in found] == ([(slots, modulus, "loop0")] if broken else [])


def test_outside_of_loops_nothing_restarts() -> None:
    build = ProgramBuilder("k")
    x, ring = build.tensor("x"), build.ring("ring", "vec", TileShape(1, 64), 3, base=0)
    ordinal = build.scalar("urem", build.argument("i"), 64)
    build.op("tload", Pipe.MTE2, [x], [build.slot(ring, build.scalar("urem", ordinal, 3))])
    assert broken_rings(build.build()) == ()
