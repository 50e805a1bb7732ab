"""Types of the tile ops that load, store, move, window, rename, make or index data."""

from __future__ import annotations

import pytest

from tests.ops.notation import outcome, rows

LOADS = rows(
    """
    x: GM FP16 [64, 128]; y: GM FP16 [n, 128]; z: GM FP16 [64, 128] DN; p: GM FP16 [64, 128] valid [m, 128]
        pl.tile.load(x, [0, 0], [16, 32]) -> Vec FP16 [16, 32]
        pl.tile.load(x, [0, 0], [16, 32], target_memory=pl.Mem.Mat) -> Mat FP16 [16, 32] nz
        pl.tile.load(z, [0, 0], [16, 32], target_memory=pl.Mem.Mat) -> Mat FP16 [16, 32] zn
        pl.tile.load(x, [0, 0], [1, 32], target_memory=pl.Mem.Mat) -> Mat FP16 [1, 32]
        pl.tile.load(z, [0, 0], [1, 16], target_memory=pl.Mem.Mat) -> Mat FP16 [1, 16] zn
        pl.tile.load(z, [0, 0], [16, 1], target_memory=pl.Mem.Mat) -> Mat FP16 [16, 1]
        pl.tile.load(x, [0, 0], [16, 1]) -> Vec FP16 [16, 1] col
        pl.tile.load(x, [0, 0], [16, 32], [n, 32]) -> Vec FP16 [16, 32] valid [n, 32]
        pl.tile.load(x, [0, 0], [16, 32], [17, 32]) -> refused: valid-region
        pl.tile.load(x, [0, 0], [16, 32], target_memory=pl.Mem.Left) -> refused: space
        pl.tile.load(x, [60, 0], [16, 32]) -> refused: out-of-bounds
        pl.tile.load(x, [60, 0], [16, 32], [4, 32]) -> Vec FP16 [16, 32] valid [4, 32]
        pl.tile.load(x, [60, 0], [16, 32], clamp=True) -> Vec FP16 [16, 32] valid [4, 32]
        pl.tile.load(x, [n, 0], [16, 32]) -> Vec FP16 [16, 32]
        pl.tile.load(x, [-1, 0], [16, 32]) -> refused: out-of-bounds
        pl.tile.load(x, [0], [16, 32]) -> refused: shape
        pl.tile.load(y, [n, 0], [16, 32]) -> refused: out-of-bounds
        pl.tile.load(p, [0, 0], [16, 32]) -> Vec FP16 [16, 32] valid [min(m, 16), 32]
        pl.tile.load(x, [0, 0], [16, 32], target_memory=pl.Mem.Vec, clamped=True) -> refused: keyword
    s: GM FP8E8M0 [16, 4] MX_A_ZZ; t: GM FP8E8M0 [4, 16] MX_B_NN; u: GM FP16 [16, 4] MX_A_ZZ; \
    v: GM FP8E8M0 [16, 4] MX_A_ZZ stride [4, 1]; w: GM FP8E8M0 [16, 4] MX_A_ZZ stride [8, 1]
        pl.tile.load(s, [0, 0], [16, 2], target_memory=pl.Mem.Mat) -> Mat FP8E8M0 [16, 2] zz /32
        pl.tile.load(t, [0, 0], [2, 16], target_memory=pl.Mem.Mat) -> Mat FP8E8M0 [2, 16] nn /32
        pl.tile.load(s, [0, 0], [16, 2]) -> refused: space
        pl.tile.load(v, [0, 0], [16, 2], target_memory=pl.Mem.Mat) -> Mat FP8E8M0 [16, 2] zz /32
        pl.tile.load(w, [0, 0], [16, 2], target_memory=pl.Mem.Mat) -> refused: layout
        pl.tile.load(u, [0, 0], [16, 2], target_memory=pl.Mem.Mat) -> refused: dtype
    """
)

STORES = rows(
    """
    a: Vec FP32 [16, 32]; v: Vec FP32 [16, 32] valid [16, 8]; g: GM FP32 [16, 64]; w: GM FP32 [16, 64] valid [16, 32]
        pl.tile.store(a, [0, 0], g) -> GM FP32 [16, 64]
        pl.tile.store(a, [0, 32], w) -> GM FP32 [16, 64]
        pl.tile.store(v, [0, 32], w) -> GM FP32 [16, 64] valid [16, 40]
        pl.tile.store(a, [0, 33], g) -> refused: out-of-bounds
        pl.tile.store(v, [0, 56], g) -> GM FP32 [16, 64]
        pl.tile.store(v, [0, 40], w) -> refused: valid-region
        pl.tile.store(a, [0, 0], g, atomic=pl.AtomicType.Add) -> GM FP32 [16, 64]
        pl.tile.store(a, [0, 0, 0], g) -> GM FP32 [16, 64]
        pl.tile.store(g, [0, 0], g) -> refused: operand-kind
    u: Vec UINT8 [16, 32]; g: GM UINT8 [16, 64]; i: Vec INT32 [16, 16]; t: GM INT32 [16, 16]
        pl.tile.store(u, [0, 0], g, atomic=pl.AtomicType.Add) -> refused: dtype
        pl.tile.mscatter(i, i, t) -> GM INT32 [16, 16]
        pl.tile.mscatter(u, i, g) -> refused: dtype
    """
)

MOVES = rows(
    """
    a: Mat FP16 [16, 32] nz valid [n, 32]; v: Vec FP32 [16, 1]; c: Acc FP32 [16, 16]; r: Vec FP32 [8, 16] pad=zero
        pl.tile.move(a, target_memory=pl.Mem.Left) -> Left FP16 [16, 32] valid [n, 32] nz
        pl.tile.move(a, target_memory=pl.Mem.Right) -> Right FP16 [16, 32] valid [n, 32] zn
        pl.tile.move(c, target_memory=pl.Mem.Vec) -> Vec FP32 [16, 16] nz
        pl.tile.move(c, target_memory=pl.Mem.Mat) -> Mat FP32 [16, 16] nz
        pl.tile.move(v, target_memory=pl.Mem.Vec) -> Vec FP32 [16, 1] col
        pl.tile.move(r, target_memory=pl.Mem.Vec) -> Vec FP32 [8, 16] pad=zero
        pl.tile.move(a) -> refused: arity
        pl.tile.move(a, target_memory=pl.Mem.LeftScale) -> refused: dtype
    """
)

WINDOWS = rows(
    """
    a: Vec FP32 [16, 32] valid [n, 20]; m3: Vec FP32 [2, 16, 32]; b: Mat FP16 [32, 64]; i: INT32
        pl.tile.slice(a, [8, 16], [0, 0]) -> Vec FP32 [8, 16] valid [min(n, 8), 16]
        pl.tile.slice(a, [8, 16], [0, 16]) -> Vec FP32 [8, 16] valid [min(n, 8), 4]
        pl.tile.slice(a, [8, 16], [0, 0], [4, 4]) -> Vec FP32 [8, 16] valid [4, 4]
        pl.tile.slice(a, [8, 16], [0, 0], [4, 17]) -> refused: valid-region
        pl.tile.slice(a, [8, 16], [9, 0]) -> refused: out-of-bounds
        pl.tile.slice(a, [8, 16], [m, 0]) -> Vec FP32 [8, 16] valid [min((max(n, m) - m), 8), 16]
        pl.tile.slice(a, [n, 16], [0, 0]) -> refused: shape
        pl.tile.slice(a, [8], [0, 0]) -> refused: shape
        pl.tile.slice(a, [8, 16], [i, 0]) -> refused: dtype
        pl.tile.slice(m3, [1, 16, 32], [1, 0, 0], None, [0]) -> Vec FP32 [16, 32]
        pl.tile.slice(m3, [1, 1, 32], [1, 0, 0], drop_dims=[0, 1]) -> Vec FP32 [1, 32]
        pl.tile.slice(m3, [2, 16, 32], [0, 0, 0], drop_dims=[0]) -> refused: shape
        pl.tile.extract(b, 0, 32, [32, 32], target_memory=pl.Mem.Left) -> Left FP16 [32, 32] zz
        pl.tile.extract(b, 0, 32, [32, 32], target_memory=pl.Mem.Right) -> Right FP16 [32, 32] zn
        pl.tile.extract(b, 0, 33, [32, 32], target_memory=pl.Mem.Left) -> refused: out-of-bounds
        pl.tile.extract(b, 0, 0, [64, 32], target_memory=pl.Mem.Left) -> refused: out-of-bounds
        pl.tile.extract(b, i, 0, [16, 32], target_memory=pl.Mem.Left) -> refused: dtype
        pl.tile.extract(m3, 0, 0, [16, 32], target_memory=pl.Mem.Left) -> refused: shape
    a: Mat FP16 [32, 32] nz valid [n, 32]
        pl.tile.extract(a, 0, 0, [8, 8], target_memory=pl.Mem.Left) -> Left FP16 [8, 8] valid [min(n, 8), 8] zz compact
    t: Vec FP32 [16, 32] valid [16, 16]; s: Vec FP32 [16, 16]; h: Vec FP16 [16, 16]; w: Vec FP16 [16, 32]
        pl.tile.assemble(t, s, [0, 16]) -> Vec FP32 [16, 32]
        pl.tile.assemble(t, s, [0, 0]) -> Vec FP32 [16, 32] valid [16, 16]
        pl.tile.assemble(t, s, [0, 17]) -> refused: out-of-bounds
        pl.tile.assemble(t, h, [0, 16]) -> refused: dtype
        pl.tile.assemble(w, s, [0, 16]) -> Vec FP16 [16, 32]
    """
)

RENAMINGS = rows(
    """
    a: Vec FP32 [16, 32] valid [n, 32]; f: Vec FP32 [16, 32]; b: Mat FP16 [16, 32] nz; c: Vec FP32 [16, 1]
        pl.tile.reshape(f, [32, 16]) -> Vec FP32 [32, 16]
        pl.tile.reshape(f, [512, 1]) -> Vec FP32 [512, 1] col
        pl.tile.reshape(f, [32, 8]) -> refused: shape
        pl.tile.reshape(a, [1, 16, 32]) -> Vec FP32 [1, 16, 32] valid [1, n, 32]
        pl.tile.reshape(a, [32, 16]) -> refused: valid-region
        pl.tile.reshape(c, [1, 16]) -> Vec FP32 [1, 16]
        pl.tile.reinterpret_view(f, pl.INT32) -> Vec INT32 [16, 32]
        pl.tile.reinterpret_view(f, pl.FP16) -> Vec FP16 [16, 64]
        pl.tile.reinterpret_view(a, pl.FP16) -> Vec FP16 [16, 64] valid [n, 64]
        pl.tile.reinterpret_view(c, pl.FP16) -> Vec FP16 [32, 1] col
        pl.tile.reinterpret_view(b, pl.FP32) -> refused: layout
        pl.tile.reinterpret_view(f, pl.FP32) -> refused: dtype
        pl.tile.transpose_view(b) -> Mat FP16 [32, 16] zn
        pl.tile.transpose_view(a) -> Vec FP32 [32, 16] valid [32, n] col
        pl.tile.set_validshape(f, n, 8) -> Vec FP32 [16, 32] valid [n, 8]
        pl.tile.set_validshape(f, 17, 8) -> refused: valid-region
        pl.tile.transpose(f, 0, 1) -> Vec FP32 [32, 16]
        pl.tile.transpose(f, 0, -1, f) -> Vec FP32 [32, 16]
        pl.tile.transpose(f, 0, 0) -> refused: attribute
        pl.tile.transpose(f, 0, 2) -> refused: shape
        pl.tile.concat(f, f) -> Vec FP32 [16, 64]
        pl.tile.concat(f, c) -> Vec FP32 [16, 33]
    v: Vec FP32 [16, 32] valid [2, 32]; u: Vec FP32 [8, 32]; h: Vec FP16 [8, 32]
        pl.tile.reshape(v, [8, 64]) -> Vec FP32 [8, 64] valid [1, 64]
        pl.tile.reshape(v, [32, 16]) -> Vec FP32 [32, 16] valid [4, 16]
        pl.tile.concat(v, u) -> refused: shape
        pl.tile.concat(u, h) -> refused: dtype
    """
)

CREATIONS = rows(
    """
    i: INT32; w: INT64; f: FP32; t: Vec FP32 [8, 16]
        pl.tile.create([8, 16], pl.FP32) -> Vec FP32 [8, 16]
        pl.tile.create([8, 1], dtype=pl.FP32, target_memory=pl.Mem.Vec) -> Vec FP32 [8, 1] col
        pl.tile.create([16, 16], dtype=pl.FP32, target_memory=pl.Mem.Acc) -> Acc FP32 [16, 16] nz /1024
        pl.tile.create([16, 16], dtype=pl.FP16, target_memory=pl.Mem.Mat) -> Mat FP16 [16, 16] nz
        pl.tile.create([16, 32], dtype=pl.FP16, target_memory=pl.Mem.Mat, transpose=True) -> Mat FP16 [16, 32] zn
        pl.tile.create([16, 32], dtype=pl.FP16, target_memory=pl.Mem.Mat, flat_layout=True) -> Mat FP16 [16, 32]
        pl.tile.create([16, 32], dtype=pl.FP16, transpose=True) -> refused: attribute
        pl.tile.create([16, 32], dtype=pl.FP16, flat_layout=True) -> refused: attribute
        pl.tile.create([16, n], dtype=pl.FP16) -> refused: shape
        pl.tile.create([16, 0], dtype=pl.FP16) -> refused: shape
        pl.tile.create([16, 3], dtype=pl.FP4) -> refused: shape
        pl.tile.create([16, 4], dtype=pl.FP4) -> Vec FP4 [16, 4]
        pl.tile.create([16, 2], dtype=pl.FP8E8M0, target_memory=pl.Mem.LeftScale) -> refused: space
        pl.tile.full([8, 16], pl.FP32, 0.0) -> Vec FP32 [8, 16]
        pl.tile.full([8, 16], dtype=pl.INT32, value=1) -> Vec INT32 [8, 16]
        pl.tile.ci(0, [1, 32]) -> Vec INT32 [1, 32]
        pl.tile.arange(0, [1, 32], dtype=pl.UINT32, descending=True) -> Vec UINT32 [1, 32]
        pl.tile.ci(i, [1, 32], dtype=pl.INT16) -> refused: dtype
        pl.tile.ci(0, [1, 32], dtype=pl.FP32) -> refused: dtype
        pl.tile.ci(0, [2, 32]) -> refused: shape
        pl.tile.tri(0, [8, 8]) -> Vec INT32 [8, 8]
        pl.tile.tri(i, [8, 8], [4, 8], pl.FP16, True) -> Vec FP16 [8, 8] valid [4, 8]
        pl.tile.tri(0, [8, 8], [9, 8]) -> refused: valid-region
        pl.tile.tri(w, [8, 8]) -> refused: dtype
        pl.tile.random(1, 2, 3, 4, 5, 6, [8, 32]) -> Vec UINT32 [8, 32]
        pl.tile.random(i, i, i, i, i, i, [8, 32], dtype=pl.INT32, rounds=7) -> Vec INT32 [8, 32]
        pl.tile.random(1, 2, 3, 4, 5, 6, [8, 32], rounds=8) -> refused: attribute
        pl.tile.random(1, 2, 3, 4, 5, 6, [8, 32], dtype=pl.FP32) -> refused: dtype
        pl.tile.alloc(pl.Mem.Vec, 512) -> unknown
        pl.tile.read(t, [0, n]) -> FP32
        pl.tile.read(t, [0]) -> refused: shape
        pl.tile.read(t, [0, f]) -> refused: dtype
        pl.tile.write(t, [0, 1], f) -> Vec FP32 [8, 16]
        pl.tile.write(t, [0, 1], i) -> refused: dtype
        pl.tile.get_block_idx() -> INDEX
        pl.tile.get_subblock_idx() -> INDEX
        pl.tile.get_block_num() -> INDEX
    """
)

INDEXED = rows(
    """
    a: Vec FP32 [8, 64]; h: Vec FP16 [8, 64]; i: Vec INT32 [8, 32]; s: Vec INT16 [8, 32]; u: Vec UINT32 [8, 8]
        pl.tile.gather(a, i, a) -> Vec FP32 [8, 32]
        pl.tile.gather(h, s, a) -> Vec FP16 [8, 32]
        pl.tile.gather(a, s, a) -> refused: dtype
        pl.tile.gatherb(a, u) -> Vec FP32 [8, 64]
        pl.tile.gatherb(a, u, output_dtype=pl.INT8) -> Vec INT8 [8, 256]
        pl.tile.gatherb(a, i) -> refused: dtype
        pl.tile.gather_mask(a, 1) -> Vec FP32 [8, 32]
        pl.tile.gather_mask(a, 4, output_dtype=pl.INT32) -> Vec INT32 [8, 16]
        pl.tile.gather_mask(a, 7) -> Vec FP32 [8, 64]
        pl.tile.gather_mask(a, 8) -> refused: attribute
        pl.tile.gather_mask(a, 1, output_dtype=pl.FP16) -> refused: dtype
        pl.tile.gather_compare(a, 1.0, a, cmp_mode="gt", out_cols=16) -> Vec INT32 [8, 16] and Vec INT32 [1, 8]
        pl.tile.gather_compare(a, 1.0, a, out_cols=0) -> refused: attribute
        pl.tile.sort32(a, i) -> Vec FP32 [8, 128]
        pl.tile.sort32(i, i) -> refused: dtype
        pl.tile.mrgsort(a, block_len=64) -> Vec FP32 [8, 64]
        pl.tile.mrgsort_format1(a, 64) -> Vec FP32 [8, 64]
        pl.tile.mrgsort_format1(a, 32) -> refused: attribute
    a: Vec FP32 [1, 64]; b: Vec FP32 [1, 64]; t: Vec FP32 [1, 128]; h: Vec FP16 [1, 64]
        pl.tile.mrgsort_format2(a, b, t) -> Vec FP32 [1, 128]
        pl.tile.mrgsort(a, b, tmp=t, exhausted=True) -> Vec FP32 [1, 128]
        pl.tile.mrgsort(a, b) -> refused: arity
        pl.tile.mrgsort(a, b, tmp=t, block_len=64) -> refused: arity
        pl.tile.mrgsort_format2(a, h, t) -> refused: dtype
    d: Vec FP16 [8, 64]; s: Vec FP16 [8, 32]; i: Vec INT16 [8, 32]; w: Vec INT32 [8, 32]; c: Vec FP16 [8, 16]
        pl.tile.scatter(d, s, i) -> Vec FP16 [8, 64]
        pl.tile.scatter(d, s, w) -> refused: dtype
        pl.tile.scatter(d, c, i) -> refused: shape
        pl.tile.scatter_mask(d, s, 2) -> Vec FP16 [8, 64]
        pl.tile.scatter_mask(d, c, 2) -> refused: shape
        pl.tile.scatter_mask(d, s, 0) -> refused: attribute
        pl.tile.scatter_update(d, -2, w, s) -> Vec FP16 [8, 64]
        pl.tile.scatter_update(d, w, s) -> refused: arity
        pl.tile.scatter_update(d, -1, w, s) -> refused: attribute
        pl.tile.scatter_update(d, index=w, src=s) -> Vec FP16 [8, 64]
        pl.tile.scatter_update(d, -2, s, s) -> refused: shape
    d: Mat FP16 [16, 64]; x: GM FP16 [32, 64]; y: GM FP32 [32, 64]
        pl.tile.gather_row(d, x, [0, 0], [n, 0], [1, 64]) -> Mat FP16 [16, 64] nz
        pl.tile.gather_row(d, y, [0, 0], [n, 0], [1, 64]) -> refused: dtype
        pl.tile.gather_row(d, x, [0, 0], [n, 0], [1, 64], valid_shape=[1, 65]) -> refused: valid-region
        pl.tile.gather_row(d, x, [0, 0], [n, 0], [1, 64], valid_shape=[1.5, 64]) -> refused: dtype
        pl.tile.gather_row(d, x, [0, 0], [n, 0], [1, 64], valid_shape=[n, 64]) -> Mat FP16 [16, 64] nz
        pl.tile.gather_row(d, x, [0, 0], [n, 0], [1, 64], True, valid_shape=[n, 64]) -> refused: attribute
    x: GM FP16 [128, 64]; i: Vec INT32 [1, 16]; j: Vec INT32 [4, 16]; g: GM INT32 [1, 16]; s: GM FP16 [256]
        pl.tile.mgather(x, i) -> Vec FP16 [16, 64]
        pl.tile.mgather(x, j) -> refused: shape
        pl.tile.mgather(x, j, "elem") -> Vec FP16 [4, 16]
        pl.tile.mgather(x, g, target_memory=pl.Mem.Mat) -> Mat FP16 [16, 64] nz
        pl.tile.mgather(x, g, "elem", target_memory=pl.Mem.Mat) -> refused: shape
        pl.tile.mgather(x, i, gather_oob="somewhere") -> refused: attribute
    x: GM FP16 [128, 64]; j: GM INT32 [16, 16]; s: GM FP16 [256]; d: GM FP16 [16, 16] stride [32, 1]; u: GM FP16 [255]
        pl.tile.mgather(x, j, "elem", target_memory=pl.Mem.Mat, scratch=s) -> Mat FP16 [16, 16] nz
        pl.tile.mgather(x, j, "elem", target_memory=pl.Mem.Mat) -> refused: arity
        pl.tile.mgather(x, j, "elem", target_memory=pl.Mem.Mat, scratch=d) -> refused: layout
        pl.tile.mgather(x, j, "elem", target_memory=pl.Mem.Mat, scratch=u) -> refused: shape
        pl.tile.mgather(x, j, "elem", target_memory=pl.Mem.Mat, scratch=x) -> refused: operand-kind
    """
)

CROSS_CORE = rows(
    """
    c: Acc FP32 [16, 32]; v: Vec FP32 [16, 32]; h: Acc FP32 [15, 32]; p: Acc FP32 [16, 32] valid [16, 20]
        pl.tile.aiv_shard(c, split=1) -> Vec FP32 [8, 32]
        pl.tile.aiv_shard(c, split=2) -> Vec FP32 [16, 16]
        pl.tile.aiv_shard(c, split=0) -> Vec FP32 [16, 32]
        pl.tile.aiv_shard(h, split=1) -> Vec FP32 [8, 32]
        pl.tile.aiv_shard(c, split=3) -> refused: attribute
        pl.tile.aiv_shard(p, split=2) -> refused: valid-region
        pl.tile.aiv_shard(c, split=1, lane_stride=9) -> refused: attribute
        pl.tile.aiv_shard(c) -> unknown
        pl.tile.aic_gather(v, split=1) -> Mat FP32 [32, 32] nz
        pl.tile.aic_gather(v, split=2) -> Mat FP32 [16, 64] nz
        pl.tile.tpush_to_aiv(c, split=0) -> unknown
        pl.tile.tpush_to_aic(v, split=1) -> unknown
        pl.tile.tpush_to_aic(v) -> refused: arity
        pl.tile.tpop_from_aic(shape=[16, 32], dtype=pl.FP32) -> Vec FP32 [16, 32]
        pl.tile.tpop_from_aiv(shape=[16, 32], dtype=pl.FP16, split=1) -> Mat FP16 [16, 32] nz
        pl.system.tpop_from_aic() -> unknown
    """
)


ROWS = [*LOADS, *STORES, *MOVES, *WINDOWS, *RENAMINGS, *CREATIONS, *INDEXED, *CROSS_CORE]


@pytest.mark.parametrize(("operands", "call", "expected"), ROWS)
def test_type_of_the_call(operands: str, call: str, expected: str) -> None:
    assert outcome(operands, call) == expected
