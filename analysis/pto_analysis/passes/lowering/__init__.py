"""Lowering: from the kernel its author wrote to the tile operations that the compiler makes of it.

`lower(functions, toolchain)` gives, for every function that runs on a core, its text at four points: `lowered`
(tensor operations became tile operations), `before` and `after` (around CanonicalizeTileSlice) and `placed` (memory
spaces inferred). Every operation that the author did not write has a reason in its origin.
"""

from pto_analysis.passes.lowering.notes import LoweringNote
from pto_analysis.passes.lowering.pipeline import LoweredFunction, lower

__all__ = ["LoweredFunction", "LoweringNote", "lower"]
