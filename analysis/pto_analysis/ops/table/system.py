"""Ops of the other namespaces: synchronisation, launches, scalar arrays, prefetch, and the distributed library.

They are known by name and parameters; most have no typed result. Source of the facts: `python/pypto/language` and
the op registry of hw-native-sys/pypto (2026-08-21).
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import no_buffer, reuse, row

_NOTHING = Typing(kind="unknown")
_INT32 = Typing(kind="scalar", dtype="INT32")
_TASK = Typing(kind="scalar", dtype="TASK_ID")
_BOOL = Typing(kind="scalar", dtype="BOOL")
_SAME = Typing(whole="same_as")

_sync = partial(row, storage=no_buffer(), access="unknown", families=("sync",))
_launch = partial(row, storage=no_buffer(), access="none", unit="none", families=("launch",))
_pipe = partial(row, storage=no_buffer(), access="unknown", unit="none", families=("cross_core",))

SYSTEM = (
    _sync(
        "system.sync_src",
        "Sets an event flag on one queue for another.",
        "*, set_pipe: @any, wait_pipe: @any, event_id: @int",
        _NOTHING,
        unit="none",
        pto="set_flag",
    ),
    _sync(
        "system.sync_dst",
        "Waits on one queue for an event flag of another.",
        "*, set_pipe: @any, wait_pipe: @any, event_id: @int",
        _NOTHING,
        unit="none",
        pto="wait_flag",
    ),
    _sync(
        "system.sync_set",
        "Sets a flag between the cube and the vector core.",
        "event_id: index, *, pipe: @any, ffts_mode: @int? = None, core_type: @str? = None",
        _NOTHING,
        unit="none",
        pto="sync.set",
    ),
    _sync(
        "system.sync_wait",
        "Waits for a flag between the cube and the vector core.",
        "event_id: index, *, pipe: @any, core_type: @str? = None",
        _NOTHING,
        unit="none",
        pto="sync.wait",
    ),
    _sync(
        "system.set_ffts",
        "Gives cross-core flags their workspace.",
        "workspace: tensor",
        _NOTHING,
        unit="none",
        pto="set_ffts",
    ),
    _sync("system.bar_v", "Waits until the vector queue is empty.", "", _NOTHING, unit="V", pto="barrier"),
    _sync("system.bar_m", "Waits until the matrix queue is empty.", "", _NOTHING, unit="M", pto="barrier"),
    _sync("system.bar_all", "Waits until all queues are empty.", "", _NOTHING, unit="ALL", pto="barrier"),
    _sync("system.fence", "Orders memory accesses.", "", _NOTHING, unit="none", pto="fence.barrier_all"),
    _sync(
        "system.cacheinvalid",
        "Invalidates the data cache, all of it or around a window.",
        "tensor: tensor = None, shapes: shape = None, offsets: shape = None",
        _NOTHING,
        unit="none",
        pto="cmo.cacheinvalid",
    ),
    _sync(
        "system.syncall",
        "Waits until all cores of a launch arrive.",
        "*, core_type: @str = mix, mode: @str = hard, gm_workspace: tensor = None, used_cores: int32 = None",
        _NOTHING,
        effects={0: "RW"},
        notes="The workspace is for mode soft only.",
        unit="none",
        pto="syncall",
    ),
    _pipe(
        "system.aic_initialize_pipe",
        "Sets up the cube side of the rings between the cores.",
        "c2v_consumer_buf: value = None, v2c_consumer_buf: value = None, *, dir_mask: @int, slot_size: @int, "
        "slot_num: @int? = None, local_slot_num: @int? = None, id: @int? = None",
        _NOTHING,
        core="cube",
    ),
    _pipe(
        "system.aiv_initialize_pipe",
        "Sets up the vector side of the rings between the cores.",
        "c2v_consumer_buf: value = None, v2c_consumer_buf: value = None, *, dir_mask: @int, slot_size: @int, "
        "slot_num: @int? = None, local_slot_num: @int? = None, id: @int? = None",
        _NOTHING,
        core="vector",
    ),
    _pipe(
        "system.reserve_buffer",
        "Reserves a window of on-chip memory for a ring.",
        "*, name: @str, size: @int, base: @int = -1",
        _INT32,
    ),
    _pipe(
        "system.import_peer_buffer",
        "Names the ring buffer that the other core reserved.",
        "*, name: @str, peer_func: @str",
        _INT32,
    ),
    _pipe(
        "system.tfree_to_aic",
        "Gives a popped ring slot back to the cube.",
        "tile: tile, *, split: @int? = None, id: @int? = None",
        _NOTHING,
        core="vector",
        pto="tfree_to_aic",
    ),
    _pipe(
        "system.tfree_to_aiv",
        "Gives a popped ring slot back to the vector core.",
        "tile: tile, *, split: @int? = None, id: @int? = None",
        _NOTHING,
        core="cube",
        pto="tfree_to_aiv",
    ),
    _launch("system.task_invalid", "A task id that names no task.", "", _TASK),
    _launch("system.task_dummy", "A barrier between tasks.", "*, deps: @any", _TASK),
    _launch("system.task_is_valid", "Whether a task id names a task.", "task: value", _BOOL),
    _launch("system.available_cluster_count", "How many clusters a launch may use.", "", _INT32),
    _launch("system.available_aiv_count", "How many vector cores a launch may use.", "", _INT32),
)

ARRAYS = (
    row(
        "array.create",
        "Makes an array of scalars on the core.",
        "extent: index, dtype: @dtype",
        Typing(whole="array_created"),
        storage=no_buffer(),
        access="none",
        unit="none",
    ),
    row(
        "array.get_element",
        "Reads one element of a scalar array.",
        "array: value, index: index",
        Typing(whole="array_element"),
        storage=no_buffer(),
        unit="S",
    ),
    row(
        "array.update_element",
        "Replaces one element of a scalar array.",
        "array: value, index: index, value: value",
        Typing(whole="array_updated"),
        storage=reuse(0),
        effects={0: "RW"},
        unit="S",
    ),
)

_prefetch = partial(row, storage=no_buffer(), access="unknown", unit="none", core="vector", families=("prefetch",))

PREFETCH = (
    _prefetch("prefetch.make_context", "Makes the context of asynchronous prefetches.", "", _NOTHING),
    _prefetch(
        "prefetch.async_prefetch", "Starts to load a tensor into the cache.", "src: tensor, ctx: value", _NOTHING
    ),
    _prefetch("prefetch.session", "The session of a prefetch context.", "ctx: value", _NOTHING),
    _prefetch("prefetch.wait", "Waits for a prefetch.", "event: value, session_handle: value", _BOOL),
)

_remote = partial(row, storage=no_buffer(), access="unknown", unit="none", families=("distributed",), prefix="")
_collective = partial(
    row,
    storage=reuse(0),
    effects={0: "RW", 1: "RW"},
    access="unknown",
    unit="none",
    families=("distributed",),
    prefix="",
)
_put = partial(_remote, writes_through="dma", effects={0: "cond"}, core="vector")
_get = partial(_remote, writes_through="dma", effects={0: "W"}, core="vector")
_WINDOWS = "dst_offsets: shape = None, src_offsets: shape = None, shape: shape = None"

DISTRIBUTED = (
    _remote("pld.system.world_size", "How many ranks there are.", "", Typing(kind="scalar", dtype="INT64")),
    _remote(
        "pld.system.get_comm_ctx", "The communication context of a distributed tensor.", "dist_tensor: tensor", _NOTHING
    ),
    _remote("pld.system.rank", "Number of this rank.", "ctx: value", _INT32),
    _remote("pld.system.nranks", "How many ranks a context has.", "ctx: value", _INT32),
    _remote(
        "pld.system.notify",
        "Writes a signal of a peer.",
        "target: tensor, peer: value, offsets: shape, value: value, *, op: @any",
        _NOTHING,
        effects={0: "RW"},
        notes="A notification that sets only writes; one that adds, which is the default, reads first.",
    ),
    _remote(
        "pld.system.wait",
        "Waits until a signal has a value.",
        "signal: tensor, offsets: shape, expected: value, *, cmp: @any",
        _NOTHING,
    ),
    _remote(
        "pld.system.defer_wait",
        "Waits for a signal when the task ends.",
        "signal: tensor, offsets: shape, expected: value, *, cmp: @any",
        _NOTHING,
    ),
    _remote(
        "pld.tensor.alloc_window_buffer",
        "Allocates memory that peers can reach.",
        "size: value, *, dtype: @dtype? = None, name: @str? = None",
        _NOTHING,
    ),
    _remote(
        "pld.tensor.window",
        "A distributed tensor over a window buffer.",
        "buf: value, shape: shape, *, dtype: @dtype",
        Typing(whole="distributed_window"),
    ),
    _remote(
        "pld.tensor.remote_store",
        "Stores a tensor at a peer.",
        "src: tensor, target: tensor, peer: value, offsets: shape, *, atomic: @atomic? = None_",
        _NOTHING,
        writes_through="dma",
        effects={1: "cond"},
    ),
    _put(
        "pld.tensor.put",
        "Copies a window to a peer.",
        f"dst: tensor, peer: value, src: tensor, {_WINDOWS}, *, atomic: @atomic? = None_, chunk_rows: @int? = 0, "
        "chunk_cols: @int? = 0, pipeline: @bool? = False",
        _NOTHING,
    ),
    _get(
        "pld.tensor.get",
        "Copies a window from a peer.",
        f"dst: tensor, peer: value, src: tensor, {_WINDOWS}, *, chunk_rows: @int? = 0, chunk_cols: @int? = 0, "
        "pipeline: @bool? = False",
        _NOTHING,
    ),
    _collective(
        "pld.tensor.allreduce",
        "Reduces over all ranks, in place.",
        "target: tensor, signal: tensor = None, *, op: @any? = None, mode: @str? = mesh, core_num: @int? = 1",
        _SAME,
    ),
    _collective("pld.tensor.barrier", "Waits for all ranks.", "signal: tensor", _SAME, effects={0: "RW"}),
    _collective(
        "pld.tensor.broadcast",
        "Copies the tensor of one rank to all.",
        "target: tensor, signal: tensor, *, root: @int",
        _SAME,
    ),
    _collective(
        "pld.tensor.reduce_scatter",
        "Reduces over all ranks and gives each its part.",
        "target: tensor, signal: tensor, *, op: @any? = None",
        _SAME,
    ),
    _remote(
        "pld.tensor.allgather",
        "Collects the tensors of all ranks.",
        "local_data: tensor, target: tensor, signal: tensor",
        Typing(whole="same_as_second"),
        storage=reuse(1),
        effects={1: "W", 2: "RW"},
    ),
    _remote(
        "pld.tensor.all_to_all",
        "Exchanges parts between all ranks.",
        "input: tensor, target: tensor, signal: tensor",
        Typing(whole="same_as_second"),
        storage=reuse(1),
        effects={1: "W", 2: "RW"},
    ),
    _remote(
        "pld.tensor.all_to_all_v",
        "Exchanges parts of different length between all ranks.",
        "input: tensor, target: tensor, signal: tensor, send_counts: tensor, recv_counts: tensor",
        Typing(whole="same_as_second"),
        storage=reuse(1),
        effects={1: "W", 2: "RW", 4: "W"},
    ),
    row(
        "pld.tile.remote_load",
        "Loads a window of a peer's tensor into a tile.",
        "target: tensor, peer: value, offsets: shape, shape: shape, valid_shape: shape = None",
        Typing(whole="remote_load", checks=("tensor(0)",)),
        space="Vec",
        access="unknown",
        unit="MTE2",
        pto="tload",
        families=("distributed",),
        prefix="",
    ),
    _remote(
        "pld.tile.remote_store",
        "Stores a tile at a peer.",
        "src_tile: tile, target: tensor, peer: value, offsets: shape, *, atomic: @atomic? = None_",
        _NOTHING,
        unit="MTE3",
        pto="tstore",
        writes_through="dma",
        effects={1: "cond"},
    ),
    _put(
        "pld.tile.put",
        "Copies a window to a peer through staging tiles.",
        f"dst: tensor, peer: value, src: tensor, stage: tile, stage2: tile = None, {_WINDOWS}, *, "
        "atomic: @atomic? = None_",
        _NOTHING,
        pto="comm.tput",
    ),
    _get(
        "pld.tile.get",
        "Copies a window from a peer through staging tiles.",
        f"dst: tensor, peer: value, src: tensor, stage: tile, stage2: tile = None, {_WINDOWS}",
        _NOTHING,
        pto="comm.tget",
    ),
)

OTHER_OPS = SYSTEM + ARRAYS + PREFETCH + DISTRIBUTED
