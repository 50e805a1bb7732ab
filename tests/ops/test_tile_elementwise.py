"""Types of the tile ops that work element by element, broadcast or reduce: one row for each op and each condition."""

from __future__ import annotations

import pytest

from tests.ops.notation import outcome, rows

PAIR = "a: Vec FP32 [8, 16] valid [4, 16]; b: Vec FP32 [8, 16]"
HALF = "a: Vec FP16 [8, 16]; b: Vec BF16 [8, 16]"
INTS = "a: Vec INT32 [8, 16]; b: Vec INT16 [1, 16]; t: Vec INT32 [8, 16]"

BINARY = rows(
    f"""
    {PAIR}
        pl.tile.add(a, b) -> Vec FP32 [8, 16] valid [4, 16]
        pl.tile.sub(b, a) -> Vec FP32 [8, 16]
        pl.tile.mul(a, b) -> Vec FP32 [8, 16] valid [4, 16]
        pl.tile.maximum(a, b) -> Vec FP32 [8, 16] valid [4, 16]
        pl.tile.minimum(b, a) -> Vec FP32 [8, 16]
        pl.tile.part_add(a, b) -> Vec FP32 [8, 16] valid [4, 16]
        pl.tile.part_mul(a, b) -> Vec FP32 [8, 16] valid [4, 16]
        pl.tile.part_max(a, b) -> Vec FP32 [8, 16] valid [4, 16]
        pl.tile.part_min(a, b) -> Vec FP32 [8, 16] valid [4, 16]
        pl.tile.fmod(a, b) -> Vec FP32 [8, 16] valid [4, 16]
        pl.tile.div(a, b) -> refused: valid-region
        pl.tile.and_(a, b) -> refused: dtype
    a: Vec FP32 [8, 16]; b: Vec FP32 [8, 16]; c: Vec FP32 [8, 8]; h: Vec BF16 [8, 16]
        pl.tile.div(a, b) -> Vec FP32 [8, 16]
        pl.tile.div(a, b, high_precision=True) -> Vec FP32 [8, 16]
        pl.tile.div(a, c) -> refused: shape
        pl.tile.div(a, h) -> refused: dtype
        pl.tile.div(h, h) -> refused: dtype
        pl.tile.add(a, c) -> refused: shape
        pl.tile.add(a, n) -> refused: dtype
        pl.tile.add(a, 2.0) -> Vec FP32 [8, 16]
    i: Vec INT32 [8, 16]
        pl.tile.div(i, i, high_precision=True) -> refused: attribute
    {HALF}
        pl.tile.add(a, b) -> Vec FP16 [8, 16]
        pl.tile.add(b, a) -> Vec BF16 [8, 16]
        pl.tile.shl(a, b) -> refused: dtype
    a: Vec FP16 [8, 16]; b: Vec FP32 [1, 16]; c: Vec INT32 [8, 1]
        pl.tile.mul(a, b) -> Vec FP32 [8, 16]
        pl.tile.mul(a, c) -> Vec FP16 [8, 16]
        pl.tile.add(b, c) -> Vec FP32 [8, 16] valid [1, 16]
    {INTS}
        pl.tile.and_(a, b) -> Vec INT32 [8, 16]
        pl.tile.or_(a, b) -> Vec INT32 [8, 16]
        pl.tile.xor(a, b, t) -> Vec INT32 [8, 16]
        pl.tile.rem(a, b, t) -> Vec INT32 [8, 16]
        pl.tile.shl(b, a) -> Vec INT16 [8, 16] valid [1, 16]
        pl.tile.shr(a, b) -> Vec INT32 [8, 16]
    a: Vec UINT32 [8, 16]; b: Vec INT32 [8, 16]
        pl.tile.add(a, b) -> Vec INT32 [8, 16]
        pl.tile.add(b, a) -> Vec INT32 [8, 16]
    a: Vec FP32 [n, 16]; b: Vec FP32 [m, 16]; c: Vec FP32 [n, 1]
        pl.tile.add(a, a) -> Vec FP32 [n, 16]
        pl.tile.add(a, b) -> refused: shape
        pl.tile.add(a, c) -> Vec FP32 [n, 16]
    a: Vec FP32 [8, 16]; g: GM FP32 [8, 16]
        pl.tile.add(a, g) -> refused: operand-kind
    """
)

SCALARS = rows(
    """
    a: Vec FP16 [8, 16] valid [n, 16]; i: INT32; f: FP32
        pl.tile.adds(a, 2) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.subs(a, 2.0) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.muls(a, f) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.divs(a, i) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.fmods(a, 2.0) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.maximums(a, 0) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.minimums(a, 0) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.lrelu(a, 0.1) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.muls(a, n) -> refused: dtype
        pl.tile.ands(a, 1) -> refused: dtype
        pl.tile.muls(a, a) -> refused: operand-kind
    a: Vec INT16 [8, 16]; t: Vec INT16 [8, 16]; f: FP32; u: Vec UINT8 [8, 32]
        pl.tile.shls(a, 1) -> Vec INT16 [8, 16]
        pl.tile.shrs(a, 1) -> Vec INT16 [8, 16]
        pl.tile.ands(a, 1) -> Vec INT16 [8, 16]
        pl.tile.ors(a, 1) -> Vec INT16 [8, 16]
        pl.tile.ors(a, f) -> refused: dtype
        pl.tile.xors(a, 1, t) -> Vec INT16 [8, 16]
        pl.tile.xors(a, 1) -> refused: arity
        pl.tile.rems(a, 3, t) -> Vec INT16 [8, 16]
        pl.tile.subs(u, 1) -> refused: dtype
    a: Vec FP16 [8, 16]; b: Vec FP32 [1, 16]
        pl.tile.addsc(a, 1.5, b) -> Vec FP32 [8, 16]
        pl.tile.subsc(a, 1, b) -> Vec FP32 [8, 16]
        pl.tile.addc(a, b, b) -> Vec FP32 [8, 16]
        pl.tile.subc(a, b, a) -> Vec FP32 [8, 16]
        pl.tile.expands(a, 1.0) -> Vec FP32 [8, 16]
        pl.tile.expands(a, n) -> refused: dtype
    """
)

UNARY = rows(
    """
    a: Vec FP32 [8, 16] valid [n, 16]; i: Vec INT16 [8, 16]; w: Vec INT32 [8, 16]
        pl.tile.neg(a) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.exp(i) -> Vec INT16 [8, 16]
        pl.tile.sqrt(a) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.abs(i) -> Vec INT16 [8, 16]
        pl.tile.relu(a) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.recip(a) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.recip(w, high_precision=True) -> refused: attribute
        pl.tile.log(a) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.log(i) -> refused: dtype
        pl.tile.sin(a) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.cos(a) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.cos(i) -> refused: dtype
        pl.tile.not_(i) -> Vec INT16 [8, 16]
        pl.tile.not_(w) -> refused: dtype
        pl.tile.rsqrt(i) -> Vec INT16 [8, 16]
        pl.tile.rsqrt(i, i) -> Vec INT16 [8, 16]
        pl.tile.rsqrt(i, w) -> refused: dtype
        pl.tile.cast(a, pl.FP16) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.cast(a, target_type=pl.FP16, mode="rint") -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.cast(a, pl.FP32) -> refused: dtype
        pl.tile.cast(a, pl.FP16, mode="sideways") -> refused: attribute
    a: Vec FP16 [32, 1]; b: Vec FP32 [1, 32] col
        pl.tile.neg(a) -> Vec FP16 [32, 1] col
        pl.tile.prelu(b, b, b) -> Vec FP32 [1, 32] col
        pl.tile.prelu(a, b, a) -> refused: dtype
        pl.tile.abs(b) -> Vec FP32 [1, 32] col
        pl.tile.cast(b, pl.BF16) -> Vec BF16 [1, 32] col
    """
)

MASKS = rows(
    """
    a: Vec FP32 [8, 16] valid [n, 16]; b: Vec FP32 [8, 16]; i: INT32
        pl.tile.cmp(a, b) -> Vec UINT8 [8, 32] valid [n, 2]
        pl.tile.cmp(a, b, cmp_type=4) -> Vec UINT8 [8, 32] valid [n, 2]
        pl.tile.cmps(a, 0.0) -> Vec UINT8 [8, 32] valid [n, 2]
        pl.tile.cmps(a, i, cmp_type=1) -> Vec UINT8 [8, 32] valid [n, 2]
    a: Vec FP16 [8, 260]
        pl.tile.cmp(a, a) -> Vec UINT8 [8, 64] valid [8, 33]
    m: Vec UINT8 [8, 32]; t: Vec UINT8 [1, 32]; a: Vec FP32 [8, 16]; b: Vec FP16 [8, 16]
        pl.tile.sel(m, a, b, t) -> Vec FP32 [8, 16]
        pl.tile.sel(m, b, b, t) -> Vec FP16 [8, 16]
        pl.tile.sel(m, a, b) -> refused: arity
        pl.tile.sels(m, a, t, 0.0) -> Vec FP32 [8, 16]
        pl.tile.sels(m, b, t, 1) -> Vec FP16 [8, 16]
        pl.tile.sels(a, a, t, 0.0) -> refused: dtype
    m: Vec UINT8 [4, 32]; t: Vec UINT8 [1, 32]; a: Vec FP32 [8, 16]; u: Vec UINT16 [4, 16]
        pl.tile.sels(m, a, t, 0.0) -> refused: valid-region
        pl.tile.sels(m, u, t, 65535) -> Vec UINT16 [4, 16]
    """
)

PADS = rows(
    """
    a: Vec FP32 [8, 16] valid [n, 7]; b: Mat FP16 [16, 16] valid [3, 16]
        pl.tile.fillpad(a) -> Vec FP32 [8, 16] pad=zero
        pl.tile.fillpad(a, pad_value=pl.PadValue.min) -> Vec FP32 [8, 16] pad=min
        pl.tile.fillpad(a, pl.PadValue.null) -> refused: attribute
        pl.tile.fillpad_inplace(b) -> Mat FP16 [16, 16] nz pad=zero
        pl.tile.fillpad_expand(a, [8, 32]) -> Vec FP32 [8, 32] pad=zero
        pl.tile.fillpad_expand(a, [8, 8]) -> refused: shape
        pl.tile.fillpad_expand(a, [8, n]) -> refused: shape
    """
)

EXPANDS = rows(
    """
    a: Vec FP16 [8, 16] valid [n, 16]; r: Vec FP32 [8, 1]; c: Vec FP32 [1, 16]; w: Vec FP16 [8, 1] valid [n, 1]
        pl.tile.row_expand(a, r) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.row_expand_mul(a, r) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.row_expand_div(a, w) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.row_expand_sub(a, w) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.row_expand_max(a, w) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.row_expand_min(a, w) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.row_expand_expdif(a, w) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.row_expand_add(a, w) -> Vec FP16 [8, 16] valid [n, 16]
        pl.tile.row_expand_add(a, r) -> refused: dtype
        pl.tile.row_expand_mul(a, c) -> refused: shape
        pl.tile.col_expand(a, c) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.col_expand_mul(a, c) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.col_expand_add(a, c) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.col_expand_div(a, c) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.col_expand_sub(a, c) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.col_expand_max(a, c) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.col_expand_min(a, c) -> Vec FP32 [8, 16] valid [n, 16]
        pl.tile.col_expand_expdif(a, c) -> Vec FP32 [8, 16] valid [n, 16]
    a: Vec FP32 [8, 16]; r: Vec FP32 [4, 1]; p: Vec FP32 [8, 8]; q: Vec FP32 [8, 1] valid [n, 1]
        pl.tile.row_expand_mul(a, r) -> refused: shape
        pl.tile.row_expand_add(a, p) -> Vec FP32 [8, 16]
        pl.tile.row_expand_add(a, q) -> refused: valid-region
    """
)

REDUCTIONS = rows(
    """
    a: Vec FP16 [8, 16] valid [n, 7]; t: Vec FP16 [8, 16]; s: Vec FP16 [4, 16]; f: Vec FP32 [8, 16]
        pl.tile.row_sum(a, t) -> Vec FP16 [8, 1] valid [n, 1] col
        pl.tile.row_max(a, t) -> Vec FP16 [8, 1] valid [n, 1] col
        pl.tile.row_min(a, t) -> Vec FP16 [8, 1] valid [n, 1] col
        pl.tile.row_prod(a, t) -> Vec FP16 [8, 1] valid [n, 1] col
        pl.tile.row_argmax(a, t) -> Vec INT32 [8, 1] valid [n, 1] col
        pl.tile.row_argmin(a, t) -> Vec INT32 [8, 1] valid [n, 1] col
        pl.tile.row_sum(a, s) -> refused: shape
        pl.tile.row_sum(a, f) -> refused: dtype
        pl.tile.row_sum(a) -> refused: arity
        pl.tile.row_argmax(a, s) -> refused: shape
        pl.tile.col_sum(a) -> Vec FP16 [1, 16] valid [1, 7]
        pl.tile.col_sum(a, t) -> Vec FP16 [1, 16] valid [1, 7]
        pl.tile.col_sum(a, f) -> refused: dtype
        pl.tile.col_max(a) -> Vec FP16 [1, 16] valid [1, 7]
        pl.tile.col_min(a) -> Vec FP16 [1, 16] valid [1, 7]
        pl.tile.col_prod(a) -> Vec FP16 [1, 16] valid [1, 7]
        pl.tile.col_argmax(a, t) -> Vec INT32 [1, 16] valid [1, 7]
        pl.tile.col_argmin(a, t) -> Vec INT32 [1, 16] valid [1, 7]
    a: Vec FP32 [8, 16] valid [0, 16]; t: Vec FP32 [8, 16]; u: Vec BF16 [8, 16]
        pl.tile.row_max(a, t) -> refused: valid-region
        pl.tile.col_max(a) -> refused: valid-region
        pl.tile.row_min(u, u) -> refused: dtype
        pl.tile.row_max(u, u) -> Vec BF16 [8, 1] col
    """
)


ROWS = [*BINARY, *SCALARS, *UNARY, *MASKS, *PADS, *EXPANDS, *REDUCTIONS]


@pytest.mark.parametrize(("operands", "call", "expected"), ROWS)
def test_type_of_the_call(operands: str, call: str, expected: str) -> None:
    assert outcome(operands, call) == expected
