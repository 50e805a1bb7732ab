"""Types of the products of the matrix unit, on tiles and on tensors."""

from __future__ import annotations

import pytest

from tests.ops.notation import outcome, rows

PRODUCTS = rows(
    """
    a: Left FP16 [32, 64]; b: Right FP16 [64, 16]; c: Acc FP32 [32, 16]; h: Right BF16 [64, 16]; w: Right FP16 [32, 16]
        pl.tile.matmul(a, b) -> Acc FP32 [32, 16] nz /1024
        pl.tile.matmul(a, h) -> refused: dtype
        pl.tile.matmul(a, w) -> refused: shape
        pl.tile.matmul_acc(c, a, b) -> Acc FP32 [32, 16] nz /1024
        pl.tile.matmul_acc(c, a, b, init_cond=n == 0) -> Acc FP32 [32, 16] nz /1024
        pl.tile.matmul_acc(c, a, b, n) -> refused: dtype
        pl.tile.matmul_acc(a, a, b) -> refused: shape
        pl.matmul(a, b) -> Acc FP32 [32, 16] nz /1024
        pl.matmul(a, b, out_dtype=pl.FP32) -> Acc FP32 [32, 16] nz /1024
        pl.matmul(a, b, out_dtype=pl.FP16) -> refused: attribute
        pl.matmul(a, b, a_trans=True) -> refused: keyword
        pl.matmul(a, n) -> refused: operand-kind
    a: Left INT8 [32, 64] valid [n, 64]; b: Right INT8 [64, 16] valid [64, m]; c: Acc FP32 [32, 16]; \
    d: Acc INT32 [32, 16]
        pl.tile.matmul(a, b) -> Acc INT32 [32, 16] valid [n, m] nz /1024 compact
        pl.tile.matmul_acc(c, a, b) -> refused: dtype
        pl.tile.matmul_acc(d, a, b) -> Acc INT32 [32, 16] nz /1024
    a: Left FP32 [16, 32] valid [16, 32]; b: Right FP32 [32, 16] valid [16, 16]; c: Acc FP32 [16, 16] valid [8, 16]
        pl.tile.matmul(a, b) -> refused: valid-region
        pl.tile.matmul_acc(c, a, a) -> refused: shape
    a: Left FP32 [16, 16]; b: Right FP32 [16, 16]; c: Acc FP32 [16, 16] valid [8, 16]; v: Bias FP32 [1, 16]
        pl.tile.matmul_acc(c, a, b) -> refused: valid-region
        pl.tile.matmul_bias(a, b, v) -> Acc FP32 [16, 16] nz /1024
    a: Left FP16 [16, 16]; b: Right FP16 [16, 16]; v: Bias FP16 [1, 16]; w: Bias FP32 [1, 8]; u: Bias FP32 [2, 16]
        pl.tile.matmul_bias(a, b, v) -> refused: dtype
        pl.tile.matmul_bias(a, b, w) -> refused: shape
        pl.tile.matmul_bias(a, b, u) -> refused: shape
    """
)

VECTORS = rows(
    """
    a: Left FP16 [1, 64]; b: Right FP16 [64, 32]; w: Left FP16 [2, 64]; v: Bias FP32 [1, 32]
        pl.tile.gemv(a, b) -> Acc FP32 [16, 32] valid [1, 32] nz /1024
        pl.tile.gemv(a, b, acc_phase="final") -> Acc FP32 [16, 32] valid [1, 32] nz /1024
        pl.tile.gemv(a, b, acc_phase="middle") -> refused: attribute
        pl.tile.gemv(w, b) -> refused: shape
        pl.tile.gemv_bias(a, b, v) -> Acc FP32 [16, 32] valid [1, 32] nz /1024
    c: Acc FP32 [16, 32] valid [1, 32]; f: Acc FP32 [16, 32]; a: Left FP16 [1, 64]; b: Right FP16 [64, 32]
        pl.tile.gemv_acc(c, a, b) -> Acc FP32 [16, 32] valid [1, 32] nz /1024
        pl.tile.gemv_acc(f, a, b) -> refused: valid-region
    a: Left INT8 [1, 64]; b: Right INT8 [64, 32]; i: Left INT32 [1, 64]; j: Right INT32 [64, 32]
        pl.tile.gemv(i, j) -> refused: dtype
        pl.tile.gemv(a, b) -> Acc INT32 [16, 32] valid [1, 32] nz /1024
    """
)

BATCHES = rows(
    """
    a: Vec FP16 [4, 16, 32]; b: Vec FP16 [1, 32, 64]; c: Acc FP32 [4, 16, 64]; d: Vec FP16 [3, 32, 64]
        pl.tile.batch_matmul(a, b) -> Acc FP32 [4, 16, 64] nz /1024
        pl.tile.batch_matmul(a, d) -> refused: shape
        pl.tile.batch_matmul_acc(c, a, b) -> Acc FP32 [4, 16, 64] nz /1024
        pl.tile.batch_matmul_acc(a, a, b) -> refused: shape
        pl.batch_matmul(a, b) -> Acc FP32 [4, 16, 64] nz /1024
    """
)

SCALED = rows(
    """
    a: Left FP8E4M3FN [16, 64]; s: LeftScale FP8E8M0 [16, 2]; b: Right FP8E4M3FN [64, 32]; t: RightScale FP8E8M0 [2, 32]
        pl.tile.matmul_mx(a, s, b, t) -> Acc FP32 [16, 32] nz /1024
        pl.tile.matmul_mx(a, t, b, t) -> refused: shape
        pl.tile.matmul_mx(s, s, b, t) -> refused: dtype
        pl.tile.tget_scale_addr(s, a) -> LeftScale FP8E8M0 [16, 2] zz /32
        pl.tile.tget_scale_addr(t, b) -> RightScale FP8E8M0 [2, 32] nn /32
        pl.tile.tget_scale_addr(s, b) -> refused: space
    c: Acc FP32 [16, 32]; a: Left FP8E4M3FN [16, 64]; s: LeftScale FP8E8M0 [16, 2]; b: Right FP8E4M3FN [64, 32]; \
    t: RightScale FP8E8M0 [2, 32]; v: Bias FP32 [1, 32]; h: Acc FP16 [16, 32]
        pl.tile.matmul_mx_acc(c, a, s, b, t) -> Acc FP32 [16, 32] nz /1024
        pl.tile.matmul_mx_acc(h, a, s, b, t) -> refused: dtype
        pl.tile.matmul_mx_bias(a, s, b, t, v) -> Acc FP32 [16, 32] nz /1024
        pl.tile.matmul_mx_bias(a, s, b, t, c) -> refused: shape
    a: Left FP8E4M3FN [16, 32]; s: LeftScale FP8E8M0 [16, 1]; b: Right FP8E4M3FN [32, 32]; t: RightScale FP8E8M0 [1, 32]
        pl.tile.matmul_mx(a, s, b, t) -> refused: shape
    u: Mat UINT8 [16, 2] zz /32; w: Mat UINT8 [16, 2]
        pl.tile.move(u, target_memory=pl.Mem.LeftScale) -> LeftScale FP8E8M0 [16, 2] zz /32
        pl.tile.move(w, target_memory=pl.Mem.LeftScale) -> refused: layout
    """
)

TENSORS = rows(
    """
    a: GM FP16 [32, 64]; b: GM FP16 [64, 16]; t: GM FP16 [16, 64]; v: GM FP16 [64]; p: GM FP16 [4, 32, 64]
        pl.tensor.matmul(a, b) -> GM FP16 [32, 16]
        pl.matmul(a, b, out_dtype=pl.FP32) -> GM FP32 [32, 16]
        pl.matmul(a, t, b_trans=True) -> GM FP16 [32, 16]
        pl.matmul(a, t) -> refused: shape
        pl.tensor.matmul(a, v) -> GM FP16 [32]
        pl.tensor.matmul(p, b) -> GM FP16 [4, 32, 16]
        pl.tensor.matmul(p, v) -> refused: shape
        pl.tensor.matmul(v, v, a_trans=True) -> refused: attribute
    a: GM FP16 [32, 64]; b: GM FP16 [64, 16]; c: GM FP32 [32, 16]; d: GM FP16 [32, 16]
        pl.matmul_acc(c, a, b) -> GM FP32 [32, 16]
        pl.matmul_acc(c, a, b, init_cond=k == 0) -> GM FP32 [32, 16]
        pl.matmul_acc(d, a, b) -> refused: dtype
        pl.matmul_acc(c, b, a) -> refused: shape
    c: GM FP32 [16, 32]; p: GM FP32 [16, 32] valid [16, 20]
        pl.tensor.aiv_shard(c, split=1) -> GM FP32 [8, 32]
        pl.tensor.aic_gather(c, split=2) -> GM FP32 [16, 64]
        pl.aiv_shard(p, split=2) -> refused: valid-region
    """
)


ROWS = [*PRODUCTS, *VECTORS, *BATCHES, *SCALED, *TENSORS]


@pytest.mark.parametrize(("operands", "call", "expected"), ROWS)
def test_type_of_the_call(operands: str, call: str, expected: str) -> None:
    assert outcome(operands, call) == expected
