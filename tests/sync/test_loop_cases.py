"""Loops that no run follows to the end ask for nothing there: bounds that agree, first, later and last rounds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pto_analysis.arith.terms import Symbol, node, number
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.checker import Rules
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import HandleCarry, Loop, Pipe
from pto_analysis.sync.verify import verify
from tests.sync.paths import ROW, Kernel, drain
from tests.sync.runs import precise, program


def loops_up_to_one_bound(kernel: Kernel) -> None:
    """Where the second loop runs, the barrier in the first one has run."""
    n = kernel.build.argument("n")
    kernel.load("a")
    with kernel.build.loop("i", stop=n):
        drain(kernel)
    with kernel.build.loop("j", stop=n):
        kernel.store("a")


def a_loop_inside_one_with_its_bound(kernel: Kernel) -> None:
    n = kernel.build.argument("n")
    kernel.load("a")
    with kernel.build.loop("i", stop=n):
        with kernel.build.loop("j", stop=n):
            drain(kernel)
        kernel.store("a")


def a_branch_on_the_bound(kernel: Kernel) -> None:
    n = kernel.build.argument("n")
    with kernel.build.loop("i", stop=n):
        kernel.load("a")
    with kernel.build.branch(node("sle", n, number(0))):
        kernel.store("a")


def a_loop_without_rounds(kernel: Kernel) -> None:
    with kernel.build.loop("i", stop=0):
        kernel.load("a")
    kernel.store("a")


def a_round_before_another(kernel: Kernel) -> None:
    """The counter only goes up: what is done below two is never done behind what is done from two on."""
    with kernel.build.loop("i", stop=kernel.build.argument("n")) as i:
        with kernel.build.branch(node("ult", i, number(2))):
            kernel.add("a", "b")
            drain(kernel)
        with kernel.build.otherwise():
            kernel.load("a")


def an_inner_loop_from_the_second_round_on(kernel: Kernel) -> None:
    """Where the inner loop runs, the barrier of the first round has run."""
    kernel.load("a")
    with kernel.build.loop("i", stop=kernel.build.argument("n")) as i:
        with kernel.build.loop("j", stop=i):
            kernel.store("a")
        drain(kernel)


def a_loop_of_one_round(kernel: Kernel) -> None:
    """Below two, a loop of n rounds has no second one."""
    n = kernel.build.argument("n")
    with kernel.build.branch(node("slt", n, number(2))), kernel.build.loop("i", stop=n):
        kernel.add("a", "b")
        drain(kernel)
        kernel.load("a")


def two_loops_of_as_many_rounds(kernel: Kernel) -> None:
    """The first loop comes to its third round, and drains, where the second one does."""
    n = kernel.build.argument("n")
    kernel.load("a")
    with kernel.build.loop("i", stop=n) as i, kernel.build.branch(node("eq", i, number(2))):
        drain(kernel)
    with kernel.build.loop("j", stop=n) as j, kernel.build.branch(node("sge", j, number(2))):
        kernel.store("a")


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (a_loop_without_rounds, []),
        (a_round_before_another, []),
        (an_inner_loop_from_the_second_round_on, []),
        (a_loop_of_one_round, []),
        (two_loops_of_as_many_rounds, []),
        (loops_up_to_one_bound, []),
        (a_loop_inside_one_with_its_bound, []),
        (a_branch_on_the_bound, []),
    ],
    ids=lambda part: part.__name__ if callable(part) else "",
)
def test_impossible_rounds_ask_for_nothing(write: Callable[[Kernel], None], expected: list[str]) -> None:
    kernel = Kernel()
    write(kernel)
    assert kernel.pairs() == expected


def loops_up_to_different_bounds(kernel: Kernel) -> None:
    kernel.load("a")
    with kernel.build.loop("i", stop=kernel.build.argument("n")):
        drain(kernel)
    with kernel.build.loop("j", stop=kernel.build.argument("m")):
        kernel.store("a")


def a_round_behind_another(kernel: Kernel) -> None:
    with kernel.build.loop("i", stop=kernel.build.argument("n")) as i:
        with kernel.build.branch(node("ult", i, number(2))):
            kernel.load("a")
            drain(kernel)
            kernel.load("a")
        with kernel.build.otherwise():
            kernel.add("a", "b")


def a_loop_of_two_rounds(kernel: Kernel) -> None:
    n = kernel.build.argument("n")
    with kernel.build.branch(node("slt", n, number(3))), kernel.build.loop("i", stop=n):
        kernel.add("a", "b")
        drain(kernel)
        kernel.load("a")


def a_loop_of_fewer_rounds(kernel: Kernel) -> None:
    """The first loop need not come to the round in which it drains."""
    n = kernel.build.argument("n")
    kernel.load("a")
    with kernel.build.loop("i", stop=n) as i, kernel.build.branch(node("eq", i, number(2))):
        drain(kernel)
    with kernel.build.loop("j", stop=n) as j, kernel.build.branch(node("sge", j, number(1))):
        kernel.store("a")


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (a_round_behind_another, ["MTE2>V"]),
        (a_loop_of_two_rounds, ["MTE2>V"]),
        (a_loop_of_fewer_rounds, ["MTE2>MTE3"]),
        (loops_up_to_different_bounds, ["MTE2>MTE3"]),
    ],
    ids=lambda part: part.__name__ if callable(part) else "",
)
def test_possible_rounds_ask_for_their_waits(write: Callable[[Kernel], None], expected: list[str]) -> None:
    kernel = Kernel()
    write(kernel)
    assert kernel.pairs() == expected


@pytest.mark.parametrize(("rounds", "waits"), [(0, False), (1, True), (2, True)])
def test_a_loop_without_a_second_round_carries_nothing_around(rounds: int, waits: bool) -> None:
    """The loop puts b in the place of a; what is stored behind it is a as long as no round has run."""
    text = f"""
!t = !pto.tile_buf<vec, 1x64xf32>
!g = !pto.partition_tensor_view<1x64xf32>
module {{
  func.func @k(%g: !g, %o: !g) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %rounds = arith.constant {rounds} : index
    %a0 = arith.constant 0 : i64
    %a = pto.alloc_tile addr = %a0 : !t
    %a1 = arith.constant 512 : i64
    %b = pto.alloc_tile addr = %a1 : !t
    pto.tload ins(%g : !g) outs(%b : !t)
    %r = scf.for %i = %zero to %rounds step %one iter_args(%now = %a) -> (!t) {{
      scf.yield %b : !t
    }}
    pto.tstore ins(%r : !t) outs(%o : !g)
    return
  }}
}}
"""
    plan = precise(text)
    assert verify(program(text), plan, Rules(scalar_at_issue=False)).ok
    assert bool(plan.pairs) is waits


def test_one_round_leaves_what_it_is_given() -> None:
    """Behind the only round the carried handle is b; a, which was loaded, is not stored."""
    build = ProgramBuilder("k")
    x, y = build.tensor("x"), build.tensor("y")
    a, b = build.tile("a", "vec", ROW, base=0), build.tile("b", "vec", ROW, base=512)
    build.op("tload", Pipe.MTE2, [x], [a])
    build.append_loop(
        Loop(
            build.fresh("loop"),
            "for",
            (),
            variable=Symbol("i"),
            start=number(0),
            stop=number(1),
            step=number(1),
            handles=(HandleCarry("now", a, b, "left"),),
        )
    )
    build.op("tstore", Pipe.MTE3, ["left"], [y])
    code = build.build()
    plan = plan_precise(code)
    assert verify(code, plan, Rules(code.target, scalar_at_issue=False)).ok
    assert plan.pairs == ()


@pytest.mark.parametrize(("tile", "barriers"), [("a", 0), ("b", 1)])
def test_the_last_round_of_a_while_loop_stops_at_its_test(tile: str, barriers: int) -> None:
    """Behind a round that loads, another one comes to the vector op: the prefetch waits for that, and so for the load
    if the vector op does."""
    text = f"""
!t = !pto.tile_buf<vec, 1x64xf32>
!g = !pto.partition_tensor_view<1x64xf32>
module {{
  func.func @k(%g: !g, %n: index) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %a0 = arith.constant 0 : i64
    %a = pto.alloc_tile addr = %a0 : !t
    %a1 = arith.constant 512 : i64
    %b = pto.alloc_tile addr = %a1 : !t
    %w = scf.while (%i = %zero) : (index) -> index {{
      pto.tabs ins(%{tile} : !t) outs(%b : !t)
      %c = arith.cmpi ult, %i, %n : index
      scf.condition(%c) %i : index
    }} do {{
    ^bb0(%j : index):
      pto.tload ins(%g : !g) outs(%a : !t)
      %k = arith.addi %j, %one : index
      scf.yield %k : index
    }}
    pto.tprefetch ins(%g : !g) outs(%a : !t)
    return
  }}
}}
"""
    plan = precise(text)
    assert verify(program(text), plan, Rules(scalar_at_issue=False), runs=400).ok
    found = [item for item in plan.items if item.kind == "barrier" and item.source is Pipe.MTE2]
    assert len(found) == barriers


def test_a_single_step_in_a_loop_meets_itself() -> None:
    kernel = Kernel()
    with kernel.build.loop("i", stop=kernel.build.argument("n")):
        kernel.store("a")
    assert kernel.pairs() == []
    assert any(item.kind == "barrier" and item.role == "body" for item in plan_precise(kernel.build.build()).items)
