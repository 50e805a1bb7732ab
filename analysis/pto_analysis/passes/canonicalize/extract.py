"""Building the `tile.extract` that takes the place of a slice."""

from __future__ import annotations

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Call, Const, Expr, Tuple, Var
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ops.deduce import deduce
from pto_analysis.ops.spec import Refusal
from pto_analysis.passes.canonicalize.collect import SliceWindow
from pto_analysis.source.span import Origin


@frozen(eq=False)
class OutOfBounds:
    """The extract reads past its source: `axis` 0 rows, 1 columns; the numbers are elements."""

    axis: int
    offset: int | None
    extent: int
    available: int

    @property
    def message(self) -> str:
        name = ("rows", "columns")[self.axis]
        start = "" if self.offset is None else f" from {self.offset} on"
        return f"the window takes {self.extent} {name}{start}, but its source has {self.available}"


def extract_of_slice(window: SliceWindow, target: Space, origin: Origin | None) -> Call:
    """A fresh copy of the slice's whole window in `target`."""
    shape = Tuple(tuple(Const(dim, INDEX) if isinstance(dim, int) else dim for dim in window.tile.shape))
    args = (window.base, window.row, window.col, shape)
    attrs = {"target_memory": target}
    type_ = deduce("tile.extract", args, attrs)
    if isinstance(type_, Refusal):  # told by `out_of_bounds`; the record still wants a type
        type_ = TileType(window.tile.shape, window.tile.dtype, target)
    return Call("tile.extract", args, attrs, type_, origin)


def folded(call: Call, window: SliceWindow, row: Expr, col: Expr) -> Call:
    """An extract of a slice as an extract of the slice's base at (row, col)."""
    return evolve(call, args=(window.base, row, col, *call.args[3:]))


def out_of_bounds(call: Call) -> OutOfBounds | None:
    """The first axis on which an extract provably leaves its source, as the compiler's typing sees it."""
    source, shape = call.args[0], call.args[3]
    if not isinstance(source, Var) or not isinstance(source.type, TileType) or not isinstance(shape, Tuple):
        return None
    for axis, (dim, available) in enumerate(zip(shape.items, source.type.shape, strict=False)):
        extent, limit = constant_int(dim), constant_int(available)
        if extent is None or limit is None:
            continue
        offset = constant_int(call.args[1 + axis])
        if extent > limit or (offset is not None and not 0 <= offset <= limit - extent):
            return OutOfBounds(axis, offset, extent, limit)
    return None
