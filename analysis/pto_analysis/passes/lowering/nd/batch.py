"""A batched product is written out as one product a page.

Facts: hw-native-sys/pypto, `flatten_tile_nd_to_2d/batch_matmul` (2026-08-21). Accumulators pack their pages along rows
there; since 2026-08-28 (#2554) along columns when a page is wider than one box of L0C (seed 000, section
"The rejected window is not always in the kernel source").
"""

from __future__ import annotations

from attrs import define

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr, Var, type_of
from pto_analysis.ir.stmt import Assign, Stmt
from pto_analysis.ir.types import Dim, Shape, Space, TensorType, TileType
from pto_analysis.passes.lowering.emit import Emitter, because
from pto_analysis.passes.lowering.nd.shapes import collapsed_view, row_of
from pto_analysis.passes.lowering.nd.uses import (
    BATCHED,
    Definitions,
    base_load,
    both_fit,
    defining,
    keeps_whole,
    peeled,
)
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import Substitution, index_tuple, substitute, tuple_items
from pto_analysis.passes.lowering.windows import combine, known, product

CAST_ROUND = "round"
BOX_COLUMNS = 16
_PAGE = "one page per batch"


@frozen
class Operand:
    """One matrix operand: `tile` as it is now (two axes), `shape` as the author saw it."""

    name: str
    tile: Expr
    shape: tuple[int, ...]
    transposed: bool
    whole: bool
    load: Call | None

    @property
    def batch(self) -> tuple[int, ...]:
        return self.shape[:-2]

    @property
    def page(self) -> tuple[int, int]:
        return self.shape[-2], self.shape[-1]


@frozen
class Job:
    """One batched product: its operands, the batch it runs over, and what it is called."""

    left: Operand
    right: Operand
    batch: tuple[int, ...]
    name: str

    @property
    def count(self) -> int:
        total = product(self.batch)
        assert isinstance(total, int)
        return total


def job_of(stmt: Assign, definitions: Definitions, values: Substitution) -> Job | Refused:
    call = stmt.value
    assert isinstance(call, Call)
    matrices = [peeled(call.args[position], definitions) for position in BATCHED[call.op]]
    shapes = [kind.shape if isinstance(kind := type_of(matrix), TileType) else () for matrix in matrices]
    sizes = [known(shape) for shape in shapes]
    left, right = sizes
    if left is None or right is None or len(left) < 2 or len(right) < 2:
        return Refused("the shapes of a batched product must be numbers", "unknown")
    batch = _broadcast(left[:-2], right[:-2])
    if batch is None or left[-1] != right[-2]:
        return Refused("the operands do not fit together")
    fits = both_fit(type_of(matrices[0]), type_of(matrices[1]))
    operands = [
        _operand(name, matrix, shape, fits, definitions, values)
        for name, matrix, shape in zip(("lhs", "rhs"), matrices, (left, right), strict=True)
    ]
    return Job(operands[0], operands[1], batch, stmt.var.name)


def _operand(
    name: str, matrix: Expr, shape: tuple[int, ...], fits: bool, definitions: Definitions, values: Substitution
) -> Operand:
    transposed = defining(matrix, definitions, "tile.transpose_view") is not None
    load = base_load(matrix, definitions)
    whole = keeps_whole(fits, load)
    load = None if load is None else _substituted(load, values)
    return Operand(name, substitute(matrix, values), shape, transposed, whole, load)


def _substituted(load: Call, values: Substitution) -> Call:
    result = substitute(load, values)
    assert isinstance(result, Call)
    return result


def _broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    rank = max(len(left), len(right))
    padded = [(1,) * (rank - len(shape)) + shape for shape in (left, right)]
    result: list[int] = []
    for a, b in zip(*padded, strict=True):
        if a != b and 1 not in (a, b):
            return None
        result.append(max(a, b))
    return tuple(result)


def indices_at(number: int, batch: tuple[int, ...]) -> tuple[int, ...]:
    """The place of batch element `number` on each batch axis."""
    result: list[int] = []
    for extent in reversed(batch):
        result.append(number % extent)
        number //= extent
    return tuple(reversed(result))


def _operand_index(operand: Operand, places: tuple[int, ...]) -> int:
    """The flat number of the page that an operand contributes; an axis of one page serves them all."""
    flat = 0
    own = places[len(places) - len(operand.batch) :]
    for extent, place in zip(operand.batch, own, strict=True):
        flat = flat * extent + (0 if extent == 1 else place)
    return flat


def page_pair(emit: Emitter, job: Job, number: int) -> tuple[Var, Var]:
    places = indices_at(number, job.batch)
    left = _page(emit, job.left, _operand_index(job.left, places))
    return left, _page(emit, job.right, _operand_index(job.right, places))


def _page(emit: Emitter, operand: Operand, number: int) -> Var:
    if not operand.whole and operand.load is not None:
        return _loaded_page(emit, operand, operand.load, number)
    rows, columns = operand.page
    offset = (0, number * columns) if operand.transposed else (number * rows, 0)
    window = index_tuple((rows, columns))
    return emit.bind(
        f"{operand.name}_slice_{number}", "tile.slice", operand.tile, window, index_tuple(offset), why=_PAGE
    )


def _loaded_page(emit: Emitter, operand: Operand, load: Call, number: int) -> Var:
    """The page straight from global memory: both operands together are too large for L1."""
    why = "one page per batch is loaded, since the whole operands do not fit L1 or are not contiguous"
    tensor = type_of(load.args[0])
    offsets, window = tuple_items(load.args[1]), tuple_items(load.args[2])
    assert isinstance(tensor, TensorType)
    assert offsets is not None
    assert window is not None
    places = indices_at(number, operand.batch)
    moved = tuple(
        combine("+", offset, places[axis]) if axis < len(places) else offset for axis, offset in enumerate(offsets)
    )
    view = emit.name(f"{operand.name}_pbview2d_{number}", collapsed_view(load.args[0], because(emit.origin, why)))
    start = index_tuple((row_of(moved, tensor.shape), moved[-1]))
    size = index_tuple(window[-2:])
    page = emit.bind(f"{operand.name}_pbload_{number}", "tile.load", view, start, size, size, attrs=load.attrs, why=why)
    if not operand.transposed:
        return page
    return emit.bind(f"{operand.name}_pbview_{number}", "tile.transpose_view", page, why=_PAGE)


@define
class Stored:
    """A store that follows the product at once: every page goes straight to its place."""

    assign: Assign
    call: Call
    target: Expr
    offsets: Shape
    shape: Shape


def following_store(after: Stmt | None, var: Var, job: Job, values: Substitution) -> Stored | None:
    call = after.value if isinstance(after, Assign) else None
    if (
        not isinstance(after, Assign)
        or not isinstance(call, Call)
        or call.op != "tile.store"
        or call.args[0] is not var
    ):
        return None
    offsets = tuple_items(substitute(call.args[1], values))
    target = substitute(call.args[2], values)
    kind = type_of(target)
    if offsets is None or len(offsets) != len(job.batch) + 2 or not isinstance(kind, TensorType):
        return None
    page: tuple[Dim, ...] = (job.left.page[0], job.right.page[1])
    shape = (1,) * (len(kind.shape) - 2) + page if len(kind.shape) > 2 else ()
    return Stored(after, call, target, offsets, shape)


def lower_product(
    emit: Emitter, job: Job, result: TileType, store: Stored | None, *, columns_packed: bool = False
) -> Var:
    """`tile.batch_matmul`: the tile of all results, or the tensor after the last page was stored."""
    if job.count == 1 and store is None:
        single = Emitter(emit.origin, _PAGE)
        value = single.call("tile.matmul", *page_pair(single, job, 0), why=_PAGE)
        if isinstance(value.type, TileType) and value.type.dtype == result.dtype:
            emit.statements += single.statements
            return emit.name(job.name, value)
    rows, columns = job.left.page[0], job.right.page[1]
    out = None
    if store is None:
        why = "the pages of the result are collected here"
        shape = (rows, job.count * columns) if columns_packed else (job.count * rows, columns)
        out = emit.create(job.name, shape, result.dtype, why=why)
    for number in range(job.count):
        page: Expr = emit.bind(f"matmul_{number}", "tile.matmul", *page_pair(emit, job, number), why=_PAGE)
        page = _as_result(emit, page, number, result, keep_acc=store is not None)
        if store is not None:
            _store_page(emit, job, store, number, page)
        else:
            assert out is not None
            place = index_tuple((0, number * columns) if columns_packed else (number * rows, 0))
            out = emit.bind(job.name, "tile.assemble", out, page, place, why=_PAGE)
    if store is None:
        assert out is not None
        return out
    assert isinstance(store.target, Var)
    return store.target


def _as_result(emit: Emitter, page: Expr, number: int, result: TileType, *, keep_acc: bool) -> Expr:
    kind = type_of(page)
    needs_cast = isinstance(kind, TileType) and kind.dtype != result.dtype
    if not keep_acc or needs_cast:
        attrs = {"target_memory": Space.VEC}
        page = emit.bind(f"matmul_vec_{number}", "tile.move", page, attrs=attrs, why="the page leaves the accumulator")
    if needs_cast:
        attrs = {"target_type": result.dtype, "mode": CAST_ROUND}
        page = emit.bind(f"matmul_cast_{number}", "tile.cast", page, attrs=attrs, why="the result has another dtype")
    return page


def _store_page(emit: Emitter, job: Job, store: Stored, number: int, page: Expr) -> None:
    places = indices_at(number, job.batch)
    moved = tuple(
        combine("+", offset, places[axis]) if axis < len(places) else offset
        for axis, offset in enumerate(store.offsets)
    )
    shapes = (index_tuple(store.shape),) if store.shape else ()
    inner = Emitter(store.call.origin, _PAGE)
    name = f"{store.assign.var.name}_{number}"
    store.target = inner.bind(
        name, "tile.store", page, index_tuple(moved), store.target, *shapes, attrs=store.call.attrs
    )
    emit.statements += inner.statements


def store_columns(emit: Emitter, call: Call, source: Expr, before: TileType) -> Expr:
    """The store of an accumulator whose pages lie side by side: page by page. `before` is its type with three axes."""
    pages, rows, columns = (size if isinstance(size, int) else 0 for size in before.shape[-3:])
    _, written, target = call.args[:3]
    first, *others = tuple_items(written) or (0,)
    for number in range(pages):
        window, place = index_tuple((rows, columns)), index_tuple((0, number * columns))
        page = emit.bind(f"acc_page_{number}", "tile.slice", source, window, place, why=_PAGE)
        moved = (combine("+", first, number), *others)
        reach = index_tuple((1, rows, columns))
        target = emit.bind(
            "page_store", "tile.store", page, index_tuple(moved), target, reach, attrs=call.attrs, why=_PAGE
        )
    return target


def lower_accumulation(emit: Emitter, job: Job, accumulator: Expr, *, columns_packed: bool) -> Var | Refused:
    """`tile.batch_matmul_acc`: every page of the accumulator is a window of it."""
    rows, columns = job.left.page[0], job.right.page[1]
    kind = type_of(accumulator)
    if not isinstance(accumulator, Var) or not isinstance(kind, TileType):
        return Refused("the accumulator is not a tile here", "unknown")
    if job.count == 1:
        return emit.bind(accumulator.name, "tile.matmul_acc", accumulator, *page_pair(emit, job, 0), why=_PAGE)
    expected = (rows, job.count * columns) if columns_packed else (job.count * rows, columns)
    if kind.shape != expected:
        return Refused("the accumulator does not hold one page per batch")
    current = accumulator
    for number in range(job.count):
        pages = page_pair(emit, job, number)
        place = index_tuple((0, number * columns) if columns_packed else (number * rows, 0))
        window = index_tuple((rows, columns))
        page = emit.bind(f"acc_page_{number}", "tile.slice", current, window, place, why=_PAGE)
        summed = emit.bind(f"matmul_acc_{number}", "tile.matmul_acc", page, *pages, why=_PAGE)
        current = emit.bind(accumulator.name, "tile.assemble", current, summed, place, why=_PAGE)
    return current
