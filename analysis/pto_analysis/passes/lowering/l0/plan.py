"""Decides whether one product is cut, and into what.

Facts: hw-native-sys/pypto, `auto_tile_matmul_l0` (analysis of one product), 2026-08-21.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import Call, Var, type_of
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import Dim, Layout, Space, TileType, Type
from pto_analysis.ir.views import effective_view
from pto_analysis.ops.targets import FRACTAL
from pto_analysis.passes.lowering.l0.chips import Chip
from pto_analysis.passes.lowering.l0.chooser import Choice, Problem, choose
from pto_analysis.passes.lowering.tree import tuple_items
from pto_analysis.passes.lowering.windows import known

Kind = Literal["fresh", "accumulate", "bias"]

_KINDS: Mapping[str, Kind] = {"tile.matmul": "fresh", "tile.matmul_acc": "accumulate", "tile.matmul_bias": "bias"}


@frozen
class Plan:
    """One product and its tile. `start`: the accumulator that is continued; `valid`: the valid extents of the result.

    `bias_load`: the load that a window of the bias can be repeated from.
    """

    assign: Assign
    kind: Kind
    left: Var
    right: Var
    problem: Problem
    tile: Choice
    valid: tuple[Dim, Dim]
    dtype: DType
    start: Var | None = None
    bias: Var | None = None
    bias_load: Assign | None = None
    stages_left: bool = False

    @property
    def name(self) -> str:
        return self.assign.var.name

    @property
    def cuts_result(self) -> bool:
        return (self.tile.m, self.tile.n) != (self.problem.m, self.problem.n)

    @property
    def whole_k(self) -> bool:
        return self.tile.k == self.problem.k


def plan_product(
    stmt: Assign,
    chip: Chip,
    bias_loads: Mapping[Var, Assign],
    *,
    boxes: tuple[int, int] | None = None,
    output_only: bool = False,
) -> Plan | None:
    """The cut of one product, None when it stays whole. `boxes`: padding of the result's tiles (rows, columns)."""
    call = stmt.value
    kind = _KINDS.get(call.op) if isinstance(call, Call) else None
    if not isinstance(call, Call) or kind is None or len(call.args) != (2 if kind == "fresh" else 3):
        return None
    first = 1 if kind == "accumulate" else 0
    left, right = call.args[first], call.args[first + 1]
    if not isinstance(left, Var) or not isinstance(right, Var):
        return None
    start = call.args[0] if kind == "accumulate" else None
    if kind == "accumulate" and (not isinstance(start, Var) or not _is_matrix(start.type)):
        return None
    problem = _problem(left.type, right.type, call.type, chip)
    if problem is None or not isinstance(call.type, TileType):
        return None
    bias = call.args[2] if kind == "bias" else None
    bias_load = bias_loads.get(bias) if isinstance(bias, Var) else None
    if kind == "bias":
        assert isinstance(left.type, TileType)
        narrowed = _with_bias(problem, bias, left, right, call.type.dtype, chip)
        if narrowed is None:
            return None
        problem = narrowed
    if boxes is not None:
        problem = evolve(problem, box_m=boxes[0], box_n=boxes[1])
    problem = evolve(problem, output_only=output_only)
    tile = choose(problem, chip)
    if tile is None or (tile.m, tile.n, tile.k) == (problem.m, problem.n, problem.k):
        return None
    if isinstance(bias, Var) and tile.n != problem.n and bias_load is None:
        return None
    view = effective_view(call.type)
    valid = view.valid_shape or call.type.shape
    return Plan(
        stmt, kind, left, right, problem, tile, (valid[0], valid[1]), call.type.dtype,
        start if isinstance(start, Var) else None, bias if isinstance(bias, Var) else None, bias_load,
        stages_left=isinstance(left.type, TileType) and left.type.space is Space.VEC,
    )  # fmt: skip


def _is_matrix(kind: Type) -> bool:
    return isinstance(kind, TileType) and len(kind.shape) == 2


def static_matrix(kind: Type, spaces: tuple[Space, ...]) -> tuple[int, int] | None:
    """The extents of a tile with two known axes in one of `spaces`."""
    if not isinstance(kind, TileType) or len(kind.shape) != 2 or kind.space not in spaces:
        return None
    shape = known(kind.shape)
    return None if shape is None else (shape[0], shape[1])


def _problem(left: Type, right: Type, result: Type, chip: Chip) -> Problem | None:
    rows = static_matrix(left, (Space.MAT, Space.VEC))
    columns = static_matrix(right, (Space.MAT,))
    if rows is None or columns is None or rows[1] != columns[0] or not isinstance(result, TileType):
        return None
    kinds = [kind.dtype for kind in (left, right, result) if isinstance(kind, TileType)]
    if any(dtype.bits % 8 for dtype in kinds) or rows[1] % FRACTAL:
        return None
    widths = [dtype.bits // 8 for dtype in kinds]
    return Problem(rows[0], columns[1], rows[1], widths[0], widths[1], widths[2], chip.acc_row_alignment(result.dtype))


def box(kind: Type) -> tuple[int, int] | None:
    """Rows and columns of the inner box of a tile (reference: DSL section f.4); None for a flat one."""
    if not isinstance(kind, TileType):
        return None
    view = effective_view(kind)
    bits = kind.dtype.storage_bits
    if view.slayout is Layout.NONE_BOX or 256 % bits:
        return None
    if view.fractal == 1024:
        return 16, 16
    by_rows = view.slayout is Layout.ROW_MAJOR
    if view.fractal == 32:
        return (16, 2) if by_rows else (2, 16)
    return (16, 256 // bits) if by_rows else (256 // bits, 16)


def _with_bias(problem: Problem, bias: object, left: Var, right: Var, dtype: DType, chip: Chip) -> Problem | None:
    """The limits that the bias table adds; None when the compiler leaves such a product alone."""
    kind = bias.type if isinstance(bias, Var) else None
    extents = static_matrix(kind, (Space.MAT, Space.BIAS)) if kind is not None else None
    boxes = (box(left.type), box(right.type))
    if not isinstance(kind, TileType) or extents is None or extents[0] != 1 or None in boxes:
        return None
    if not isinstance(left.type, TileType) or left.type.space is not Space.MAT:
        return None
    left_box, right_box = boxes
    assert left_box is not None
    assert right_box is not None
    align = (
        max(FRACTAL, left_box[0]),
        max(FRACTAL, right_box[1]),
        max(FRACTAL, left_box[1], right_box[0]),
    )
    if problem.m % align[0] or problem.n % align[1] or problem.k % align[2]:
        return None
    most = chip.bias // problem.acc_bytes
    in_mat = kind.space is Space.MAT
    if in_mat and not _moves_to_bias(kind.dtype, dtype, chip):
        return None
    return evolve(
        problem,
        align_m=align[0], align_n=align[1], align_k=align[2], box_m=left_box[0], box_n=right_box[1],
        min_n=align[1] if in_mat else problem.n, max_n=most,
        max_n_pipelined=most // 2 if in_mat else 0, max_n_nested=most // 4 if in_mat else 0,
    )  # fmt: skip


def _moves_to_bias(source: DType, target: DType, chip: Chip) -> bool:
    if target.name == "INT32":
        return source.name == "INT32"
    allowed = {"FP32", "FP16"} if chip.low_precision_scratch else {"FP32", "FP16", "BF16"}
    return target.name == "FP32" and source.name in allowed


def reloadable_biases(block: tuple[object, ...], uses: Mapping[Var, int]) -> dict[Var, Assign]:
    """Biases that one load brought in, with nothing but loads between it and the product."""
    loads: dict[Var, Assign] = {}
    found: dict[Var, Assign] = {}
    for stmt in block:
        call = stmt.value if isinstance(stmt, Assign) else None
        if isinstance(stmt, Assign) and isinstance(call, Call) and call.op == "tile.load":
            loads[stmt.var] = stmt
            continue
        if isinstance(call, Call) and call.op == "tile.matmul_bias" and len(call.args) == 3:
            bias = call.args[2]
            load = loads.get(bias) if isinstance(bias, Var) else None
            if isinstance(bias, Var) and load is not None and uses.get(bias) == 1 and _is_whole_row(load):
                found[bias] = load
        loads = {}
    return found


def _is_whole_row(load: Assign) -> bool:
    call = load.value
    assert isinstance(call, Call)
    windows = [tuple_items(arg) for arg in call.args[1:4]]
    kind = type_of(call)
    return len(windows) == 3 and isinstance(kind, TileType) and windows[1] == windows[2] == kind.shape
