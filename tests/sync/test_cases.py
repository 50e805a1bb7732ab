"""Paths that no run takes ask for nothing: branches and choices on one condition, limits of one value."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pto_analysis.arith.terms import node, number
from pto_analysis.sync.policies import plan_precise
from tests.sync.paths import ROW, Kernel, drain


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


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (a_slot_below_its_branch, []),
        (a_choice_behind_its_branch, []),
        (two_choices, []),
        (a_choice_where_another_path_waits, []),
        (a_choice_in_every_round, []),
        (a_choice_that_is_made, []),
        (contradictory_branches, []),
        (a_side_in_every_round, []),
        (apart_on_one_value, []),
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


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (a_slot_below_another_branch, ["MTE2>MTE3"]),
        (a_choice_of_what_was_loaded, ["MTE2>MTE3"]),
        (a_choice_that_changes, ["MTE2>MTE3"]),
        (agreeing_branches, ["MTE2>V"]),
        (overlapping_on_one_value, ["MTE2>V"]),
        (another_round, ["MTE2>V", "V>MTE2"]),
        (signed_and_unsigned, ["MTE2>V"]),
    ],
    ids=lambda part: part.__name__ if callable(part) else "",
)
def test_possible_paths_ask_for_their_waits(write: Callable[[Kernel], None], expected: list[str]) -> None:
    kernel = Kernel()
    write(kernel)
    assert kernel.pairs() == expected


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
