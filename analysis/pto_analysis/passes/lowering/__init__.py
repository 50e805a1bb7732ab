"""Lowering: from the kernel its author wrote to the tile operations that the compiler makes of it.

`lower(functions, toolchain, helpers)` gives, for every function that runs on a core, its text at four points:
`lowered` (tensor operations became tile operations), `before` and `after` (around CanonicalizeTileSlice) and `placed`
(memory spaces inferred). `lower_own` leaves out what stands in the inline functions that are called. Every operation
that the author did not write has a reason in its origin.
"""

from pto_analysis.passes.lowering.notes import LoweringNote
from pto_analysis.passes.lowering.pipeline import LoweredFunction, lower, lower_own

__all__ = ["LoweredFunction", "LoweringNote", "lower", "lower_own"]
