"""Shapes and offsets of tiles whose leading axes are merged into rows (elements)."""

from __future__ import annotations

from pto_analysis.ir.expr import Call, Expr, type_of
from pto_analysis.ir.types import Dim, Shape, TensorType, TensorView, TileType, Type
from pto_analysis.passes.lowering.tree import index_tuple
from pto_analysis.passes.lowering.windows import combine, known, product
from pto_analysis.source.span import Origin


def is_nd(kind: Type) -> bool:
    return isinstance(kind, TileType) and len(kind.shape) > 2


def merged(shape: Shape) -> Shape:
    """`[a, b, c]` as `[a * b, c]`."""
    return shape if len(shape) <= 2 else (product(shape[:-1]), shape[-1])


def row_of(offsets: Shape, whole: Shape) -> Dim:
    """The row at which a window of a merged shape starts."""
    row = offsets[0]
    for offset, extent in zip(offsets[1:-1], whole[1:-1], strict=True):
        row = combine("+", combine("*", row, extent), offset)
    return row


def is_static(kind: Type) -> bool:
    return isinstance(kind, TileType) and known(kind.shape) is not None


def collapsed_view(tensor: Expr, origin: Origin | None) -> Call:
    """The same tensor seen with two axes."""
    kind = type_of(tensor)
    assert isinstance(kind, TensorType)
    shape = merged(kind.shape)
    layout = kind.view.layout if kind.view is not None else "ND"
    valid = kind.view.valid_shape if kind.view is not None else None
    args: tuple[Expr, ...] = (tensor, index_tuple(shape))
    view = TensorView((shape[1], 1), layout)
    if valid:
        args = (*args, index_tuple(merged(valid)))
        view = TensorView((shape[1], 1), layout, merged(valid))
    return Call("tensor.view", args, {}, TensorType(shape, kind.dtype, view), origin)
