"""Waits that only the stock assembler needs, explained."""

from __future__ import annotations

import pytest

from pto_analysis.arith.terms import Term, number
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.difference import FalseDependence, compare
from pto_analysis.sync.policies import Policies
from pto_analysis.sync.program import Pipe, TileShape

ROW = TileShape(1, 64)


def probe(second: str, spelling: str) -> tuple[FalseDependence, ...]:
    """The seed's kernel; `second` names the slot of the other load."""
    build = ProgramBuilder("probe")
    g0, g1, out0, out1 = (build.tensor(name) for name in ("g0", "g1", "out0", "out1"))
    ordinal = build.scalar("urem", build.argument("i"), 64)
    current = build.scalar("urem", ordinal, 3)
    slots: dict[str, Term] = {
        "ahead": build.scalar("urem", build.scalar("add", ordinal, 2), 3),
        "same": current,
        "mirrored": build.scalar("sub", 1, build.scalar("urem", ordinal, 2)),
        "halves": build.scalar("add", build.scalar("urem", ordinal, 2), 2),
        "a constant": number(3),
        "unknown": build.argument("j"),
    }
    index = build.scalar("urem", ordinal, 2) if second in ("mirrored", "halves") else current
    count = 4 if second in ("halves", "a constant") else 3
    if spelling == "rows":
        ring = build.tile("ring", "vec", TileShape(count, 64), base=0)
        one, other = build.window(ring, index, 0, 1, 64), build.window(ring, slots[second], 0, 1, 64)
    else:
        ring = build.ring("ring", "vec", ROW, count, base=0)
        one, other = build.slot(ring, index), build.slot(ring, slots[second])
    build.op("tload", Pipe.MTE2, [g0], [one])
    build.op("tload", Pipe.MTE2, [g1], [other])
    build.op("tadds", Pipe.V, [one], [one])
    build.op("tstore", Pipe.MTE3, [one], [out0])
    build.op("tstore", Pipe.MTE3, [other], [out1])
    return compare(Policies(build.build()))


@pytest.mark.parametrize(
    ("second", "spelling", "remedies"),
    [
        ("ahead", "rows", ["multi-buffer"]),
        ("ahead", "slots", []),
        ("same", "rows", []),
        ("same", "slots", []),
        ("mirrored", "rows", ["constant-slots"]),
        ("mirrored", "slots", ["constant-slots"]),
        ("halves", "rows", ["constant-slots"]),
        ("halves", "slots", ["constant-slots"]),
        ("a constant", "rows", ["constant-slots"]),
        ("a constant", "slots", ["constant-slots"]),
        ("unknown", "rows", []),
    ],
)
def test_false_dependences(second: str, spelling: str, remedies: list[str]) -> None:
    found = probe(second, spelling)
    assert [one.remedy for one in found] == remedies
    assert all((one.source, one.target) == ("op1", "op2") for one in found)


def test_the_reason_and_the_proof_are_told() -> None:
    (found,) = probe("ahead", "rows")
    assert found.why == "it takes a window at a run-time offset for its whole parent"
    assert "differ in every iteration" in found.proof
    assert found.wait
