"""`x.shape`, `x.shape[i]`, `x.dtype`: what jit sources may ask of a tensor (DSL a.2)."""

from __future__ import annotations

from pto_analysis.frontend.extents import as_expr
from pto_analysis.frontend.reading import Reading
from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import Expr, Tuple, type_of
from pto_analysis.ir.types import TensorType, TileType, UnknownType
from pto_analysis.source import syntax


def shape_attribute(reading: Reading, node: syntax.Attribute) -> Expr | None:
    """`x.shape` as a tuple of extents; None when the node is something else or the rank is not known."""
    if node.attr != "shape" or not isinstance(node.value, syntax.Name):
        return None
    owner = reading.scope.lookup(node.value.name)
    if owner is None:
        return None
    type_ = type_of(owner)
    if not isinstance(type_, (TensorType, TileType)):
        return None
    origin = reading.origin(node)
    return Tuple(tuple(as_expr(dim, origin) for dim in type_.shape), origin)


def unknown_extent(reading: Reading, node: syntax.Expression, axis: int) -> Expr | None:
    """The symbol for `x.shape[axis]` when `node` is `x.shape` of a tensor whose shape only the call decides."""
    if not (isinstance(node, syntax.Attribute) and node.attr == "shape" and isinstance(node.value, syntax.Name)):
        return None
    owner = reading.scope.lookup(node.value.name)
    if owner is None or not isinstance(type_of(owner), UnknownType):
        return None
    return reading.symbol(f"{node.value.name}.shape[{axis}]")


def dtype_attribute(reading: Reading, node: syntax.Expression) -> DType | None:
    """`x.dtype` of a tensor or tile."""
    if not (isinstance(node, syntax.Attribute) and node.attr == "dtype" and isinstance(node.value, syntax.Name)):
        return None
    owner = reading.scope.lookup(node.value.name)
    type_ = None if owner is None else type_of(owner)
    return type_.dtype if isinstance(type_, (TensorType, TileType)) else None
