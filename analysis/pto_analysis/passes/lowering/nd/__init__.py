"""Tiles of more than two axes become two-dimensional: leading axes merge into rows."""

from pto_analysis.passes.lowering.nd.body import flatten_tiles

__all__ = ["flatten_tiles"]
