"""CanonicalizeTileSlice: collect the slices, rewrite their consumers, drop what is unused (seed 000)."""

from __future__ import annotations

from pto_analysis.frozen import evolve
from pto_analysis.ir.function import Function
from pto_analysis.passes.canonicalize.collect import collect
from pto_analysis.passes.canonicalize.drop import drop_unused
from pto_analysis.passes.canonicalize.result import Canonicalized, Rejection, Rewrite
from pto_analysis.passes.canonicalize.rewrite import Rewriter

__all__ = ["Canonicalized", "Rejection", "Rewrite", "canonicalize"]


def canonicalize(function: Function) -> Canonicalized:
    """What the pass makes of a function in SSA form.

    Functions that are not InCore, and functions without a canonical slice, come back as they are. Accumulator
    windows are checked by `passes.windows`, before this.
    """
    if not function.kind.is_incore:
        return Canonicalized(function)
    collected = collect(function.body)
    if not collected.slices:
        return Canonicalized(function)
    rewriter = Rewriter(collected)
    rewritten = rewriter.block(function.body)
    if rewriter.rejection is not None:
        return Canonicalized(function, tuple(rewriter.rewrites), rewriter.rejection)
    body, dropped = drop_unused(rewritten, collected.slices)
    if body is function.body:
        return Canonicalized(function)
    rewrites = tuple(evolve(rewrite, dropped=rewrite.slice in dropped) for rewrite in rewriter.rewrites)
    return Canonicalized(evolve(function, body=body), rewrites)
