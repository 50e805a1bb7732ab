"""PTO420: an accumulator window of full height that starts inside a block of columns (off by default)."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.fixes.column_pack import move_into_block
from pto_analysis.passes.windows import Accumulation
from pto_analysis.passes.windows.accumulator import BLOCK_COLUMNS
from pto_analysis.rules.example import with_operands
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import is_own_tile
from pto_analysis.rules.slice_text import quoted
from pto_analysis.rules.window_text import aligned_columns, chain_related


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if not kernel.is_core:
        return
    for item in kernel.analysis.windows.accumulations:
        if item.extent.starts_between_blocks:
            data = {"window": [item.extent.rows, item.extent.cols], "col_offset": item.extent.col}
            related = chain_related(kernel, item.window)
            fix = _fix(kernel, item)
            yield kernel.finding(RULE, item.origin, _message(item), related=related, data=data, fix=fix)


def _fix(kernel: KernelFacts, item: Accumulation) -> Fix | None:
    """The first column of a block that the window fits in."""
    slices = [step for step in item.window.chain() if step.step == "slice"]
    columns = aligned_columns(item.extent)
    if kernel.unit is None or len(slices) != 1 or not columns:
        return None
    if not is_own_tile(kernel, slices[0].var, slices[0].origin):
        return None
    return move_into_block(kernel.unit, slices[0].origin, columns[0])


def _message(item: Accumulation) -> str:
    extent, op = item.extent, item.op.rpartition(".")[2]
    places = " or ".join(map(str, aligned_columns(extent)))
    return (
        f"`{op}` accumulates into columns {extent.col} to {(extent.col or 0) + extent.cols - 1} of "
        f"{quoted(item.window.base)}: the window starts inside a block of {BLOCK_COLUMNS} columns and reaches "
        f"into the next, which a dense write from its first element does not follow; start it at column {places}"
    )


_START = """\
        acc = pl.tile.create([16, 96], dtype=pl.FP32, target_memory=pl.Mem.Acc)
"""


def _kernel(body: str) -> str:
    return with_operands(_START + body, columns=32)


RULE = Rule(
    code="PTO420",
    name="accumulator-window-between-blocks",
    severity=Severity.WARNING,
    summary="An accumulator window of full height starts inside a block of columns",
    what="""\
Reports an accumulation into a window that spans its accumulator's full height, starts at a literal column that is no
multiple of 16, and reaches into the next block of 16 columns. The compiler accepts every window of full height.""",
    why="""\
L0C keeps 16 columns of each row together. A dense write that starts at column 8 of a block runs over the end of the
block's row into the next row. No compiler check covers this, and no public report confirms it, so the rule is off
unless it is selected.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Starts the window at the first column of its block. Unsafe: other columns are meant then.""",
    references=(Reference("hw-native-sys/pto-isa", 253),),
    on_by_default=False,
    bad=(
        Example(
            "a window from the middle of a block",
            _kernel(
                """\
        w = pl.tile.slice(acc, [16, 32], [0, 8])
        w = pl.tile.matmul_acc(w, left, right)  #! PTO420 `pl.tile.matmul_acc(w, left, right)`
        c = pl.store(w, [0, 0], c)
        return c
"""
            ),
            fixed=_kernel(
                """\
        w = pl.tile.slice(acc, [16, 32], [0, 0])
        w = pl.tile.matmul_acc(w, left, right)
        c = pl.store(w, [0, 0], c)
        return c
"""
            ),
        ),
    ),
    good=(
        Example(
            "a window that starts with a block",
            _kernel(
                """\
        w = pl.tile.slice(acc, [16, 32], [0, 16])
        w = pl.tile.matmul_acc(w, left, right)
        c = pl.store(w, [0, 0], c)
        return c
"""
            ),
        ),
    ),
)
