"""Writes by subscript: `dst[…] = src` rebinds `dst` to an assemble of it (DSL d.3)."""

from __future__ import annotations

from pto_analysis.frontend.bindings import bind
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.operations import operate
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.subscripts import Window, dims, tensor_window
from pto_analysis.frontend.typed import constant_int, type_of
from pto_analysis.ir.expr import Const, Expr, Opaque
from pto_analysis.ir.types import ArrayType, Dim, Shape, TensorType, TileType, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin


def read_subscript_write(reading: Reading, target: syntax.Subscript, value: syntax.Expression) -> None:
    origin = reading.origin(target)
    if not isinstance(target.value, syntax.Name):
        reading.refuse(IssueKind.OUTSIDE_DSL, "a subscript write goes through a name", origin, construct="write target")
        return
    name = target.value.name
    if reading.strict_ssa:
        reading.refuse(IssueKind.OUTSIDE_DSL, "a subscript write rebinds its target, which strict_ssa forbids", origin,
                       construct="subscript write")  # fmt: skip
    base = reading.expression(target.value)
    type_ = type_of(base)
    if isinstance(type_, ArrayType):
        result = _array_write(reading, target, base, type_, value, origin)
    elif isinstance(type_, (TensorType, TileType)):
        result = _window_write(reading, target, base, type_, reading.expression(value), origin)
    else:
        result = _write_to_other(reading, target, base, reading.expression(value), origin)
    bind(reading, name, result, reading.origin(target.value))


def _write_to_other(reading: Reading, target: syntax.Subscript, base: Expr, source: Expr, origin: Origin) -> Expr:
    operands = tuple(reading.expression(item) for item in target.items if not isinstance(item, syntax.Slice))
    type_ = type_of(base)
    if isinstance(type_, UnknownType):
        return Opaque("subscript write", (base, source, *operands), type_, origin)
    problem = reading.refuse(IssueKind.SUBSCRIPT, "only tensors, tiles and arrays are written by subscript", origin)
    return Opaque("subscript write", (base, source, *operands), problem, origin)


def _array_write(
    reading: Reading, target: syntax.Subscript, base: Expr, type_: ArrayType, value: syntax.Expression, origin: Origin
) -> Expr:
    index = reading.expression(target.items[0])
    source = reading.expression(value)
    if isinstance(source, Const) and isinstance(source.value, int) and not isinstance(source.value, bool):
        source = Const(source.value, type_.dtype, source.origin)
    return operate(reading, "pl.array.update_element", [base, index, source], {}, origin)


def _window_write(
    reading: Reading, target: syntax.Subscript, base: Expr, type_: TensorType | TileType, source: Expr, origin: Origin
) -> Expr:
    space = "tile" if isinstance(type_, TileType) else "tensor"
    rank = len(type_.shape)
    if len(target.items) > rank:
        problem = reading.refuse(
            IssueKind.SUBSCRIPT, f"{len(target.items)} indices for a {space} of rank {rank}", origin,
            indices=len(target.items), rank=rank,
        )  # fmt: skip
        return Opaque("subscript write", (base, source), problem, origin)
    if len(target.items) == rank and not any(isinstance(item, syntax.Slice) for item in target.items):
        problem = reading.refuse(
            IssueKind.SUBSCRIPT, f"one element of a {space} is written with `pl.write(…, [i, j], value)`", origin,
            reason="element-write",
        )  # fmt: skip
        return Opaque("element write", (base, source), problem, origin)
    window = tensor_window(reading, target.items, type_.shape, origin)
    source_type = type_of(source)
    if window is None or isinstance(source_type, UnknownType):
        return Opaque("subscript write", (base, source), UnknownType("the window or its source is not known"), origin)
    if not isinstance(source_type, type(type_)):
        problem = reading.refuse(
            IssueKind.SUBSCRIPT, f"what is written into a {space} must be a {space} too", origin, reason="mixed-kinds"
        )
        return Opaque("subscript write", (base, source), problem, origin)
    assert isinstance(source_type, (TensorType, TileType))
    lifted = _fit(reading, space, window, source, source_type, origin)
    if lifted is None:
        return Opaque("subscript write", (base, source), UnknownType("the source does not fit the window"), origin)
    return operate(reading, f"pl.{space}.assemble", [base, lifted, dims(window.offsets, origin)], {}, origin)


def _fit(
    reading: Reading, space: str, window: Window, source: Expr, type_: TensorType | TileType, origin: Origin
) -> Expr | None:
    """The source with the axes back that integers dropped from the window; None after an issue."""
    kept = tuple(extent for axis, extent in enumerate(window.shape) if axis not in window.dropped)
    floored = max(2, len(kept)) if space == "tile" else len(kept)
    if len(type_.shape) not in (len(kept), floored):
        reading.refuse(
            IssueKind.SUBSCRIPT, f"the window has rank {len(kept)}, its source rank {len(type_.shape)}", origin,
            reason="rank", window=len(kept), source=len(type_.shape),
        )  # fmt: skip
        return None
    lead = len(type_.shape) - len(kept)
    if not _extents_fit(reading, (1,) * lead + kept, type_, origin):
        return None
    if len(type_.shape) == len(window.shape):
        return source
    arguments: list[object] = [source, dims(_lifted(type_.shape, window, lead), origin)]
    valid = _valid(type_)
    if space == "tensor" and valid is not None and valid != type_.shape:
        arguments.append(dims(_lifted(valid, window, lead), origin))
    return operate(reading, f"pl.{space}.reshape", arguments, {}, origin)


def _lifted(shape: Shape, window: Window, lead: int) -> Shape:
    rest = iter(shape[lead:])
    return tuple(1 if axis in window.dropped else next(rest) for axis in range(len(window.shape)))


def _extents_fit(reading: Reading, wanted: Shape, type_: TensorType | TileType, origin: Origin) -> bool:
    valid = _valid(type_)
    for axis, (want, have) in enumerate(zip(wanted, type_.shape, strict=True)):
        if _may_match(want, have) or (valid is not None and _may_match(want, valid[axis])):
            continue
        reading.refuse(
            IssueKind.SUBSCRIPT, f"the window has {want} elements on axis {axis}, its source {have}", origin,
            reason="extent", axis=axis, window=want, source=have,
        )  # fmt: skip
        return False
    return True


def _may_match(want: Dim, have: Dim) -> bool:
    wanted, given = constant_int(want), constant_int(have)
    return wanted is None or given is None or wanted == given


def _valid(type_: TensorType | TileType) -> Shape | None:
    return None if type_.view is None else type_.view.valid_shape
