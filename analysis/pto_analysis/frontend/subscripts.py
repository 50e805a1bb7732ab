"""Reads by subscript: tuple items, element reads, windows of tensors and tiles (DSL d.2)."""

from __future__ import annotations

from pto_analysis.frontend.extents import as_dim, as_expr, difference, floored_difference, minimum, same_extent
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.operations import operate
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.shapes import unknown_extent
from pto_analysis.frontend.typed import constant_int, rests_on_unknown, type_of
from pto_analysis.frontend.values import is_unknown, value_to_expr
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Expr, Opaque, Tuple, TupleItem
from pto_analysis.ir.types import (
    ArrayType,
    Dim,
    Shape,
    TensorType,
    TileType,
    TupleType,
    UnknownType,
)
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin


@frozen
class Window:
    """A window as a slice op wants it: full-rank extents and offsets, and the axes that integers dropped.

    `valid` is the valid extent where it differs from the physical one (tiles only).
    """

    shape: Shape
    offsets: Shape
    dropped: tuple[int, ...]
    valid: Shape | None = None


def read_subscript(reading: Reading, node: syntax.Subscript) -> Expr:
    origin = reading.origin(node)
    constant = _closure_item(reading, node, origin)
    if constant is not None:
        return constant
    extent = _shape_item(reading, node)
    if extent is not None:
        return extent
    base = reading.expression(node.value)
    type_ = type_of(base)
    if isinstance(type_, TupleType):
        return _tuple_item(reading, node, base, type_, origin)
    if isinstance(type_, (TensorType, TileType)):
        return _shaped(reading, node, base, type_, origin)
    if isinstance(type_, ArrayType):
        index = reading.expression(node.items[0])
        return operate(reading, "pl.array.get_element", [base, index], {}, origin)
    if isinstance(type_, UnknownType):
        operands = tuple(reading.expression(item) for item in node.items if not isinstance(item, syntax.Slice))
        why = reading.unknown("subscript", type_.why or "the subscripted value is not known", origin)
        return Opaque("subscript", (base, *operands), why, origin)
    problem = reading.refuse(IssueKind.SUBSCRIPT, "only tuples, tensors, tiles and arrays have items", origin)
    return Opaque("subscript", (base,), problem, origin)


def tensor_window(
    reading: Reading, items: tuple[syntax.Expression, ...], shape: Shape, origin: Origin
) -> Window | None:
    """The window of a tensor that `items` selects. Missing trailing axes are whole. None after an issue."""
    extents: list[Dim] = []
    offsets: list[Dim] = []
    dropped: list[int] = []
    for axis, item in enumerate(items):
        if not isinstance(item, syntax.Slice):
            offsets.append(as_dim(reading.expression(item)))
            extents.append(1)
            dropped.append(axis)
            continue
        if not _plain_slice(reading, item, origin):
            return None
        lower = 0 if item.lower is None else as_dim(reading.expression(item.lower))
        upper = shape[axis] if item.upper is None else as_dim(reading.expression(item.upper))
        offsets.append(lower)
        extents.append(upper if lower == 0 and item.lower is None else difference(upper, lower, origin))
    for axis in range(len(items), len(shape)):
        offsets.append(0)
        extents.append(shape[axis])
    return Window(tuple(extents), tuple(offsets), tuple(dropped))


def _shaped(reading: Reading, node: syntax.Subscript, base: Expr, type_: TensorType | TileType, origin: Origin) -> Expr:
    rank = len(type_.shape)
    space = "tile" if isinstance(type_, TileType) else "tensor"
    if len(node.items) > rank:
        problem = reading.refuse(
            IssueKind.SUBSCRIPT, f"{len(node.items)} indices for a {space} of rank {rank}", origin,
            indices=len(node.items), rank=rank,
        )  # fmt: skip
        return Opaque("subscript", (base,), problem, origin)
    if len(node.items) == rank and not any(isinstance(item, syntax.Slice) for item in node.items):
        indices = tuple(reading.expression(item) for item in node.items)
        return operate(reading, f"pl.{space}.read", [base, Tuple(indices, origin)], {}, origin)
    if isinstance(type_, TileType):
        window = _tile_window(reading, node.items, type_, origin)
    else:
        window = tensor_window(reading, node.items, type_.shape, origin)
    if window is None:
        return Opaque("subscript", (base,), UnknownType("the window was refused"), origin)
    return _slice(reading, f"pl.{space}.slice", base, window, origin)


def _slice(reading: Reading, spelling: str, base: Expr, window: Window, origin: Origin) -> Expr:
    arguments: list[object] = [base, dims(window.shape, origin), dims(window.offsets, origin)]
    if window.valid is not None:
        arguments.append(dims(window.valid, origin))
    keywords: dict[str, object] = {}
    if window.dropped:
        keywords["drop_dims"] = dims(window.dropped, origin)
    return operate(reading, spelling, arguments, keywords, origin)


def dims(shape: Shape, origin: Origin) -> Tuple:
    return Tuple(tuple(as_expr(dim, origin) for dim in shape), origin)


def _tile_window(
    reading: Reading, items: tuple[syntax.Expression, ...], type_: TileType, origin: Origin
) -> Window | None:
    view = type_.view
    logical = view.valid_shape if view is not None and view.valid_shape is not None else type_.shape
    extents: list[Dim] = []
    offsets: list[Dim] = []
    valid: list[Dim] = []
    dropped: list[int] = []
    for axis, item in enumerate(items):
        if not isinstance(item, syntax.Slice):
            offsets.append(as_dim(reading.expression(item)))
            extents.append(1)
            valid.append(1)
            dropped.append(axis)
            continue
        axis_window = _tile_axis(reading, item, type_.shape[axis], logical[axis], origin)
        if axis_window is None:
            return None
        offset, extent, valid_extent = axis_window
        offsets.append(offset)
        extents.append(extent)
        valid.append(valid_extent)
    for axis in range(len(items), len(type_.shape)):
        offsets.append(0)
        extents.append(type_.shape[axis])
        valid.append(logical[axis])
    narrowed = not all(same_extent(a, b) for a, b in zip(extents, valid, strict=True))
    return Window(tuple(extents), tuple(offsets), tuple(dropped), tuple(valid) if narrowed else None)


def _tile_axis(
    reading: Reading, item: syntax.Slice, physical: Dim, logical: Dim, origin: Origin
) -> tuple[Dim, Dim, Dim] | None:
    """Offset, physical extent and valid extent of one sliced axis of a tile."""
    if not _plain_slice(reading, item, origin):
        return None
    lower_bound = 0 if item.lower is None else as_dim(reading.expression(item.lower))
    lower = constant_int(lower_bound)
    if lower is None and rests_on_unknown(lower_bound):
        upper = physical if item.upper is None else as_dim(reading.expression(item.upper))
        extent = difference(upper, lower_bound, origin)
        return lower_bound, extent, extent
    if lower is None:
        reading.refuse(
            IssueKind.SUBSCRIPT,
            "the lower bound of a tile subscript must be a constant; use `pl.slice` for an offset known at run time",
            origin, reason="dynamic-lower-bound",
        )  # fmt: skip
        return None
    upper = None if item.upper is None else as_dim(reading.expression(item.upper))
    valid_upper = logical if upper is None else minimum(upper, logical, origin)
    valid = valid_upper if item.lower is None else floored_difference(valid_upper, lower, origin)
    extent = _tile_extent(physical, lower, upper)
    if isinstance(extent, int) and extent <= 0:
        reading.refuse(IssueKind.SUBSCRIPT, "this window of the tile is empty", origin, reason="empty-window")
        return None
    return lower, extent, valid


def _tile_extent(physical: Dim, lower: int, upper: Dim | None) -> Dim:
    """The extent the window takes in the buffer: it must be static, so a run-time upper bound reaches to the end."""
    rest = None if not isinstance(physical, int) else max(physical - lower, 0)
    known_upper = None if upper is None else constant_int(upper)
    if known_upper is not None:
        extent = max(known_upper - lower, 0)
        return extent if rest is None else min(extent, rest)
    return physical if rest is None else rest


def _plain_slice(reading: Reading, item: syntax.Slice, origin: Origin) -> bool:
    if item.step is None:
        return True
    reading.refuse(IssueKind.OUTSIDE_DSL, "a slice with a step is not part of the DSL", origin, construct="slice step")
    return False


def _tuple_item(reading: Reading, node: syntax.Subscript, base: Expr, type_: TupleType, origin: Origin) -> Expr:
    index = constant_int(reading.expression(node.items[0])) if len(node.items) == 1 else None
    if index is None or not -len(type_.items) <= index < len(type_.items):
        problem = reading.refuse(IssueKind.SUBSCRIPT, "a tuple is indexed with a literal inside its length", origin)
        return Opaque("tuple item", (base,), problem, origin)
    index %= len(type_.items)
    if isinstance(base, Tuple):
        return base.items[index]
    return TupleItem(base, index, type_.items[index], origin)


def _closure_item(reading: Reading, node: syntax.Subscript, origin: Origin) -> Expr | None:
    """An item of a closure list or dict (`SHAPE[0]`)."""
    root = node.value
    while isinstance(root, (syntax.Attribute, syntax.Subscript)):
        root = root.value
    if not isinstance(root, syntax.Name) or root.name in reading.scope:
        return None
    value = reading.closure.evaluate(node)
    return None if is_unknown(value) else value_to_expr(reading, value, origin)


def _shape_item(reading: Reading, node: syntax.Subscript) -> Expr | None:
    """`x.shape[i]` of a tensor whose shape is known only at the call."""
    if not isinstance(node.value, syntax.Attribute) or len(node.items) != 1:
        return None
    index = node.items[0]
    if not isinstance(index, syntax.Constant) or not isinstance(index.value, int):
        return None
    return unknown_extent(reading, node.value, index.value)
