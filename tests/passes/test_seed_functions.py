"""CanonicalizeTileSlice: which functions it touches, which slices it drops, what it records."""

from __future__ import annotations

import pytest

from pto_analysis.passes.canonicalize import canonicalize
from pto_analysis.passes.ssa import to_ssa
from tests.passes.kernels import VEC, after, canonical, kernel, lines


@pytest.mark.parametrize("kind", ["Opaque", "Orchestration", "Group", "Spmd", "Inline"])
def test_only_incore_functions_are_touched(kind: str) -> None:
    result = canonical("w = pl.tile.slice(t, [16, 64], [0, 1])\ns = pl.tile.muls(w, 0.5)", VEC, kind)
    assert result.rewrites == ()
    assert lines(result.function)[0].startswith("w = ")


@pytest.mark.parametrize("kind", ["InCore", "AIC", "AIV"])
def test_all_incore_kinds_are(kind: str) -> None:
    assert canonical("w = pl.tile.slice(t, [16, 64], [0, 1])\ns = pl.tile.muls(w, 0.5)", VEC, kind).rewrites


def test_a_function_without_a_canonical_slice_is_returned_unchanged() -> None:
    function = to_ssa(kernel("s = pl.tile.muls(t, 0.5)", VEC)).function
    assert canonicalize(function).function is function


def test_a_slice_nobody_uses_is_dropped_but_not_the_irregular_one() -> None:
    assert after("w = pl.tile.slice(t, [16, 64], [0, 8])\nv = pl.tile.slice(t, [1, 64], [0, 8], [], [0])", VEC) == [
        "v = pl.tile.slice(t, [1, 64], [0, 8], [], [0])"
    ]


def test_a_slice_alone_in_a_loop_stays_as_the_compiler_leaves_it() -> None:
    body = "for i in pl.range(4):\n    w = pl.tile.slice(t, [16, 64], [0, 8])\ns = pl.tile.muls(t, 0.5)"
    assert after(body, VEC)[:2] == ["for i in pl.range(4):", "    w = pl.tile.slice(t, [16, 64], [0, 8])"]


def test_what_each_rewrite_records() -> None:
    result = canonical(
        """
        hi = pl.tile.slice(t, [16, 64], [0, 64])
        s = pl.tile.col_expand_mul(hi, g)
        w = pl.tile.slice(t, [16, 8], [n, 6])
        u = pl.tile.muls(w, 0.5)
        pl.tile.store(hi, [0, 0], out)
        """,
        VEC,
    )
    first, second = result.rewrites
    assert (first.rule, first.action, first.why) == ("PTO103", "col-expand-operand", "not contiguous")
    assert (first.slice.name, first.base.name, first.shape) == ("hi__ssa_v0", "t__ssa_v0", (16, 64))
    assert not first.dropped
    assert (second.rule, second.action, second.why, second.residue) == ("PTO104", "aligned-operand", "unaligned", 192)
    assert second.dropped
    assert second.slice_origin is not None
    assert second.consumer == "tile.muls"
