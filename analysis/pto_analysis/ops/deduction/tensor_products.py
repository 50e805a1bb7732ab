"""Whole-type rules of matrix products of tensors."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.ir.dtypes import FP32, INT32, DType
from pto_analysis.ir.types import (
    Dim,
    Shape,
    Type,
)
from pto_analysis.ops.deduction.elements import promote
from pto_analysis.ops.deduction.extents import broadcast
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import format_shape
from pto_analysis.ops.views import tensor_type


def tensor_matmul(site: Site) -> Type:
    lhs, rhs = site.plain_tensor(0).shape, site.plain_tensor(1).shape
    if not lhs or not rhs:
        site.refuse("shape", "needs at least one axis on both sides")
    dtype = site.attr("out_dtype", DType) or promote(site.dtype(0), site.dtype(1))
    for shape, flag, operand in ((lhs, "a_trans", 0), (rhs, "b_trans", 1)):
        if site.flag(flag) and len(shape) < 2:
            site.refuse("attribute", f"{flag} does not apply to a vector", operand)
    left = _matrix(lhs, transposed=site.flag("a_trans"), column=False)
    right = _matrix(rhs, transposed=site.flag("b_trans"), column=True)
    if max(len(lhs), len(rhs)) > 2 and min(len(lhs), len(rhs)) < 2:
        site.refuse("shape", "a vector cannot be multiplied with a batch")
    _check_k(site, left[1], right[0])
    batch = broadcast(lhs[:-2], rhs[:-2])
    if batch is None:
        site.refuse("shape", f"batch axes of {format_shape(lhs)} and {format_shape(rhs)} do not broadcast")
    rows: Shape = (left[0],) if len(lhs) > 1 else ()
    columns: Shape = (right[1],) if len(rhs) > 1 else ()
    return tensor_type((*batch, *rows, *columns), dtype)


def _matrix(shape: Shape, *, transposed: bool, column: bool) -> tuple[Dim, Dim]:
    """The last two axes as rows and columns; a vector is a row on the left and a column on the right."""
    if len(shape) == 1:
        return (shape[0], 1) if column else (1, shape[0])
    rows, columns = shape[-2:]
    return (columns, rows) if transposed else (rows, columns)


def _check_k(site: Site, left: Dim, right: Dim) -> None:
    if isinstance(left, int) and isinstance(right, int) and left != right:
        site.refuse("shape", f"lhs has K {left}, rhs has K {right}", data={"lhs_k": left, "rhs_k": right})


def tensor_matmul_acc(site: Site) -> Type:
    acc, lhs, rhs = (site.plain_tensor(i) for i in range(3))
    if any(len(tensor.shape) < 2 for tensor in (acc, lhs, rhs)):
        site.refuse("shape", "needs at least two axes everywhere")
    if lhs.dtype != rhs.dtype:
        site.refuse("dtype", f"lhs and rhs must agree in dtype: {lhs.dtype}, {rhs.dtype}")
    dtype = FP32 if lhs.dtype.is_float else INT32
    if acc.dtype != dtype:
        site.refuse("dtype", f"the accumulator must be {dtype}, but is {acc.dtype}", 0)
    left = _matrix(lhs.shape, transposed=site.flag("a_trans"), column=False)
    right = _matrix(rhs.shape, transposed=site.flag("b_trans"), column=True)
    _check_k(site, left[1], right[0])
    batch = broadcast(lhs.shape[:-2], rhs.shape[:-2])
    if batch is None or len(batch) != len(acc.shape) - 2:
        site.refuse("shape", "batch axes of the accumulator and of the product differ", 0)
    product = (*batch, left[0], right[1])
    for have, wanted in zip(acc.shape, product, strict=False):
        if isinstance(have, int) and isinstance(wanted, int) and have != wanted:
            message = f"the accumulator is {format_shape(acc.shape)}, the product {format_shape(product)}"
            site.refuse("shape", message, 0)
    return tensor_type(acc.shape, dtype)


RULES: dict[str, Callable[[Site], Type]] = {
    rule.__name__: rule
    for rule in (
        tensor_matmul,
        tensor_matmul_acc,
    )
}
"""By the name the table uses."""
