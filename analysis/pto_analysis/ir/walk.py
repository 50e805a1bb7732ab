"""Ways through the IR: what an expression reads, what a statement holds, and rebuilding with other variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from operator import is_
from typing import TypeVar, cast

from attrs import AttrsInstance
from attrs import fields as attrs_fields

from pto_analysis.frozen import evolve
from pto_analysis.ir.expr import Call, Expr, Invoke, Opaque, Var, is_expression
from pto_analysis.ir.stmt import Block, IterArg, Scope, Stmt, Yield
from pto_analysis.ir.types import Dim, MemRef, Shape, TensorType, TileType, TileView, TupleType, Type

Replacement = Callable[[Var], Expr]
"""What to put in the place of a variable; the variable itself to leave it."""

Node = TypeVar("Node", bound=AttrsInstance)


def type_variables(type_: Type) -> Iterator[Var]:
    """Every variable in the symbolic extents and offsets of a type."""
    return (var for symbol in type_.symbols for var in symbol.variables)


@lru_cache(maxsize=64)
def statements(block: Block) -> tuple[Stmt, ...]:
    """Every statement of a block and of the blocks inside it, in program order, outer before inner."""
    found: list[Stmt] = []
    _gather(block, found)
    return tuple(found)


def _gather(block: Block, found: list[Stmt]) -> None:
    for stmt in block:
        found.append(stmt)
        for inner in stmt.blocks:
            _gather(inner, found)


def final_yield(block: Block) -> Yield | None:
    """The yield that ends a block; scopes that are transparent to data flow are looked through."""
    if not block:
        return None
    last = block[-1]
    if isinstance(last, Yield):
        return last
    return final_yield(last.body) if isinstance(last, Scope) and last.kind in TRANSPARENT_SCOPES else None


TRANSPARENT_SCOPES = frozenset({"scope", "manual_scope", "auto_scope", "split_aiv"})
"""`with` blocks that are never outlined: their body shares its values with the code around it."""


def substitute(expr: Expr, replacement: Replacement) -> Expr:
    """The expression with its variables replaced, in its types and attributes too; itself if nothing changed."""
    if isinstance(expr, Var):
        return replacement(expr)
    if isinstance(expr, (Call, Invoke)):
        return _substitute_call(expr, replacement)
    old = expr.parts
    new = _each(old, replacement)
    return expr if new is old else expr.with_parts(new)


def substitute_call(call: Call | Invoke | Opaque, replacement: Replacement) -> Call | Invoke | Opaque:
    """`substitute` for what may stand as a statement."""
    result = substitute(call, replacement)
    assert isinstance(result, (Call, Invoke, Opaque))
    return result


def _substitute_call(call: Call | Invoke, replacement: Replacement) -> Call | Invoke:
    args = _each(call.args, replacement)
    attrs = substitute_attributes(call.attrs, replacement)
    type_ = substitute_type(call.type, replacement)
    if args is call.args and attrs is call.attrs and type_ is call.type:
        return call
    if isinstance(call, Call):
        return Call(call.op, args, attrs, type_, call.origin)
    return Invoke(call.callee, args, attrs, type_, call.origin)


def substitute_attributes(attrs: Mapping[str, object], replacement: Replacement) -> Mapping[str, object]:
    """Attributes with the variables of their expressions replaced; the same mapping if nothing changed."""
    if not attrs:
        return attrs
    changed = {key: _attribute(value, replacement) for key, value in attrs.items()}
    return attrs if all(changed[key] is value for key, value in attrs.items()) else changed


def _attribute(value: object, replacement: Replacement) -> object:
    if is_expression(value):
        return substitute(value, replacement)
    if isinstance(value, tuple):
        old = cast("tuple[object, ...]", value)
        new = tuple(_attribute(item, replacement) for item in old)
        return old if _same(old, new) else new
    return value


def substitute_type(type_: Type, replacement: Replacement) -> Type:
    """A type with the variables of its symbolic extents and offsets replaced; itself if nothing changed."""
    if not type_.symbols:
        return type_
    if isinstance(type_, TupleType):
        items = tuple(substitute_type(item, replacement) for item in type_.items)
        return type_ if _same(items, type_.items) else TupleType(items)
    if isinstance(type_, TileType):
        shape, memref = _shape(type_.shape, replacement), _memref(type_.memref, replacement)
        view = _tile_view(type_.view, replacement)
        if shape is type_.shape and memref is type_.memref and view is type_.view:
            return type_
        return TileType(shape, type_.dtype, type_.space, view, memref)
    return _tensor(type_, replacement) if isinstance(type_, TensorType) else type_


def _tile_view(view: TileView | None, replacement: Replacement) -> TileView | None:
    if view is None:
        return None
    valid, stride = _optional_shape(view.valid_shape, replacement), _optional_shape(view.stride, replacement)
    start = _optional_dim(view.start_offset, replacement)
    if valid is view.valid_shape and stride is view.stride and start is view.start_offset:
        return view
    return evolve(view, valid_shape=valid, stride=stride, start_offset=start)


def _tensor(type_: TensorType, replacement: Replacement) -> TensorType:
    shape, view = _shape(type_.shape, replacement), type_.view
    if view is not None:
        valid, stride = _optional_shape(view.valid_shape, replacement), _optional_shape(view.stride, replacement)
        if valid is not view.valid_shape or stride is not view.stride:
            view = evolve(view, valid_shape=valid, stride=stride)
    if shape is type_.shape and view is type_.view:
        return type_
    return TensorType(shape, type_.dtype, view, type_.memref, type_.distributed)


def _memref(memref: MemRef | None, replacement: Replacement) -> MemRef | None:
    if memref is None:
        return None
    offset, size = _optional_dim(memref.byte_offset, replacement), _optional_dim(memref.size, replacement)
    slot = _optional_dim(memref.slot, replacement)
    if offset is memref.byte_offset and size is memref.size and slot is memref.slot:
        return memref
    return evolve(memref, byte_offset=offset, size=size, slot=slot)


def _shape(shape: Shape, replacement: Replacement) -> Shape:
    new = tuple([dim if isinstance(dim, int) else substitute(dim, replacement) for dim in shape])
    return shape if _same(new, shape) else new


def _optional_shape(shape: Shape | None, replacement: Replacement) -> Shape | None:
    return None if shape is None else _shape(shape, replacement)


def _optional_dim(dim: Dim | None, replacement: Replacement) -> Dim | None:
    return dim if dim is None or isinstance(dim, int) else substitute(dim, replacement)


def _each(items: tuple[Expr, ...], replacement: Replacement) -> tuple[Expr, ...]:
    new = tuple([substitute(item, replacement) for item in items])
    return items if _same(new, items) else new


def substitute_iter_args(args: tuple[IterArg, ...], replacement: Replacement) -> tuple[IterArg, ...]:
    """Iter args with the variables of their initialisers replaced."""
    return tuple(IterArg(arg.var, substitute(arg.init, replacement)) for arg in args)


def updated(node: Node, **fields: object) -> Node:
    """The node with other fields; the very node when each of them is what it was, tuples item by item."""
    for name, new in fields.items():
        if not _is_what_it_was(new, getattr(node, name)):
            break
    else:
        return node
    return type(node)(*[fields[name] if name in fields else getattr(node, name) for name in _names(type(node))])


@cache
def _names(kind: type[AttrsInstance]) -> tuple[str, ...]:
    return tuple(attribute.name for attribute in attrs_fields(kind))


def _is_what_it_was(new: object, old: object) -> bool:
    if new is old or not isinstance(new, tuple) or not isinstance(old, tuple):
        return new is old
    items, before = cast("tuple[object, ...]", new), cast("tuple[object, ...]", old)
    return len(items) == len(before) and _same(items, before)


def _same(new: tuple[object, ...], old: tuple[object, ...]) -> bool:
    return all(map(is_, new, old))
