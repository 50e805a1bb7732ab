"""Kernels of the tile IR as sync programs: the second frontend, beside `.pto` text (issue 3, item 1b).

`programs_of(kernel)` takes a function in SSA form with a memory for every tile and gives one program for each core that
it runs on. Source has no addresses: every buffer is its own region until the memory planner reuses it, which may
add waits that this preview cannot know; its notes say so.
"""

from __future__ import annotations

from pto_analysis.sync.kernel.program import Kernel, programs_of

__all__ = ["Kernel", "programs_of"]
