"""The layout that a tile has when its annotation does not say one (reference: DSL section f.4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.types import Compact, Layout, Pad, Shape, Space, TileType, TileView

ACC_FRACTAL = 1024
"""Box size of L0C in bytes: 16 x 16 elements of 4 bytes."""


@frozen
class _Default:
    """One row of the table of implicit layouts. `blayout` None: by shape, as for a vector tile."""

    blayout: Layout | None = None
    slayout: Layout = Layout.NONE_BOX
    fractal: int = 512


_FLAT = _Default()

_IMPLICIT: Mapping[Space | None, _Default] = {
    Space.MAT: _Default(Layout.COL_MAJOR, Layout.ROW_MAJOR),
    Space.LEFT: _Default(Layout.COL_MAJOR, Layout.ROW_MAJOR),
    Space.RIGHT: _Default(None, Layout.COL_MAJOR),
    Space.ACC: _Default(Layout.COL_MAJOR, Layout.ROW_MAJOR, ACC_FRACTAL),
    Space.LEFT_SCALE: _Default(Layout.ROW_MAJOR, Layout.ROW_MAJOR, 32),
    Space.RIGHT_SCALE: _Default(Layout.COL_MAJOR, Layout.COL_MAJOR, 32),
}


def implicit_view(shape: Shape, space: Space | None) -> TileView:
    """The view of a tile of that shape (elements) and space when none is written; fully valid, no padding."""
    row = _IMPLICIT.get(space, _FLAT)
    return _plain(row.blayout or _vector_layout(shape), row.slayout, row.fractal)


@cache
def _plain(blayout: Layout, slayout: Layout, fractal: int) -> TileView:
    """One object each, as there are few and they are asked for all the time."""
    return TileView(blayout, slayout, fractal)


def effective_view(tile: TileType) -> TileView:
    """The written view, else the implicit one; `valid_shape` is None where it equals the physical shape."""
    if tile.view is None:
        return implicit_view(tile.shape, tile.space)
    if tile.view.valid_shape == tile.shape:
        return evolve(tile.view, valid_shape=None)
    return tile.view


def normalised(tile: TileType) -> TileType:
    """The same type with its view left out where the view is the implicit one."""
    view = effective_view(tile)
    return evolve(tile, view=None if view == implicit_view(tile.shape, tile.space) else view)


def is_plain(view: TileView) -> bool:
    """Whether nothing but the layout of the view differs from a fully valid, unpadded tile."""
    return (
        view.valid_shape is None
        and view.stride is None
        and view.start_offset is None
        and view.pad is Pad.NULL
        and view.compact is Compact.NULL
    )


def _vector_layout(shape: Shape) -> Layout:
    """A constant [N > 1, 1] tile is a column vector; everything else lies row by row."""
    if len(shape) == 2 and shape[1] == 1 and isinstance(shape[0], int) and shape[0] > 1:
        return Layout.COL_MAJOR
    return Layout.ROW_MAJOR
