"""Fixes that several rules about slices and windows offer."""

from __future__ import annotations

from pto_analysis.findings import Fix
from pto_analysis.fixes.column_pack import move_into_block, pack_columns
from pto_analysis.fixes.extract import explicit_extract
from pto_analysis.passes.windows import StridedAccumulator
from pto_analysis.passes.windows.accumulator import BLOCK_COLUMNS
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.slice_text import RewrittenSlice
from pto_analysis.rules.window_text import aligned_columns


def copied(kernel: KernelFacts, item: RewrittenSlice) -> Fix | None:
    """The compiler's copies of one slice, written out; only in tile-level kernels, where the slice is the author's."""
    if kernel.unit is None or kernel.lowered is not None:
        return None
    return explicit_extract(kernel.unit, kernel.analysis.function, item.rewrites)


def packed(kernel: KernelFacts, strided: StridedAccumulator) -> Fix | None:
    """The accumulator with its windows side by side; a narrow window between two blocks moved into one."""
    if kernel.unit is None or kernel.lowered is not None or not strided.window.is_written_in_source:
        return None
    slices = [step for step in strided.window.chain() if step.step == "slice"]
    if len(slices) != 1:
        return None
    if strided.extent.cols <= BLOCK_COLUMNS:
        columns = aligned_columns(strided.extent)
        return move_into_block(kernel.unit, slices[0].origin, columns[0]) if columns else None
    function, facts = kernel.analysis.function, kernel.analysis.scalars
    return pack_columns(kernel.unit, function, strided.window.base, strided.extent.rows, facts.is_multiple)
