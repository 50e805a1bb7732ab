"""The sync programs of a kernel's facts, from the form in which every tile has a memory."""

from __future__ import annotations

from pto_analysis.passes.lowering.placement import place
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.sync.kernel import Kernel, programs_of
from pto_analysis.sync.program import SyncProgram


def programs_of_facts(kernel: KernelFacts, first_line: int = 0) -> tuple[SyncProgram, ...]:
    """One program for each core; none for functions that run on no core. Lines are the unit's plus `first_line`."""
    if not kernel.is_core:
        return ()
    placed = kernel.lowered.placed if kernel.lowered is not None else place(kernel.canonicalized.function)
    located = Kernel(placed, kernel.qualname, lambda origin: kernel.locate(origin).shifted(first_line))
    return programs_of(located, kernel.toolchain.target)
