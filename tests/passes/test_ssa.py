"""SSA conversion: names, what a loop carries and in which order, what branches merge, what is read undefined."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest

from pto_analysis.ir.printer import print_function, print_module
from pto_analysis.passes.ssa import to_ssa
from pto_analysis.passes.ssa.names import base_name
from tests.passes.kernels import SCALARS, ssa
from tests.support.irtext import difference

PARAMS = f"a: pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec], o2: pl.Out[pl.Tensor[[64, 64], pl.FP32]], {SCALARS}"


def printed(body: str, params: str = PARAMS) -> list[str]:
    """The converted body with its version names, without annotations."""
    text = print_function(ssa(body, params).function).splitlines()[2:-1]
    return [re.sub(r": pl\.(?:Tile|Tensor|Scalar)\[.*\](?= = )", "", line.removeprefix("    ")) for line in text]


def expected(text: str) -> list[str]:
    return dedent(text).strip("\n").splitlines()


CONVERSIONS = [
    (
        "every assignment makes a version",
        """
        x = pl.tile.adds(a, 0.5)
        x = pl.tile.adds(x, 0.5)
        y = x
        """,
        """
        x__ssa_v0 = pl.tile.adds(a__ssa_v0, 0.5)
        x__ssa_v1 = pl.tile.adds(x__ssa_v0, 0.5)
        y__ssa_v0 = x__ssa_v1
        """,
    ),
    (
        "a loop carries what it assigns and what existed before, sorted by name",
        """
        z = pl.tile.adds(a, 0.5)
        b = pl.tile.adds(a, 0.5)
        for i in pl.range(4):
            z = pl.tile.adds(b, 0.5)
            b = pl.tile.adds(z, 0.5)
        c = pl.tile.add(b, z)
        """,
        """
        z__ssa_v0 = pl.tile.adds(a__ssa_v0, 0.5)
        b__ssa_v0 = pl.tile.adds(a__ssa_v0, 0.5)
        for i__idx_v0, (b__iter_v1, z__iter_v1) in pl.range(4, init_values=(b__ssa_v0, z__ssa_v0)):
            z__ssa_v3 = pl.tile.adds(b__iter_v1, 0.5)
            b__ssa_v3 = pl.tile.adds(z__ssa_v3, 0.5)
            b__rv_v2, z__rv_v2 = pl.yield_(b__ssa_v3, z__ssa_v3)
        c__ssa_v0 = pl.tile.add(b__rv_v2, z__rv_v2)
        """,
    ),
    (
        "what is local to a loop stays there",
        """
        for i in pl.range(4):
            x = pl.tile.adds(a, 0.5)
        for i in pl.range(4):
            x = pl.tile.adds(a, 0.5)
        """,
        """
        for i__idx_v0 in pl.range(4):
            x__ssa_v0 = pl.tile.adds(a__ssa_v0, 0.5)
        for i__idx_v0_1 in pl.range(4):
            x__ssa_v1 = pl.tile.adds(a__ssa_v0, 0.5)
        """,
    ),
    (
        "a carry of the author's keeps its name and comes first",
        """
        x = pl.tile.adds(a, 0.5)
        for i, (c,) in pl.range(4, init_values=(a,)):
            x = pl.tile.add(x, c)
            r = pl.yield_(x)
        y = pl.tile.add(r, x)
        """,
        """
        x__ssa_v0 = pl.tile.adds(a__ssa_v0, 0.5)
        for i__idx_v0, (c, x__iter_v1) in pl.range(4, init_values=(a__ssa_v0, x__ssa_v0)):
            x__ssa_v3 = pl.tile.add(x__iter_v1, c)
            r, x__rv_v2 = pl.yield_(x__ssa_v3, x__ssa_v3)
        y__ssa_v0 = pl.tile.add(r, x__rv_v2)
        """,
    ),
    (
        "a while becomes one with carries",
        """
        k: pl.Scalar[pl.INDEX] = 0
        while k < n:
            k: pl.Scalar[pl.INDEX] = k + 1
        """,
        """
        k__ssa_v0 = 0
        for (k__iter_v1,) in pl.while_(init_values=(k__ssa_v0,)):
            pl.cond(k__iter_v1 < n__ssa_v0)
            k__ssa_v3 = k__iter_v1 + 1
            k__rv_v2 = pl.yield_(k__ssa_v3)
        """,
    ),
    (
        "branches merge what they leave different; a missing arm yields the old value",
        """
        x = pl.tile.adds(a, 0.5)
        if n < 4:
            x = pl.tile.adds(x, 0.5)
            y = pl.tile.adds(x, 0.5)
        z = pl.tile.adds(x, 0.5)
        """,
        """
        x__ssa_v0 = pl.tile.adds(a__ssa_v0, 0.5)
        if n__ssa_v0 < 4:
            x__ssa_v1 = pl.tile.adds(x__ssa_v0, 0.5)
            y__ssa_v0 = pl.tile.adds(x__ssa_v1, 0.5)
            x__phi_v2 = pl.yield_(x__ssa_v1)
        else:
            x__phi_v2 = pl.yield_(x__ssa_v0)
        z__ssa_v0 = pl.tile.adds(x__phi_v2, 0.5)
        """,
    ),
    (
        "a name that both arms define is merged, sorted by name",
        """
        if n < 4:
            y = pl.tile.adds(a, 0.5)
            x = pl.tile.adds(a, 0.5)
        else:
            x = pl.tile.adds(a, 1.5)
            y = pl.tile.adds(a, 1.5)
        z = pl.tile.add(x, y)
        """,
        """
        if n__ssa_v0 < 4:
            y__ssa_v0 = pl.tile.adds(a__ssa_v0, 0.5)
            x__ssa_v0 = pl.tile.adds(a__ssa_v0, 0.5)
            x__phi_v2, y__phi_v2 = pl.yield_(x__ssa_v0, y__ssa_v0)
        else:
            x__ssa_v1 = pl.tile.adds(a__ssa_v0, 1.5)
            y__ssa_v1 = pl.tile.adds(a__ssa_v0, 1.5)
            x__phi_v2, y__phi_v2 = pl.yield_(x__ssa_v1, y__ssa_v1)
        z__ssa_v0 = pl.tile.add(x__phi_v2, y__phi_v2)
        """,
    ),
    (
        "written yields of branches become results",
        """
        if n < 4:
            v: pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec] = pl.yield_(a)
        else:
            v: pl.Tile[[4, 8], pl.FP32, pl.Mem.Vec] = pl.yield_(a)
        x = pl.tile.adds(v, 0.5)
        """,
        """
        if n__ssa_v0 < 4:
            v__rv_v0 = pl.yield_(a__ssa_v0)
        else:
            v__rv_v0 = pl.yield_(a__ssa_v0)
        x__ssa_v0 = pl.tile.adds(v__rv_v0, 0.5)
        """,
    ),
    (
        "a name that a loop defines first is promoted from the Out parameter it is written to",
        """
        for i in pl.range(4):
            y = pl.tile.store(a, [0, 0], out)
        z = pl.tile.store(a, [0, 0], y)
        """,
        """
        for i__idx_v0, (y__iter_v0,) in pl.range(4, init_values=(out__ssa_v0,)):
            y__ssa_v2 = pl.tile.store(a__ssa_v0, [0, 0], out__ssa_v0)
            y__rv_v1 = pl.yield_(y__ssa_v2)
        z__ssa_v0 = pl.tile.store(a__ssa_v0, [0, 0], y__rv_v1)
        """,
    ),
]


@pytest.mark.parametrize(("name", "body", "after"), CONVERSIONS, ids=[row[0] for row in CONVERSIONS])
def test_conversion(name: str, body: str, after: str) -> None:
    assert printed(body) == expected(after), name
    assert ssa(body, PARAMS).issues == ()


def test_a_region_of_lanes_carries_nothing() -> None:
    """It is a scope in the compiler: its assignments are the versions that later code reads."""
    body = """
        x = pl.tile.adds(a, 0.5)
        for lane in pl.split_aiv(2):
            x = pl.tile.adds(x, 0.5)
            y = pl.tile.adds(x, 0.5)
        z = pl.tile.add(x, y)
    """
    assert printed(body) == expected(
        """
        x__ssa_v0 = pl.tile.adds(a__ssa_v0, 0.5)
        for lane__ssa_v0 in pl.split_aiv(2):
            x__ssa_v1 = pl.tile.adds(x__ssa_v0, 0.5)
            y__ssa_v0 = pl.tile.adds(x__ssa_v1, 0.5)
        z__ssa_v0 = pl.tile.add(x__ssa_v1, y__ssa_v0)
        """
    )
    assert ssa(body, PARAMS).issues == ()


UNDEFINED = [
    ("defined in one arm only", "if n < 4:", False),
    ("defined in a loop that may not run", "for i in pl.range(n):", True),
]


@pytest.mark.parametrize(("name", "header", "zero_trip"), UNDEFINED, ids=[row[0] for row in UNDEFINED])
def test_what_is_read_before_it_is_defined(name: str, header: str, zero_trip: bool) -> None:
    body = f"{header}\n    x = pl.tile.adds(a, 0.5)\ny = pl.tile.adds(x, 0.5)"
    (issue,) = ssa(body, PARAMS).issues
    assert issue.var.name == "x", name
    assert issue.zero_trip == zero_trip
    assert issue.origin is not None


def test_converting_twice_gives_the_same_structure() -> None:
    body = "x = pl.tile.adds(a, 0.5)\nfor i in pl.range(4):\n    x = pl.tile.adds(x, 0.5)\n"
    once = ssa(body, PARAMS).function

    assert difference(print_module([once]), print_module([to_ssa(once).function])) is None


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("x__ssa_v0", "x"),
        ("x__iter_v12", "x"),
        ("x_1__rv_v2", "x_1"),
        ("x", "x"),
        ("x__tmp_v0", "x__tmp_v0"),
        ("c7", "c7"),
    ],
)
def test_base_names(name: str, base: str) -> None:
    assert base_name(name) == base
