"""Paths that no run takes ask for nothing: branches on one condition, loops up to one bound, limits of one value."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pto_analysis.arith.terms import Symbol, node, number
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.checker import Rules
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import HandleCarry, Loop, Pipe, TileShape
from pto_analysis.sync.verify import verify
from tests.sync.runs import precise, program

ROW = TileShape(1, 64)


class Kernel:
    """Two tiles, an argument to load from and one to store to."""

    def __init__(self) -> None:
        self.build = build = ProgramBuilder("k")
        build.tensor("x")
        build.tensor("y")
        for number_, name in enumerate("ab"):
            build.tile(name, "vec", ROW, base=256 * number_)

    def load(self, tile: str) -> None:
        self.build.op("tload", Pipe.MTE2, ["x"], [tile])

    def add(self, source: str, target: str) -> None:
        self.build.op("tadds", Pipe.V, [source], [target])

    def store(self, tile: str) -> None:
        self.build.op("tstore", Pipe.MTE3, [tile], ["y"])

    def pairs(self) -> list[str]:
        """Queue pairs with a hand-over; the plan is sound whatever the machine says of the scalar unit."""
        program = self.build.build()
        plan = plan_precise(program)
        outcome = verify(program, plan, Rules(program.target, scalar_at_issue=False), runs=400)
        assert outcome.ok
        return sorted(f"{pair.source.value}>{pair.target.value}" for pair in plan.pairs)


def contradictory_branches(kernel: Kernel) -> None:
    condition = kernel.build.argument("c", bits=1)
    with kernel.build.branch(condition):
        kernel.load("a")
    with kernel.build.branch(condition):
        kernel.store("b")
    with kernel.build.otherwise():
        kernel.add("a", "a")


def a_side_in_every_round(kernel: Kernel) -> None:
    """The branch is asked anew in every round, and comes out the same."""
    condition, n = kernel.build.argument("c", bits=1), kernel.build.argument("n")
    with kernel.build.loop("i", stop=n):
        with kernel.build.branch(condition):
            kernel.load("a")
        with kernel.build.otherwise():
            kernel.add("a", "a")


def apart_on_one_value(kernel: Kernel) -> None:
    """What is below two is not above three, in one round of the loop; the barrier keeps rounds apart."""
    with kernel.build.loop("i", stop=kernel.build.argument("n")) as i:
        with kernel.build.branch(node("ult", i, number(2))):
            kernel.load("a")
        with kernel.build.branch(node("ugt", i, number(3))):
            kernel.add("a", "b")
        drain(kernel)


def drain(kernel: Kernel) -> None:
    kernel.build.manual("barrier", Pipe.ALL)


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


def a_choice_that_is_made(kernel: Kernel) -> None:
    condition = kernel.build.argument("c", bits=1)
    with kernel.build.branch(condition):
        kernel.load("a")
        kernel.store(kernel.build.choice(condition, "b", "a"))


def a_choice_behind_its_branch(kernel: Kernel) -> None:
    """Where the branch loads the tile, the other one is chosen."""
    condition = kernel.build.argument("c", bits=1)
    with kernel.build.branch(condition):
        kernel.load("a")
    kernel.store(kernel.build.choice(condition, "b", "a"))


def two_choices(kernel: Kernel) -> None:
    condition = kernel.build.argument("c", bits=1)
    kernel.load(kernel.build.choice(condition, "a", "b"))
    kernel.store(kernel.build.choice(condition, "b", "a"))


def a_choice_where_another_path_waits(kernel: Kernel) -> None:
    """The loaded tile is stored only where the barrier has been."""
    condition = kernel.build.argument("c", bits=1)
    kernel.load("a")
    with kernel.build.branch(condition):
        drain(kernel)
    kernel.store(kernel.build.choice(condition, "a", "b"))


def a_choice_in_every_round(kernel: Kernel) -> None:
    condition = kernel.build.argument("c", bits=1)
    with kernel.build.loop("i", stop=kernel.build.argument("n")):
        kernel.store(kernel.build.choice(condition, "b", "a"))
        drain(kernel)
        kernel.load(kernel.build.choice(condition, "a", "b"))


def a_slot_below_its_branch(kernel: Kernel) -> None:
    """Where i is one, (i + 1) % 3 is the last slot."""
    build, i = kernel.build, kernel.build.argument("i", lower=0, upper=100)
    ring = build.ring("ring", "vec", ROW, 3, base=1024)
    kernel.load(build.slot(ring, build.scalar("urem", build.scalar("add", i, 1), 3)))
    with build.branch(node("eq", i, number(1))):
        kernel.store(build.slot(ring, 0))


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
        (a_slot_below_its_branch, []),
        (a_choice_behind_its_branch, []),
        (two_choices, []),
        (a_choice_where_another_path_waits, []),
        (a_choice_in_every_round, []),
        (a_round_before_another, []),
        (an_inner_loop_from_the_second_round_on, []),
        (a_loop_of_one_round, []),
        (two_loops_of_as_many_rounds, []),
        (a_choice_that_is_made, []),
        (contradictory_branches, []),
        (a_side_in_every_round, []),
        (apart_on_one_value, []),
        (loops_up_to_one_bound, []),
        (a_loop_inside_one_with_its_bound, []),
        (a_branch_on_the_bound, []),
    ],
    ids=lambda part: part.__name__ if callable(part) else "",
)
def test_impossible_paths_ask_for_nothing(write: Callable[[Kernel], None], expected: list[str]) -> None:
    kernel = Kernel()
    write(kernel)
    assert kernel.pairs() == expected


def a_choice_of_what_was_loaded(kernel: Kernel) -> None:
    condition = kernel.build.argument("c", bits=1)
    with kernel.build.branch(condition):
        kernel.load("a")
    kernel.store(kernel.build.choice(condition, "a", "b"))


def a_choice_that_changes(kernel: Kernel) -> None:
    """One round loads what a later one chooses to store."""
    with kernel.build.loop("i", stop=kernel.build.argument("n")) as i:
        condition = node("ult", node("urem", i, number(3)), number(1))
        kernel.store(kernel.build.choice(condition, "b", "a"))
        drain(kernel)
        kernel.load(kernel.build.choice(condition, "a", "b"))


def a_slot_below_another_branch(kernel: Kernel) -> None:
    build, i = kernel.build, kernel.build.argument("i", lower=0, upper=100)
    ring = build.ring("ring", "vec", ROW, 3, base=1024)
    kernel.load(build.slot(ring, build.scalar("urem", build.scalar("add", i, 1), 3)))
    with build.branch(node("sge", i, number(1))):
        kernel.store(build.slot(ring, 0))


def agreeing_branches(kernel: Kernel) -> None:
    condition = kernel.build.argument("c", bits=1)
    for use in (lambda: kernel.load("a"), lambda: kernel.add("a", "b")):
        with kernel.build.branch(condition):
            use()


def overlapping_on_one_value(kernel: Kernel) -> None:
    value = kernel.build.argument("v")
    with kernel.build.branch(node("ult", value, number(3))):
        kernel.load("a")
    with kernel.build.branch(node("ugt", value, number(1))):
        kernel.add("a", "b")


def another_round(kernel: Kernel) -> None:
    """The condition changes from round to round, so one round's load meets a later round's vector op."""
    with kernel.build.loop("i", stop=kernel.build.argument("n")) as i:
        with kernel.build.branch(node("ult", node("urem", i, number(3)), number(2))):
            kernel.load("a")
        with kernel.build.otherwise():
            kernel.add("a", "b")


def signed_and_unsigned(kernel: Kernel) -> None:
    """A register that is negative is below zero and above everything."""
    value = kernel.build.argument("v")
    with kernel.build.branch(node("slt", value, number(0))):
        kernel.load("a")
    with kernel.build.branch(node("ugt", value, number(100))):
        kernel.add("a", "b")


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
        (a_slot_below_another_branch, ["MTE2>MTE3"]),
        (a_choice_of_what_was_loaded, ["MTE2>MTE3"]),
        (a_choice_that_changes, ["MTE2>MTE3"]),
        (a_round_behind_another, ["MTE2>V"]),
        (a_loop_of_two_rounds, ["MTE2>V"]),
        (a_loop_of_fewer_rounds, ["MTE2>MTE3"]),
        (agreeing_branches, ["MTE2>V"]),
        (overlapping_on_one_value, ["MTE2>V"]),
        (another_round, ["MTE2>V", "V>MTE2"]),
        (signed_and_unsigned, ["MTE2>V"]),
        (loops_up_to_different_bounds, ["MTE2>MTE3"]),
    ],
    ids=lambda part: part.__name__ if callable(part) else "",
)
def test_possible_paths_ask_for_their_waits(write: Callable[[Kernel], None], expected: list[str]) -> None:
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


def test_many_conditions_stay_affordable_and_sound() -> None:
    """More than are told apart: those left over may come out either way at every place."""
    kernel = Kernel()
    for number_ in range(12):
        condition = kernel.build.argument(f"c{number_}", bits=1)
        with kernel.build.branch(condition):
            kernel.load("a")
        with kernel.build.branch(condition):
            kernel.add("a", "b")
        with kernel.build.otherwise():
            kernel.store("b")
    assert "MTE2>V" in kernel.pairs()


def test_impossible_paths_are_no_dependences() -> None:
    """Nobody is told that another hand-over orders what never runs together."""
    kernel = Kernel()
    a_side_in_every_round(kernel)
    found = plan_precise(kernel.build.build()).dependences
    assert all(one.source == one.target for one in found)


def test_a_single_step_in_a_loop_meets_itself() -> None:
    kernel = Kernel()
    with kernel.build.loop("i", stop=kernel.build.argument("n")):
        kernel.store("a")
    assert kernel.pairs() == []
    assert any(item.kind == "barrier" and item.role == "body" for item in plan_precise(kernel.build.build()).items)
