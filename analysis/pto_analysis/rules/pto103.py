"""PTO103: a column expansion reads a window that is not contiguous, so the compiler copies it."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import copied
from pto_analysis.rules.slice_text import RewrittenSlice, rewritten_slices, source_text


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for item in rewritten_slices(kernel, RULE.code):
        message = (
            f"{item.subject} is copied: {_window(item)}, so it is not contiguous, and {item.consumers} cannot read "
            f"a view; the compiler makes {item.size} in Vec"
        )
        origin = item.first.slice_origin
        yield kernel.finding(
            RULE, origin, message, related=item.related(kernel), fix=copied(kernel, item), data=item.data()
        )


def _window(item: RewrittenSlice) -> str:
    """ "it takes 64 of 128 columns of 16 rows of `t`"."""
    rows, cols = (dim if isinstance(dim, int) else source_text(dim) for dim in item.tile.shape)
    width = item.base_tile.shape[1]
    total = width if isinstance(width, int) else source_text(width)
    return f"it takes {cols} of the {total} columns of {item.base} in {rows} rows"


_HEAD = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[16, 128], pl.FP32],
        g: pl.Tensor[[1, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        gamma = pl.load(g, [0, 0], [1, 64])
"""

RULE = Rule(
    code="PTO103",
    name="strided-column-expansion",
    severity=Severity.HINT,
    summary="A column expansion operand that is not contiguous is copied",
    what="""\
Reports a `tile.slice` of a Vec tile that a `col_expand_*` operation reads and that is neither a single row nor as wide
as its source. The compiler replaces the operand by a `tile.extract` into a buffer of its own.""",
    why="""\
Column expansions read whole tiles, not views. Packing such a window in its own place overwrites rows that are still to
be read: older compilers got only row 0 right. Now it is a copy for every use. Loading the columns from global memory
directly costs nothing more than the load.""",
    check=check,
    fix="sometimes",
    fix_note="Writes the compiler's copy as a `pl.tile.extract` before the statement that reads the window.",
    references=(Reference("hw-native-sys/pypto", 2010),),
    bad=(
        Example(
            "the right half of a tile",
            _HEAD
            + """\
        t = pl.load(x, [0, 0], [16, 128])
        hi = pl.tile.slice(t, [16, 64], [0, 64])  #! PTO103 `pl.tile.slice(t, [16, 64], [0, 64])`
        y = pl.store(pl.col_expand_mul(hi, gamma), [0, 0], y)
        return y
""",
            fixed=_HEAD
            + """\
        t = pl.load(x, [0, 0], [16, 128])
        hi = pl.tile.extract(t, 0, 64, shape=[16, 64], target_memory=pl.Mem.Vec)
        y = pl.store(pl.col_expand_mul(hi, gamma), [0, 0], y)
        return y
""",
        ),
    ),
    good=(
        Example(
            "the half loaded directly",
            _HEAD
            + """\
        hi = pl.load(x, [0, 64], [16, 64])
        y = pl.store(pl.col_expand_mul(hi, gamma), [0, 0], y)
        return y
""",
        ),
        Example(
            "the copy written out",
            _HEAD
            + """\
        t = pl.load(x, [0, 0], [16, 128])
        hi = pl.tile.extract(t, 0, 64, [16, 64], target_memory=pl.Mem.Vec)
        y = pl.store(pl.col_expand_mul(hi, gamma), [0, 0], y)
        return y
""",
        ),
    ),
)
