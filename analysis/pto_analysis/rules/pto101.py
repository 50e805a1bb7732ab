"""PTO101: a slice of an L1 tile that the compiler folds into its consumer."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.example import on_l1
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import copied
from pto_analysis.rules.slice_text import RewrittenSlice, extent_text, offset_text, rewritten_slices, tile_bytes


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for item in rewritten_slices(kernel, RULE.code):
        yield kernel.finding(
            RULE,
            item.first.slice_origin,
            _message(item),
            related=item.related(kernel),
            fix=copied(kernel, item),
            data=item.data(),
        )


def _message(item: RewrittenSlice) -> str:
    window = f"{item.subject} ({extent_text(item.tile.shape)} of {item.base})"
    places = [_place(item, index) for index in range(len(item.rewrites))]
    gone = "" if item.first.dropped else "; other uses keep the slice"
    return f"{window} is folded: {' and '.join(dict.fromkeys(places))}{gone}"


def _place(item: RewrittenSlice, index: int) -> str:
    rewrite = item.rewrites[index]
    at = offset_text(rewrite.row, rewrite.col)
    if rewrite.action == "fold-extract":
        return f"the extract reads {item.base} at {at}"
    size = tile_bytes(rewrite.shape, item.tile.dtype.storage_bits)
    room = "" if size is None else f", {size} bytes"
    return f"the operand becomes an extract from {item.base} at {at} to {rewrite.target.value}{room}"


def _kernel(body: str) -> str:
    return on_l1(body)


RULE = Rule(
    code="PTO101",
    name="slice-folded",
    severity=Severity.HINT,
    summary="A slice of an L1 tile is folded into the extract or matmul that reads it",
    what="""\
Reports a `tile.slice` of a Mat (L1) tile that the compiler takes apart: an extract of the slice becomes an extract of
the slice's source at the summed offset, and a `matmul`, `matmul_acc` or `matmul_bias` operand becomes an extract to
Left or Right. The slice itself disappears when nothing else uses it.""",
    why="""\
Good to know, nothing to change: the slice costs nothing, and what is moved into L0 is exactly the window. The numbers
tell how much of L0A and L0B the operand takes.""",
    check=check,
    fix="sometimes",
    fix_note="Shows the extract of a matmul operand as `pl.tile.extract`; nothing is changed.",
    references=(Reference("hw-native-sys/pypto", 1198),),
    bad=(
        Example(
            "a window of an L1 tile as the left operand",
            _kernel(
                """\
        lo = pl.tile.slice(xm, [32, 64], [0, 64])  #! PTO101 `pl.tile.slice(xm, [32, 64], [0, 64])`
        right = pl.move(wm, target_memory=pl.Mem.Right)
        y = pl.store(pl.matmul(lo, right), [0, 0], y)
        return y
"""
            ),
        ),
    ),
    good=(
        Example(
            "the extract written out",
            _kernel(
                """\
        left = pl.tile.extract(xm, 0, 64, [32, 64], target_memory=pl.Mem.Left)
        right = pl.move(wm, target_memory=pl.Mem.Right)
        y = pl.store(pl.matmul(left, right), [0, 0], y)
        return y
"""
            ),
        ),
    ),
)
