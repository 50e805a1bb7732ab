"""What is said about a kernel does not depend on what was read before it."""

from __future__ import annotations

from random import Random

import pytest

from pto_analysis.frontend.functions import FunctionFacts
from pto_analysis.frontend.module import Modules
from pto_analysis.ir.fingerprint import fingerprint
from pto_analysis.source.workspace import Workspace
from tests.support.checking import PATH, Texts

CHAIN = """
import pypto.language as pl
@pl.jit.inline
def low(a: pl.Tensor, o: pl.Tensor):
    r = pl.add(a, 1.0)
    return r
@pl.jit.inline
def middle(a: pl.Tensor, o: pl.Tensor):
    t = low(a, o)
    u = low(t, o)
    return u
@pl.jit.inline
def other(a: pl.Tensor, o: pl.Tensor):
    return middle(a, a)
@pl.jit
def top(x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
    r = middle(x, y)
    y[:, :] = pl.mul(r, other(r, y))
    return y
@pl.jit
def second(x: pl.Tensor[[8, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
    y[:, :] = other(x, y)
    return y
"""

CIRCLE = """
import pypto.language as pl
@pl.jit.inline
def one(a: pl.Tensor, o: pl.Tensor):
    r = two(a, o)
    return pl.add(r, 1.0)
@pl.jit.inline
def two(a: pl.Tensor, o: pl.Tensor):
    r = three(a, o)
    s = one(r, o)
    return pl.add(s, 1.0)
@pl.jit.inline
def three(a: pl.Tensor, o: pl.Tensor):
    r = one(a, o)
    return pl.add(r, 1.0)
@pl.jit
def entry(x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
    r = two(x, y)
    y[:, :] = three(r, y)
    return y
"""


def facts_in_order(text: str, random: Random) -> dict[str, bytes]:
    """The kernels of a file by name, read in some order, some of them as their callers see them first."""
    reader = Modules(Workspace(Texts({PATH: text}))).reader(PATH)
    assert reader is not None
    places = [(unit, site) for unit in reader.source.units for site in reader.sites(unit)]
    random.shuffle(places)
    found: dict[str, bytes] = {}
    for unit, site in places:
        if random.random() < 0.5:
            reader.callee(unit, site).returns()
        found[site.qualname] = _written_down(reader.function_facts(unit, site))
    return found


def _written_down(facts: FunctionFacts) -> bytes:
    return fingerprint(facts.function, facts.results, facts.issues, facts.not_understood)


@pytest.mark.parametrize("text", [CHAIN, CIRCLE], ids=["chain", "circle"])
def test_the_order_of_reading_does_not_matter(text: str) -> None:
    expected = facts_in_order(text, Random(0))
    assert all(facts_in_order(text, Random(seed)) == expected for seed in range(1, 40))


def test_variables_count_in_a_fingerprint_by_where_they_stand() -> None:
    """Two readings of one text have other variables and one fingerprint; another name gives another one."""
    again = CHAIN.replace("t = low(a, o)\n    u = low(t, o)", "u = low(a, o)\n    t = low(u, o)")
    one, two, three = (facts_in_order(text, Random(0)) for text in (CHAIN, CHAIN, again))
    assert one == two
    assert {name for name in one if one[name] != three[name]} == {"middle"}
