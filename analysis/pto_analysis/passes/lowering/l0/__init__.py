"""Matrix products larger than L0 are cut: a loop over K, a grid over M and N, and where the pieces go."""

from pto_analysis.passes.lowering.l0.body import tile_matmuls

__all__ = ["tile_matmuls"]
