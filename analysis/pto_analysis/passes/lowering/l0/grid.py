"""The tiles of a result that is too large for L0C, and where each of them goes.

Facts: hw-native-sys/pypto, `auto_tile_matmul_l0` (grids and placements), 2026-08-21.
"""

from __future__ import annotations

from typing import Protocol

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import INDEX, DType
from pto_analysis.ir.expr import Expr, Var
from pto_analysis.ir.stmt import For, IterArg, Yield
from pto_analysis.ir.types import Dim, ScalarType, Space
from pto_analysis.passes.lowering.emit import Attrs, Emitter
from pto_analysis.passes.lowering.l0.kloop import STAGES, Window, bias_operand, extract, products
from pto_analysis.passes.lowering.l0.plan import Plan
from pto_analysis.passes.lowering.tree import index, index_tuple
from pto_analysis.passes.lowering.windows import combine

_TILE = "one tile of the result, which is too large for L0C"


class Placement(Protocol):
    """Takes the tiles of a result one after the other; the value it returns takes the next one."""

    def start(self, emit: Emitter) -> Var: ...

    def place(self, emit: Emitter, tile: Var, place: tuple[Dim, Dim], before: Var, step: int) -> Var: ...


@frozen
class ToTensor:
    """Each tile is stored where the whole result would have been stored."""

    row: Dim
    column: Dim
    target: Var
    attrs: Attrs

    def start(self, emit: Emitter) -> Var:
        del emit
        return self.target

    def place(self, emit: Emitter, tile: Var, place: tuple[Dim, Dim], before: Var, step: int) -> Var:
        offsets = index_tuple((combine("+", self.row, place[0]), combine("+", self.column, place[1])))
        name = f"{self.target.name}_t{step}"
        return emit.bind(name, "tile.store", tile, offsets, before, attrs=self.attrs, why=_TILE)


@frozen
class ToScratch:
    """Each tile is assembled into a scratch tile in L1, which later products read."""

    shape: tuple[int, int]
    dtype: DType
    name: str

    def start(self, emit: Emitter) -> Var:
        why = "the result stays in L1, since only products read it"
        return emit.create(self.name, self.shape, self.dtype, Space.MAT, why=why)

    def place(self, emit: Emitter, tile: Var, place: tuple[Dim, Dim], before: Var, step: int) -> Var:
        name = f"{self.name}_t{step}"
        return emit.bind(name, "tile.assemble", before, tile, index_tuple(place), why=_TILE)


def grid(emit: Emitter, plan: Plan, placement: Placement) -> Var:
    """All tiles of a result; the value after the last one was placed."""
    return _pipelined(emit, plan, placement) if plan.whole_k else _unrolled(emit, plan, placement)


def _unrolled(emit: Emitter, plan: Plan, placement: Placement) -> Var:
    """K is cut too, so no operand stays: one loop over K for every tile, columns outside."""
    chain = placement.start(emit)
    step = 0
    for column in range(0, plan.problem.n, plan.tile.n):
        for row in range(0, plan.problem.m, plan.tile.m):
            m, n = min(plan.tile.m, plan.problem.m - row), min(plan.tile.n, plan.problem.n - column)
            product = products(emit, plan, Window(m, n, row, column), f"{plan.name}_t{step}")
            chain = placement.place(emit, product, (row, column), chain, step)
            step += 1
    return chain


def _pipelined(emit: Emitter, plan: Plan, placement: Placement) -> Var:
    """One operand stays in the outer loop while the other streams; what is left at the edges follows in a row."""
    m, n = plan.tile.m, plan.tile.n
    rows, columns = plan.problem.m // m * m, plan.problem.n // n * n
    chain = _interior(emit, plan, placement, placement.start(emit), (rows, columns))
    edges = [
        Window(plan.problem.m - rows, min(n, plan.problem.n - column), rows, column)
        for column in range(0, plan.problem.n if rows < plan.problem.m else 0, n)
    ]
    edges += [
        Window(m, plan.problem.n - columns, row, columns)
        for row in range(0, rows if columns < plan.problem.n else 0, m)
    ]
    for step, window in enumerate(edges, start=1):
        chain = _edge(emit, plan, placement, chain, window, step)
    return chain


def _interior(emit: Emitter, plan: Plan, placement: Placement, chain: Var, area: tuple[int, int]) -> Var:
    name, k = plan.name, plan.problem.k
    single = plan.tile.regime != "output"
    rows_outside = plan.tile.regime == "left" if single else plan.tile.holds_left
    outer, inner = Var(f"{name}_o", ScalarType(INDEX)), Var(f"{name}_i", ScalarType(INDEX))
    row, column = (outer, inner) if rows_outside else (inner, outer)
    carried_out, carried_in = Var(f"{name}_oc", chain.type), Var(f"{name}_ic", chain.type)
    outside, inside = Emitter(emit.origin, _TILE), Emitter(emit.origin, _TILE)
    window = Window(plan.tile.m, plan.tile.n, row, column)
    left_at, right_at = (outside, inside) if rows_outside else (inside, outside)
    a = extract(left_at, f"{name}_a", plan.left, (row, 0), (plan.tile.m, k), Space.LEFT)
    b = extract(right_at, f"{name}_b", plan.right, (0, column), (k, plan.tile.n), Space.RIGHT)
    bias = bias_operand(right_at, plan, window, f"{name}_bias")
    product = _product(inside, f"{name}_c", a, b, bias)
    placed = placement.place(inside, product, (row, column), carried_in, 0)
    extents = area if rows_outside else (area[1], area[0])
    steps = (plan.tile.m, plan.tile.n) if rows_outside else (plan.tile.n, plan.tile.m)
    inner_result, outer_result = Var(f"{name}_irv", chain.type), Var(f"{name}_orv", chain.type)
    outside.statements.append(
        For(
            "pipeline",
            inner,
            index(0),
            index(extents[1]),
            index(steps[1]),
            (*inside.statements, Yield((placed,), emit.origin)),
            (IterArg(carried_in, carried_out),),
            (inner_result,),
            {"stage": STAGES},
            emit.origin,
        )
    )
    emit.statements.append(
        For(
            "range" if single else "pipeline",
            outer,
            index(0),
            index(extents[0]),
            index(steps[0]),
            (*outside.statements, Yield((inner_result,), emit.origin)),
            (IterArg(carried_out, chain),),
            (outer_result,),
            {} if single else {"stage": STAGES},
            emit.origin,
        )
    )
    return outer_result


def _edge(emit: Emitter, plan: Plan, placement: Placement, chain: Var, window: Window, step: int) -> Var:
    name, k = plan.name, plan.problem.k
    row, column = window.start_row(), window.start_column()
    a = extract(emit, f"{name}_ta{step}", plan.left, (row, 0), (window.m, k), Space.LEFT)
    b = extract(emit, f"{name}_tb{step}", plan.right, (0, column), (k, window.n), Space.RIGHT)
    bias = bias_operand(emit, plan, window, f"{name}_tbias{step}")
    product = _product(emit, f"{name}_tc{step}", a, b, bias)
    return placement.place(emit, product, (row, column), chain, step)


def _product(emit: Emitter, name: str, a: Var, b: Var, bias: Expr | None) -> Var:
    if bias is None:
        return emit.bind(name, "tile.matmul", a, b, why=_TILE)
    return emit.bind(name, "tile.matmul_bias", a, b, bias, why=_TILE)
