"""PTO104: a vector operand whose address is not provably a multiple of 32 bytes, so the compiler copies it."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.frontend.typed import constant_int
from pto_analysis.passes.canonicalize.compiler_proof import ALIGNMENT_BITS
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.hidden_alignment import hidden_proof, respelled
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import copied
from pto_analysis.rules.slice_text import RewrittenSlice, extent_text, offset_text, rewritten_slices


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for item in rewritten_slices(kernel, RULE.code):
        rewrite = item.first
        data = {**item.data(), "residue_bits": rewrite.residue, "aligned_columns": aligned_step(item)}
        message = (
            f"{item.subject} ({extent_text(item.tile.shape)} of {item.base} at "
            f"{offset_text(rewrite.row, rewrite.col)}) is copied: {_start(item)}; the compiler makes {item.size} in Vec"
        )
        yield kernel.finding(
            RULE, rewrite.slice_origin, message, related=item.related(kernel), fix=_fix(kernel, item), data=data
        )


def _fix(kernel: KernelFacts, item: RewrittenSlice) -> Fix | None:
    """The copy written out, unless PTO107 knows how to do without it."""
    if respelled(kernel, item, hidden_proof(kernel, item)) is not None:
        return None
    return copied(kernel, item)


def aligned_step(item: RewrittenSlice) -> int:
    """Columns from one 32-byte boundary to the next."""
    bits = item.tile.dtype.storage_bits
    return ALIGNMENT_BITS // gcd(ALIGNMENT_BITS, bits)


def _start(item: RewrittenSlice) -> str:
    residue = item.first.residue
    if residue is None:
        return "the compiler cannot prove that it starts at a multiple of 32 bytes"
    place = f"{residue // 8} bytes" if residue % 8 == 0 else f"{residue} bits"
    return f"it starts {place} past a multiple of 32 bytes, where vector operands must start{_nearest(item)}"


def _nearest(item: RewrittenSlice) -> str:
    """Where the window could start instead, when its rows are aligned and only the column is off."""
    row, col, width = (constant_int(value) for value in (item.first.row, item.first.col, item.base_tile.shape[1]))
    step = aligned_step(item)
    if col is None or (row != 0 and (width is None or width % step)):
        return ""
    below = col // step * step
    return f" (columns {below} and {below + step} would)"


_HEAD = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[16, 64], pl.FP32],
        n: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[16, 8], pl.FP32]],
    ) -> pl.Tensor[[16, 8], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
"""

RULE = Rule(
    code="PTO104",
    name="unaligned-vector-operand",
    severity=Severity.HINT,
    summary="A vector operand that may start off a 32-byte boundary is copied",
    what="""\
Reports a `tile.slice` of a Vec tile whose first byte the compiler cannot prove to lie at a multiple of 32 bytes. Every
operation that reads it, every alias, loop initialiser and yield, gets a `tile.extract` into a buffer of its own.
Literals, aliases, sums, differences and products count as proof: `block * 8` is a multiple of 8.""",
    why="""\
Vector instructions hang the device on an unaligned operand; older compilers let it happen. Now it is a copy for every
use. Starting at a multiple of 8 columns (32-bit types), 16 (16-bit) or 32 (8-bit) keeps the view free of charge.""",
    check=check,
    fix="sometimes",
    fix_note="Writes the compiler's copy as a `pl.tile.extract`, unless PTO107 knows a spelling that needs none.",
    references=(
        Reference("hw-native-sys/pypto", 1789),
        Reference("hw-native-sys/pypto", 2384),
        Reference("hw-native-sys/simpler", 1036),
    ),
    bad=(
        Example(
            "24 bytes into a row",
            _HEAD
            + """\
        w = pl.tile.slice(t, [16, 8], [0, 6])  #! PTO104 `pl.tile.slice(t, [16, 8], [0, 6])`
        y = pl.store(pl.mul(w, 3.0), [0, 0], y)
        return y
""",
            fixed=_HEAD
            + """\
        w = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        y = pl.store(pl.mul(w, 3.0), [0, 0], y)
        return y
""",
        ),
        Example(
            "a column nobody knows",
            _HEAD
            + """\
        w = pl.tile.slice(t, [16, 8], [0, n])  #! PTO104
        y = pl.store(pl.mul(w, 3.0), [0, 0], y)
        return y
""",
            fixed=_HEAD
            + """\
        w = pl.tile.extract(t, 0, n, shape=[16, 8], target_memory=pl.Mem.Vec)
        y = pl.store(pl.mul(w, 3.0), [0, 0], y)
        return y
""",
        ),
        Example(
            "stored by a bare statement",
            _HEAD
            + """\
        w = pl.tile.slice(t, [16, 8], [0, 6])  #! PTO104
        pl.store(w, [0, 0], y)
        return y
""",
        ),
    ),
    good=(
        Example(
            "columns in steps of 32 bytes",
            _HEAD
            + """\
        w = pl.tile.slice(t, [16, 8], [0, n * 8])
        y = pl.store(pl.mul(w, 3.0), [0, 0], y)
        return y
""",
        ),
    ),
)
