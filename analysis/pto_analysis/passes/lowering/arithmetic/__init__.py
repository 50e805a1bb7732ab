"""Arithmetic on scalar expressions as the compiler's Simplify pass does it: constants, identities, ranges.

The forms matter, not only the values: offsets and conditions are compared with the compiler's text.
"""

from pto_analysis.passes.lowering.arithmetic.decide import decide, under
from pto_analysis.passes.lowering.arithmetic.fold import fold
from pto_analysis.passes.lowering.arithmetic.ranges import Range, Ranges, default_range, range_of

__all__ = ["Range", "Ranges", "decide", "default_range", "fold", "range_of", "under"]
