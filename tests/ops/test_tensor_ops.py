"""Types of the tensor ops: one row for each op and each condition."""

from __future__ import annotations

import pytest

from tests.ops.notation import outcome, rows

BINARY = rows(
    """
    a: GM FP32 [8, 16] valid [n, 16]; b: GM FP32 [8, 16] valid [n, 16]; c: GM FP32 [8, 16]; r: GM FP16 [16]
        pl.tensor.add(a, b) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.sub(a, c) -> GM FP32 [8, 16]
        pl.tensor.mul(a, r) -> GM FP32 [8, 16]
        pl.tensor.div(a, b) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.fmod(a, b) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.part_add(a, b) -> GM FP32 [8, 16]
        pl.tensor.part_mul(a, b) -> GM FP32 [8, 16]
        pl.tensor.part_max(a, b) -> GM FP32 [8, 16]
        pl.tensor.part_min(a, b) -> GM FP32 [8, 16]
        pl.maximum(a, b) -> GM FP32 [8, 16] valid [n, 16]
        pl.minimum(a, 0.0) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.cmp(a, b, cmp_type=2) -> GM FP32 [8, 16]
        pl.cmp(a, 0.0) -> GM FP32 [8, 16]
        pl.add(a, 1) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.adds(a, 1.0) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.subs(a, 1.0) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.muls(a, 1.0) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.divs(a, 1.0) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.fmods(a, 1.0) -> GM FP32 [8, 16] valid [n, 16]
        pl.tensor.muls(a, n) -> refused: dtype
        pl.div(a, 2.0) -> GM FP32 [8, 16] valid [n, 16]
        pl.div(a, 2.0, high_precision=True) -> refused: keyword
    a: GM BF16 [8, 16]; b: GM BF16 [8, 8]; i: GM UINT8 [8, 16]
        pl.tensor.add(a, b) -> refused: shape
        pl.tensor.div(a, a) -> refused: dtype
        pl.tensor.subs(i, 1) -> refused: dtype
    """
)

BITS = rows(
    """
    a: GM INT32 [8, 16] valid [n, 16]; b: GM INT16 [8, 16]; c: GM INT32 [1, 16]; f: GM FP32 [8, 16]; w: INT32
        pl.and_(a, b) -> GM INT32 [8, 16]
        pl.or_(a, a) -> GM INT32 [8, 16] valid [n, 16]
        pl.xor(a, b) -> GM INT32 [8, 16]
        pl.and_(a, c) -> refused: shape
        pl.and_(a, f) -> refused: dtype
        pl.tensor.shl(b, a) -> GM INT16 [8, 16]
        pl.tensor.shr(a, a) -> GM INT32 [8, 16] valid [n, 16]
        pl.tensor.ands(a, 7) -> GM INT32 [8, 16] valid [n, 16]
        pl.tensor.ors(a, w) -> GM INT32 [8, 16] valid [n, 16]
        pl.tensor.xors(a, 7) -> GM INT32 [8, 16]
        pl.tensor.shls(a, 2) -> GM INT32 [8, 16] valid [n, 16]
        pl.tensor.shrs(a, 2) -> GM INT32 [8, 16] valid [n, 16]
        pl.tensor.shls(a, -2) -> refused: attribute
        pl.not_(b) -> GM INT16 [8, 16]
        pl.not_(a) -> refused: dtype
    """
)

UNARY = rows(
    """
    a: GM FP16 [8, 16] valid [n, 16]; i: GM INT32 [8, 16]; s: GM FP32 [8, 16]
        pl.neg(a) -> GM FP16 [8, 16] valid [n, 16]
        pl.abs(i) -> GM INT32 [8, 16]
        pl.recip(i) -> GM FP32 [8, 16]
        pl.recip(i, high_precision=True) -> refused: attribute
        pl.exp(i) -> GM FP32 [8, 16]
        pl.exp(a) -> GM FP16 [8, 16] valid [n, 16]
        pl.log(a) -> GM FP16 [8, 16] valid [n, 16]
        pl.log(i) -> refused: dtype
        pl.sin(s) -> GM FP32 [8, 16]
        pl.cos(s) -> GM FP32 [8, 16]
        pl.cos(a) -> refused: dtype
        pl.sqrt(i) -> GM FP32 [8, 16]
        pl.rsqrt(a, high_precision=True) -> GM FP16 [8, 16] valid [n, 16]
        pl.cast(a, pl.FP32) -> GM FP32 [8, 16] valid [n, 16]
        pl.cast(a, pl.FP16) -> refused: dtype
    """
)

EXPANDS = rows(
    """
    a: GM FP16 [8, 16] valid [n, 16]; r: GM FP32 [8, 1]; w: GM FP16 [8, 1]; c: GM FP32 [1, 16]; x: GM FP16 [4, 1]
        pl.row_expand(a, r) -> GM FP32 [8, 16]
        pl.row_expand_mul(a, r) -> GM FP32 [8, 16]
        pl.row_expand_div(a, w) -> GM FP16 [8, 16]
        pl.row_expand_add(a, w) -> GM FP16 [8, 16]
        pl.row_expand_add(a, r) -> refused: dtype
        pl.row_expand_sub(a, w) -> GM FP16 [8, 16]
        pl.row_expand_max(a, w) -> GM FP16 [8, 16]
        pl.row_expand_min(a, w) -> GM FP16 [8, 16]
        pl.row_expand_expdif(a, w) -> GM FP16 [8, 16]
        pl.row_expand_mul(a, c) -> refused: shape
        pl.row_expand_mul(a, x) -> refused: shape
        pl.col_expand(a, c) -> GM FP32 [8, 16]
        pl.col_expand_mul(a, c) -> GM FP32 [8, 16]
        pl.col_expand_add(a, c) -> GM FP32 [8, 16]
        pl.col_expand_sub(a, c) -> GM FP32 [8, 16]
        pl.col_expand_div(a, c) -> GM FP32 [8, 16]
        pl.col_expand_max(a, c) -> GM FP32 [8, 16]
        pl.col_expand_min(a, c) -> GM FP32 [8, 16]
        pl.col_expand_expdif(a, c) -> GM FP32 [8, 16]
        pl.col_expand_mul(a, r) -> refused: shape
        pl.expands(a, 1.0) -> GM FP16 [8, 16]
    a: GM FP16 [4, 1, 16]; t: GM FP16 [4, 8, 16]; u: GM FP16 [2, 8, 16]
        pl.expand_clone(a, t) -> GM FP16 [4, 8, 16]
        pl.expand_clone(a, u) -> refused: shape
    """
)

REDUCTIONS = rows(
    """
    a: GM FP16 [8, 16] valid [n, 7]; v: GM FP16 [16]; u: GM BF16 [8, 16]; e: GM FP16 [8, 16] valid [0, 16]
        pl.row_sum(a) -> GM FP16 [8, 1] valid [n, 1]
        pl.row_max(a) -> GM FP16 [8, 1] valid [n, 1]
        pl.row_min(a) -> GM FP16 [8, 1] valid [n, 1]
        pl.row_min(u) -> refused: dtype
        pl.row_prod(v) -> GM FP16 [1]
        pl.row_argmax(a) -> GM INT32 [8, 1] valid [n, 1]
        pl.row_argmin(a) -> GM INT32 [8, 1] valid [n, 1]
        pl.row_max(e) -> refused: valid-region
        pl.row_max(a, a) -> refused: keyword
        pl.col_sum(a) -> GM FP16 [1, 16] valid [1, 7]
        pl.col_max(a) -> GM FP16 [1, 16] valid [1, 7]
        pl.col_min(a) -> GM FP16 [1, 16] valid [1, 7]
        pl.col_prod(a) -> GM FP16 [1, 16] valid [1, 7]
        pl.col_argmax(a) -> GM INT32 [1, 16] valid [1, 7]
        pl.col_argmin(a) -> GM INT32 [1, 16] valid [1, 7]
        pl.col_max(v) -> refused: shape
    """
)

CREATIONS = rows(
    """
    i: INT32; f: FP32; x: GM FP32 [8, n]
        pl.create_tensor([8, n], dtype=pl.FP32) -> GM FP32 [8, n]
        pl.create_tensor([8, 16], pl.FP16, layout=pl.TensorLayout.DN) -> GM FP16 [8, 16] DN
        pl.create_tensor([8, f], dtype=pl.FP32) -> refused: dtype
        pl.create_tensor([8, 3], dtype=pl.FP4) -> refused: shape
        pl.full([8, 16], pl.FP32, 0.0) -> GM FP32 [8, 16]
        pl.tensor.ci(0, [1, 32]) -> GM INT32 [1, 32]
        pl.arange(i, [1, 32], dtype=pl.INT32) -> GM INT32 [1, 32]
        pl.arange(i, [1, 32], dtype=pl.INT16) -> refused: dtype
        pl.arange(0, [32, 1]) -> refused: shape
        pl.random(1, 2, 3, 4, 5, 6, [8, 32]) -> GM UINT32 [8, 32]
        pl.random(1, 2, 3, 4, 5, 6, [32]) -> refused: shape
        pl.create_l1([8, 16], pl.FP16) -> GM FP16 [8, 16]
        pl.tensor.alloc(pl.Mem.DDR, 64) -> unknown
        pl.tensor.read(x, [0, n]) -> FP32
        pl.read(x, [0]) -> refused: shape
        pl.write(x, [0, 0], f) -> GM FP32 [8, n]
        pl.write(x, [0, 0], i) -> refused: dtype
        pl.tensor.dim(x, 1) -> INDEX
        pl.dim(x, -2) -> INDEX
        pl.dim(x, 2) -> refused: shape
        pl.get_block_idx() -> INDEX
        pl.get_subblock_idx() -> INDEX
        pl.get_block_num() -> INDEX
        pl.no_dep(x) -> GM FP32 [8, n]
        pl.dump_tag(x) -> GM FP32 [8, n]
    """
)

WINDOWS = rows(
    """
    x: GM FP32 [64, 128]; p: GM FP32 [64, 128] valid [m, 128] pad=zero; s: GM FP8E8M0 [16, 4] MX_A_ZZ; \
    d: GM FP32 [64, 128] distributed
        pl.slice(x, [16, 32], [0, 64]) -> GM FP32 [16, 32]
        pl.slice(x, [16, n], [0, 0]) -> GM FP32 [16, n]
        pl.slice(x, [16, 32], [0, 0], [n, 32]) -> GM FP32 [16, 32] valid [n, 32]
        pl.slice(x, [16, 32], [49, 0]) -> refused: out-of-bounds
        pl.slice(x, [16, 32], [56, 0], clamp=True) -> GM FP32 [16, 32] valid [8, 32]
        pl.slice(x, [1, 32], [0, 0], drop_dims=[0]) -> GM FP32 [32]
        pl.slice(x, [1, 1], [0, 0], drop_dims=[0, 1]) -> refused: shape
        pl.slice(x, [2, 32], [0, 0], drop_dims=[0]) -> refused: shape
        pl.slice(x, [16, 32], [0, 0], pad_value=pl.PadValue.max) -> GM FP32 [16, 32] pad=max
        pl.slice(p, [16, 32], [0, 0]) -> GM FP32 [16, 32] valid [min(m, 16), 32] pad=zero
        pl.slice(s, [16, 2], [0, 0]) -> refused: layout
        pl.slice(d, [16, 32], [0, 0]) -> GM FP32 [16, 32] distributed
    t: GM FP32 [64, 128] valid [64, 32]; s: GM FP32 [64, 32]; v: GM FP32 [64, 32] valid [64, 8]
        pl.assemble(t, s, [0, 32]) -> GM FP32 [64, 128] valid [64, 64]
        pl.assemble(t, v, [0, 32]) -> GM FP32 [64, 128] valid [64, 40]
        pl.assemble(t, s, [0, 33]) -> refused: valid-region
        pl.assemble(t, s, [0, 97]) -> refused: out-of-bounds
        pl.assemble(t, s, [0, 0], atomic=pl.AtomicType.Add) -> GM FP32 [64, 128] valid [64, 32]
        pl.fillpad(t) -> GM FP32 [64, 128]
        pl.fillpad(t, pl.PadValue.null) -> refused: attribute
        pl.fillpad_expand(s, [64, 64]) -> GM FP32 [64, 64] pad=zero
        pl.fillpad_expand(s, [32, 64]) -> refused: shape
        pl.set_validshape(s, n, 16) -> GM FP32 [64, 32] valid [n, 16]
        pl.set_validshape(s, 65, 16) -> refused: valid-region
    a: GM FP16 [16, 64]; x: GM FP16 [128, 64]
        pl.gather_row(a, x, [0, 0], [n, 0], [1, 64]) -> GM FP16 [16, 64]
        pl.gather_row(a, x, [0, 0], [n, 0], [1, 64], valid_shape=[2, 64]) -> refused: valid-region
    """
)

VIEWS = rows(
    """
    x: GM FP32 [16, 32]; p: GM FP32 [16, 32] valid [n, 32]; d: GM FP32 [16, 32] DN; h: GM FP16 [16, 32]
        pl.reshape(x, [8, 64]) -> GM FP32 [8, 64]
        pl.reshape(x, [8, 63]) -> refused: shape
        pl.reshape(p, [1, 16, 32]) -> GM FP32 [1, 16, 32] valid [1, n, 32]
        pl.reshape(p, [8, 64]) -> refused: valid-region
        pl.reinterpret_view(x, pl.FP16) -> GM FP16 [16, 64]
        pl.reinterpret_view(d, pl.FP16) -> GM FP16 [32, 32] DN
        pl.reinterpret_view(h, pl.FP32) -> GM FP32 [16, 16]
        pl.reinterpret_view(x, pl.FP16, shape=[8, 128]) -> GM FP16 [8, 128]
        pl.reinterpret_view(x, pl.FP16, shape=[8, 64]) -> refused: shape
        pl.transpose(x, 0, 1) -> GM FP32 [32, 16] DN stride [1, 32]
        pl.transpose(p, 0, 1) -> GM FP32 [32, 16] valid [32, n] DN stride [1, 32]
        pl.transpose(x, 1, 1) -> refused: attribute
        pl.tensor.view(x, [32, 16]) -> GM FP32 [32, 16] stride [16, 1]
        pl.tensor.view(x, layout=pl.TensorLayout.DN) -> GM FP32 [32, 16] DN stride [1, 32]
        pl.tensor.view(x) -> refused: arity
        pl.tensor.view(p, [32, 16]) -> refused: valid-region
        pl.tensor.view(x, [32, 16], [16, 16]) -> refused: valid-region
        pl.concat(x, x) -> GM FP32 [16, 64]
        pl.concat(x, h) -> refused: dtype
    x: GM FP32 [2, 16, 128] valid [1, 16, 128]; g: GM FP32 [4, 8] stride [16, 1]; w: GM FP32 [4, 8] stride [16, 2]; \
    s: GM FP32 [4, 8] stride [4, 1]; b: GM FP32 [4, 8] valid [4]
        pl.tensor.view(x, [32, 128], [16, 128]) -> GM FP32 [32, 128] valid [16, 128] stride [128, 1]
        pl.tensor.view(x, [1, 4096], [1, 2048]) -> GM FP32 [1, 4096] valid [1, 2048] stride [4096, 1]
        pl.tensor.view(x, [32, 128], [15, 128]) -> refused: valid-region
        pl.tensor.view(x, [32, 128], [16]) -> refused: shape
        pl.tensor.view(x, [32, 128], [33, 128]) -> refused: valid-region
        pl.tensor.view(g, layout=pl.TensorLayout.DN) -> GM FP32 [8, 4] DN stride [1, 16]
        pl.tensor.view(g, [32]) -> refused: layout
        pl.tensor.view(w, layout=pl.TensorLayout.DN) -> refused: layout
        pl.tensor.view(s, layout=pl.TensorLayout.DN) -> refused: layout
        pl.neg(b) -> refused: valid-region
    """
)

INDEXED = rows(
    """
    a: GM FP32 [8, 64]; i: GM INT32 [8, 32]; j: GM INT32 [9, 32]; s: GM FP32 [8, 32]; u: GM UINT32 [8, 64]; w: INT32
        pl.gather(a, 1, i) -> GM FP32 [8, 32]
        pl.gather(a, dim=-1, index=i) -> GM FP32 [8, 32]
        pl.gather(a, 1, j) -> refused: shape
        pl.gather(a, 2, i) -> refused: attribute
        pl.gather(a) -> refused: arity
        pl.gather(a, mask_pattern=3) -> GM FP32 [8, 16]
        pl.gather(a, 1, i, mask_pattern=3) -> refused: arity
        pl.gather(a, kvalue=1.0, cmp_mode="gt", out_cols=8) -> GM INT32 [8, 8] and GM INT32 [1, 8]
        pl.gather(a, kvalue=1, cmp_mode="gt", out_cols=8, count_dtype=pl.UINT32) -> refused: dtype
        pl.gather(i, kvalue=w, cmp_mode="ge", out_cols=8, count_dtype=pl.UINT32) -> GM INT32 [8, 8] and GM UINT32 [1, 8]
        pl.gather(a, kvalue=1.0, cmp_mode="gt", out_cols=8, count_dtype=pl.FP32) -> refused: dtype
        pl.scatter(a, 1, i, s) -> GM FP32 [8, 64]
        pl.scatter(a, 0, i, s) -> refused: attribute
        pl.scatter(s, mask_pattern=1, dst=a) -> GM FP32 [8, 64]
        pl.scatter(s, mask_pattern=3, dst=a) -> refused: shape
        pl.scatter_update(a, -2, i, s) -> GM FP32 [8, 64]
        pl.scatter_update(a, -1, i, s) -> refused: attribute
        pl.sort32(a, u) -> GM FP32 [8, 128]
        pl.sort32(a, i) -> refused: dtype
        pl.mrgsort(a, block_len=64) -> GM FP32 [8, 64]
        pl.mrgsort(a, block_len=65) -> refused: attribute
        pl.mrgsort(a, s) -> GM FP32 [8, 96]
        pl.mrgsort(a, u) -> refused: dtype
        pl.mrgsort(a, s, tmp=a) -> refused: keyword
    x: GM BF16 [256, 128]; i: GM INT32 [16]; t: GM INT32 [1, 8]; f: GM FP32 [16]
        pl.paged_gather(x, i, t, block_size=32, size=64, max_indices=16) -> GM BF16 [16, 64]
        pl.paged_gather(x, i, t, block_size=32, size=64, max_indices=16, is_trans=True) -> GM BF16 [64, 16]
        pl.paged_gather(x, i, t, block_size=32, size=64, max_indices=16, col_off=65) -> refused: out-of-bounds
        pl.paged_gather(x, f, t, block_size=32, size=64, max_indices=16) -> refused: shape
        pl.paged_gather(x, i, t, block_size=0, size=64, max_indices=16) -> refused: attribute
    """
)


ROWS = [*BINARY, *BITS, *UNARY, *EXPANDS, *REDUCTIONS, *CREATIONS, *WINDOWS, *VIEWS, *INDEXED]


@pytest.mark.parametrize(("operands", "call", "expected"), ROWS)
def test_type_of_the_call(operands: str, call: str, expected: str) -> None:
    assert outcome(operands, call) == expected
