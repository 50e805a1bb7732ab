"""CanonicalizeTileSlice, sentence by sentence: the algorithm, the examples and the scope table of its document."""

from __future__ import annotations

from textwrap import dedent

import pytest

from pto_analysis.passes.canonicalize import canonicalize
from pto_analysis.passes.canonicalize.rewrite import COL_EXPAND_OPS
from pto_analysis.passes.ssa import to_ssa
from tests.passes.kernels import MAT, VEC, after, canonical, kernel


def block(text: str) -> list[str]:
    return dedent(text).strip("\n").splitlines()


# (name, parameters, body, what the pass makes of it)
REWRITTEN = [
    (
        "the whole-tile page of a batch of one folds into the extract",
        MAT,
        """
        s = pl.tile.slice(x, [64, 512], [0, 0])
        a = pl.tile.extract(s, 0, n, shape=[32, 256], target_memory=pl.Mem.Left)
        """,
        "a = pl.tile.extract(x, 0, n, [32, 256], target_memory=pl.Mem.Left)",
    ),
    (
        "a page offset is added to the extract's index",
        MAT,
        """
        s = pl.tile.slice(x, [32, 512], [32, 0])
        a = pl.tile.extract(s, 0, n, shape=[16, 256], target_memory=pl.Mem.Left)
        """,
        "a = pl.tile.extract(x, 32, n, [16, 256], target_memory=pl.Mem.Left)",
    ),
    (
        "index and offset that are both literals are added, others stay a sum with the index first",
        MAT,
        """
        s = pl.tile.slice(x, [16, 128], [16, m])
        a = pl.tile.extract(s, 8, n, shape=[8, 64], target_memory=pl.Mem.Left)
        """,
        "a = pl.tile.extract(x, 24, n + m, [8, 64], target_memory=pl.Mem.Left)",
    ),
    (
        "matmul operands become extracts to Left and Right",
        MAT,
        """
        l = pl.tile.slice(x, [16, 256], [0, 0])
        r = pl.tile.slice(y, [256, 64], [0, 0])
        c = pl.tile.matmul(l, r)
        """,
        """
        l_textract = pl.tile.extract(x, 0, 0, [16, 256], target_memory=pl.Mem.Left)
        r_textract = pl.tile.extract(y, 0, 0, [256, 64], target_memory=pl.Mem.Right)
        c = pl.tile.matmul(l_textract, r_textract)
        """,
    ),
    (
        "matmul_acc: the operands after the accumulator",
        MAT,
        """
        l = pl.tile.slice(x, [32, 256], [n, 256])
        r = pl.tile.slice(y, [256, 64], [256, 0])
        c = pl.tile.matmul_acc(acc, l, r)
        """,
        """
        l_textract = pl.tile.extract(x, n, 256, [32, 256], target_memory=pl.Mem.Left)
        r_textract = pl.tile.extract(y, 256, 0, [256, 64], target_memory=pl.Mem.Right)
        c = pl.tile.matmul_acc(acc, l_textract, r_textract)
        """,
    ),
    (
        "matmul_bias: the first two operands",
        MAT,
        """
        l = pl.tile.slice(x, [32, 256], [0, 0])
        r = pl.tile.slice(y, [256, 64], [0, 0])
        c = pl.tile.matmul_bias(l, r, bias)
        """,
        """
        l_textract = pl.tile.extract(x, 0, 0, [32, 256], target_memory=pl.Mem.Left)
        r_textract = pl.tile.extract(y, 0, 0, [256, 64], target_memory=pl.Mem.Right)
        c = pl.tile.matmul_bias(l_textract, r_textract, bias)
        """,
    ),
    (
        "a chain of Mat slices is peeled and its offsets accumulate",
        MAT,
        """
        s = pl.tile.slice(x, [32, 512], [16, n])
        u = pl.tile.slice(s, [16, 256], [8, 32])
        a = pl.tile.extract(u, 0, 4, shape=[16, 64], target_memory=pl.Mem.Left)
        """,
        "a = pl.tile.extract(x, 24, 4 + (n + 32), [16, 64], target_memory=pl.Mem.Left)",
    ),
    (
        "a run-time offset into a column expansion (issue 1640)",
        VEC,
        """
        row = pl.tile.slice(t, [1, 128], [n, 0])
        s = pl.tile.col_expand_mul(row, g)
        """,
        """
        row_textract = pl.tile.extract(t, n, 0, [1, 128], target_memory=pl.Mem.Vec)
        s = pl.tile.col_expand_mul(row_textract, g)
        """,
    ),
    (
        "a column window of several rows into a column expansion (issue 2010)",
        VEC,
        """
        hi = pl.tile.slice(t, [16, 64], [0, 64])
        s = pl.tile.col_expand_mul(hi, g)
        """,
        """
        hi_textract = pl.tile.extract(t, 0, 64, [16, 64], target_memory=pl.Mem.Vec)
        s = pl.tile.col_expand_mul(hi_textract, g)
        """,
    ),
    (
        "both operands of a column expansion are checked",
        VEC,
        """
        hi = pl.tile.slice(t, [16, 64], [0, 64])
        lo = pl.tile.slice(t, [1, 64], [n, 0])
        s = pl.tile.col_expand_add(hi, lo)
        """,
        """
        hi_textract = pl.tile.extract(t, 0, 64, [16, 64], target_memory=pl.Mem.Vec)
        lo_textract = pl.tile.extract(t, n, 0, [1, 64], target_memory=pl.Mem.Vec)
        s = pl.tile.col_expand_add(hi_textract, lo_textract)
        """,
    ),
    (
        "an unaligned column into an ordinary call (issue 1789)",
        VEC,
        """
        head = pl.tile.slice(t, [16, 1], [0, 1])
        s = pl.tile.muls(head, 0.5)
        """,
        """
        head_textract = pl.tile.extract(t, 0, 1, [16, 1], target_memory=pl.Mem.Vec)
        s = pl.tile.muls(head_textract, 0.5)
        """,
    ),
    (
        "a bare call counts as a consumer, and every operand use gets an extract of its own",
        VEC,
        """
        w = pl.tile.slice(t, [16, 64], [0, 1])
        pl.tile.store(w, [0, 0], out)
        s = pl.tile.mul(w, w)
        """,
        """
        w_textract = pl.tile.extract(t, 0, 1, [16, 64], target_memory=pl.Mem.Vec)
        pl.tile.store(w_textract, [0, 0], out)
        w_textract_1 = pl.tile.extract(t, 0, 1, [16, 64], target_memory=pl.Mem.Vec)
        w_textract_2 = pl.tile.extract(t, 0, 1, [16, 64], target_memory=pl.Mem.Vec)
        s = pl.tile.mul(w_textract_1, w_textract_2)
        """,
    ),
    (
        "an alias of an unaligned slice is the extract itself",
        VEC,
        """
        w = pl.tile.slice(t, [16, 64], [0, 1])
        v = w
        s = pl.tile.muls(v, 0.5)
        """,
        """
        v = pl.tile.extract(t, 0, 1, [16, 64], target_memory=pl.Mem.Vec)
        s = pl.tile.muls(v, 0.5)
        """,
    ),
    (
        "a loop initialiser is copied before the loop, and the loop's own uses read the copy",
        VEC,
        """
        w = pl.tile.slice(t, [16, 64], [0, 1])
        for i, (c,) in pl.range(4, init_values=(w,)):
            d = pl.tile.add(c, w)
            r = pl.yield_(d)
        s = pl.tile.muls(w, 0.5)
        """,
        """
        w_textract = pl.tile.extract(t, 0, 1, [16, 64], target_memory=pl.Mem.Vec)
        for i, (c,) in pl.range(4, init_values=(w_textract,)):
            d = pl.tile.add(c, w_textract)
            r = pl.yield_(d)
        w_textract_1 = pl.tile.extract(t, 0, 1, [16, 64], target_memory=pl.Mem.Vec)
        s = pl.tile.muls(w_textract_1, 0.5)
        """,
    ),
    (
        "one initialiser for two carries is copied once",
        VEC,
        """
        w = pl.tile.slice(t, [16, 64], [0, 1])
        for i, (c, d) in pl.range(4, init_values=(w, w)):
            e = pl.tile.add(c, d)
            r, q = pl.yield_(e, e)
        """,
        """
        w_textract = pl.tile.extract(t, 0, 1, [16, 64], target_memory=pl.Mem.Vec)
        for i, (c, d) in pl.range(4, init_values=(w_textract, w_textract)):
            e = pl.tile.add(c, d)
            r, q = pl.yield_(e, e)
        """,
    ),
    (
        "a while's initialiser is copied before it",
        VEC,
        """
        w = pl.tile.slice(t, [16, 64], [0, 1])
        for n1, c in pl.while_(init_values=(n, w)):
            pl.cond(n1 < 4)
            d = pl.tile.adds(c, 0.5)
            k: pl.Scalar[pl.INDEX] = n1 + 1
            n2, r = pl.yield_(k, d)
        """,
        """
        w_textract = pl.tile.extract(t, 0, 1, [16, 64], target_memory=pl.Mem.Vec)
        for n1, c in pl.while_(init_values=(n, w_textract)):
            pl.cond(n1 < 4)
            d = pl.tile.adds(c, 0.5)
            k = n1 + 1
            n2, r = pl.yield_(k, d)
        """,
    ),
    (
        "an unaligned slice is copied before the yield that carries it",
        VEC,
        """
        z = pl.tile.slice(t, [16, 64], [0, 0])
        for i, (c,) in pl.range(4, init_values=(z,)):
            w = pl.tile.slice(t, [16, 64], [0, 1])
            r = pl.yield_(w)
        """,
        """
        z = pl.tile.slice(t, [16, 64], [0, 0])
        for i, (c,) in pl.range(4, init_values=(z,)):
            w_textract = pl.tile.extract(t, 0, 1, [16, 64], target_memory=pl.Mem.Vec)
            r = pl.yield_(w_textract)
        """,
    ),
    (
        "a chain of Vec slices: only the sum of the offsets counts",
        VEC,
        """
        v = pl.tile.slice(t, [16, 64], [0, 4])
        w = pl.tile.slice(v, [16, 8], [0, 4])
        q = pl.tile.slice(v, [16, 8], [0, 8])
        a = pl.tile.muls(w, 0.5)
        b = pl.tile.muls(q, 0.5)
        """,
        """
        v = pl.tile.slice(t, [16, 64], [0, 4])
        w = pl.tile.slice(v, [16, 8], [0, 4])
        a = pl.tile.muls(w, 0.5)
        q_textract = pl.tile.extract(t, 0, 12, [16, 8], target_memory=pl.Mem.Vec)
        b = pl.tile.muls(q_textract, 0.5)
        """,
    ),
    (
        "a chained slice dies after the slice that consumes it",
        VEC,
        """
        u = pl.tile.slice(t, [16, 64], [0, 0])
        v = pl.tile.slice(u, [8, 32], [0, 0])
        w = pl.tile.slice(v, [4, 16], [0, 0])
        s = pl.tile.muls(t, 0.5)
        """,
        "s = pl.tile.muls(t, 0.5)",
    ),
]

UNCHANGED = [
    (
        "a contiguous window at a literal offset: one row",
        VEC,
        "w = pl.tile.slice(t, [1, 128], [3, 0])",
        "col_expand_mul(w, g)",
    ),
    (
        "a contiguous window at a literal offset: full width",
        VEC,
        "w = pl.tile.slice(t, [4, 128], [3, 0])",
        "col_expand_mul(w, g)",
    ),
    ("an aligned column window", VEC, "w = pl.tile.slice(t, [16, 8], [0, 8])", "muls(w, 0.5)"),
    ("a run-time row of an aligned pitch", VEC, "w = pl.tile.slice(t, [4, 8], [n, 8])", "muls(w, 0.5)"),
    ("a run-time column with a known factor", VEC, "w = pl.tile.slice(t, [16, 8], [0, n * 8])", "muls(w, 0.5)"),
    ("a Mat slice into a move", MAT, "w = pl.tile.slice(x, [16, 256], [n, 0])", "move(w, target_memory=pl.Mem.Left)"),
    ("an Acc slice into a store", MAT, "w = pl.tile.slice(acc, [32, 16], [0, n])", "store(w, [0, 0], out)"),
    ("a slice with a valid_shape", VEC, "w = pl.tile.slice(t, [16, 8], [0, 1], valid_shape=[16, 8])", "muls(w, 0.5)"),
    ("a slice with dropped dimensions", VEC, "w = pl.tile.slice(t, [1, 8], [n, 1], [], [0])", "muls(w, 0.5)"),
]


@pytest.mark.parametrize(("name", "params", "body", "expected"), REWRITTEN, ids=[row[0] for row in REWRITTEN])
def test_rewritten(name: str, params: str, body: str, expected: str) -> None:
    assert after(body, params) == block(expected), name


@pytest.mark.parametrize(("name", "params", "definition", "use"), UNCHANGED, ids=[row[0] for row in UNCHANGED])
def test_untouched(name: str, params: str, definition: str, use: str) -> None:
    statement = f"pl.tile.{use}" if use.startswith("store") else f"s = pl.tile.{use}"
    function = to_ssa(kernel(f"{definition}\n{statement}", params)).function
    assert canonicalize(function).function is function, name


@pytest.mark.parametrize("op", sorted(COL_EXPAND_OPS))
def test_every_column_expansion_that_copies_a_view(op: str) -> None:
    assert after(f"w = pl.tile.slice(t, [1, 64], [n, 0])\ns = pl.{op}(w, g)", VEC)[0].startswith("w_textract = ")


def test_the_plain_col_expand_is_an_ordinary_call() -> None:
    """It is not in the family whose lowering copies a view: an aligned run-time row stays."""
    assert after("w = pl.tile.slice(t, [1, 64], [n, 0])\ns = pl.tile.col_expand(t, w)", VEC)[0] == (
        "w = pl.tile.slice(t, [1, 64], [n, 0])"
    )


def test_when_one_operand_of_a_column_expansion_is_copied_the_other_is_not_looked_at_for_alignment() -> None:
    """The two rules are alternatives for a call: the contiguous, unaligned row stays a view."""
    result = after(
        """
        hi = pl.tile.slice(t, [16, 64], [0, 64])
        lo = pl.tile.slice(t, [1, 64], [0, 1])
        s = pl.tile.col_expand_mul(hi, lo)
        """,
        VEC,
    )
    assert result[-1] == "s = pl.tile.col_expand_mul(hi_textract, lo)"


def test_a_column_expansion_of_contiguous_windows_still_has_to_be_aligned() -> None:
    result = after("lo = pl.tile.slice(t, [1, 64], [0, 1])\ns = pl.tile.col_expand_mul(t, lo)", VEC)
    assert result[-1] == "s = pl.tile.col_expand_mul(t, lo_textract)"


def test_a_vec_slice_folds_into_an_extract_too() -> None:
    result = after(
        "w = pl.tile.slice(t, [16, 64], [0, 1])\ns = pl.tile.extract(w, 0, 7, [16, 8], target_memory=pl.Mem.Vec)", VEC
    )
    assert result == ["s = pl.tile.extract(t, 0, 8, [16, 8], target_memory=pl.Mem.Vec)"]


def test_vec_slices_are_no_matmul_operands_and_mat_slices_no_column_expansion_operands() -> None:
    body = "w = pl.tile.slice(x, [1, 64], [n, 0])\ns = pl.tile.col_expand_mul(w, w)"
    function = to_ssa(kernel(body, MAT)).function
    assert canonicalize(function).function is function


def test_a_literal_offset_survives_scalar_definitions_and_their_aliases() -> None:
    result = canonical(
        """
        a: pl.Scalar[pl.INDEX] = 8
        b: pl.Scalar[pl.INDEX] = a
        w = pl.tile.slice(t, [1, 64], [0, b])
        s = pl.tile.col_expand_mul(w, g)
        """,
        VEC,
    )
    assert result.rewrites == ()


def test_a_slice_still_used_at_the_end_is_left_intact() -> None:
    result = after(
        """
        s = pl.tile.slice(x, [32, 256], [0, 0])
        a = pl.tile.extract(s, 0, 0, [32, 64], target_memory=pl.Mem.Left)
        b = pl.tile.move(s, target_memory=pl.Mem.Left)
        """,
        MAT,
    )
    assert result == [
        "s = pl.tile.slice(x, [32, 256], [0, 0])",
        "a = pl.tile.extract(x, 0, 0, [32, 64], target_memory=pl.Mem.Left)",
        "b = pl.tile.move(s, target_memory=pl.Mem.Left)",
    ]
