"""Offsets that are aligned though the compiler cannot see it: PTO107 respells them, PTO104 leaves them to it."""

from __future__ import annotations

from math import gcd

from pto_analysis.findings import Fix
from pto_analysis.fixes.places import places_of
from pto_analysis.fixes.spelling import provable_offset
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr
from pto_analysis.passes.canonicalize.compiler_proof import ALIGNMENT_BITS, root_residue
from pto_analysis.passes.ssa.names import is_inlined
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.slice_text import RewrittenSlice, source_text


@frozen(eq=False)
class Respelled:
    """One part of the offset that is always a multiple of `multiple` elements, and how the compiler can see it."""

    axis: str
    index: Expr
    multiple: int

    @property
    def spelling(self) -> str:
        text = source_text(self.index)
        return f"{text if text.isidentifier() else f'({text})'} // {self.multiple} * {self.multiple}"


def hidden_proof(kernel: KernelFacts, item: RewrittenSlice) -> list[Respelled]:
    """The parts of the offset that are aligned in truth only; empty when the window is not provably aligned."""
    known, facts = kernel.analysis.collected.multiples, kernel.analysis.scalars
    rewrite, base = item.first, item.base_tile
    residue, bits = root_residue(base), base.dtype.storage_bits
    if rewrite.residue is not None or residue is None or len(base.shape) != 2:
        return []
    width = constant_int(base.shape[1])
    parts: list[Respelled] = []
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
        parts.append(Respelled(axis, index, multiple))
    return parts if residue % ALIGNMENT_BITS == 0 else []


def respelled(kernel: KernelFacts, item: RewrittenSlice, parts: list[Respelled]) -> Fix | None:
    """The offset in the provable spelling, where the slice names it itself and is no slice of a slice.

    What is proved about an inline function is proved for one of its calls only.
    """
    if kernel.unit is None or not parts or is_inlined(item.first.slice):
        return None
    if _source(kernel, item) is not item.first.base:
        return None
    axes = {"row": 0, "column": 1}
    return provable_offset(kernel.unit, item.first.slice_origin, {axes[part.axis]: part.multiple for part in parts})


def _source(kernel: KernelFacts, item: RewrittenSlice) -> Expr | None:
    """What the slice itself is a slice of."""
    defined = places_of(kernel.analysis.function).defined.get(item.first.slice)
    return defined.value.args[0] if defined is not None and isinstance(defined.value, Call) else None
