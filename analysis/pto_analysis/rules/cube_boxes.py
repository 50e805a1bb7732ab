"""Extents of matmul operands against the boxes of L0A and L0B: shared by PTO313 and PTO314."""

from __future__ import annotations

from collections.abc import Iterator

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call
from pto_analysis.ir.types import TileType
from pto_analysis.rules.core_calls import core_calls, operand_name, tile_of
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source.span import Origin

ROWS = 16
"""Rows of a box."""

ROW_BYTES = 32
"""Bytes of a box's row."""

_PRODUCTS = {"tile.matmul": (0, 1), "tile.matmul_acc": (1, 2), "tile.matmul_bias": (0, 1)}
"""Where the left and the right operand stand."""


@frozen
class UnboxedExtent:
    """An axis ("M", "N" or "K") of `extent` elements in the operand `name`, which is read `box` at a time."""

    axis: str
    extent: int
    box: int
    name: str
    origin: Origin | None

    @property
    def next_whole(self) -> int:
        return -(-self.extent // self.box) * self.box

    @property
    def last_whole(self) -> int:
        return self.next_whole - self.box

    @property
    def data(self) -> dict[str, object]:
        return {"axis": self.axis, "extent": self.extent, "box": self.box}


def unboxed_extents(kernel: KernelFacts, axes: tuple[str, ...]) -> Iterator[UnboxedExtent]:
    """The extents of products that are no multiple of their box; at most one for each product."""
    for call, origin in core_calls(kernel):
        found = next((item for item in _of_product(call, origin) if item.axis in axes), None)
        if found is not None:
            yield found


def _of_product(call: Call, origin: Origin | None) -> Iterator[UnboxedExtent]:
    places = _PRODUCTS.get(call.op)
    if places is None or max(places) >= len(call.args):
        return
    left, right = (call.args[place] for place in places)
    left_tile, right_tile = tile_of(left), tile_of(right)
    if left_tile is None or right_tile is None or len(left_tile.shape) != 2 or len(right_tile.shape) != 2:
        return
    inner = max(ROWS, _columns(left_tile))
    rows = (
        ("M", left_tile.shape[0], ROWS, left),
        ("K", left_tile.shape[1], inner, left),
        ("N", right_tile.shape[1], ROWS, right),
    )
    for axis, extent, box, operand in rows:
        if isinstance(extent, int) and extent % box:
            yield UnboxedExtent(axis, extent, box, operand_name(operand), origin)


def _columns(tile: TileType) -> int:
    return ROW_BYTES * 8 // tile.dtype.storage_bits


def product_kernel(rows: int, inner: int, columns: int, mark: str = "") -> str:
    """A module with one FP16 product, for examples."""
    return incore(
        f"""\
            am = pl.load(a, [0, 0], [{rows}, {inner}], target_memory=pl.Mem.Mat)
            bm = pl.load(b, [0, 0], [{inner}, {columns}], target_memory=pl.Mem.Mat)
            left = pl.move(am, target_memory=pl.Mem.Left)
            right = pl.move(bm, target_memory=pl.Mem.Right)
            y = pl.store(pl.matmul(left, right), [0, 0], y){mark}
            return y
        """,
        f"a: pl.Tensor[[{rows}, {inner}], pl.FP16], b: pl.Tensor[[{inner}, {columns}], pl.FP16], "
        f"y: pl.Out[pl.Tensor[[{rows}, {columns}], pl.FP32]]",
    )
