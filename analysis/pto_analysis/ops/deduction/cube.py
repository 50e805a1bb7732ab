"""Whole-type rules of the matrix unit: matmul, gemv, batched and block-scaled forms."""

from __future__ import annotations

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.dtypes import FP32, INT32, DType
from pto_analysis.ir.types import Compact, Dim, Shape, Space, TileType, TileView, Type
from pto_analysis.ops.deduction.extents import broadcast
from pto_analysis.ops.deduction.site import Site
from pto_analysis.ops.dims import format_dim, format_shape, prove_eq, prove_le
from pto_analysis.ops.views import effective_view, implicit_view, tile_type, valid_shape

GEMV_DTYPES = ("INT8", "FP16", "BF16", "FP32")
GEMV_ROWS = 16
"""Physical rows of a gemv result; one of them is valid."""

MX_GROUP = 32
"""Elements of K that share one scale."""


@frozen
class _Product:
    """The product of `lhs` and `rhs`: physical and valid extents, and the dtype it accumulates in."""

    shape: Shape
    valid: Shape
    dtype: DType


def matmul(site: Site) -> Type:
    return _accumulator(_product(site, site.tile(0), site.tile(1)))


def matmul_acc(site: Site) -> Type:
    """Accumulates into operand 0, which must cover the product."""
    acc = site.tile(0)
    product = _product(site, site.tile(1), site.tile(2))
    if len(acc.shape) != 2:
        site.refuse("shape", f"the accumulator must have two axes, has {len(acc.shape)}", 0)
    _agree(site, "accumulator", acc.shape, product.shape, 0)
    for axis, name in enumerate("MN"):
        held, needed = valid_shape(acc)[axis], product.valid[axis]
        if prove_le(needed, held) is False:
            message = f"the accumulator holds {format_dim(held)} valid {name}, the product has {format_dim(needed)}"
            site.refuse("valid-region", message, 0)
    if acc.dtype != product.dtype:
        site.refuse("dtype", f"the accumulator must be {product.dtype}, but is {acc.dtype}", 0)
    view = implicit_view(acc.shape, Space.ACC)
    view = evolve(view, valid_shape=valid_shape(acc), compact=effective_view(acc).compact)
    return tile_type(acc.shape, product.dtype, view, Space.ACC)


def matmul_bias(site: Site) -> Type:
    """Adds a `[1, N]` bias of the accumulator's dtype."""
    product = _product(site, site.tile(0), site.tile(1))
    _check_bias(site, site.tile(2), product)
    return _accumulator(product)


def _check_bias(site: Site, bias: TileType, product: _Product) -> None:
    if len(bias.shape) != 2 or bias.shape[0] != 1:
        site.refuse("shape", f"the bias must be one row [1, N], but is {format_shape(bias.shape)}", 2)
    columns, wanted = bias.shape[1], product.shape[1]
    if isinstance(columns, int) and isinstance(wanted, int) and columns != wanted:
        site.refuse("shape", f"the bias has {columns} columns, the product {wanted}", 2)
    valid = valid_shape(bias)
    if prove_le(1, valid[0]) is False or prove_le(product.valid[1], valid[1]) is False:
        site.refuse("valid-region", f"the valid bias {format_shape(valid)} does not cover the product", 2)
    if bias.dtype != product.dtype:
        site.refuse("dtype", f"the bias must be {product.dtype}, but is {bias.dtype}", 2)


def _product(site: Site, lhs: TileType, rhs: TileType) -> _Product:
    for tile, name in ((lhs, "lhs"), (rhs, "rhs")):
        if len(tile.shape) != 2:
            site.refuse("shape", f"{name} must have two axes, has {len(tile.shape)}")
    _agree_k(site, lhs.shape[1], rhs.shape[0])
    lhs_valid, rhs_valid = valid_shape(lhs), valid_shape(rhs)
    if prove_le(lhs_valid[1], rhs_valid[0]) is False:
        message = f"lhs has {format_dim(lhs_valid[1])} valid K, rhs only {format_dim(rhs_valid[0])}"
        site.refuse("valid-region", message)
    if lhs.dtype != rhs.dtype:
        site.refuse("dtype", f"lhs and rhs must agree in dtype: {lhs.dtype}, {rhs.dtype}")
    dtype = FP32 if lhs.dtype.is_float else INT32
    return _Product((lhs.shape[0], rhs.shape[1]), (lhs_valid[0], rhs_valid[1]), dtype)


def _agree_k(site: Site, left: Dim, right: Dim) -> None:
    if isinstance(left, int) and isinstance(right, int) and left != right:
        site.refuse("shape", f"lhs has K {left}, rhs has K {right}", data={"lhs_k": left, "rhs_k": right})


def _agree(site: Site, name: str, shape: Shape, wanted: Shape, operand: int) -> None:
    for a, b in zip(shape, wanted, strict=False):
        if isinstance(a, int) and isinstance(b, int) and a != b:
            message = f"the {name} is {format_shape(shape)}, the product {format_shape(wanted)}"
            site.refuse("shape", message, operand)


def _accumulator(product: _Product) -> TileType:
    """An Acc tile; compact unless all its rows are provably valid."""
    view = evolve(implicit_view(product.shape, Space.ACC), valid_shape=product.valid)
    if prove_eq(product.valid[0], product.shape[0]) is not True:
        view = evolve(view, compact=Compact.NORMAL)
    return tile_type(product.shape, product.dtype, view, Space.ACC)


def gemv(site: Site) -> Type:
    product = _product(site, site.tile(0), site.tile(1))
    return _vector_result(site, site.tile(0), site.tile(1), product)


def gemv_acc(site: Site) -> Type:
    acc = site.tile(0)
    if len(acc.shape) != 2:
        site.refuse("shape", f"the accumulator must have two axes, has {len(acc.shape)}", 0)
    lhs, rhs = site.tile(1), site.tile(2)
    result = _vector_result(site, lhs, rhs, _product(site, lhs, rhs))
    _agree(site, "accumulator", acc.shape, result.shape, 0)
    if acc.dtype != result.dtype:
        site.refuse("dtype", f"the accumulator must be {result.dtype}, but is {acc.dtype}", 0)
    wanted = valid_shape(result)
    if any(prove_eq(a, b) is not True for a, b in zip(valid_shape(acc), wanted, strict=False)):
        message = (
            f"the accumulator's valid part must be {format_shape(wanted)}, but is {format_shape(valid_shape(acc))}"
        )
        site.refuse("valid-region", message, 0)
    return result


def gemv_bias(site: Site) -> Type:
    lhs, rhs, bias = site.tile(0), site.tile(1), site.tile(2)
    product = _product(site, lhs, rhs)
    _check_bias(site, bias, product)
    result = _vector_result(site, lhs, rhs, product)
    if prove_eq(valid_shape(bias)[0], 1) is not True:
        site.refuse("valid-region", "the bias must have exactly one valid row", 2)
    return result


def _vector_result(site: Site, lhs: TileType, rhs: TileType, product: _Product) -> TileType:
    if lhs.dtype.name not in GEMV_DTYPES:
        site.refuse("dtype", f"works on INT8, FP16, BF16 and FP32, not on {lhs.dtype}")
    if lhs.shape[0] != 1 or prove_eq(valid_shape(lhs)[0], 1) is not True:
        site.refuse("shape", f"lhs must be one row, but is {format_shape(lhs.shape)}")
    shape = (GEMV_ROWS, rhs.shape[1])
    view = evolve(implicit_view(shape, Space.ACC), valid_shape=product.valid)
    return tile_type(shape, INT32 if lhs.dtype.name == "INT8" else FP32, view)


def batch_matmul(site: Site) -> Type:
    lhs, rhs = site.tile(0), site.tile(1)
    shape, dtype = _batch_product(site, lhs, rhs)
    return tile_type(shape, dtype, implicit_view(shape, Space.ACC), Space.ACC)


def batch_matmul_acc(site: Site) -> Type:
    acc, lhs, rhs = site.tile(0), site.tile(1), site.tile(2)
    if len(acc.shape) < 2:
        site.refuse("shape", "the accumulator needs at least two axes", 0)
    shape, dtype = _batch_product(site, lhs, rhs)
    if len(acc.shape) != len(shape):
        message = f"the accumulator is {format_shape(acc.shape)}, the product {format_shape(shape)}"
        site.refuse("shape", message, 0)
    _agree(site, "accumulator", acc.shape, shape, 0)
    if acc.dtype != dtype:
        site.refuse("dtype", f"the accumulator must be {dtype}, but is {acc.dtype}", 0)
    return tile_type(acc.shape, dtype, implicit_view(acc.shape, Space.ACC), Space.ACC)


def _batch_product(site: Site, lhs: TileType, rhs: TileType) -> tuple[Shape, DType]:
    if len(lhs.shape) < 2 or len(rhs.shape) < 2:
        site.refuse("shape", "both operands need at least two axes")
    _agree_k(site, lhs.shape[-1], rhs.shape[-2])
    batch = broadcast(lhs.shape[:-2], rhs.shape[:-2])
    if batch is None:
        message = f"batch axes of {format_shape(lhs.shape)} and {format_shape(rhs.shape)} do not broadcast"
        site.refuse("shape", message)
    if lhs.dtype != rhs.dtype:
        site.refuse("dtype", f"lhs and rhs must agree in dtype: {lhs.dtype}, {rhs.dtype}")
    return (*batch, lhs.shape[-2], rhs.shape[-1]), FP32 if lhs.dtype.is_float else INT32


def matmul_mx(site: Site) -> Type:
    return _scaled_product(site, 0)


def matmul_mx_acc(site: Site) -> Type:
    acc = site.tile(0)
    if len(acc.shape) != 2 or acc.dtype != FP32:
        site.refuse("dtype", "the accumulator must be a FP32 tile with two axes", 0)
    result = _scaled_product(site, 1)
    _agree(site, "accumulator", acc.shape, result.shape, 0)
    _agree(site, "valid accumulator", valid_shape(acc), valid_shape(result), 0)
    return result


def matmul_mx_bias(site: Site) -> Type:
    bias = site.tile(4)
    if len(bias.shape) != 2 or bias.dtype != FP32:
        site.refuse("dtype", "the bias must be a FP32 tile with two axes", 4)
    result = _scaled_product(site, 0)
    _agree(site, "bias", bias.shape, (1, result.shape[1]), 4)
    _agree(site, "valid bias", valid_shape(bias), (1, valid_shape(result)[1]), 4)
    return result


def _scaled_product(site: Site, first: int) -> TileType:
    """Operands `first` to `first + 3` are lhs, its scale, rhs, its scale."""
    lhs, rhs = site.tile(first), site.tile(first + 2)
    for tile, name in ((lhs, "lhs"), (rhs, "rhs")):
        if len(tile.shape) != 2:
            site.refuse("shape", f"{name} must have two axes, has {len(tile.shape)}")
        if tile.dtype.name != "FP8E4M3FN":
            site.refuse("dtype", f"{name} must be FP8E4M3FN, but is {tile.dtype}")
    _check_multiples(site, lhs, rhs)
    _check_valid_k(site, lhs, rhs)
    _check_scale(site, first + 1, lhs.shape, valid_shape(lhs), axis=1)
    _check_scale(site, first + 3, rhs.shape, valid_shape(rhs), axis=0)
    shape = (lhs.shape[0], rhs.shape[1])
    product = _Product(shape, (valid_shape(lhs)[0], valid_shape(rhs)[1]), FP32)
    view: TileView = evolve(implicit_view(shape, Space.ACC), valid_shape=product.valid)
    if prove_eq(product.valid[0], shape[0]) is not True:
        view = evolve(view, compact=Compact.NORMAL)
    return tile_type(shape, FP32, view)


def _check_multiples(site: Site, lhs: TileType, rhs: TileType) -> None:
    _agree_k(site, lhs.shape[1], rhs.shape[0])
    needed = (("M", lhs.shape[0], 16), ("N", rhs.shape[1], 32), ("K", lhs.shape[1], 64), ("K", rhs.shape[0], 64))
    for name, extent, multiple in needed:
        if isinstance(extent, int) and (extent <= 0 or extent % multiple):
            site.refuse("shape", f"{name} must be a multiple of {multiple}, got {extent}")


def _check_valid_k(site: Site, lhs: TileType, rhs: TileType) -> None:
    left, right = valid_shape(lhs)[1], valid_shape(rhs)[0]
    if isinstance(left, int) and isinstance(right, int) and left != right:
        site.refuse("valid-region", f"lhs has {left} valid K, rhs has {right}")
    for valid, physical in ((left, lhs.shape[1]), (right, rhs.shape[0])):
        if not isinstance(valid, int):
            continue
        groups = _scale_groups(physical)
        if valid <= 0 or (groups is not None and _scale_groups(valid) != groups):
            site.refuse("valid-region", f"{valid} valid K need as many scales as the physical K")


def _scale_groups(extent: Dim) -> int | None:
    return -(-extent // MX_GROUP) if isinstance(extent, int) else None


def _check_scale(site: Site, operand: int, shape: Shape, valid: Shape, *, axis: int) -> None:
    """The scale tile has the operand's shape with K counted in groups on `axis`."""
    scale = site.tile(operand)
    if scale.dtype.name != "FP8E8M0" or len(scale.shape) != 2:
        site.refuse("dtype", f"scales must be FP8E8M0 with two axes, but are {scale.dtype}", operand)
    for have, data in ((scale.shape, shape), (valid_shape(scale), valid)):
        for i, extent in enumerate(data):
            wanted = _scale_groups(extent) if i == axis else extent
            if isinstance(wanted, int) and isinstance(have[i], int) and wanted != have[i]:
                site.refuse("shape", f"scales {format_shape(have)} do not fit {format_shape(data)}", operand)


def scale_address(site: Site) -> Type:
    """tget_scale_addr: binds a scale tile to the place of its data tile."""
    scale, data = site.tile(0), site.tile(1)
    if scale.dtype.name != "FP8E8M0" or data.dtype.name != "FP8E4M3FN":
        site.refuse("dtype", f"needs FP8E8M0 scales for FP8E4M3FN data, got {scale.dtype} and {data.dtype}")
    pairs = ((Space.LEFT_SCALE, Space.LEFT), (Space.RIGHT_SCALE, Space.RIGHT))
    if (scale.space, data.space) not in pairs:
        site.refuse("space", "pairs LeftScale with Left or RightScale with Right", 0)
    if len(scale.shape) != 2 or len(data.shape) != 2:
        site.refuse("shape", "needs tiles with two axes", 0)
    _check_scale(site, 0, data.shape, valid_shape(data), axis=1 if data.space is Space.LEFT else 0)
    return scale
