"""The 32-byte rule: exact for every dtype, sign and size, and what counts as a proof for the compiler."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.ir.dtypes import DTYPES, FP32, INDEX, DType
from pto_analysis.ir.expr import Binary, Const, Expr, Var
from pto_analysis.ir.types import Dim, MemRef, ScalarType, Space, TileType
from pto_analysis.passes.canonicalize.compiler_proof import (
    KnownMultiples,
    address_residue,
    is_contiguous,
)
from tests.passes.kernels import canonical

NOTHING_KNOWN = KnownMultiples()
ELEMENTS = [dtype for dtype in DTYPES.values() if dtype.category != "task"]


def index(value: int) -> Const:
    return Const(value, INDEX)


def scalar(name: str) -> Var:
    return Var(name, ScalarType(INDEX))


def tile(cols: Dim, dtype: DType = FP32, offset: Dim | None = None, rows: Dim = 16) -> TileType:
    memref = None if offset is None else MemRef("buffer", offset, 4096)
    return TileType((rows, cols), dtype, Space.VEC, None, memref)


@given(
    st.sampled_from(ELEMENTS),
    st.integers(1, 1 << 40),
    st.integers(-(1 << 62), 1 << 62),
    st.integers(-(1 << 62), 1 << 62),
    st.integers(0, 1 << 40),
)
def test_literal_offsets_are_exact(dtype: DType, cols: int, row: int, col: int, offset: int) -> None:
    """Whole-number arithmetic against the modular one: every width, negative and huge offsets."""
    expected = (offset * 8 + (row * cols + col) * dtype.storage_bits) % 256
    assert address_residue(tile(cols, dtype, offset), index(row), index(col), NOTHING_KNOWN) == expected


@pytest.mark.parametrize(
    ("dtype", "first_aligned"),
    [("FP4", 64), ("INT4", 64), ("INT8", 32), ("BOOL", 32), ("BF16", 16), ("FP32", 8), ("INT64", 4)],
)
def test_the_first_aligned_column_of_each_width(dtype: str, first_aligned: int) -> None:
    aligned = [
        col
        for col in range(1, 129)
        if address_residue(tile(4096, DTYPES[dtype]), index(0), index(col), NOTHING_KNOWN) == 0
    ]
    assert aligned[0] == first_aligned


@pytest.mark.parametrize(
    ("offset", "expected"),
    [(None, 32), (0, 32), (-1, 32), (-32, 32), (28, 0), (32, 32), (4, 64), (31, 24)],
)
def test_the_place_of_the_base_counts_and_the_planning_sentinel_is_aligned(offset: int | None, expected: int) -> None:
    assert address_residue(tile(64, FP32, offset), index(0), index(1), NOTHING_KNOWN) == expected


def test_a_symbolic_place_is_not_provable() -> None:
    assert address_residue(tile(64, FP32, scalar("p")), index(0), index(0), NOTHING_KNOWN) is None


def test_a_literal_row_zero_needs_no_pitch_any_other_row_does() -> None:
    width = scalar("width")
    assert address_residue(tile(width), index(0), index(8), NOTHING_KNOWN) == 0
    assert address_residue(tile(width), index(1), index(8), NOTHING_KNOWN) is None
    assert address_residue(tile(width), scalar("r"), index(8), NOTHING_KNOWN) is None


def test_only_two_dimensions_are_provable() -> None:
    cube = TileType((2, 16, 64), FP32, Space.VEC)
    assert address_residue(cube, index(0), index(0), NOTHING_KNOWN) is None


def test_a_dynamic_part_is_fine_when_its_factor_makes_it_vanish_and_the_literal_part_still_counts() -> None:
    known = KnownMultiples()
    blocks = scalar("blocks")
    known.define(blocks, Binary("*", scalar("b"), index(8), INDEX))
    assert address_residue(tile(64), index(0), blocks, known) == 0
    assert address_residue(tile(64), scalar("r"), index(4), known) == 128
    assert address_residue(tile(60), scalar("r"), index(0), known) is None
    assert address_residue(tile(60), Binary("*", scalar("r"), index(2), INDEX), index(0), known) == 0


b = scalar("b")
PROOFS: list[tuple[str, Expr, int]] = [
    ("a literal", index(24), 8),
    ("a negative literal", index(-24), 8),
    ("zero is a multiple of everything", index(0), 256),
    ("a multiple beyond 256 is capped", index(1 << 40), 256),
    ("an unknown", b, 1),
    ("a product", Binary("*", b, index(12), INDEX), 4),
    ("a product of products", Binary("*", Binary("*", b, index(4), INDEX), index(6), INDEX), 8),
    ("a sum", Binary("+", Binary("*", b, index(16), INDEX), index(24), INDEX), 8),
    ("a difference", Binary("-", index(32), Binary("*", b, index(8), INDEX), INDEX), 8),
    ("a floor division is not looked at", Binary("//", Binary("*", b, index(64), INDEX), index(2), INDEX), 1),
    ("nor is a remainder", Binary("%", Binary("*", b, index(64), INDEX), index(128), INDEX), 1),
    ("nor a shift", Binary("<<", b, index(3), INDEX), 1),
    ("nor a minimum", Binary("min", index(8), index(16), INDEX), 1),
    ("but a division times a literal is", Binary("*", Binary("//", b, index(2), INDEX), index(64), INDEX), 64),
]


@pytest.mark.parametrize(("name", "expr", "multiple"), PROOFS, ids=[row[0] for row in PROOFS])
def test_what_the_compiler_knows_about_a_scalar(name: str, expr: Expr, multiple: int) -> None:
    assert KnownMultiples().of(expr) == multiple, name


def test_definitions_are_followed_through_aliases_and_chains_stay_cheap() -> None:
    """A doubling keeps the common divisor, it does not raise it; a long chain is no recursion."""
    known = KnownMultiples()
    previous = scalar("start")
    known.define(previous, index(8))
    for number in range(20_000):
        following = scalar(f"x{number}")
        known.define(following, Binary("+", previous, previous, INDEX) if number % 2 else previous)
        previous = following
    assert known.of(previous) == 8


_leaves = st.one_of(st.integers(-600, 600).map(index), st.sampled_from([scalar("p"), scalar("q"), scalar("r")]))


def _combined(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.builds(_binary, st.sampled_from("+-*"), inner, inner)


def _binary(op: str, left: Expr, right: Expr) -> Expr:
    return Binary(op, left, right, INDEX)


EXPRESSIONS: st.SearchStrategy[Expr] = st.recursive(_leaves, _combined, max_leaves=8)


def value_of(expr: Expr, values: dict[str, int]) -> int:
    if isinstance(expr, Const):
        return int(expr.value)
    if isinstance(expr, Var):
        return values[expr.name]
    assert isinstance(expr, Binary)
    left, right = value_of(expr.left, values), value_of(expr.right, values)
    return {"+": left + right, "-": left - right, "*": left * right}[expr.op]


@given(EXPRESSIONS, st.tuples(*[st.integers(-10_000, 10_000)] * 3))
def test_a_known_multiple_divides_every_value(expr: Expr, values: tuple[int, int, int]) -> None:
    assert value_of(expr, dict(zip("pqr", values, strict=True))) % KnownMultiples().of(expr) == 0


@given(
    st.sampled_from(ELEMENTS), EXPRESSIONS, EXPRESSIONS, st.integers(1, 600), st.tuples(*[st.integers(-999, 999)] * 3)
)
def test_a_proved_residue_is_true_for_every_value(
    dtype: DType, row: Expr, col: Expr, cols: int, values: tuple[int, int, int]
) -> None:
    residue = address_residue(tile(cols, dtype), row, col, NOTHING_KNOWN)
    if residue is not None:
        names = dict(zip("pqr", values, strict=True))
        truth = (value_of(row, names) * cols + value_of(col, names)) * dtype.storage_bits % 256
        assert truth == residue


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
def test_contiguous_means_one_unbroken_run(rows: int, cols: int, more_rows: int, more_cols: int) -> None:
    """Against the addresses of all elements of the window."""
    base_rows, base_cols = rows + more_rows - 1, cols + more_cols - 1
    places = [r * base_cols + c for r in range(rows) for c in range(cols)]
    unbroken = places == list(range(places[0], places[0] + len(places)))
    assert is_contiguous(tile(cols, rows=rows), tile(base_cols, rows=base_rows)) == unbroken


def test_symbolic_extents_are_not_provably_contiguous() -> None:
    assert not is_contiguous(tile(64, rows=scalar("r")), tile(64))
    assert not is_contiguous(tile(scalar("c"), rows=1), tile(64))
    assert not is_contiguous(tile(64), tile(scalar("c")))


MEMREF = 't: pl.Tile[[16, 64], pl.FP32, pl.MemRef("m", {}, 4096), pl.Mem.Vec], n: pl.Scalar[pl.INDEX]'


@pytest.mark.parametrize(
    ("offset", "col", "copied"),
    [("-1", 8, False), ("-1", 1, True), ("64", 8, False), ("4", 8, True), ("4", 7, False), ("n", 0, True)],
)
def test_the_memref_of_the_base_in_a_kernel(offset: str, col: int, copied: bool) -> None:
    params = ", ".join(reversed(MEMREF.format(offset).rsplit(", ", 1)))
    body = f"w = pl.tile.slice(t, [16, 8], [0, {col}])\ns = pl.tile.muls(w, 0.5)"
    assert bool(canonical(body, params).rewrites) == copied


@pytest.mark.parametrize("name", ["FP4", "INT8", "FP16", "FP32", "INT64"])
def test_each_width_in_a_kernel(name: str) -> None:
    step = 256 // DTYPES[name].storage_bits
    params = f"t: pl.Tile[[16, 1024], pl.{name}, pl.Mem.Vec]"
    use = "s = pl.tile.abs(w)" if name in ("FP16", "FP32") else "pl.tile.store(w, [0, 0], out)"
    for col, copied in ((step, False), (step // 2, True), (step + 2, True)):
        body = f"w = pl.tile.slice(t, [16, 64], [0, {col}])\n{use}"
        assert bool(canonical(body, params).rewrites) == copied, col
