"""How ops are spelled in the DSL: dispatch by operand kind, aliases, and names promoted to the top level.

Source of the facts: `python/pypto/language/op` of hw-native-sys/pypto (2026-08-21); reference: DSL section e.
"""

from __future__ import annotations

from pto_analysis.frozen import frozen


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


@frozen
class Dispatch:
    """A spelling that stands for several ops.

    `params` is its signature (names and defaults only). The first `same` parameters must be of one kind; `tile` and
    `tensor` are the ops for tile and tensor operands, `tile_scalar` and `tensor_scalar` those for a scalar second
    operand, `scalar` the operator for two scalars. `only_tile` lists parameters that tensors must not be given,
    `only_tensor` those that tiles must not be given, `needs` those that tiles require.
    """

    params: str
    tile: str = ""
    tensor: str = ""
    tile_scalar: str = ""
    tensor_scalar: str = ""
    scalar: str = ""
    same: int = 1
    only_tile: str = ""
    only_tensor: str = ""
    needs: str = ""


def _pair(name: str, scalar: str = "", *, scalar_op: str = "", params: str = "lhs, rhs") -> Dispatch:
    """An elementwise op on two operands; `scalar` is the name of its form with a scalar second operand."""
    return Dispatch(
        params,
        f"tile.{name}",
        f"tensor.{name}",
        f"tile.{scalar}" if scalar else "",
        f"tensor.{scalar}" if scalar else "",
        scalar_op,
        same=2,
    )


def _one(name: str, params: str = "input") -> Dispatch:
    return Dispatch(params, f"tile.{name}", f"tensor.{name}")


def _with_scalar(name: str) -> Dispatch:
    return Dispatch("lhs, rhs", f"tile.{name}", f"tensor.{name}")


def _row_reduction(name: str) -> Dispatch:
    params = "input, tmp_tile = None"
    return Dispatch(params, f"tile.{name}", f"tensor.{name}", only_tile="tmp_tile", needs="tmp_tile")


UNIFIED: dict[str, Dispatch] = {
    "add": _pair("add", "adds", scalar_op="+"),
    "sub": _pair("sub", "subs", scalar_op="-"),
    "mul": _pair("mul", "muls", scalar_op="*"),
    "div": _pair("div", "divs", scalar_op="/", params="lhs, rhs, high_precision = False"),
    "part_add": _pair("part_add"),
    "part_mul": _pair("part_mul"),
    "part_max": _pair("part_max"),
    "part_min": _pair("part_min"),
    "fmod": _pair("fmod", "fmods"),
    "fmods": _with_scalar("fmods"),
    "maximum": Dispatch("lhs, rhs", "tile.maximum", "tensor.maximum", "tile.maximums", "tensor.maximum", same=2),
    "minimum": Dispatch("lhs, rhs", "tile.minimum", "tensor.minimum", "tile.minimums", "tensor.minimum", same=2),
    "cmp": Dispatch("lhs, rhs, cmp_type = 0", "tile.cmp", "tensor.cmp", "tile.cmps", "tensor.cmp", same=2),
    "and_": _pair("and", "ands"),
    "ands": _with_scalar("ands"),
    "or_": _pair("or", "ors"),
    "ors": _with_scalar("ors"),
    "shl": _pair("shl", "shls"),
    "shls": _with_scalar("shls"),
    "shr": _pair("shr", "shrs"),
    "shrs": _with_scalar("shrs"),
    "xor": Dispatch(
        "lhs, rhs, tmp = None",
        "tile.xor",
        "tensor.xor",
        "tile.xors",
        "tensor.xors",
        same=2,
        only_tile="tmp",
        needs="tmp",
    ),
    "xors": Dispatch("lhs, rhs, tmp = None", "tile.xors", "tensor.xors", only_tile="tmp", needs="tmp"),
    "not_": _one("not"),
    "exp": _one("exp"),
    "log": _one("log", "input, high_precision = False"),
    "sin": _one("sin"),
    "cos": _one("cos"),
    "neg": _one("neg"),
    "abs": _one("abs"),
    "recip": _one("recip", "input, high_precision = False"),
    "sqrt": _one("sqrt"),
    "rsqrt": Dispatch("input, high_precision = False", "tile.rsqrt", "tensor.rsqrt", only_tensor="high_precision"),
    "cast": Dispatch("input, target_type, mode = round", "tile.cast", "tensor.cast", scalar="cast"),
    "row_expand": _pair("row_expand"),
    "row_expand_mul": _pair("row_expand_mul"),
    "row_expand_div": _pair("row_expand_div"),
    "row_expand_sub": _pair("row_expand_sub"),
    "row_expand_max": _pair("row_expand_max"),
    "row_expand_min": _pair("row_expand_min"),
    "row_expand_expdif": _pair("row_expand_expdif"),
    "row_expand_add": Dispatch(
        "lhs, rhs, tmp = None", "tile.row_expand_add", "tensor.row_expand_add", same=2, only_tile="tmp"
    ),
    "col_expand": _pair("col_expand"),
    "col_expand_mul": _pair("col_expand_mul"),
    "col_expand_div": _pair("col_expand_div"),
    "col_expand_sub": _pair("col_expand_sub"),
    "col_expand_add": _pair("col_expand_add"),
    "col_expand_max": _pair("col_expand_max"),
    "col_expand_min": _pair("col_expand_min"),
    "col_expand_expdif": _pair("col_expand_expdif"),
    "expands": _one("expands", "target, scalar"),
    "concat": _pair("concat", params="src0, src1"),
    "reshape": _one("reshape", "input, shape"),
    "reinterpret_view": _one("reinterpret_view", "data, dtype, *, shape = None"),
    "transpose": _one("transpose", "input, axis1, axis2"),
    "slice": Dispatch(
        "input, shape, offset, valid_shape = None, drop_dims = None, pad_value = None, clamp = False",
        "tile.slice",
        "tensor.slice",
        only_tensor="clamp",
    ),
    "fillpad": _one("fillpad", "value, pad_value = zero"),
    "fillpad_expand": _one("fillpad_expand", "value, shape, pad_value = zero"),
    "set_validshape": _one("set_validshape", "input, valid_rows, valid_cols"),
    "matmul": Dispatch(
        "lhs, rhs, out_dtype = None, a_trans = False, b_trans = False, c_matrix_nz = False",
        "tile.matmul",
        "tensor.matmul",
        same=2,
        only_tensor="a_trans b_trans c_matrix_nz out_dtype",
    ),
    "matmul_acc": Dispatch(
        "acc, lhs, rhs, a_trans = False, b_trans = False, init_cond = None",
        "tile.matmul_acc",
        "tensor.matmul_acc",
        same=3,
        only_tensor="a_trans b_trans",
    ),
    "batch_matmul": Dispatch("lhs, rhs", "tile.batch_matmul", same=2),
    "row_max": _row_reduction("row_max"),
    "row_sum": _row_reduction("row_sum"),
    "row_min": _row_reduction("row_min"),
    "row_prod": _row_reduction("row_prod"),
    "row_argmax": _row_reduction("row_argmax"),
    "row_argmin": _row_reduction("row_argmin"),
    "col_argmax": _row_reduction("col_argmax"),
    "col_argmin": _row_reduction("col_argmin"),
    "col_sum": Dispatch("input, tmp_tile = None", "tile.col_sum", "tensor.col_sum", only_tile="tmp_tile"),
    "col_max": _one("col_max"),
    "col_min": _one("col_min"),
    "col_prod": _one("col_prod"),
    "read": _one("read", "src, offset"),
    "write": _one("write", "dst, offset, value"),
    "assemble": Dispatch(
        "target, source, offset, *, atomic = None_",
        "tile.assemble",
        "tensor.assemble",
        same=2,
        only_tensor="atomic",
    ),
    "gather_row": _one(
        "gather_row", "dst, src, dst_offset, src_offset, shapes, transpose = False, *, valid_shape = None"
    ),
    "scatter_update": _one("scatter_update", "input, dim~ = -2, index, src"),
    "sort32": _pair("sort32", params="src, idx"),
    "mrgsort": Dispatch(
        "src0, src1 = None, src2 = None, src3 = None, tmp = None, *, exhausted = False, block_len = None",
        "tile.mrgsort",
        "tensor.mrgsort",
        only_tile="tmp",
    ),
    "pld.remote_store": Dispatch(
        "src, target, peer, offsets, *, atomic = None_", "pld.tile.remote_store", "pld.tensor.remote_store"
    ),
    "aiv_shard": _one("aiv_shard", "x, *, split = None, lane_stride = None"),
    "aic_gather": _one("aic_gather", "x, *, split = None"),
}
"""`pl.X` for tiles, tensors and (some) scalars."""

NAMESPACED: dict[str, Dispatch] = {
    "tile.add": Dispatch("lhs, rhs", "tile.add", tile_scalar="tile.adds"),
    "tile.sub": Dispatch("lhs, rhs", "tile.sub", tile_scalar="tile.subs"),
    "tile.mul": Dispatch("lhs, rhs", "tile.mul", tile_scalar="tile.muls"),
    "tile.div": Dispatch("lhs, rhs, high_precision = False", "tile.div", tile_scalar="tile.divs"),
    "tensor.add": Dispatch("lhs, rhs", tensor="tensor.add", tensor_scalar="tensor.adds"),
    "tensor.sub": Dispatch("lhs, rhs", tensor="tensor.sub", tensor_scalar="tensor.subs"),
    "tensor.mul": Dispatch("lhs, rhs", tensor="tensor.mul", tensor_scalar="tensor.muls"),
    "tensor.div": Dispatch("lhs, rhs, high_precision = False", tensor="tensor.div", tensor_scalar="tensor.divs"),
    "tensor.fmod": Dispatch("lhs, rhs", tensor="tensor.fmod", tensor_scalar="tensor.fmods"),
    "tensor.and_": Dispatch("lhs, rhs", tensor="tensor.and", tensor_scalar="tensor.ands"),
    "tensor.or_": Dispatch("lhs, rhs", tensor="tensor.or", tensor_scalar="tensor.ors"),
    "tensor.xor": Dispatch("lhs, rhs", tensor="tensor.xor", tensor_scalar="tensor.xors"),
    "tensor.shl": Dispatch("lhs, rhs", tensor="tensor.shl", tensor_scalar="tensor.shls"),
    "tensor.shr": Dispatch("lhs, rhs", tensor="tensor.shr", tensor_scalar="tensor.shrs"),
}
"""Spellings inside a namespace that also switch to the scalar form."""

ALIASES = {
    "tile.create_tile": "tile.create",
    "tile.arange": "tile.ci",
    "tensor.create_tensor": "tensor.create",
    "tensor.arange": "tensor.ci",
}
"""Other names of an op in its namespace."""

PROMOTED_TILE = _names(
    """addc addsc cmps create_tile gatherb gemv gemv_acc gemv_bias load lrelu matmul_bias matmul_mx matmul_mx_acc
    matmul_mx_bias maximums mgather minimums move mscatter prelu relu rem rems sel sels store subc subsc tri"""
)
"""`pl.X` is `pl.tile.X`."""

PROMOTED_TENSOR = _names(
    """arange create_l1 create_tensor dim dump_tag expand_clone full gather get_block_idx get_block_num
    get_subblock_idx no_dep paged_gather random scatter"""
)
"""`pl.X` is `pl.tensor.X`."""

PROMOTED_SYSTEM = _names(
    """aic_initialize_pipe aiv_initialize_pipe import_peer_buffer reserve_buffer tfree_to_aic tfree_to_aiv
    tpop_from_aic tpop_from_aiv tpush_to_aic tpush_to_aiv"""
)
"""`pl.X` is `pl.system.X`."""

SYSTEM_TILE_OPS = _names("tpop_from_aic tpop_from_aiv tpush_to_aic tpush_to_aiv")
"""`pl.system.X` that are IR ops of the tile namespace."""

SCALAR_OPERATORS = {"max": "max", "min": "min"}
"""`pl.max(a, b)`, also `pl.tile.max(a, b)`: operators on scalars, not ops."""

DISTRIBUTED_SHORT = {
    "pld.world_size": "pld.system.world_size",
    "pld.get_comm_ctx": "pld.system.get_comm_ctx",
    "pld.rank": "pld.system.rank",
    "pld.nranks": "pld.system.nranks",
    "pld.alloc_window_buffer": "pld.tensor.alloc_window_buffer",
    "pld.window": "pld.tensor.window",
    "pld.remote_load": "pld.tile.remote_load",
}
"""`pld.X` with two parts; `pld.remote_store` is in `UNIFIED`, because it goes by the kind of its source."""
