"""PTO102: a column expansion reads a slice at a run-time offset, so the compiler copies it."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.example import on_rows
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import copied
from pto_analysis.rules.slice_text import extent_text, offset_text, rewritten_slices


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for item in rewritten_slices(kernel, RULE.code):
        rewrite = item.first
        message = (
            f"{item.subject} ({extent_text(item.tile.shape)} of {item.base} at "
            f"{offset_text(rewrite.row, rewrite.col)}) is copied: {item.consumers} cannot read a view, and its offset "
            f"is known at run time only, so the compiler makes {item.size} in Vec"
        )
        yield kernel.finding(
            RULE,
            rewrite.slice_origin,
            message,
            related=item.related(kernel),
            fix=copied(kernel, item),
            data=item.data(),
        )


RULE = Rule(
    code="PTO102",
    name="dynamic-column-expansion",
    severity=Severity.HINT,
    summary="A column expansion operand at a run-time offset is copied",
    what="""\
Reports a `tile.slice` of a Vec tile that a `col_expand_*` operation reads and whose offset is not a literal. The
compiler replaces the operand by a `tile.extract` into a buffer of its own.""",
    why="""\
Column expansions read whole tiles, not views. Copying a view into its own place works only where the place is known
when the kernel is compiled: older compilers put the row over row 0 of its own source. Now it is a copy for every use,
in every iteration. Where all rows are wanted, expand the whole tile at once.""",
    check=check,
    fix="sometimes",
    fix_note="Writes the compiler's copy as a `pl.tile.extract` before the statement that reads the window.",
    references=(Reference("hw-native-sys/pypto", 1640),),
    bad=(
        Example(
            "one row after the other",
            on_rows(
                """\
        for r in pl.range(8):
            row = pl.tile.slice(table, [1, 128], [r, 0])  #! PTO102 `pl.tile.slice(table, [1, 128], [r, 0])`
            y = pl.store(pl.col_expand_mul(row, gamma), [r, 0], y)
        return y
"""
            ),
            fixed=on_rows(
                """\
        for r in pl.range(8):
            row = pl.tile.extract(table, r, 0, shape=[1, 128], target_memory=pl.Mem.Vec)
            y = pl.store(pl.col_expand_mul(row, gamma), [r, 0], y)
        return y
"""
            ),
        ),
    ),
    good=(
        Example(
            "a literal row",
            on_rows(
                """\
        row = pl.tile.slice(table, [1, 128], [3, 0])
        y = pl.store(pl.col_expand_mul(row, gamma), [3, 0], y)
        return y
"""
            ),
        ),
        Example(
            "the whole tile",
            on_rows(
                """\
        y = pl.store(pl.col_expand_mul(table, gamma), [0, 0], y)
        return y
"""
            ),
        ),
    ),
)
