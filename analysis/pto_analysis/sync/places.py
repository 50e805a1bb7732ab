"""Which bytes a handle names in one concrete run: the views of `program` with every scalar known.

This is the tracer's own reading of the views; `accesses` reads the same views for all runs at once.
"""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.arith.evaluate import signed
from pto_analysis.arith.terms import Term
from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.items import UNBOUNDED, ByteRange
from pto_analysis.sync.program import Bytes, Choice, Region, Slot, TileShape, View, Whole, Window

Segments = tuple[tuple[int, int], ...]
Value = Callable[[Term], "int | None"]
_LONGEST_CHAIN_STEP = 256


@frozen
class Place:
    """Bytes of one region, as segments relative to `origin` inside region `name` of `space`.

    `exact` is lost when a view could not be followed: then the place is all that the view may reach, and views of it
    stay as wide. An `open` place is a pointer: it
    knows where it starts, and an op on it may reach all of its region.
    """

    region: Region
    name: str
    origin: int
    segments: Segments
    shape: TileShape | None
    problem: str | None = None
    exact: bool = True
    open: bool = False

    def ranges(self) -> tuple[ByteRange, ...]:
        if self.open:
            size = UNBOUNDED if self.region.size is None else self.region.size
            return (ByteRange(self.region.space, self.name, self.origin, self.origin + size),)
        return tuple(
            ByteRange(self.region.space, self.name, self.origin + low, self.origin + high)
            for low, high in self.segments
        )


def region_place(region: Region, base: int | None) -> Place:
    """A region as a whole. Placed ones lie in a region named after their space."""
    size = UNBOUNDED if region.size is None else region.size
    if region.space != "gm" and base is not None:
        return Place(region, region.space, base, ((0, size),), region.shape)
    return Place(region, region.id, 0, ((0, size),), region.shape)


def everything(regions: tuple[Region, ...], region: Region) -> tuple[ByteRange, ...]:
    """What a pointer without a target may reach: every region of its space."""
    names = {one.id for one in regions if one.space == region.space}
    names |= {region.space} if region.space != "gm" else set()
    return tuple(ByteRange(region.space, name, 0, UNBOUNDED) for name in sorted(names))


def view_place(view: View, source: Place, shape: TileShape | None, value: Value) -> Place:
    """The place of a view of `source` (for a `Choice`, the source is the one chosen)."""
    found = None
    if source.exact and isinstance(view, Slot):
        found = _slot(view, source, value)
    elif source.exact and isinstance(view, Window):
        found = _window(view, source, value)
    elif source.exact and isinstance(view, Bytes):
        found = _bytes(view, source, value)
    elif not isinstance(view, (Slot, Window, Bytes)):
        return evolve(source, shape=shape or source.shape)
    if found is None:
        return evolve(source, shape=shape or source.shape, exact=False)
    if isinstance(found, str):
        return evolve(source, shape=shape or source.shape, exact=False, problem=found)
    is_pointer = isinstance(view, Bytes) and view.extent is None
    kept = source.region.shape if isinstance(view, Slot) else None
    return evolve(source, segments=found, shape=shape or kept, open=is_pointer)


def chosen(view: View, value: Value) -> tuple[str, ...]:
    """The handles a view is made of in this run."""
    if isinstance(view, Choice):
        condition = value(view.condition)
        if condition is None:
            return (view.then, view.otherwise)
        return (view.then if condition else view.otherwise,)
    if isinstance(view, Whole):
        return ()
    return (view.source,)


def _slot(view: Slot, source: Place, value: Value) -> Segments | str | None:
    """The segments of the view; a text when the index is illegal, None when it is not known."""
    region = source.region
    index = value(view.index)
    if index is None or region.slots < 2:
        return None
    if not 0 <= index < region.slots:
        return f"slot index {index} of '{region.id}' lies outside its {region.slots} slots"
    low = index * region.slot_stride
    size = region.shape.bytes if region.shape is not None else region.slot_stride
    return ((low, low + size),)


def _window(view: Window, source: Place, value: Value) -> Segments | str | None:
    tile = source.shape
    row, col = value(view.row), value(view.col)
    if tile is None or tile.boxed or row is None or col is None or len(source.segments) != 1:
        return None
    if row + view.rows > tile.rows or col + view.cols > tile.cols:
        return f"the subview [{row}, {col}] of '{source.region.id}' reaches over its edge"
    lines, first, width, across = (
        (view.rows, row, view.cols, col) if tile.major == "row_major" else (view.cols, col, view.rows, row)
    )
    low = source.segments[0][0] + first * tile.line_bytes + across * tile.bits // 8
    length = max(1, width * tile.bits // 8)
    if length == tile.line_bytes:
        return ((low, low + lines * length),)
    return tuple((low + k * tile.line_bytes, low + k * tile.line_bytes + length) for k in range(lines))


def _bytes(view: Bytes, source: Place, value: Value) -> Segments | None:
    offset = value(view.offset)
    if offset is None:
        return None
    low = source.segments[0][0] + signed(offset, view.offset.bits)
    extent = view.extent if view.extent is not None else UNBOUNDED
    return ((low, low + extent),) if low >= 0 else None


def streams(shape: TileShape | None) -> bool:
    """Whether a vector op on the whole tile is long and gapless: sync.md 5.6."""
    if shape is None or shape.valid_rows is None or shape.valid_cols is None or shape.row_plus_one or shape.boxed:
        return False
    minor, valid_minor, valid_major = (
        (shape.cols, shape.valid_cols, shape.valid_rows)
        if shape.major == "row_major"
        else (shape.rows, shape.valid_rows, shape.valid_cols)
    )
    if valid_minor != minor and valid_major != 1:
        return False
    elements = max(1, _LONGEST_CHAIN_STEP * 8 // shape.bits)
    return -(-shape.valid_rows * shape.valid_cols // elements) >= 16
