"""Fixes that several rules about slices and windows offer."""

from __future__ import annotations

from functools import lru_cache

from pto_analysis.findings import Fix
from pto_analysis.fixes.column_pack import move_into_block, pack_columns
from pto_analysis.fixes.extract import explicit_extract
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.walk import statements
from pto_analysis.passes.ssa.names import is_inlined
from pto_analysis.passes.windows import StridedAccumulator
from pto_analysis.passes.windows.accumulator import BLOCK_COLUMNS
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.slice_text import RewrittenSlice
from pto_analysis.rules.window_text import aligned_columns
from pto_analysis.rules.written_names import calls_of
from pto_analysis.source.named_shapes import named_shapes
from pto_analysis.source.remembered import FEW
from pto_analysis.source.span import Origin


def copied(kernel: KernelFacts, item: RewrittenSlice) -> Fix | None:
    """The compiler's copies of one slice, written out, where the author wrote the slice as a tile operation."""
    if kernel.unit is None or not is_own_tile(kernel, item.first.slice, item.first.slice_origin):
        return None
    return explicit_extract(kernel.unit, kernel.analysis.function, item.rewrites)


def is_own_tile(kernel: KernelFacts, var: Var, origin: Origin | None) -> bool:
    """Whether the kernel's author wrote a tile operation that gives `var`; tensors have no extracts."""
    return not is_inlined(var) and origin in _tile_operations((kernel.written or kernel).function)


@lru_cache(maxsize=FEW)
def _tile_operations(function: Function) -> frozenset[Origin | None]:
    """Where the tile operations of a function stand."""
    calls = (call for stmt in statements(function.body) for call in calls_of(stmt) if isinstance(call, Call))
    return frozenset(call.origin for call in calls if call.origin is not None and call.op.startswith("tile."))


def packed(kernel: KernelFacts, strided: StridedAccumulator) -> Fix | None:
    """The accumulator with its windows side by side; a narrow window between two blocks moved into one."""
    if kernel.unit is None or not strided.window.is_written_in_source:
        return None
    if strided.extent.cols <= BLOCK_COLUMNS:
        slices = [step for step in strided.window.chain() if step.step == "slice"]
        columns = aligned_columns(strided.extent) if len(slices) == 1 else []
        return move_into_block(kernel.unit, slices[0].origin, columns[0]) if columns else None
    if strided.extent.col is not None and strided.extent.col % BLOCK_COLUMNS:
        return None
    function, facts = kernel.analysis.function, kernel.analysis.scalars
    shapes = named_shapes(kernel.around)
    return pack_columns(kernel.unit, function, strided.window.base, strided.extent.rows, facts.is_multiple, shapes)
