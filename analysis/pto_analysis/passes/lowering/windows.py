"""Arithmetic on extents and windows of tiles and tensors, known or symbolic (elements throughout)."""

from __future__ import annotations

from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Binary, Expr
from pto_analysis.ir.types import Dim, Shape, TensorType, TileType
from pto_analysis.passes.lowering.arithmetic import fold
from pto_analysis.passes.lowering.tree import index, integer


def as_expr(dim: Dim) -> Expr:
    return index(dim) if isinstance(dim, int) else dim


def combine(op: str, left: Dim, right: Dim) -> Dim:
    """`left op right`, folded as far as it goes."""
    result = fold(Binary(op, as_expr(left), as_expr(right), INDEX))
    value = integer(result)
    return result if value is None else value


def valid_shape(kind: TileType | TensorType) -> Shape:
    valid = kind.view.valid_shape if kind.view is not None else None
    return valid if valid else kind.shape


def available(source: TensorType, shape: Shape, offsets: Shape, requested: Shape | None, *, clamped: bool) -> Shape:
    """The valid extents of a window of a tensor (reference: DSL section f.5, window read).

    What was asked for stands, unless less than that is provably there.
    """
    valid = valid_shape(source)
    full = valid == source.shape and not clamped
    rank = len(shape)
    if len(valid) != rank or len(offsets) != rank:
        return requested or shape
    reach = [
        size if full else combine("min", combine("-", combine("max", extent, offset), offset), size)
        for size, extent, offset in zip(shape, valid, offsets, strict=True)
    ]
    if requested is None or len(requested) != rank:
        return tuple(reach)
    return tuple(
        there if isinstance(there, int) and isinstance(asked, int) and there < asked else asked
        for there, asked in zip(reach, requested, strict=True)
    )


def product(dims: tuple[Dim, ...]) -> Dim:
    result: Dim = 1
    for dim in dims:
        result = combine("*", result, dim)
    return result


def known(dims: tuple[Dim, ...]) -> tuple[int, ...] | None:
    """All extents as numbers, or None when one is symbolic."""
    numbers = tuple(dim for dim in dims if isinstance(dim, int))
    return numbers if len(numbers) == len(dims) else None


def collapses(window: Shape, whole: Shape) -> bool:
    """Whether a window of a row-major tensor is one run of rows once the leading axes are merged.

    The outermost axis of more than one row may be cut; every leading axis below it must be taken whole.
    """
    cut = False
    for extent, all_of_it in zip(window[:-1], whole[:-1], strict=True):
        if cut and extent != all_of_it:
            return False
        cut = cut or extent != 1
    return True
