"""PTOAS #1587 in source: slots of a declared buffer, and rows of one tile, chosen at run time."""

from __future__ import annotations

import pytest

from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.verify import verify
from tests.sync.kernel.kernels import kernel, run
from tests.sync.runs import lanes, pairs

PARAMETERS = (
    "i: pl.Scalar[pl.INDEX], g0: pl.Tensor[[1, 64], pl.FP32], g1: pl.Tensor[[1, 64], pl.FP32], "
    "out0: pl.Out[pl.Tensor[[1, 64], pl.FP32]], out1: pl.Out[pl.Tensor[[1, 64], pl.FP32]]"
)

PROBE = """
ordinal = pl.max(i, 0) % 64
cur: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots=3)[{current}], pl.Mem.Vec] = pl.load(g0, [0, 0], [1, 64])
fut: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots=3)[{future}], pl.Mem.Vec] = pl.load(g1, [0, 0], [1, 64])
sum: pl.Tile[[1, 64], pl.FP32, pl.MemRef("ring", slots=3)[{current}], pl.Mem.Vec] = pl.tile.adds(cur, 1.0)
out0 = pl.store(sum, [0, 0], out0)
out1 = pl.store(fut, [0, 0], out1)
"""

DYNAMIC = PROBE.format(current="ordinal % 3", future="(ordinal + 2) % 3")
STATIC = PROBE.format(current="0", future="2")
SAME = PROBE.format(current="ordinal % 3", future="ordinal % 3")
UNKNOWN = PROBE.format(current="i % 3", future="(i + 2) % 3")

ARGUMENTS = [*range(0, 201, 7), 2**62, 2**63 - 65, 2**63 - 2, 2**63 - 1]


@pytest.mark.parametrize("body", [DYNAMIC, STATIC], ids=["dynamic", "static"])
def test_vector_op_waits_for_its_own_load_only(body: str) -> None:
    program = kernel(PARAMETERS, body)
    for i in ARGUMENTS:
        seen = run(program, i=i)
        assert seen.verdict.faults == (), i
        assert seen.ordered("tload#0", "tadds#0")
        assert not seen.ordered("tload#1", "tadds#0")
        assert seen.ordered("tadds#0", "tstore#0")
        assert seen.ordered("tload#1", "tstore#1")


@pytest.mark.parametrize("body", [SAME, UNKNOWN], ids=["same", "unknown"])
def test_slots_that_may_be_the_same_keep_the_wait(body: str) -> None:
    program = kernel(PARAMETERS, body)
    for i in (0, 1, 2, 3):
        seen = run(program, i=i)
        assert seen.verdict.faults == ()
        assert seen.ordered("tload#1", "tadds#0")


ROTATING = """
for k in pl.range(0, 65):
    cur: pl.Tile[[1, 64], pl.FP32, {slot}, pl.Mem.Vec] = pl.load(g0, [0, 0], [1, 64])
    sum: pl.Tile[[1, 64], pl.FP32, {slot}, pl.Mem.Vec] = pl.tile.adds(cur, 1.0)
    out0 = pl.store(sum, [0, 0], out0)
"""


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_a_slot_is_free_when_its_store_is_done(slots: int) -> None:
    program = kernel(PARAMETERS, ROTATING.format(slot=f'pl.MemRef("ring", slots={slots})[k % {slots}]'))
    plan = plan_precise(program)
    assert verify(program, plan).ok
    assert lanes(plan, "MTE3", "MTE2") == slots
    assert pairs(plan, "V", "MTE2") == 0
    seen = run(program, i=0)
    for round_ in range(1, slots):
        assert not seen.ordered("tstore#0", f"tload#{round_}")
    assert seen.ordered("tstore#0", f"tload#{slots}")


ROWS = """
table = pl.load(g0, [0, 0], [3, 64])
row = pl.tile.adds(pl.load(g1, [0, 0], [1, 64]), 1.0)
for k in pl.range(0, 9):
    out0 = pl.store(pl.tile.slice(table, [1, 64], [{read}, 0]), [0, 0], out0)
    table = pl.tile.assemble(table, row, [{written}, 0])
"""

ROW_PARAMETERS = PARAMETERS.replace("g0: pl.Tensor[[1, 64]", "g0: pl.Tensor[[3, 64]")


def test_rows_of_one_tile_are_told_apart() -> None:
    program = kernel(ROW_PARAMETERS, ROWS.format(read="k % 3", written="(k + 1) % 3"))
    assert verify(program, plan_precise(program)).ok
    seen = run(program, i=0)
    assert not seen.ordered("tstore#0", "tmov#0")
    assert seen.ordered("tmov#0", "tstore#1")


def test_the_same_row_is_written_behind_its_store() -> None:
    program = kernel(ROW_PARAMETERS, ROWS.format(read="k % 3", written="k % 3"))
    assert verify(program, plan_precise(program)).ok
    assert run(program, i=0).ordered("tstore#0", "tmov#0")
