"""The compiler's canonical form of a kernel, written into its text with every comment and blank line kept."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.check import UnitKernels
from pto_analysis.ide.rewriting import is_rewritten, kernel_named, rewriting_steps
from pto_analysis.ir.likeness import are_alike
from pto_lsp.workspace.fixing import apply_together

MAX_ROUNDS = 20
"""Edits that touch each other wait for the next round; a slice of a slice takes a round for each."""


def canonical_text(text: str, read: Callable[[str], UnitKernels | None], qualname: str) -> str | None:
    """The text in which CanonicalizeTileSlice finds nothing to do in the kernel any more.

    `read` gives the kernel's unit as it is in a text. None where that cannot be written, and where what was written
    is not, statement by statement, what the compiler makes of the kernel as it was.
    """
    meant = None
    for _ in range(MAX_ROUNDS):
        found = read(text)
        kernel = kernel_named(found.kernels, qualname) if found is not None else None
        if found is None or kernel is None or kernel.issues or kernel.not_understood or kernel.analysis.is_rejected:
            return None
        meant = meant or kernel.canonicalized.function
        if not is_rewritten(kernel):
            return text if are_alike(kernel.analysis.function, meant) else None
        text, count = apply_together(text, rewriting_steps(found.unit, kernel))
        if not count:
            return None
    return None
