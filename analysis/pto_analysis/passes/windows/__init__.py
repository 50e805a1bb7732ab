"""Windows of on-chip tiles: which window every variable names, and which accumulator windows are rejected."""

from pto_analysis.passes.windows.accumulator import AccumulatorWindow, accumulator_window
from pto_analysis.passes.windows.model import Accumulation, Step, StridedAccumulator, Window, WindowMap, same_window
from pto_analysis.passes.windows.sweep import map_windows

__all__ = [
    "Accumulation",
    "AccumulatorWindow",
    "Step",
    "StridedAccumulator",
    "Window",
    "WindowMap",
    "accumulator_window",
    "map_windows",
    "same_window",
]
