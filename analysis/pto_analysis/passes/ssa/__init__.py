"""Conversion to SSA form."""

from pto_analysis.passes.ssa.convert import Ssa, to_ssa
from pto_analysis.passes.ssa.issues import UseBeforeDefinition

__all__ = ["Ssa", "UseBeforeDefinition", "to_ssa"]
