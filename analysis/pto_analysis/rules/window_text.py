"""Words that the rules about accumulator windows share (PTO201 and PTO202)."""

from __future__ import annotations

from pto_analysis.findings import Related
from pto_analysis.passes.ssa import names
from pto_analysis.passes.windows import AccumulatorWindow, StridedAccumulator, Window
from pto_analysis.passes.windows.accumulator import BLOCK_COLUMNS
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.slice_text import offset_text, offset_value, quoted, source_name


def window_text(strided: StridedAccumulator) -> str:
    """ "a 32x48 window of the 64x48 accumulator `acc` at [8, 0]"."""
    extent, window = strided.extent, strided.window
    width = "?" if extent.parent_cols is None else extent.parent_cols
    return (
        f"a {extent.rows}x{extent.cols} window of the {extent.parent_rows}x{width} accumulator"
        f"{_named(window)} at {offset_text(window.row, window.col)}"
    )


def _named(window: Window) -> str:
    name = names.source_name(window.base.name)
    return f" `{name}`" if name else ""


def reason_text(extent: AccumulatorWindow) -> str:
    """Why the window is strided, and what the MAD does to it."""
    return (
        f"it takes {extent.rows} of {extent.parent_rows} rows in {_blocks(extent)}, so it is not contiguous in L0C; "
        f"the MAD writes its result without a stride, and only the first {BLOCK_COLUMNS} columns of each row tile "
        "would be right"
    )


def _blocks(extent: AccumulatorWindow) -> str:
    """ "column blocks 0 to 2" (of 16 columns each), or how many where the column is symbolic."""
    if extent.block_columns is None:
        return f"at least {extent.blocks_touched} column blocks"
    first, last = extent.block_columns
    return f"column blocks {first} to {last}"


def remedy_text(strided: StridedAccumulator) -> str:
    """The spelling that works, with its numbers; no advice about a slice that nobody wrote."""
    extent, name = strided.extent, names.source_name(strided.window.base.name)
    if not strided.window.is_written_in_source:
        return "The compiler makes this window, no slice in the kernel does: keep each accumulator in a tile of its own"
    if extent.cols <= BLOCK_COLUMNS and extent.col is not None:
        places = " or ".join(map(str, aligned_columns(extent)))
        return f"Start it at column {places}, inside one block of {BLOCK_COLUMNS} columns"
    rows, cols = extent.packed_shape
    return (
        f"Pack the windows side by side: create {f'`{name}`' if name else 'the accumulator'} as [{rows}, {cols}] and "
        f"take `pl.tile.slice({name or '…'}, [{extent.rows}, {extent.cols}], [0, i * {extent.cols}])`"
    )


def aligned_columns(extent: AccumulatorWindow) -> list[int]:
    """Where a narrow window could start instead: at the block it starts in, and at the next one if it fits there."""
    first = (extent.col or 0) // BLOCK_COLUMNS * BLOCK_COLUMNS
    width = extent.parent_cols
    return [col for col in (first, first + BLOCK_COLUMNS) if width is None or col + extent.cols <= width]


def chain_related(kernel: KernelFacts, window: Window) -> tuple[Related, ...]:
    """How the operand came to name the window, from the slice on."""
    return tuple(kernel.related(step.origin, _step_text(step)) for step in route(window) if step.origin is not None)


_SHOWN = 4
"""Steps shown at either end of a long way: the slice's and the operand's."""


def route(window: Window) -> list[Window]:
    """The steps from the slice to the operand; of a long row of accumulations only the ends."""
    steps = list(window.chain())[::-1]
    return steps if len(steps) <= 2 * _SHOWN else [*steps[:_SHOWN], *steps[-_SHOWN:]]


def _step_text(step: Window) -> str:
    name, base = quoted(step.var), quoted(step.base)
    source = "" if step.previous is None else quoted(step.previous.var)
    op = "" if step.op is None else step.op.rpartition(".")[2]
    if step.step == "slice":
        return f"{name} is a window of {base} at {offset_text(step.row, step.col)}"
    return {
        "alias": f"{name} is another name of {source}",
        "view": f"{name} is {source} seen through `{op}`",
        "in-place": f"`{op}` writes {name} into {source}",
        "iter-arg": f"this loop carries {source} as {name}",
        "loop-result": f"{name} is what {source} is called after the loop",
        "branch-result": f"both branches give {name} the window {source}",
    }[step.step]


def window_data(strided: StridedAccumulator) -> dict[str, object]:
    """Numbers for fixes and tools."""
    extent, window = strided.extent, strided.window
    return {
        "op": strided.op,
        "operand": source_name(strided.operand),
        "operand_index": strided.position,
        "base": source_name(window.base),
        "window": [extent.rows, extent.cols],
        "parent": [extent.parent_rows, extent.parent_cols],
        "row_offset": offset_value(window.row),
        "col_offset": offset_value(window.col),
        "block_columns": None if extent.block_columns is None else list(extent.block_columns),
        "aligned_columns": aligned_columns(extent) if extent.cols <= BLOCK_COLUMNS else None,
        "packed": list(extent.packed_shape),
        "windows_in_parent": extent.windows_in_parent,
        "written_in_source": window.is_written_in_source,
        "route": [step.step for step in route(window)],
    }
