"""Event ids: shared where flags are never up together, clear of library ops, degraded in order when they run out."""

from __future__ import annotations

import pytest

from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.checker import Rules
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import Hidden, Phase, Pipe, SyncProgram, TileShape
from pto_analysis.sync.verify import verify

ROW = TileShape(1, 64)


def loads_then_ops(count: int) -> SyncProgram:
    build = ProgramBuilder("k")
    x = build.tensor("x")
    tiles = [build.tile(f"t{k}", "vec", ROW, base=256 * k) for k in range(count)]
    for tile in tiles:
        build.op("tload", Pipe.MTE2, [x], [tile])
    for tile in tiles:
        build.op("tmul", Pipe.V, [tile], [tile])
    return build.build()


def check(program: SyncProgram, plan: Plan) -> None:
    outcome = verify(program, plan, Rules(program.target, long_chains=False), runs=30)
    assert outcome.failure is None, "\n".join(outcome.failure.schedule)


def test_eight_flags_fit() -> None:
    plan = plan_precise(loads_then_ops(8))
    (pool,) = plan.pools
    assert (pool.lanes, pool.limit) == (8, 8)
    assert plan.degradations == ()


@pytest.mark.parametrize("count", [9, 12, 40])
def test_merging_comes_before_full_barriers(count: int) -> None:
    program = loads_then_ops(count)
    plan = plan_precise(program)
    assert {one.step for one in plan.degradations} == {"merged"}
    assert all(one.competing and one.wanted > one.limit for one in plan.degradations)
    assert not [item for item in plan.items if item.source is Pipe.ALL and item.role != "tail"]
    check(program, plan)


def test_a_later_pair_reuses_ids() -> None:
    build = ProgramBuilder("k")
    x = build.tensor("x")
    for k in range(20):
        tile = build.tile(f"t{k}", "vec", ROW, base=256 * k)
        build.op("tload", Pipe.MTE2, [x], [tile])
        build.op("tmul", Pipe.V, [tile], [tile])
    plan = plan_precise(build.build())
    assert [(pool.lanes, pool.limit) for pool in plan.pools] == [(1, 8)]
    assert all(0 <= event < 8 for item in plan.items for event in item.events)


def loops(count: int) -> SyncProgram:
    """Loops one behind the other, each with a flag of its own that would like to stay up all the time."""
    build = ProgramBuilder("k")
    x, n = build.tensor("x"), build.argument("n")
    for k in range(count):
        tile = build.tile(f"t{k}", "vec", ROW, base=256 * k)
        with build.loop(f"i{k}", stop=n):
            build.op("tload", Pipe.MTE2, [x], [tile])
            build.op("tmul", Pipe.V, [tile], [tile])
    return build.build()


def test_flags_of_loops_live_shorter_when_ids_run_out() -> None:
    relaxed, crowded = plan_precise(loops(3)), plan_precise(loops(12))
    assert relaxed.degradations == ()
    assert {one.step for one in crowded.degradations} == {"shortened"}
    check(loops(12), crowded)


def wide_ring(slots: int) -> SyncProgram:
    """Every slot is loaded and used once a round of the ring: the release wants a flag for each slot."""
    build = ProgramBuilder("k")
    x, ring = build.tensor("x"), build.ring("r", "vec", ROW, slots, base=0)
    with build.loop("i", stop=build.argument("n")) as i:
        slot = build.slot(ring, build.scalar("urem", i, slots))
        build.op("tload", Pipe.MTE2, [x], [slot])
        build.op("tmul", Pipe.V, [slot], [slot])
    return build.build()


@pytest.mark.parametrize(("slots", "flags"), [(4, 4), (8, 8), (12, 8), (16, 8)])
def test_a_wide_ring_takes_no_more_flags_than_exist(slots: int, flags: int) -> None:
    program = wide_ring(slots)
    plan = plan_precise(program)
    assert max(pair.lanes for pair in plan.pairs if pair.source is Pipe.V) == flags
    check(program, plan)


def several_rings(rings: int, slots: int) -> SyncProgram:
    build = ProgramBuilder("k")
    x = build.tensor("x")
    made = [build.ring(f"r{k}", "vec", ROW, slots, base=4096 * k) for k in range(rings)]
    with build.loop("i", stop=build.argument("n")) as i:
        for ring in made:
            slot = build.slot(ring, build.scalar("urem", i, slots))
            build.op("tload", Pipe.MTE2, [x], [slot])
            build.op("tmul", Pipe.V, [slot], [slot])
    return build.build()


def test_lanes_are_taken_back_when_others_no_longer_need_theirs() -> None:
    """A wait for what the first ring's slot held three rounds ago comes after everything of four rounds ago."""
    program = several_rings(3, 4)
    plan = plan_precise(program)
    assert {one.step for one in plan.degradations} == {"shrunk"}
    assert [pair.lanes for pair in plan.pairs if pair.source is Pipe.V] == [3]
    check(program, plan)


def test_two_wide_rings_give_way_to_each_other() -> None:
    program = several_rings(2, 6)
    plan = plan_precise(program)
    assert {one.step for one in plan.degradations} <= {"shrunk", "shortened"}
    assert all(pool.lanes <= pool.limit for pool in plan.pools)
    check(program, plan)


def test_ids_inside_a_library_op_are_left_alone() -> None:
    build = ProgramBuilder("k")
    x, y, a, ping = build.tensor("x"), build.tensor("y"), build.tile("a", "vec", ROW), build.tile("p", "vec", ROW)
    phases = (Phase(Pipe.MTE2, (x,), (ping,)), Phase(Pipe.MTE3, (ping,), (y,)))
    hidden = (Hidden(Pipe.MTE2, Pipe.MTE3, 1), Hidden(Pipe.MTE3, Pipe.MTE2, 1))
    build.op("tload", Pipe.MTE2, [x], [a])
    build.macro("comm.tput", phases, hidden)
    build.op("tstore", Pipe.MTE3, [a], [y])
    build.op("tload", Pipe.MTE2, [y], [a])
    program = build.build()
    plan = plan_precise(program)
    around = [item for item in plan.items if item.source is Pipe.MTE2 and item.target is Pipe.MTE3]
    assert around
    assert all(0 not in item.events for item in around)
    check(program, plan)
