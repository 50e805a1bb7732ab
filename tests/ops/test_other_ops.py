"""Ops that are neither on tiles nor on tensors: known by name and parameters, typed where a type exists."""

from __future__ import annotations

import pytest

from tests.ops.notation import outcome, rows

SYSTEM = rows(
    """
    g: GM INT32 [64]; t: Vec FP32 [8, 16]; i: INT32
        pl.system.sync_src(set_pipe=1, wait_pipe=2, event_id=0) -> unknown
        pl.system.sync_dst(set_pipe=1, wait_pipe=2, event_id=0) -> unknown
        pl.system.sync_dst(set_pipe=1, wait_pipe=2) -> refused: arity
        pl.system.sync_set(i, pipe=2) -> unknown
        pl.system.sync_wait(0, pipe=2) -> unknown
        pl.system.set_ffts(g) -> unknown
        pl.system.bar_v() -> unknown
        pl.system.bar_m() -> unknown
        pl.system.bar_all() -> unknown
        pl.system.bar_all(1) -> refused: arity
        pl.system.fence() -> unknown
        pl.system.cacheinvalid(g, [64], [0]) -> unknown
        pl.system.syncall(core_type="mix") -> unknown
        pl.aic_initialize_pipe(dir_mask=1, slot_size=512) -> unknown
        pl.aiv_initialize_pipe(dir_mask=1, slot_size=512, id=0) -> unknown
        pl.reserve_buffer(name="ring", size=4096) -> INT32
        pl.import_peer_buffer(name="ring", peer_func="other") -> INT32
        pl.tfree_to_aic(t, split=0) -> unknown
        pl.tfree_to_aiv(t) -> unknown
        pl.system.task_invalid() -> TASK_ID
        pl.system.task_dummy(deps=1) -> TASK_ID
        pl.system.task_is_valid(i) -> BOOL
        pl.system.available_cluster_count() -> INT32
        pl.system.available_aiv_count() -> INT32
    """
)

ARRAYS = rows(
    """
    a: TASK_ID; i: INT32; f: FP32
        pl.array.create(8, pl.INT32) -> 8 of INT32
        pl.array.create(0, pl.INT32) -> refused: shape
        pl.array.create(8, pl.FP32) -> refused: dtype
        pl.array.get_element(pl.array.create(8, pl.INT32), i) -> INT32
        pl.array.get_element(pl.array.create(8, pl.INT32), f) -> refused: dtype
        pl.array.update_element(pl.array.create(8, pl.INT32), 0, i) -> 8 of INT32
        pl.array.update_element(pl.array.create(8, pl.INT32), 0, f) -> refused: dtype
        pl.array.get_element(i, 0) -> refused: operand-kind
    """
)

PREFETCH = rows(
    """
    g: GM FP32 [64]
        pl.prefetch.make_context() -> unknown
        pl.prefetch.async_prefetch(g, pl.prefetch.make_context()) -> unknown
        pl.prefetch.session(pl.prefetch.make_context()) -> unknown
        pl.prefetch.wait(0, 0) -> BOOL
    """
)

DISTRIBUTED = rows(
    """
    d: GM FP32 [64, 32] distributed; g: GM FP32 [64, 32]; s: GM INT32 [8]; t: Vec FP32 [16, 32]; i: INT32
        pld.world_size() -> INT64
        pld.get_comm_ctx(d) -> unknown
        pld.rank(pld.get_comm_ctx(d)) -> INT32
        pld.nranks(pld.get_comm_ctx(d)) -> INT32
        pld.system.notify(s, i, [0], 1, op=0) -> unknown
        pld.system.wait(s, [0], 1, cmp=0) -> unknown
        pld.system.defer_wait(s, [0], 1, cmp=0) -> unknown
        pld.alloc_window_buffer(4096) -> unknown
        pld.window(pld.alloc_window_buffer(8192), [64, 32], dtype=pl.FP32) -> GM FP32 [64, 32] distributed
        pld.tensor.remote_store(g, d, i, [0, 0]) -> unknown
        pld.tensor.put(d, i, g) -> unknown
        pld.tensor.get(g, i, d) -> unknown
        pld.tensor.allreduce(d, s, op=0) -> GM FP32 [64, 32] distributed
        pld.tensor.barrier(s) -> GM INT32 [8]
        pld.tensor.broadcast(d, s, root=0) -> GM FP32 [64, 32] distributed
        pld.tensor.reduce_scatter(d, s) -> GM FP32 [64, 32] distributed
        pld.tensor.allgather(g, d, s) -> GM FP32 [64, 32] distributed
        pld.tensor.all_to_all(g, d, s) -> GM FP32 [64, 32] distributed
        pld.tensor.all_to_all_v(g, d, s, s, s) -> GM FP32 [64, 32] distributed
        pld.remote_load(d, i, [0, 0], [16, 32]) -> Vec FP32 [16, 32]
        pld.tile.remote_load(d, i, [0, 0], [16, 32], [n, 32]) -> Vec FP32 [16, 32] valid [n, 32]
        pld.remote_load(t, i, [0, 0], [16, 32]) -> refused: operand-kind
        pld.tile.remote_store(t, d, i, [0, 0]) -> unknown
        pld.remote_store(t, d, i, [0, 0]) -> unknown
        pld.tile.put(d, i, g, t) -> unknown
        pld.tile.get(g, i, d, t) -> unknown
    """
)


ROWS = [*SYSTEM, *ARRAYS, *PREFETCH, *DISTRIBUTED]


@pytest.mark.parametrize(("operands", "call", "expected"), ROWS)
def test_type_of_the_call(operands: str, call: str, expected: str) -> None:
    assert outcome(operands, call) == expected
