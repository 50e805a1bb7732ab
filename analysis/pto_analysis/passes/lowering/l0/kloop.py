"""The products of one tile of the result: a pipelined loop over K, or a few of them in a row.

Facts: hw-native-sys/pypto, `auto_tile_matmul_l0` (K loop and its partial last block), 2026-08-21.
"""

from __future__ import annotations

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import BOOL, INDEX
from pto_analysis.ir.expr import Binary, Call, Expr, Var, type_of
from pto_analysis.ir.stmt import Block, For, If, IterArg, Stmt, Yield
from pto_analysis.ir.types import Dim, ScalarType, Space, TileType
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.l0.plan import Plan
from pto_analysis.passes.lowering.tree import index, index_tuple, tuple_items
from pto_analysis.passes.lowering.windows import as_expr, combine

STAGES = 2
TO_LEFT = "the compiler cuts this operand for L0A"
TO_RIGHT = "the compiler cuts this operand for L0B"
BLOCK = "one block of K"


@frozen
class Window:
    """A tile of the result: where it starts (None for the whole of it) and its extents, in elements."""

    m: int
    n: int
    row: Dim | None = None
    column: Dim | None = None

    def start_row(self) -> Dim:
        return 0 if self.row is None else self.row

    def start_column(self) -> Dim:
        return 0 if self.column is None else self.column


def extract(emit: Emitter, name: str, source: Var, place: tuple[Dim, Dim], shape: tuple[int, int], space: Space) -> Var:
    why = TO_LEFT if space is Space.LEFT else TO_RIGHT
    row, column = (as_expr(dim) for dim in place)
    attrs = {"target_memory": space}
    return emit.bind(name, "tile.extract", source, row, column, index_tuple(shape), attrs=attrs, why=why)


def products(emit: Emitter, plan: Plan, window: Window, base: str) -> Var:
    """The accumulated product of one window; the statements go to `emit`."""
    k, depth = plan.tile.k, plan.problem.k
    full = depth // k
    tail = depth - full * k
    start: Var | None = plan.start
    if full >= 2 and start is None:
        start = empty_accumulator(emit, plan, window, f"{base}_l0_init")
    left = plan.left
    if plan.stages_left:
        attrs = {"target_memory": Space.MAT}
        why = "a vector result goes to L1 before it is cut"
        left = emit.bind(f"{base}_l0_lmat", "tile.move", plan.left, attrs=attrs, why=why)
    bias = bias_operand(emit, plan, window, f"{base}_l0_bias")
    if full >= 2:
        assert start is not None
        name = f"{base}_l0_kmain" if tail else base
        result = _loop(emit, plan, window, left, bias, start, full * k, (base, name))
    else:
        result = _block(emit, plan, window, left, bias, plan.start, (0, k), f"{base}_l0", "0")
    if not tail:
        return result
    return _block(emit, plan, window, left, None, result, (full * k, tail), f"{base}_l0", "t")


def _block(
    emit: Emitter,
    plan: Plan,
    window: Window,
    left: Var,
    bias: Expr | None,
    start: Var | None,
    span: tuple[int, int],
    base: str,
    tag: str,
) -> Var:
    at, width = span
    a = extract(emit, f"{base}_a{tag}", left, (window.start_row(), at), (window.m, width), Space.LEFT)
    b = extract(emit, f"{base}_b{tag}", plan.right, (at, window.start_column()), (width, window.n), Space.RIGHT)
    if start is not None:
        return emit.bind(f"{base}_c{tag}", "tile.matmul_acc", start, a, b, why=BLOCK)
    return emit.name(f"{base}_c{tag}", _first_product(emit, a, b, bias))


def _first_product(emit: Emitter, a: Var, b: Var, bias: Expr | None) -> Call:
    if bias is None:
        return emit.call("tile.matmul", a, b, why=BLOCK)
    return emit.call("tile.matmul_bias", a, b, bias, why=BLOCK)


def _loop(
    emit: Emitter,
    plan: Plan,
    window: Window,
    left: Var,
    bias: Expr | None,
    start: Var,
    stop: int,
    names: tuple[str, str],
) -> Var:
    base, result_name = names
    k = plan.tile.k
    turn = Var(f"{base}_l0_ko", ScalarType(INDEX), emit.origin)
    carried = Var(f"{base}_l0_c", start.type)
    inner = Emitter(emit.origin, BLOCK)
    a = extract(inner, f"{base}_l0_a", left, (window.start_row(), turn), (window.m, k), Space.LEFT)
    b = extract(inner, f"{base}_l0_b", plan.right, (turn, window.start_column()), (k, window.n), Space.RIGHT)
    body = (
        _accumulate(inner, carried, a, b, base)
        if plan.start is not None
        else _first_or_next(inner, turn, carried, (a, b), bias, base)
    )
    result = Var(result_name, start.type, plan.assign.var.origin)
    emit.statements.append(
        For(
            "pipeline",
            turn,
            index(0),
            index(stop),
            index(k),
            body,
            (IterArg(carried, start),),
            (result,),
            {"stage": STAGES},
            emit.origin,
        )
    )
    return result


def _accumulate(inner: Emitter, carried: Var, a: Var, b: Var, base: str) -> Block:
    summed = inner.bind(f"{base}_l0_c_acc", "tile.matmul_acc", carried, a, b)
    return (*inner.statements, Yield((summed,), inner.origin))


def _first_or_next(
    inner: Emitter, turn: Var, carried: Var, operands: tuple[Var, Var], bias: Expr | None, base: str
) -> Block:
    """The first block starts the sum, every other one adds to it."""
    a, b = operands
    first, later = Emitter(inner.origin, BLOCK), Emitter(inner.origin, BLOCK)
    started = first.name(f"{base}_l0_c_first", _first_product(first, a, b, bias))
    added = later.bind(f"{base}_l0_c_acc", "tile.matmul_acc", carried, a, b)
    merged = Var(f"{base}_l0_c_phi", started.type)
    choice: Stmt = If(
        Binary("==", turn, index(0), BOOL),
        (*first.statements, Yield((started,), inner.origin)),
        (*later.statements, Yield((added,), inner.origin)),
        (merged,),
        inner.origin,
    )
    return (*inner.statements, choice, Yield((merged,), inner.origin))


def empty_accumulator(emit: Emitter, plan: Plan, window: Window, name: str) -> Var:
    """A place for the sum, as valid as the result is there."""
    valid = (
        _valid_part(plan.valid[0], window.row, window.m),
        _valid_part(plan.valid[1], window.column, window.n),
    )
    return accumulator(emit, (window.m, window.n), valid, plan, name)


def accumulator(emit: Emitter, shape: tuple[int, int], valid: tuple[Dim, Dim], plan: Plan, name: str) -> Var:
    why = "the sum starts in an accumulator tile"
    if valid == shape:
        return emit.create(name, shape, plan.dtype, Space.ACC, why=why)
    storage = emit.create(f"{name}_storage", shape, plan.dtype, Space.ACC, why=why)
    rows, columns = (as_expr(dim) for dim in valid)
    return emit.bind(name, "tile.set_validshape", storage, rows, columns, why="only part of the tile is valid")


def _valid_part(valid: Dim, start: Dim | None, extent: int) -> Dim:
    if start is None:
        return valid
    if start == 0:
        return combine("min", valid, extent)
    return combine("min", combine("-", combine("max", valid, start), start), extent)


def bias_operand(emit: Emitter, plan: Plan, window: Window, name: str) -> Expr | None:
    """The bias of one window in the bias table; a part of it is loaded again, because tables have no windows."""
    if plan.bias is None:
        return None
    kind = type_of(plan.bias)
    if isinstance(kind, TileType) and kind.space is Space.BIAS:
        return plan.bias
    source: Var = plan.bias
    if window.n != plan.problem.n and plan.bias_load is not None:
        source = _bias_window(emit, plan.bias_load.value, window, f"{name}_mat")
    attrs = {"target_memory": Space.BIAS}
    return emit.bind(name, "tile.move", source, attrs=attrs, why="the bias goes to the bias table")


def _bias_window(emit: Emitter, load: Expr, window: Window, name: str) -> Var:
    assert isinstance(load, Call)
    offsets = tuple_items(load.args[1]) or (0, 0)
    start = index_tuple((offsets[0], combine("+", offsets[1], window.start_column())))
    size = index_tuple((1, window.n))
    why = "the part of the bias for these columns is loaded again"
    return emit.bind(name, "tile.load", load.args[0], start, size, size, attrs=load.attrs, why=why)
