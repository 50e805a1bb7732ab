"""Assignments in their forms: a name, a tuple of names, a subscript; with or without an annotation (DSL c.1)."""

from __future__ import annotations

from pto_analysis.frontend.agreement import agreed_type
from pto_analysis.frontend.annotations import read_type
from pto_analysis.frontend.bindings import bind, bind_temporary, retyped
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.shapes import unknown_extent
from pto_analysis.frontend.skipping import skip
from pto_analysis.frontend.writes import read_subscript_write
from pto_analysis.frontend.yields import is_yield, read_yield
from pto_analysis.frozen import evolve
from pto_analysis.ir.expr import Call, Expr, Invoke, Tuple, TupleItem, type_of
from pto_analysis.ir.types import TupleType, Type, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.blocks import Block


def read_assignment(reading: Reading, statement: syntax.Assign, block: Block) -> None:
    if len(statement.targets) != 1:
        skip(reading, block, IssueKind.OUTSIDE_DSL, "a chained assignment is not part of the DSL")
        return
    if statement.value is None:
        skip(reading, block, IssueKind.OUTSIDE_DSL, "a declaration without a value is not part of the DSL")
        return
    target = statement.targets[0]
    if isinstance(target, syntax.Name):
        _name(reading, target, statement.value, statement.annotation)
    elif isinstance(target, syntax.Subscript) and statement.annotation is None:
        read_subscript_write(reading, target, statement.value)
    elif isinstance(target, syntax.Sequence) and statement.annotation is None and _only_names(target):
        _unpack(reading, target, statement.value)
    else:
        skip(reading, block, IssueKind.OUTSIDE_DSL, "this assignment target is not part of the DSL")


def _name(reading: Reading, target: syntax.Name, node: syntax.Expression, annotation: syntax.Expression | None) -> None:
    origin = reading.origin(target)
    annotated = None if annotation is None else read_type(reading, annotation)
    if is_yield(node):
        read_yield(reading, node, (target,), annotated)
        return
    value = reading.expression(node)
    if annotated is None:
        if _is_inlined(reading, node):
            reading.scope.define(target.name, value)
            return
        bind(reading, target.name, value, origin)
    else:
        _bind_annotated(reading, target, value, annotated)
    _note_buffer(reading, target.name, node)


def _bind_annotated(reading: Reading, target: syntax.Name, value: Expr, annotated: Type) -> None:
    origin = reading.origin(target)
    type_ = agreed_type(reading, target.name, annotated, value, type_of(value), origin)
    value = retyped(value, type_)
    if isinstance(value, (Call, Invoke)) and value.type != type_:
        value = evolve(value, type=type_)
    bind(reading, target.name, value, origin, type_)


def _unpack(reading: Reading, target: syntax.Sequence, node: syntax.Expression) -> None:
    if is_yield(node):
        names = tuple(item for item in target.items if isinstance(item, syntax.Name))
        read_yield(reading, node, names)
        return
    if isinstance(node, syntax.Attribute) and node.attr == "shape" and _unpack_shape(reading, target, node):
        return
    _unpack_value(reading, target, reading.expression(node))


def _unpack_value(reading: Reading, target: syntax.Sequence, value: Expr) -> None:
    temporary = bind_temporary(reading, value)
    type_ = temporary.type
    if isinstance(value, Invoke) and "submit" in value.attrs:
        target = _flattened(target)
    if isinstance(type_, TupleType) and len(type_.items) != len(target.items):
        reading.refuse(
            IssueKind.CALL_ARITY, f"{len(target.items)} names for {len(type_.items)} values", reading.origin(target),
            expected=len(type_.items), given=len(target.items),
        )  # fmt: skip
    for index, item in enumerate(target.items):
        known = isinstance(type_, TupleType) and index < len(type_.items)
        item_type = type_.items[index] if isinstance(type_, TupleType) and known else UnknownType("an unpacked value")
        part = TupleItem(temporary, index, item_type, reading.origin(item))
        if isinstance(item, syntax.Name):
            bind(reading, item.name, part, reading.origin(item))
        elif isinstance(item, syntax.Sequence):
            _unpack_value(reading, item, part)


def _flattened(target: syntax.Sequence) -> syntax.Sequence:
    """`(a, b), tid` as `a, b, tid`: a submit gives its results and the task id in one tuple."""
    first = target.items[0]
    if not isinstance(first, syntax.Sequence):
        return target
    return syntax.Sequence(target.id, target.kind, (*first.items, *target.items[1:]))


def _unpack_shape(reading: Reading, target: syntax.Sequence, node: syntax.Attribute) -> bool:
    """`m, n = x.shape`: the names are the extents themselves."""
    shape = reading.expression(node) if unknown_extent(reading, node, 0) is None else None
    for axis, item in enumerate(target.items):
        if not isinstance(item, syntax.Name):
            return False
        extent = unknown_extent(reading, node, axis)
        if isinstance(shape, Tuple) and axis < len(shape.items):
            extent = shape.items[axis]
        if extent is None:
            return False
        reading.scope.define(item.name, extent)
    return True


def _is_inlined(reading: Reading, node: syntax.Expression) -> bool:
    """`n = x.shape[0]` and `n = pl.dynamic("n")` of jit code only name an extent."""
    if not reading.is_jit:
        return False
    if isinstance(node, syntax.Call):
        func = node.func
        return isinstance(func, syntax.Attribute) and func.attr == "dynamic"
    return (
        isinstance(node, syntax.Subscript) and isinstance(node.value, syntax.Attribute) and node.value.attr == "shape"
    )


def _only_names(target: syntax.Sequence) -> bool:
    return all(
        isinstance(item, syntax.Name) or (isinstance(item, syntax.Sequence) and _only_names(item))
        for item in target.items
    )


def _note_buffer(reading: Reading, name: str, node: syntax.Expression) -> None:
    """Remember the literal keywords of a reserved buffer: `buf.base` may be asked for later."""
    if not isinstance(node, syntax.Call) or not isinstance(node.func, syntax.Attribute):
        return
    if node.func.attr in ("reserve_buffer", "import_peer_buffer"):
        reading.buffers[name] = {"base": -1} | {
            argument.keyword: argument.value.value
            for argument in node.args
            if argument.keyword is not None and isinstance(argument.value, syntax.Constant)
        }
