"""Gathers: the instruction takes indices into the whole source tile, authors write indices along one axis.

A2/A3 goes row by row (an index along a row is the flat index of that row); A5 builds flat indices once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import FP32, INDEX, INT32, UINT8, DType
from pto_analysis.ir.expr import Binary, Call, Expr, Var, type_of
from pto_analysis.ir.stmt import For, IterArg, Yield
from pto_analysis.ir.types import Dim, ScalarType, Shape, Space, TensorType, TileType
from pto_analysis.passes.lowering.convert.elementwise import NOT_A_TILE, Converter, Result
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import index, index_tuple, integer, number
from pto_analysis.passes.lowering.windows import known

CAST_NONE = "none"
_ROW = "the gather goes row by row"
_FLAT = "indices along an axis become indices into the whole tile"
_SCRATCH = "the gather needs a scratch tile"


@frozen
class _Gather:
    """Shapes in elements: `source` and `places` are the shapes of the two operands."""

    input: Expr
    index: Expr
    source: tuple[int, ...]
    places: tuple[int, ...]
    dtype: DType
    index_dtype: DType


def gather_by(mode: Literal["flat"] | None) -> Converter:
    def convert(emit: Emitter, call: Call) -> Result:
        return _gather(emit, call, flat=mode == "flat")

    return convert


def _gather(emit: Emitter, call: Call, *, flat: bool) -> Result:
    source, places = type_of(call.args[0]), type_of(call.args[1])
    if not isinstance(source, (TensorType, TileType)) or not isinstance(places, (TensorType, TileType)):
        return NOT_A_TILE
    sizes, counts = known(source.shape), known(places.shape)
    if sizes is None or counts is None or len(counts) != len(sizes):
        return Refused("the shapes must be numbers", "unknown")
    rank = len(sizes)
    axis = _axis(call, rank)
    job = _Gather(call.args[0], call.args[1], sizes, counts, source.dtype, places.dtype)
    if rank == 2 and axis == 1:
        return _flat_rows(emit, job) if flat else _rows(emit, job)
    if rank == 3 and axis == 2:
        return _flat_pages(emit, job) if flat else _pages(emit, job)
    if rank != 3 or axis not in (0, 1):
        return Refused(f"rank {rank} along axis {axis} has no tile form")
    if job.dtype not in (FP32, INT32):
        return Refused("along this axis only 32-bit elements can be gathered")
    return _across(emit, job, axis)


def _axis(call: Call, rank: int) -> int:
    value = call.attrs.get("dim", -1)
    axis = value if isinstance(value, int) else integer(value) if value is not None else -1  # pyright: ignore[reportArgumentType]
    return (axis if axis is not None else -1) % rank


def _part(emit: Emitter, name: str, source: Expr, offsets: Shape, shape: Shape) -> Var:
    """A window of an operand: a view when it is a tile already, else a load."""
    window, start = index_tuple(shape), index_tuple(offsets)
    if isinstance(type_of(source), TileType):
        return emit.bind(name, "tile.slice", source, window, start, window, why=_ROW)
    attrs = {"target_memory": Space.VEC}
    return emit.bind(
        name, "tile.load", source, start, window, window, attrs=attrs, why="the compiler loads this window"
    )


def _reshape(emit: Emitter, name: str, source: Expr, shape: Shape) -> Var:
    return emit.bind(name, "tile.reshape", source, index_tuple(shape), why="the gather works on two axes")


def _single_row(emit: Emitter, name: str, source: Var, places: Var, columns: int) -> Var:
    scratch = emit.create(f"{name}_tmp", (1, columns), INT32, why=_SCRATCH)
    return emit.bind(name, "tile.gather", source, places, scratch)


def _collect(
    emit: Emitter, name: str, turns: int, shape: Shape, dtype: DType, one_row: Callable[[Emitter, Var], Var]
) -> Var:
    """A loop that assembles one row a turn into a tile of `shape`."""
    start = emit.create(f"{name}_acc_init", shape, dtype, why="the gathered rows are collected here")
    turn = Var(f"{name}_lv", ScalarType(INDEX))
    carried, result = Var(f"{name}_ia", start.type), Var(f"{name}_rv", start.type)
    inner = Emitter(emit.origin, _ROW)
    row = one_row(inner, turn)
    placed = inner.bind(f"{name}_asmbl", "tile.assemble", carried, row, index_tuple((turn, 0)))
    body = (*inner.statements, Yield((placed,), emit.origin))
    carries = (IterArg(carried, start),)
    emit.statements.append(
        For("range", turn, index(0), index(turns), index(1), body, carries, (result,), {}, emit.origin)
    )
    return result


def _rows(emit: Emitter, job: _Gather) -> Expr:
    width, columns = job.source[1], job.places[1]

    def one_row(inner: Emitter, turn: Var) -> Var:
        source = _part(inner, "gather_inp_row", job.input, (turn, 0), (1, width))
        places = _part(inner, "gather_idx_row", job.index, (turn, 0), (1, columns))
        return _single_row(inner, "gather_row", source, places, columns)

    return _collect(emit, "gather", job.places[0], (job.places[0], columns), job.dtype, one_row)


def _pages(emit: Emitter, job: _Gather) -> Expr:
    width, (pages, rows, columns) = job.source[2], job.places

    def one_page(outer: Emitter, page: Var) -> Var:
        def one_row(inner: Emitter, row: Var) -> Var:
            raw = _part(inner, "gather_inp_raw", job.input, (page, row, 0), (1, 1, width))
            source = _reshape(inner, "gather_inp_row", raw, (1, width))
            raw_places = _part(inner, "gather_idx_raw", job.index, (page, row, 0), (1, 1, columns))
            places = _reshape(inner, "gather_idx_row", raw_places, (1, columns))
            return _single_row(inner, "gather_row", source, places, columns)

        gathered = _collect(outer, "gather_inner", rows, (rows, columns), job.dtype, one_row)
        return _reshape(outer, "gather_inner_flat", gathered, (1, rows * columns))

    gathered = _collect(emit, "gather_outer", pages, (pages, rows * columns), job.dtype, one_page)
    return _reshape(emit, "gather_out", gathered, (pages * rows, columns))


def _across(emit: Emitter, job: _Gather, axis: int) -> Expr:
    """Along the first or the middle of three axes: one output row a turn, from a flattened page of the source."""
    width, (pages, rows, columns) = job.source[2], job.places
    counted = emit.bind(
        "gather_range", "tile.ci", number(0, INT32), index_tuple((1, columns)), attrs={"dtype": INT32}, why=_FLAT
    )

    def one_row(inner: Emitter, turn: Var) -> Var:
        page, row = Binary("//", turn, index(rows), INDEX), Binary("%", turn, index(rows), INDEX)
        offsets: tuple[Dim, ...] = (0, row, 0) if axis == 0 else (page, 0, 0)
        window = (job.source[0], 1, width) if axis == 0 else (1, job.source[1], width)
        raw = _part(inner, "gather_inp_raw", job.input, offsets, window)
        plane = _reshape(inner, "gather_inp_2d", raw, (job.source[axis], width))
        source = _reshape(inner, "gather_inp_flat", plane, (1, job.source[axis] * width))
        raw_places = _part(inner, "gather_idx_raw", job.index, (page, row, 0), (1, 1, columns))
        places = _reshape(inner, "gather_idx_row", raw_places, (1, columns))
        scaled = inner.bind("gather_idx_s", "tile.muls", places, number(width, INT32), why=_FLAT)
        flat = inner.bind("gather_fidx", "tile.add", scaled, counted, why=_FLAT)
        return _single_row(inner, "gather_row", source, flat, columns)

    gathered = _collect(emit, "gather_main", pages * rows, (pages * rows, columns), job.dtype, one_row)
    return _reshape(emit, "gather_out", gathered, (pages * rows, columns))


def _flat_rows(emit: Emitter, job: _Gather) -> Expr:
    rows, (width, columns) = job.places[0], (job.source[1], job.places[1])
    if _too_many(job, rows, width):
        return Refused("INT16 indices cannot name that many elements")  # pyright: ignore[reportReturnType]
    source = _contiguous(emit, job, _part(emit, "gather_inp", job.input, (0, 0), (rows, width)), (rows, width))
    places = _part(emit, "gather_idx", job.index, (0, 0), (rows, columns))
    flat = _flat_indices(emit, job, places, rows)
    scratch = emit.create("gather_tmp", (rows, columns), INT32, why=_SCRATCH)
    return emit.bind("gather", "tile.gather", source, flat, scratch)


def _flat_pages(emit: Emitter, job: _Gather) -> Expr:
    (pages, height, columns), width = job.places, job.source[2]
    rows = pages * height
    if _too_many(job, rows, width):
        return Refused("INT16 indices cannot name that many elements")  # pyright: ignore[reportReturnType]
    raw = _part(emit, "gather_inp_raw", job.input, (0, 0, 0), (pages, height, width))
    source = _contiguous(emit, job, _reshape(emit, "gather_inp", raw, (rows, width)), (rows, width))
    raw_places = _part(emit, "gather_idx_raw", job.index, (0, 0, 0), (pages, height, columns))
    places = _reshape(emit, "gather_idx", raw_places, (rows, columns))
    flat = _flat_indices(emit, job, places, rows)
    scratch = emit.create("gather_tmp", (rows, columns), INT32, why=_SCRATCH)
    gathered = emit.bind("gather", "tile.gather", source, flat, scratch)
    return _reshape(emit, "gather_out", gathered, (rows, columns))


def _too_many(job: _Gather, rows: int, width: int) -> bool:
    return job.index_dtype.name == "INT16" and rows * width > 32768


def _contiguous(emit: Emitter, job: _Gather, source: Var, shape: Shape) -> Var:
    """Flat indices need rows without gaps: a window of a tile is copied first, a load has none."""
    if not isinstance(type_of(job.input), TileType):
        return source
    why = "flat indices need a source whose rows follow each other"
    fresh = emit.create("gather_src_alloc", shape, job.dtype, why=why)
    return emit.bind("gather_src_copy", "tile.assemble", fresh, source, index_tuple((0, 0)), why=why)


def _flat_indices(emit: Emitter, job: _Gather, places: Expr, rows: int) -> Expr:
    columns, width = job.places[-1], job.source[-1]
    if job.index_dtype != INT32:
        attrs = {"target_type": INT32, "mode": CAST_NONE}
        places = emit.bind("gather_idx_i32", "tile.cast", places, attrs=attrs, why=_FLAT)
    flat = places if rows == 1 else _plus_row_starts(emit, places, rows, columns, width)
    if job.index_dtype != INT32:
        attrs = {"target_type": job.index_dtype, "mode": CAST_NONE}
        return emit.bind("gather_flat_cast", "tile.cast", flat, attrs=attrs, why=_FLAT)
    return flat


def _plus_row_starts(emit: Emitter, places: Expr, rows: int, columns: int, width: int) -> Expr:
    attrs = {"dtype": INT32, "descending": False}
    if columns % 8:
        counted = emit.bind(
            "gather_ci_rows", "tile.ci", number(0, INT32), index_tuple((1, rows)), attrs=attrs, why=_FLAT
        )
        column = emit.bind("gather_row_arange", "tile.reshape", counted, index_tuple((rows, 1)), why=_FLAT)
        first = emit.bind("gather_row_base", "tile.muls", column, number(width, INT32), why=_FLAT)
        return emit.bind("gather_flat_idx", "tile.row_expand_add", places, first, why=_FLAT)
    line = index_tuple((1, rows * columns))
    counted = emit.bind("gather_lin", "tile.ci", number(0, INT32), line, attrs=attrs, why=_FLAT)
    grid = emit.bind("gather_lin2d", "tile.reshape", counted, index_tuple((rows, columns)), why=_FLAT)
    numbers = emit.bind("gather_row_ids", "tile.divs", grid, number(columns, INT32), why=_FLAT)
    first = emit.bind("gather_row_base", "tile.muls", numbers, number(width, INT32), why=_FLAT)
    return emit.bind("gather_flat_idx", "tile.add", places, first, why=_FLAT)


def gather_compare(emit: Emitter, call: Call) -> Result:
    """Indices of the elements that pass a comparison, with a byte of scratch an element."""
    source = type_of(call.args[0])
    if not isinstance(source, TileType):
        return NOT_A_TILE
    scratch = emit.create("gc_tmp", source.shape, UINT8, why=_SCRATCH)
    return emit.call("tile.gather_compare", *call.args[:2], scratch, attrs=call.attrs)
