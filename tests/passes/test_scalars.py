"""What is true about index arithmetic, against random execution, and beside what the compiler can prove."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.ir.expr import Var
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.walk import statements
from pto_analysis.passes.kernel import KernelAnalysis
from tests.passes.kernels import kernel

PARAMS = "a: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec], n: pl.Scalar[pl.INDEX], u: pl.Scalar[pl.UINT32]"


def analysed(body: str) -> tuple[KernelAnalysis, dict[str, Var]]:
    analysis = KernelAnalysis(kernel(body, PARAMS))
    names = {
        stmt.var.name.split("__")[0]: stmt.var
        for stmt in statements(analysis.function.body)
        if isinstance(stmt, Assign)
    }
    return analysis, names


# (index expression, always a multiple of 8, provable by the compiler)
FACTS = [
    ("n * 8", True, True),
    ("n * 4 + n * 4", True, False),
    ("(n // 2) * 64", True, True),
    ("n * 64 // 8", True, False),
    ("n * 60 // 8", False, False),
    ("n % 4", False, False),
    ("n * 16 % 64", True, False),
    ("n - n % 8", True, False),
    ("n << 3", True, False),
    ("n << 2", False, False),
    ("pl.min(n * 8, 64)", True, False),
    ("pl.min(n * 8, 60)", False, False),
    ("pl.max(n * 16, 0) + 8", True, False),
    ("pl.cast(n * 8, pl.INT64)", True, False),
    ("pl.cast(n * 8, pl.INT8)", False, False),
    ("n", False, False),
    ("-(n * 8)", True, False),
]


@pytest.mark.parametrize(("text", "true", "provable"), FACTS, ids=[row[0] for row in FACTS])
def test_a_multiple_of_eight(text: str, true: bool, provable: bool) -> None:
    analysis, names = analysed(f"k: pl.Scalar[pl.INDEX] = {text}")
    assert analysis.scalars.is_multiple(names["k"], 8) == true
    assert (analysis.collected.multiples.of(names["k"]) % 8 == 0) == provable


LOOPS = [
    ("0, 64, 8", True),
    ("0, n, 8", True),
    ("8, n, 16", True),
    ("4, 64, 8", False),
    ("0, 64, 4", False),
    ("n, 64, 8", False),
    ("n * 8, 640, 8", True),
    ("8", False),
]


@pytest.mark.parametrize(("bounds", "true"), LOOPS, ids=[row[0] for row in LOOPS])
def test_a_loop_variable(bounds: str, true: bool) -> None:
    analysis, names = analysed(f"for i in pl.range({bounds}):\n    k: pl.Scalar[pl.INDEX] = i\n")
    assert analysis.scalars.is_multiple(names["k"], 8) == true
    assert analysis.collected.multiples.of(names["k"]) == 1


def test_ranges() -> None:
    analysis, names = analysed(
        "k: pl.Scalar[pl.INDEX] = n % 16\nfor i in pl.range(0, 64, 8):\n    j: pl.Scalar[pl.INDEX] = i"
    )
    assert (analysis.scalars.range(names["k"]).lower, analysis.scalars.range(names["k"]).upper) == (0, 15)
    assert (analysis.scalars.range(names["j"]).lower, analysis.scalars.range(names["j"]).upper) == (0, 56)


def test_what_a_loop_carries_or_a_branch_merges_is_unknown() -> None:
    analysis, names = analysed(
        "k: pl.Scalar[pl.INDEX] = 0\nfor i in pl.range(4):\n    k: pl.Scalar[pl.INDEX] = k + 8\n"
        "m: pl.Scalar[pl.INDEX] = k\n"
    )
    assert not analysis.scalars.is_multiple(names["m"], 8)


TERMS = st.recursive(
    st.one_of(st.integers(0, 64).map(str), st.just("n")),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from(["+", "-", "*"]), inner)
        | st.builds("({} {} {})".format, inner, st.sampled_from(["//", "%"]), st.sampled_from(["2", "3", "8", "64"]))
    ),
    max_leaves=6,
)


@given(TERMS, st.lists(st.integers(-200, 200), min_size=8, max_size=8), st.sampled_from([2, 4, 8, 32]))
def test_a_proof_holds_for_every_value(text: str, values: list[int], modulus: int) -> None:
    """Random arithmetic, run by Python for random arguments."""
    analysis, names = analysed(f"k: pl.Scalar[pl.INDEX] = {text}")
    results = [int(eval(text, {"n": value})) for value in values]
    if analysis.scalars.is_multiple(names["k"], modulus):
        assert all(result % modulus == 0 for result in results)
    assert all(result % analysis.collected.multiples.of(names["k"]) == 0 for result in results)
    known = analysis.scalars.range(names["k"])
    assert known.lower is None or all(known.lower <= result for result in results)
    assert known.upper is None or all(result <= known.upper for result in results)
