"""Tensor operations of an InCore function become tile operations."""

from pto_analysis.passes.lowering.convert.body import convert_tensors

__all__ = ["convert_tensors"]
