"""Which queue runs an op and which operands it reads and writes: rows of facts (sync.md 2 and 3)."""

from __future__ import annotations

from typing import Literal

from pto_analysis.frozen import frozen
from pto_analysis.sync.program import Pipe, Space, Target

Route = Literal["move", "extract", "insert", "fillpad", "store", "push", "pop"]
"""Ops whose queue depends on the memory spaces of their operands."""


@frozen
class OpRow:
    """`pipe`: the queue or how to find it. `inputs` counts the tiles of `ins` that are data; one behind them is tmp."""

    pipe: Pipe | Route
    inputs: int | None = None
    tmp: Literal["scratch", "written", "none"] = "none"
    tmp_targets: tuple[Target, ...] = ()
    reads_outputs: bool = False
    writes_inputs: bool = False


def _vector(names: str) -> dict[str, OpRow]:
    return {name: OpRow(Pipe.V) for name in names.split()}


_BOTH: tuple[Target, ...] = ("a2a3", "a5")
_OLD: tuple[Target, ...] = ("a2a3",)


def _with_tmp(
    rows: dict[str, int], targets: tuple[Target, ...], tmp: Literal["scratch", "written"] = "scratch"
) -> dict[str, OpRow]:
    return {name: OpRow(Pipe.V, inputs, tmp, targets) for name, inputs in rows.items()}


_EXPANSIONS = ("add", "sub", "mul", "div", "max", "min", "expdif")

OPS: dict[str, OpRow] = {
    **_vector(
        "tabs tadd taddrelu taddc tadds taddsc tand tands tcmp tcmps tcolexpand tcolmax tcolmin tcolprod trandom tdiv"
        " tdivs tfmod tfmods texp texpands tgatherb thistogram tlog tlrelu tmax tmaxs tmin tmins tmrgsort tmul tmuls"
        " tneg tnot tor tors tpartadd tpartmul tpartmax tpartmin tpartargmax tpartargmin tquant tquant.mx tdequant"
        " trecip trelu trowexpand tshl tshr tshls tshrs tsqrt tsub tsubc tsubs tsubsc ttri tconcat tconcatidx"
        " tfillpad_inplace tfillpad_expand tpack"
    ),
    **_vector(" ".join(f"tcolexpand{suffix}" for suffix in _EXPANSIONS)),
    **_with_tmp({f"trowexpand{suffix}": 2 for suffix in _EXPANSIONS[:-1]}, _OLD),
    **_with_tmp({f"trow{kind}": 1 for kind in ("max", "min", "sum", "prod", "argmax", "argmin")}, _OLD),
    **_with_tmp({"tcvt": 1, "tcolargmax": 1, "tcolargmin": 1, "tprelu": 2, "trem": 2, "trems": 1}, _OLD),
    **_with_tmp({"tpow": 2, "tpows": 1, "tsel": 3, "tsels": 2, "txor": 2, "txors": 1}, _OLD),
    **_with_tmp({"tcolsum": 1, "trsqrt": 1, "ttrans": 1}, _BOTH),
    **_with_tmp({"trowexpandexpdif": 2}, _OLD, "written"),
    **_with_tmp({"tsort32": 2}, _BOTH, "written"),
    "tprint": OpRow(Pipe.V, 1, "written", _BOTH, writes_inputs=True),
    "taxpy": OpRow(Pipe.V, reads_outputs=True),
    **{
        f"{base}{suffix}": OpRow(Pipe.M)
        for base in ("tmatmul", "tgemv")
        for suffix in ("", ".acc", ".bias", ".mx", ".mx.acc", ".mx.bias")
    },
    "tload": OpRow(Pipe.MTE2),
    "tprefetch": OpRow(Pipe.MTE2),
    "tscatter": OpRow(Pipe.V),
    "tstore": OpRow("store"),
    "tstore_fp": OpRow("store"),
    "tstore.fp": OpRow("store"),
    "tmov": OpRow("move"),
    "tmov.fp": OpRow("move"),
    "tmov_fp": OpRow("move"),
    "textract": OpRow("extract"),
    "textract_fp": OpRow("extract"),
    "tinsert": OpRow("insert"),
    "tinsert_fp": OpRow("insert"),
    "tfillpad": OpRow("fillpad"),
    "tgetval": OpRow(Pipe.S),
    "tsetval": OpRow(Pipe.S),
    "load_scalar": OpRow(Pipe.S),
    "store_scalar": OpRow(Pipe.S),
    "tget_scale_addr": OpRow(Pipe.S),
    **{f"tpush{suffix}": OpRow("push") for suffix in ("", "_to_aiv", "_to_aic")},
    **{f"tpop{suffix}": OpRow("pop") for suffix in ("", "_from_aiv", "_from_aic")},
    **{f"talloc{suffix}": OpRow(Pipe.MTE3) for suffix in ("", "_to_aiv", "_to_aic")},
    **{f"tfree{suffix}": OpRow(Pipe.S) for suffix in ("", "_from_aiv", "_from_aic")},
}
"""Ops of one phase. Ops of several are in `sync.macros`."""

_ALIASES = """
alloc_tile alloc_multi_tile declare_tile declare_global declare_tile_memref multi_tile_get subview subset treshape
bitcast tassign make_tensor_view partition_view addptr castptr ptrtoint inttoptr pointer_cast bind_tile
"""
_METADATA = """
set_validshape get_validshape tile_valid_rows tile_valid_cols get_tensor_view_dim get_tensor_view_stride get_block_idx
get_block_num get_subblock_idx get_subblock_num get_ctx reserve_buffer import_reserved_buffer set_ffts
declare_local_array local_array_get local_array_set declare_struct struct_get struct_set set_quant_scalar
set_quant_vector aic_initialize_pipe aiv_initialize_pipe initialize_pipe initialize_l2l_pipe initialize_l2g2l_pipe
declare_eventid_array eventid_array_set eventid_array_get
"""
_BETWEEN_CORES = """
set_cross_block wait_cross_block set_intra_block wait_intra_block syncall sync.set sync.wait sync.all cmo.cacheinvalid
fence.barrier_all tprefetch_async tput_async tget_async build_async_session wait_async_event test_async_event
comm.tnotify comm.twait comm.ttest comm.tput_async comm.tget_async comm.build_async_session comm.wait_async_event
comm.test_async_event
"""

NOT_QUEUED = frozenset((_ALIASES + _METADATA + _BETWEEN_CORES).split())
"""Names that enter no queue: aliases, metadata, and hand-overs between cores that no pipe event orders."""

MOVES: dict[tuple[Space, Space], Pipe] = {
    ("mat", "left"): Pipe.MTE1,
    ("mat", "right"): Pipe.MTE1,
    ("mat", "bias"): Pipe.MTE1,
    ("acc", "mat"): Pipe.FIX,
    ("acc", "vec"): Pipe.FIX,
}
"""`tmov` by spaces; `mat` to `scaling` depends on the element type, everything else is V (sync.md 2.1)."""

EXTRACTS: dict[tuple[Space, Space], Pipe] = {
    ("mat", "left"): Pipe.MTE1,
    ("mat", "right"): Pipe.MTE1,
    ("mat", "bias"): Pipe.MTE1,
    ("mat", "scaling"): Pipe.MTE1,
    ("vec", "mat"): Pipe.FIX,
    ("acc", "mat"): Pipe.FIX,
    ("acc", "vec"): Pipe.FIX,
}
"""`textract` by spaces; everything else is V."""

INSERTS: dict[Target, dict[tuple[Space, Space], Pipe]] = {
    "a2a3": {("vec", "vec"): Pipe.V},
    "a5": {("vec", "vec"): Pipe.V, ("vec", "mat"): Pipe.MTE3},
}
"""`tinsert` by spaces; everything else is FIX."""

SCALE_DTYPES = frozenset({"f8E8M0", "!pto.f8E8M0", "f8E8M0FNU"})
"""Element types of MX scales, which MTE1 feeds; other `scaling` tiles are fix-pipe parameters."""

POPS: dict[Target, Pipe] = {"a2a3": Pipe.MTE2, "a5": Pipe.S}
PUSHES: dict[Space, Pipe] = {"acc": Pipe.FIX, "vec": Pipe.MTE3}

HELPERS: dict[str, Pipe] = {"cube": Pipe.M, "vector": Pipe.V, "simd": Pipe.V}
"""Queue of a call by `pto.tileop.kind` or the helper's role (sync.md 2.6)."""
