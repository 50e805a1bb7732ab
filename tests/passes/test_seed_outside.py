"""Windows that leave their source: the compiler types every extract that CanonicalizeTileSlice builds or folds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.ir.dtypes import FP32, INDEX
from pto_analysis.ir.expr import Call, Const, Tuple, Var
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ops import Refusal, deduce
from pto_analysis.passes.canonicalize import canonicalize
from pto_analysis.passes.canonicalize.extract import out_of_bounds
from pto_analysis.passes.ssa import to_ssa
from tests.passes.kernels import MAT, VEC, canonical, kernel

OUT_OF_BOUNDS = [
    (
        "built: past the last column",
        VEC,
        "c: pl.Scalar[pl.INDEX] = 65\nw = pl.tile.slice(t, [16, 64], [0, c])\ns = pl.tile.muls(w, 0.5)",
    ),
    (
        "built: a negative column",
        VEC,
        "c: pl.Scalar[pl.INDEX] = -1\nw = pl.tile.slice(t, [16, 64], [0, c])\ns = pl.tile.muls(w, 0.5)",
    ),
    (
        "built: one axis is enough",
        VEC,
        "c: pl.Scalar[pl.INDEX] = 65\nw = pl.tile.slice(t, [16, 64], [n, c])\ns = pl.tile.muls(w, 0.5)",
    ),
    (
        "folded: the sum leaves the source",
        MAT,
        "c: pl.Scalar[pl.INDEX] = 40\nw = pl.tile.slice(x, [32, 64], [c, 0])\n"
        "a = pl.tile.extract(w, 0, 0, [32, 64], target_memory=pl.Mem.Left)",
    ),
]


@pytest.mark.parametrize(("name", "params", "body"), OUT_OF_BOUNDS, ids=[row[0] for row in OUT_OF_BOUNDS])
def test_an_extract_that_leaves_its_source_is_rejected(name: str, params: str, body: str) -> None:
    function = to_ssa(kernel(body, params)).function
    result = canonicalize(function)
    assert result.rejection is not None, name
    assert result.function is function


def test_a_window_outside_that_no_extract_is_built_for_is_not_the_pass_s_business() -> None:
    body = "c: pl.Scalar[pl.INDEX] = 128\nw = pl.tile.slice(t, [16, 64], [0, c])\ns = pl.tile.muls(w, 0.5)"
    assert canonical(body, VEC).rejection is None


@given(st.integers(1, 40), st.integers(1, 40), st.integers(-4, 40), st.integers(1, 40))
def test_bounds_agree_with_typing(rows: int, cols: int, offset: int, extent: int) -> None:
    """The pass's own look at an extract's bounds and the op table's typing refuse the same windows."""
    tile = Var("t", TileType((rows, cols), FP32, Space.VEC))
    shape = Tuple((Const(1, INDEX), Const(extent, INDEX)))
    args = (tile, Const(0, INDEX), Const(offset, INDEX), shape)
    refused = isinstance(deduce("tile.extract", args, {"target_memory": Space.VEC}), Refusal)
    call = Call("tile.extract", args, {}, tile.type)
    assert (out_of_bounds(call) is not None) == refused == (not 0 <= offset <= cols - extent)
