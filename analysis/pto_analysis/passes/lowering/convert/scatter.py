"""Scatters: the instruction overwrites what it does not hit, so a select puts the old values back."""

from __future__ import annotations

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import DTYPES, FP16, FP32, INT32, UINT8, DType
from pto_analysis.ir.expr import Call, Expr, Var, type_of
from pto_analysis.ir.types import Shape, TileType
from pto_analysis.passes.lowering.convert.compare import SELECT_SCRATCH, SELECT_SCRATCH_WHY, full
from pto_analysis.passes.lowering.convert.elementwise import NOT_A_TILE, Result
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import index_tuple, number
from pto_analysis.passes.lowering.windows import known

INT16 = DTYPES["INT16"]
INT8 = DTYPES["INT8"]
NOT_EQUAL = 1
CAST_NONE = "none"
MAX_INT16_ELEMENTS = 32768
_BLEND = "the scatter clears what it does not hit, so the old values are selected back"
_NOT_STATIC = Refused("the shapes must be numbers", "unknown")


@frozen
class _Names:
    """What the compiler calls the parts of one blend."""

    values_zero: str
    values: str
    mask_zero: str
    ones: str
    mask: str
    predicate: str
    scratch: str


_SCATTER = _Names(
    "scatter_values_zero", "scatter_values", "scatter_mask_zero", "scatter_ones", "scatter_mask", "scatter_pred",
    "scatter_sel_tmp",
)  # fmt: skip
_UPDATE = _Names("su_v0", "su_vals", "su_m0", "su_ones", "su_mask", "su_pred", "su_tmp")
_BY_MASK = _Names(
    "scatter_mask_values_zero", "scatter_mask_values", "scatter_mask_mask_zero", "scatter_mask_ones",
    "scatter_mask_mask", "scatter_mask_pred", "scatter_mask_sel_tmp",
)  # fmt: skip


def mask_dtype(dtype: DType) -> DType:
    """A dtype of the same width that a comparison accepts."""
    return {32: FP32, 16: FP16}.get(dtype.bits, INT8)


def _tiles(call: Call, count: int) -> tuple[TileType, ...] | None:
    kinds = [type_of(arg) for arg in call.args[:count]]
    tiles = tuple(kind for kind in kinds if isinstance(kind, TileType))
    return tiles if len(tiles) == count else None


def scatter(emit: Emitter, call: Call) -> Result:
    """`input, index, src`: column indices become flat ones by adding each row's first element."""
    tiles = _tiles(call, 3)
    if tiles is None:
        return NOT_A_TILE
    into, places, what = tiles
    dim = call.attrs.get("dim", -1)
    if len(into.shape) != 2 or dim not in (-1, 1, None):
        return Refused("only rank 2 along the last axis can be scattered")
    sizes = known((*into.shape, *what.shape))
    if sizes is None or len(sizes) != 4:
        return _NOT_STATIC
    _, columns, rows, _ = sizes
    if places.dtype == INT16 and rows * columns > MAX_INT16_ELEMENTS:
        return Refused("INT16 indices cannot name that many elements")
    flat = _flat_by_row(emit, call.args[1], rows, columns, places.dtype)
    return _blend(emit, call.args[0], call.args[2], flat, into, what.shape, _SCATTER)


def _flat_by_row(emit: Emitter, columns_of: Expr, rows: int, columns: int, dtype: DType) -> Expr:
    if rows == 1:
        return columns_of
    why = "column indices become indices into the whole tile"
    attrs = {"dtype": dtype, "descending": False}
    counted = emit.bind("scatter_ci_rows", "tile.ci", number(0, dtype), index_tuple((1, rows)), attrs=attrs, why=why)
    column = emit.bind("scatter_row_arange", "tile.reshape", counted, index_tuple((rows, 1)), why=why)
    first = emit.bind("scatter_row_base", "tile.muls", column, number(columns, dtype), why=why)
    return emit.bind("scatter_flat_idx", "tile.row_expand_add", columns_of, first, why=why)


def scatter_update(emit: Emitter, call: Call) -> Result:
    """Whole rows: `input[index.flat[k]] = src[k]`."""
    tiles = _tiles(call, 3)
    if tiles is None:
        return NOT_A_TILE
    into, places, what = tiles
    if len(into.shape) != 2 or len(what.shape) != 2:
        return Refused("only rank 2 can be updated")
    sizes = known((*into.shape, what.shape[0]))
    if sizes is None:
        return _NOT_STATIC
    height, width, rows = sizes
    wanted = INT32 if into.dtype.bits == 32 else INT16
    if wanted == INT16 and height * width >= MAX_INT16_ELEMENTS:
        return Refused("INT16 indices cannot name that many elements")
    flat = _flat_by_index(emit, call.args[1], places.dtype, rows, width)
    if wanted != INT32:
        attrs = {"target_type": wanted, "mode": CAST_NONE}
        flat = emit.bind("su_flat_idx_cast", "tile.cast", flat, attrs=attrs, why="indices are as wide as elements")
    return _blend(emit, call.args[0], call.args[2], flat, into, (rows, width), _UPDATE)


def _flat_by_index(emit: Emitter, indices: Expr, dtype: DType, rows: int, width: int) -> Var:
    why = "row numbers become indices into the whole tile"
    attrs = {"dtype": INT32, "descending": False}
    columns = emit.bind("su_col", "tile.ci", number(0, INT32), index_tuple((1, width)), attrs=attrs, why=why)
    shell = full(emit, "su_tmpl", (rows, width), INT32, 0, why)
    grid = emit.bind("su_col_nd", "tile.col_expand", shell, columns, why=why)
    if dtype != INT32:
        cast = {"target_type": INT32, "mode": CAST_NONE}
        indices = emit.bind("su_idx_i32", "tile.cast", indices, attrs=cast, why=why)
    column = emit.bind("su_idx_flat", "tile.reshape", indices, index_tuple((rows, 1)), why=why)
    first = emit.bind("su_row_base", "tile.muls", column, number(width, INT32), why=why)
    return emit.bind("su_flat_idx", "tile.row_expand_add", grid, first, why=why)


def _blend(emit: Emitter, old: Expr, new: Expr, flat: Expr, into: TileType, hit: Shape, names: _Names) -> Expr:
    dtype = mask_dtype(into.dtype)
    zeros = full(emit, names.values_zero, into.shape, into.dtype, 0, _BLEND)
    values = emit.bind(names.values, "tile.scatter", zeros, new, flat)
    blank = full(emit, names.mask_zero, into.shape, dtype, 0, _BLEND)
    ones = full(emit, names.ones, hit, dtype, 1, _BLEND)
    mask = emit.bind(names.mask, "tile.scatter", blank, ones, flat, why=_BLEND)
    return _select(emit, mask, values, old, dtype, names)


def _select(emit: Emitter, mask: Var, values: Var, old: Expr, dtype: DType, names: _Names) -> Expr:
    attrs = {"cmp_type": NOT_EQUAL}
    hit = emit.bind(names.predicate, "tile.cmps", mask, number(0, dtype), attrs=attrs, why=_BLEND)
    scratch = emit.create(names.scratch, SELECT_SCRATCH, UINT8, why=SELECT_SCRATCH_WHY)
    return emit.call("tile.sel", hit, values, old, scratch, why=_BLEND)


def scatter_mask(emit: Emitter, call: Call) -> Result:
    """`input, dst`: the columns that a pattern names."""
    tiles = _tiles(call, 2)
    if tiles is None:
        return NOT_A_TILE
    what, into = tiles
    sizes = known((*what.shape, into.shape[-1]))
    if sizes is None or len(sizes) != 3:
        return _NOT_STATIC
    rows, columns, width = sizes
    dtype, attrs = mask_dtype(into.dtype), call.attrs
    zeros = full(emit, _BY_MASK.values_zero, (rows, width), into.dtype, 0, _BLEND)
    values = emit.bind(_BY_MASK.values, "tile.scatter_mask", zeros, call.args[0], attrs=attrs)
    blank = full(emit, _BY_MASK.mask_zero, (rows, width), dtype, 0, _BLEND)
    ones = full(emit, _BY_MASK.ones, (rows, columns), dtype, 1, _BLEND)
    mask = emit.bind(_BY_MASK.mask, "tile.scatter_mask", blank, ones, attrs=attrs, why=_BLEND)
    return _select(emit, mask, values, call.args[1], dtype, _BY_MASK)
