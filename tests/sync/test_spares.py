"""What placement asks for on every path at once and a single pair of ops does not need is taken out again."""

from __future__ import annotations

from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.checker import Rules
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import Pipe, SyncProgram, TileShape
from pto_analysis.sync.verify import verify

ROW = TileShape(1, 64)


def pairs(plan: Plan) -> set[str]:
    return {f"{pair.source.value}>{pair.target.value}" for pair in plan.pairs}


def sound(program: SyncProgram, plan: Plan) -> bool:
    return verify(program, plan, Rules(program.target, scalar_at_issue=False), runs=40).ok


def test_the_other_path_owes_nothing() -> None:
    """The store of the else part has been waited for by the load behind it; the then part stores elsewhere."""
    build = ProgramBuilder("k")
    o0, o1, g = build.tensor("o0"), build.tensor("o1"), build.tensor("g")
    a, b = build.tile("a", "vec", ROW, base=0), build.tile("b", "vec", ROW, base=256)
    with build.branch(build.argument("c", bits=1)):
        build.op("tstore", Pipe.MTE3, [a], [o1])
    with build.otherwise():
        build.op("tstore", Pipe.MTE3, [b], [o0])
        build.op("tload", Pipe.MTE2, [g], [b])
    build.op("tload", Pipe.MTE2, [o0], [b])
    program = build.build()
    plan = plan_precise(program)
    assert [pair.consumer for pair in plan.pairs] == ["op2"]
    assert sound(program, plan)


def test_what_one_path_needs_stays() -> None:
    build = ProgramBuilder("k")
    o0, g = build.tensor("o0"), build.tensor("g")
    a, b = build.tile("a", "vec", ROW, base=0), build.tile("b", "vec", ROW, base=256)
    with build.branch(build.argument("c", bits=1)):
        build.op("tstore", Pipe.MTE3, [a], [o0])
    with build.otherwise():
        build.op("tstore", Pipe.MTE3, [b], [o0])
        build.op("tload", Pipe.MTE2, [g], [b])
    build.op("tload", Pipe.MTE2, [o0], [b])
    program = build.build()
    plan = plan_precise(program)
    assert {pair.consumer for pair in plan.pairs} == {"op2", "op3"}
    assert pairs(plan) == {"MTE3>MTE2"}
    assert sound(program, plan)
