"""PTO003: names and keywords that do not exist, and those nearest to them."""

from __future__ import annotations

import pytest

from pto_analysis.findings import Applicability
from tests.fixes.fixing import findings, fixed
from tests.fixes.test_extract import module

NAMES = [
    ("u = pl.tile.mull(t, 3.0)", "u = pl.tile.mul(t, 3.0)"),
    ("u = pl.tensor.load(x, [0, 0], [16, 128])", "u = pl.load(x"),
    ("u = pl.tensor.tile.slice(t, [16, 128], [0, 0])", "u = pl.slice(t"),
    ("u = pl.adds(t, 3.0)", "u = pl.tile.adds(t"),
    ("u = pl.expp(t)  # e", "u = pl.exp(t)  # e"),
    ("u = pl.load(x, [0, 0], [16, 128],\n            target_mem=pl.Mem.Vec)", "target_memory=pl.Mem.Vec)"),
    ("u = pl.load(x, offset=[0, 0], shapes=[16, 128])", "u = pl.load(x, offsets=[0, 0], shapes=[16, 128])"),
]


@pytest.mark.parametrize(("before", "after"), NAMES)
def test_the_nearest_name_is_written(before: str, after: str) -> None:
    text = module(f"{before}\ny = pl.store(u, [0, 0], y)")
    (finding,) = findings(text, "PTO003")
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.UNSAFE
    assert after in fixed(text, "PTO003")


def test_a_namespace_on_a_line_of_its_own_stays() -> None:
    text = module("u = pl.tensor.\\\n  load(x, [0, 0], [16, 128])\ny = pl.store(u, [0, 0], y)")
    assert [finding.fix for finding in findings(text, "PTO003")] == [None]


def test_a_keyword_that_is_given_already_is_not_written_twice() -> None:
    text = module("u = pl.load(x, [0, 0], [16, 128], target_memory=pl.Mem.Vec, target_mem=pl.Mem.Vec)")
    assert [finding.fix for finding in findings(text, "PTO003")] == [None]
