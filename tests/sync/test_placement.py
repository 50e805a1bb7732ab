"""What the precise planner places: the worked examples and issue shapes of sync.md 8 and appendix B."""

from __future__ import annotations

from collections import Counter

import pytest
from attrs import evolve

from pto_analysis.arith.terms import Term
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.checker import Rules
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import Pipe, SyncProgram, TileShape
from pto_analysis.sync.verify import verify

ROW = TileShape(1, 64)
TWICE = 512


def lanes(plan: Plan) -> dict[str, int]:
    """Flags of each pair, added up by queues."""
    total: Counter[str] = Counter()
    for pair in plan.pairs:
        total[f"{pair.source.value}>{pair.target.value}"] += pair.lanes
    return dict(total)


def barriers(plan: Plan) -> list[str]:
    return [item.source.value for item in plan.items if item.kind == "barrier" and item.role != "tail"]


def sound(program: SyncProgram, plan: Plan, runs: int = 40) -> bool:
    return verify(program, plan, Rules(program.target, long_chains=False), runs).ok


def pipeline(slots: int, *, store: bool = True, chain: int = 2, ahead: int | None = None) -> SyncProgram:
    """Load a slot ahead, work on the present one in place, store it (PTOAS #1569)."""
    build = ProgramBuilder("pipeline")
    n, x, y = build.argument("n"), build.tensor("x"), build.tensor("y")
    ring = build.ring("ring", "vec", ROW, slots, base=0)
    distance = slots - 1 if ahead is None else ahead
    for k in range(distance):
        build.op("tload", Pipe.MTE2, [x], [build.slot(ring, k)])
    with build.loop("i", stop=n) as i:
        future = build.slot(ring, build.scalar("urem", build.scalar("add", i, distance), slots))
        current = build.slot(ring, build.scalar("urem", i, slots))
        build.op("tload", Pipe.MTE2, [x], [future])
        for step in range(chain):
            build.op(f"tadd{step}", Pipe.V, [current], [current])
        if store:
            row = build.bytes(y, build.scalar("mul", i, 256), 256)
            build.op("tstore", Pipe.MTE3, [current], [row])
    return build.build()


def test_three_slots_in_place() -> None:
    """The release is the store's; the vector unit needs no way back to the loads, and nothing drains every queue."""
    plan = plan_precise(pipeline(3))
    assert lanes(plan) == {"MTE2>V": 3, "V>MTE3": 1, "MTE3>MTE2": 1}
    assert barriers(plan) == ["V"]
    assert plan.degradations == ()


@pytest.mark.parametrize("slots", [2, 3, 4])
def test_without_a_store_the_vector_unit_releases(slots: int) -> None:
    plan = plan_precise(pipeline(slots, store=False, chain=1))
    assert lanes(plan) == {"MTE2>V": slots, "V>MTE2": 1}
    assert barriers(plan) == []


@pytest.mark.parametrize(("slots", "ahead", "flags"), [(3, 0, 3), (4, 0, 4), (4, 1, 3), (3, 1, 2)])
def test_a_release_is_as_late_as_the_slots_allow(slots: int, ahead: int, flags: int) -> None:
    """Loading `ahead` slots early leaves slots - ahead rounds until the slot is needed again."""
    program = pipeline(slots, ahead=ahead)
    plan = plan_precise(program)
    assert lanes(plan)["MTE3>MTE2"] == flags
    assert sound(program, plan)


def without(plan: Plan, name: str) -> Plan:
    return evolve(plan, items=tuple(item for item in plan.items if name not in (item.id, item.pair)))


def needed_by(program: SyncProgram, plan: Plan) -> None:
    """No pair and no barrier can go."""
    names = dict.fromkeys(item.pair or item.id for item in plan.items if item.role != "tail")
    for name in names:
        assert not sound(program, without(plan, name)), f"{name} orders nothing"


@pytest.mark.parametrize("slots", [1, 2, 3])
@pytest.mark.parametrize("store", [True, False])
def test_every_item_of_a_loop_is_needed(slots: int, *, store: bool) -> None:
    program = pipeline(slots, store=store)
    plan = plan_precise(program)
    assert sound(program, plan)
    needed_by(program, plan)


def test_two_hops_cover_only_what_was_waited_for() -> None:
    """B.3: the reload needs the vector op, which no wait of the load queue covers."""
    build = ProgramBuilder("k")
    x, y = build.tensor("x"), build.tensor("y")
    a, b = build.tile("a", "vec", ROW, base=0), build.tile("b", "vec", ROW, base=256)
    build.op("tload", Pipe.MTE2, [x], [a])
    build.op("tadd", Pipe.V, [a], [b])
    build.op("tstore", Pipe.MTE3, [b], [y])
    build.op("tload", Pipe.MTE2, [x], [a])
    assert lanes(plan_precise(build.build())) == {"MTE2>V": 1, "V>MTE3": 1, "V>MTE2": 1}


def test_a_store_between_covers_the_vector_op() -> None:
    build = ProgramBuilder("k")
    x, y, z = build.tensor("x"), build.tensor("y"), build.tensor("z")
    a, b = build.tile("a", "vec", ROW, base=0), build.tile("b", "vec", ROW, base=256)
    build.op("tload", Pipe.MTE2, [x], [a])
    build.op("tadd", Pipe.V, [a], [b])
    build.op("tstore", Pipe.MTE3, [b], [y])
    build.op("tstore", Pipe.MTE3, [a], [z])
    build.op("tload", Pipe.MTE2, [x], [a])
    assert lanes(plan_precise(build.build())) == {"MTE2>V": 1, "V>MTE3": 1, "MTE3>MTE2": 1}


def test_a_wait_for_an_op_in_a_loop_stands_before_the_loop() -> None:
    """B.4 and PTOAS #533: one pair serves the guarded op in the loop and the op behind it."""
    build = ProgramBuilder("k")
    x, condition = build.tensor("x"), build.argument("c", bits=1)
    a, b, c = (build.tile(name, "vec", ROW, base=base) for name, base in (("a", 0), ("b", 256), ("c", 512)))
    load = build.op("tload", Pipe.MTE2, [x], [a])
    with build.loop("i", stop=build.argument("n")), build.branch(condition):
        build.op("tmov", Pipe.V, [a], [b])
    build.op("tmov", Pipe.V, [a], [c])
    plan = plan_precise(build.build())
    (pair,) = plan.pairs
    anchors = {item.kind: (item.anchor.side, item.anchor.node) for item in plan.items if item.pair == pair.id}
    assert anchors == {"set": ("after", load), "wait": ("before", "loop0")}


def test_no_half_of_a_pair_stands_in_a_branch_alone() -> None:
    build = ProgramBuilder("k")
    x, y, condition = build.tensor("x"), build.tensor("y"), build.argument("c", bits=1)
    a, b = build.tile("a", "vec", ROW, base=0), build.tile("b", "vec", ROW, base=256)
    with build.branch(condition):
        build.op("tload", Pipe.MTE2, [x], [a])
        build.op("tabs", Pipe.V, [a], [b])
    with build.otherwise():
        build.op("tload", Pipe.MTE2, [x], [b])
    build.op("tstore", Pipe.MTE3, [b], [y])
    program = build.build()
    plan = plan_precise(program)
    assert lanes(plan) == {"MTE2>V": 1, "V>MTE3": 1, "MTE2>MTE3": 1}
    assert {item.anchor.node for item in plan.items if item.target is Pipe.MTE3} == {"if0", "op3"}
    assert {item.anchor.node for item in plan.items if item.target is Pipe.V} == {"op0", "op1"}
    assert sound(program, plan)


def colive(build: ProgramBuilder, ring: str, i: Term) -> tuple[str, str]:
    first = build.slot(ring, build.scalar("urem", i, 2))
    second = build.slot(ring, build.scalar("urem", build.scalar("add", i, 1), 2))
    return first, second


def test_two_live_slots_share_one_release() -> None:
    """B.5 and PTOAS #1118: a static flag, waited for before the first load."""
    build = ProgramBuilder("k")
    x, ring, total = build.tensor("x"), build.ring("r", "vec", ROW, 2, base=0), build.tile("t", "vec", ROW, base=TWICE)
    with build.loop("i", stop=build.argument("n")) as i:
        first, second = colive(build, ring, i)
        load = build.op("tload", Pipe.MTE2, [x], [first])
        build.op("tload", Pipe.MTE2, [x], [second])
        build.op("tadd", Pipe.V, [first, second], [total])
    program = build.build()
    plan = plan_precise(program)
    assert lanes(plan)["V>MTE2"] == 1
    waits = [item for item in plan.items if item.kind == "wait" and item.role == "body" and item.source is Pipe.V]
    assert [item.anchor.node for item in waits] == [load]
    assert all(item.lane is None for item in waits)
    assert sound(program, plan)


def test_nested_handshakes_are_balanced_at_every_level() -> None:
    build = ProgramBuilder("k", core="cube")
    n, m = build.argument("n"), build.argument("m")
    mat, acc, left = (
        build.tile("mat", "mat", ROW, base=0),
        build.tile("acc", "acc", ROW, base=0),
        build.tile("l", "left", ROW),
    )
    with build.loop("i", stop=n):
        build.op("tmov", Pipe.FIX, [acc], [mat])
        with build.loop("j", stop=m):
            build.op("tmov", Pipe.MTE1, [mat], [left])
            build.op("tmov", Pipe.FIX, [acc], [mat])
    program = build.build()
    plan = plan_precise(program)
    assert sound(program, plan)
    assert barriers(plan).count("ALL") == 0
    entries = Counter(item.pair for item in plan.items if item.role == "entry")
    exits = Counter(item.pair for item in plan.items if item.role == "exit")
    assert entries == exits
    assert entries


def test_a_loop_in_a_branch_keeps_its_flags_there() -> None:
    """PTOAS #233: with nothing around the branch, entry and exit stay at the loop."""
    build = ProgramBuilder("k")
    x, a = build.tensor("x"), build.tile("a", "vec", ROW, base=0)
    with build.branch(build.argument("c", bits=1)), build.loop("i", stop=build.argument("n")):
        build.op("tload", Pipe.MTE2, [x], [a])
        build.op("tabs", Pipe.V, [a], [a])
    plan = plan_precise(build.build())
    places = {(item.anchor.side, item.anchor.node) for item in plan.items if item.role in ("entry", "exit")}
    assert places == {("before", "loop0"), ("after", "loop0")}


def test_exit_waits_hold_back_nothing_that_is_free() -> None:
    """A load behind the loop into another tile need not wait for the loop's vector ops."""
    build = ProgramBuilder("k")
    x, a, b = build.tensor("x"), build.tile("a", "vec", ROW, base=0), build.tile("b", "vec", ROW, base=256)
    with build.loop("i", stop=build.argument("n")):
        build.op("tload", Pipe.MTE2, [x], [a])
        build.op("tabs", Pipe.V, [a], [a])
    last = build.op("tload", Pipe.MTE2, [x], [b])
    plan = plan_precise(build.build())
    order = [item.role for item in plan.items]
    exit_ = next(item for item in plan.items if item.role == "exit")
    assert exit_.anchor.side == "end", f"{last} waits: {order}"


def test_single_trip_loops_carry_nothing() -> None:
    build = ProgramBuilder("k")
    x, a = build.tensor("x"), build.tile("a", "vec", ROW, base=0)
    with build.loop("i", stop=1):
        build.op("tload", Pipe.MTE2, [x], [a])
        build.op("tabs", Pipe.V, [a], [a])
    assert lanes(plan_precise(build.build())) == {"MTE2>V": 1}


def test_queues_that_keep_order_need_no_barrier() -> None:
    for target, expected in (("a2a3", ["V"]), ("a5", [])):
        build = ProgramBuilder("k", target="a5" if target == "a5" else "a2a3")
        a = build.tile("a", "vec", ROW, base=0)
        build.op("tabs", Pipe.V, [a], [a])
        build.op("tneg", Pipe.V, [a], [a])
        assert barriers(plan_precise(build.build())) == expected


def test_nothing_is_planned_beside_manual_flags_or_for_one_op() -> None:
    build = ProgramBuilder("k")
    x, a = build.tensor("x"), build.tile("a", "vec", ROW, base=0)
    build.op("tload", Pipe.MTE2, [x], [a])
    assert plan_precise(build.build()).disabled is not None
    build.manual("set", Pipe.MTE2, Pipe.V, 0)
    build.op("tabs", Pipe.V, [a], [a])
    plan = plan_precise(build.build())
    assert plan.disabled is not None
    assert plan.items == ()


def test_what_cannot_run_is_not_waited_for() -> None:
    """The else part of a branch inside the then part of the same condition, and an index below zero."""
    build = ProgramBuilder("k")
    x, a, taken = build.tensor("x"), build.tile("a", "vec", ROW, base=0), build.argument("c", bits=1)
    never = build.scalar("ult", build.argument("i"), 0)
    with build.branch(taken):
        build.op("tload", Pipe.MTE2, [x], [a])
        with build.branch(taken):
            build.op("tabs", Pipe.V, [a], [a])
        with build.otherwise():
            build.op("tstore", Pipe.MTE3, [a], [x])
        with build.branch(never):
            build.op("tstore", Pipe.MTE3, [a], [x])
    program = build.build()
    plan = plan_precise(program)
    assert lanes(plan) == {"MTE2>V": 1}
    assert sound(program, plan)
