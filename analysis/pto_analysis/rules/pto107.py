"""PTO107: a window that is aligned, though the compiler cannot see it, so that it is copied for nothing."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from attrs import frozen

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.fixes.spelling import provable_offset
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Expr
from pto_analysis.passes.canonicalize.compiler_proof import ALIGNMENT_BITS, KnownMultiples, root_residue
from pto_analysis.passes.scalars import ScalarFacts
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_text import RewrittenSlice, offset_text, rewritten_slices, source_text


@frozen(eq=False)
class _Respelled:
    """One part of the offset that is always a multiple of `multiple` elements, and how the compiler can see it."""

    axis: str
    index: Expr
    multiple: int

    @property
    def spelling(self) -> str:
        text = source_text(self.index)
        return f"{text if text.isidentifier() else f'({text})'} // {self.multiple} * {self.multiple}"


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for item in rewritten_slices(kernel, "PTO104"):
        parts = _hidden_proof(item, kernel.analysis.collected.multiples, kernel.analysis.scalars)
        if not parts:
            continue
        facts = " and ".join(
            f"{part.axis} `{source_text(part.index)}` is always a multiple of {part.multiple}" for part in parts
        )
        spellings = " and ".join(f"`{part.spelling}`" for part in parts)
        message = (
            f"{item.subject} is copied for nothing: {facts}, so the window at "
            f"{offset_text(item.first.row, item.first.col)} starts at a multiple of 32 bytes, but the compiler sees "
            f"that only from literals, sums and products; written as {spellings} it stays a view"
        )
        data = {
            **item.data(),
            "respell": [
                {
                    "axis": part.axis,
                    "index": source_text(part.index),
                    "multiple": part.multiple,
                    "spelling": part.spelling,
                }
                for part in parts
            ],
        }
        yield kernel.finding(
            RULE,
            item.first.slice_origin,
            message,
            related=item.related(kernel),
            fix=_fix(kernel, item, parts),
            data=data,
        )


def _fix(kernel: KernelFacts, item: RewrittenSlice, parts: list[_Respelled]) -> Fix | None:
    """The offset in the provable spelling, where the slice names it itself and is no slice of a slice."""
    if kernel.unit is None or kernel.lowered is not None:
        return None
    axes = {"row": 0, "column": 1}
    return provable_offset(kernel.unit, item.first.slice_origin, {axes[part.axis]: part.spelling for part in parts})


def _hidden_proof(item: RewrittenSlice, known: KnownMultiples, facts: ScalarFacts) -> list[_Respelled]:
    """The parts of the offset that are aligned in truth only; empty when the window is not provably aligned."""
    rewrite, base = item.first, item.base_tile
    residue, bits = root_residue(base), base.dtype.storage_bits
    if rewrite.residue is not None or residue is None or len(base.shape) != 2:
        return []
    width = constant_int(base.shape[1])
    parts: list[_Respelled] = []
    for axis, index, pitch in (
        ("row", rewrite.row, None if width is None else width * bits),
        ("column", rewrite.col, bits),
    ):
        value = constant_int(index)
        if value == 0:
            continue
        if pitch is None:
            return []
        if value is not None:
            residue += value * pitch
            continue
        multiple = ALIGNMENT_BITS // gcd(ALIGNMENT_BITS, pitch)
        if known.of(index) % multiple == 0:
            continue
        if not facts.is_multiple(index, multiple):
            return []
        parts.append(_Respelled(axis, index, multiple))
    return parts if residue % ALIGNMENT_BITS == 0 else []


_HEAD = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[16, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
"""

RULE = Rule(
    code="PTO107",
    name="hidden-alignment",
    severity=Severity.WARNING,
    summary="A window is aligned, but in a spelling that the compiler cannot see through: it is copied",
    what="""\
Reports a `tile.slice` that the compiler copies because it cannot prove the start to be a multiple of 32 bytes, while
the start always is. The compiler follows literals, aliases, sums, differences and products. It does not look at the
step of a loop, at `//`, `%`, shifts, `pl.min`, `pl.max` and casts.""",
    why="""\
The copy costs a buffer and a transfer for every use. Dividing by the multiple and multiplying again changes no value
and lets the compiler see it; counting the loop in blocks and multiplying reads better still.""",
    check=check,
    fix="sometimes",
    fix_note="Writes the offset in a spelling of the same value whose multiple the compiler sees.",
    references=(Reference("hw-native-sys/pypto", 1789),),
    bad=(
        Example(
            "a loop variable that counts in steps of 32 bytes",
            _HEAD
            + """\
        for i in pl.range(0, 64, 8):
            w = pl.tile.slice(t, [16, 8], [0, i])  #! PTO104 PTO107 `pl.tile.slice(t, [16, 8], [0, i])`
            y = pl.store(pl.mul(w, 3.0), [0, i], y)
        return y
""",
        ),
    ),
    good=(
        Example(
            "a loop that counts blocks",
            _HEAD
            + """\
        for b in pl.range(8):
            w = pl.tile.slice(t, [16, 8], [0, b * 8])
            y = pl.store(pl.mul(w, 3.0), [0, b * 8], y)
        return y
""",
        ),
    ),
)
