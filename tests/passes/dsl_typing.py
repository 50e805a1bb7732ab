"""What the test reader adds to a call or view that was written short: names, operands in order, implied types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from attrs import evolve

from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Binary, Call, Const, Expr, Tuple, Var
from pto_analysis.ir.types import Dim, Layout, Space, TileType, TileView, UnknownType
from pto_analysis.ops.deduce import deduce
from pto_analysis.ops.spec import Refusal

_OPERAND_KEYWORDS: Mapping[str, tuple[str, ...]] = {
    "tile.slice": ("tile", "shape", "offset", "valid_shape", "drop_dims"),
    "tile.extract": ("src", "index_row", "index_col", "shape"),
    "tile.matmul_acc": ("acc", "lhs", "rhs", "init_cond"),
}
"""Operands that a kernel may name, in the order of the IR."""


def ir_name(name: str) -> str:
    """`pl.tile.x` and, for the tile-level kernels of the tests, `pl.x` are the IR's `tile.x`."""
    short = name.removeprefix("pl.").rstrip("_")
    return short if "." in short else f"tile.{short}"


def operands(op: str, args: tuple[Expr, ...], attrs: dict[str, object]) -> tuple[tuple[Expr, ...], dict[str, object]]:
    left = dict(attrs)
    if op == "tile.load" and len(args) == 3:
        args = (*args, args[2])
    for keyword in _OPERAND_KEYWORDS.get(op, ())[len(args) :]:
        value = left.pop(keyword, None)
        if isinstance(value, tuple):
            args = (*args, Tuple(tuple(Const(item, INDEX) for item in cast("tuple[int, ...]", value))))
        elif isinstance(value, (Var, Const, Binary, Tuple)):
            args = (*args, value)
        elif value is None and keyword == "valid_shape" and left.get("drop_dims") is not None:
            args = (*args, Tuple(()))
    if len(args) == 2 and isinstance(args[1], Const):
        args = (args[0], _retyped(args[1], args[0]))
    return args, left


def _retyped(literal: Const, first: Expr) -> Const:
    """A bare whole number beside a tile takes the tile's dtype, as the DSL gives it."""
    tile = first.type if isinstance(first, Var) else None
    if not isinstance(tile, TileType) or literal.dtype != INDEX:
        return literal
    return Const(float(literal.value) if tile.dtype.is_float else literal.value, tile.dtype, literal.origin)


def typed_call(call: Call) -> Call:
    """A call whose type nobody wrote gets the one that its op gives it."""
    if not isinstance(call.type, UnknownType):
        return call
    type_ = deduce(call.op, call.args, call.attrs)
    assert not isinstance(type_, Refusal), type_
    return evolve(call, type=type_)


def written_view(shape: tuple[Dim, ...], space: Space | None, fields: Mapping[str, object]) -> TileView:
    """An explicit view: what is not written is what the space and shape imply (own table, DSL section f.4)."""
    column = len(shape) == 2 and shape[1] == 1 and isinstance(shape[0], int) and shape[0] > 1
    vector = Layout.COL_MAJOR if column else Layout.ROW_MAJOR
    layouts: dict[Space | None, tuple[Layout, Layout, int]] = {
        Space.MAT: (Layout.COL_MAJOR, Layout.ROW_MAJOR, 512),
        Space.LEFT: (Layout.COL_MAJOR, Layout.ROW_MAJOR, 512),
        Space.RIGHT: (vector, Layout.COL_MAJOR, 512),
        Space.ACC: (Layout.COL_MAJOR, Layout.ROW_MAJOR, 1024),
    }
    blayout, slayout, fractal = layouts.get(space, (vector, Layout.NONE_BOX, 512))
    implied: dict[str, object] = {"blayout": blayout, "slayout": slayout, "fractal": fractal}
    return TileView(**{**implied, **fields})  # pyright: ignore[reportArgumentType]
