"""All that the passes know about one tile-level kernel, each part computed when it is first asked for."""

from __future__ import annotations

from functools import cached_property, lru_cache

from pto_analysis.ir.function import Function
from pto_analysis.passes.bounds import OutsideWindow, outside_windows
from pto_analysis.passes.canonicalize import Canonicalized, canonicalize
from pto_analysis.passes.canonicalize.collect import Collected, collect
from pto_analysis.passes.lowering import LoweredFunction
from pto_analysis.passes.lowering.flatten_calls import flatten_calls
from pto_analysis.passes.scalars import ScalarFacts
from pto_analysis.passes.ssa import Ssa, to_ssa
from pto_analysis.passes.windows import WindowMap, map_windows
from pto_analysis.passes.windows.direct import checks_direct_slices_only, rejects_direct_slice
from pto_analysis.source.remembered import FEW
from pto_analysis.toolchain import Toolchain


class KernelAnalysis:
    """`source` is the function as its author wrote it."""

    def __init__(self, source: Function) -> None:
        self.source = source

    @cached_property
    def ssa(self) -> Ssa:
        return to_ssa(self.source)

    @cached_property
    def function(self) -> Function:
        """What enters CanonicalizeTileSlice: SSA form, every operation in a statement of its own."""
        return flatten_calls(self.ssa.function)

    @cached_property
    def collected(self) -> Collected:
        """The canonical slices and what the compiler knows about scalars."""
        return collect(self.function.body)

    @cached_property
    def windows(self) -> WindowMap:
        """Empty for a function that runs on no core, which is not even converted for it."""
        return map_windows(self.function) if self.source.kind.is_incore else WindowMap()

    @cached_property
    def canonical(self) -> Canonicalized:
        """The pass leaves a function that runs on no core alone, so that is not even converted for it."""
        return canonicalize(self.function) if self.source.kind.is_incore else Canonicalized(self.source)

    @cached_property
    def scalars(self) -> ScalarFacts:
        """What is true about scalars, whether the compiler sees it or not."""
        return ScalarFacts(self.function)

    @cached_property
    def outside(self) -> tuple[OutsideWindow, ...]:
        """Windows that provably read past their source, whether the compiler notices or not."""
        return outside_windows(self.function.body, lambda: self.scalars)

    def is_rejected_by(self, toolchain: Toolchain) -> bool:
        """Whether the compiler stops here: at an accumulator window, or at an extract that leaves its source."""
        if self.canonical.rejection is not None:
            return True
        if checks_direct_slices_only(toolchain):
            return rejects_direct_slice(self.function)
        return bool(self.windows.rejected)

    @property
    def is_rejected(self) -> bool:
        """Whether the newest compiler stops here."""
        return self.is_rejected_by(Toolchain())


class LoweredAnalysis(KernelAnalysis):
    """The analysis of a function that lowering made: in SSA form and flat already."""

    def __init__(self, lowered: LoweredFunction) -> None:
        super().__init__(lowered.before)
        self._lowered = lowered

    @cached_property
    def function(self) -> Function:
        return self._lowered.before

    @cached_property
    def canonical(self) -> Canonicalized:
        return self._lowered.canonical


@lru_cache(maxsize=FEW)
def analyse_lowered(lowered: LoweredFunction) -> KernelAnalysis:
    """The analysis of what lowering made, shared by all who ask about the same object."""
    return LoweredAnalysis(lowered)


@lru_cache(maxsize=FEW)
def analyse_kernel(function: Function) -> KernelAnalysis:
    """The analysis of one function, shared by all who ask about the same function object."""
    return KernelAnalysis(function)
