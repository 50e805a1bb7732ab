"""Ways through the IR: what an expression reads, what a statement holds, and rebuilding with other variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import is_
from typing import cast

from attrs import evolve

from pto_analysis.ir.expr import Binary, Call, Cast, Const, Expr, Invoke, Opaque, Tuple, TupleItem, Unary, Var
from pto_analysis.ir.stmt import (
    Assign,
    Block,
    Eval,
    For,
    If,
    IterArg,
    Return,
    Scope,
    Skipped,
    Stmt,
    While,
    Yield,
)  # fmt: skip
from pto_analysis.ir.types import Dim, MemRef, Shape, TensorType, TileType, TileView, TupleType, Type

Replacement = Callable[[Var], Expr]
"""What to put in the place of a variable; the variable itself to leave it."""

_EXPRESSIONS = (Var, Const, Unary, Binary, Cast, Tuple, TupleItem, Call, Invoke, Opaque)


def children(expr: Expr) -> tuple[Expr, ...]:
    """The operands of an expression, expression-valued attributes of calls included, in order of evaluation."""
    if isinstance(expr, (Var, Const)):
        return ()
    if isinstance(expr, Call):
        found = attribute_expressions(expr.attrs)
        return (*expr.args, *found) if found else expr.args
    if isinstance(expr, Binary):
        return (expr.left, expr.right)
    if isinstance(expr, (Unary, Cast)):
        return (expr.operand,)
    if isinstance(expr, Tuple):
        return expr.items
    if isinstance(expr, TupleItem):
        return (expr.value,)
    if isinstance(expr, Opaque):
        return expr.operands
    return (*expr.args, *attribute_expressions(expr.attrs))


def attribute_expressions(attrs: Mapping[str, object]) -> tuple[Expr, ...]:
    """The expressions held in attributes, directly or in a tuple."""
    found: list[Expr] = []
    for value in attrs.values():
        if isinstance(value, tuple):
            found.extend(item for item in cast("tuple[object, ...]", value) if isinstance(item, _EXPRESSIONS))
        elif isinstance(value, _EXPRESSIONS):
            found.append(value)
    return tuple(found)


def variables(expr: Expr) -> Iterator[Var]:
    """Every variable that the expression reads, once per occurrence, from left to right."""
    pending = [expr]
    while pending:
        item = pending.pop()
        if isinstance(item, Var):
            yield item
        elif not isinstance(item, Const):
            pending.extend(reversed(children(item)))


def type_variables(type_: Type) -> Iterator[Var]:
    """Every variable in the symbolic extents and offsets of a type."""
    if isinstance(type_, TupleType):
        for item in type_.items:
            yield from type_variables(item)
    elif isinstance(type_, (TileType, TensorType)):
        for dim in _dims(type_):
            if isinstance(dim, _EXPRESSIONS):
                yield from variables(dim)


def _dims(type_: TileType | TensorType) -> tuple[Dim | None, ...]:
    view, memref = type_.view, type_.memref
    dims: tuple[Dim | None, ...] = type_.shape
    if view is not None:
        dims = (*dims, *(view.valid_shape or ()), *(view.stride or ()))
    if isinstance(view, TileView):
        dims = (*dims, view.start_offset)
    return dims if memref is None else (*dims, memref.byte_offset, memref.size, memref.slot)


def operands(stmt: Stmt) -> tuple[Expr, ...]:
    """The expressions that a statement evaluates itself, not those of the statements inside it."""
    if isinstance(stmt, (Assign, Eval)):
        return (stmt.value,)
    if isinstance(stmt, For):
        return (stmt.start, stmt.stop, stmt.step, *(arg.init for arg in stmt.iter_args))
    if isinstance(stmt, While):
        return (*(arg.init for arg in stmt.iter_args), stmt.condition)
    if isinstance(stmt, If):
        return (stmt.condition,)
    if isinstance(stmt, (Yield, Return)):
        return stmt.values
    if isinstance(stmt, Scope):
        return attribute_expressions(stmt.attrs)
    return ()


def blocks(stmt: Stmt) -> tuple[Block, ...]:
    """The blocks inside a statement."""
    if isinstance(stmt, (For, While, Scope)):
        return (stmt.body,)
    return (stmt.then, stmt.orelse) if isinstance(stmt, If) else ()


def statements(block: Block) -> Iterator[Stmt]:
    """Every statement of a block and of the blocks inside it, in program order, outer before inner."""
    pending = list(reversed(block))
    while pending:
        stmt = pending.pop()
        yield stmt
        if not isinstance(stmt, (Assign, Eval)):
            for inner in reversed(blocks(stmt)):
                pending.extend(reversed(inner))


def definitions(stmt: Stmt) -> tuple[Var, ...]:
    """What a statement defines itself: inside it (loop variable, iter args) and after it (the rest)."""
    if isinstance(stmt, Assign):
        return (stmt.var,)
    if isinstance(stmt, For):
        return (stmt.var, *stmt.return_vars, *(arg.var for arg in stmt.iter_args))
    if isinstance(stmt, While):
        return (*stmt.return_vars, *(arg.var for arg in stmt.iter_args))
    if isinstance(stmt, If):
        return stmt.return_vars
    if isinstance(stmt, Skipped):
        return stmt.defines
    return (stmt.var,) if isinstance(stmt, Scope) and stmt.var is not None else ()


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
    if isinstance(expr, Const):
        return expr
    if isinstance(expr, Binary):
        left, right = substitute(expr.left, replacement), substitute(expr.right, replacement)
        return (
            expr if left is expr.left and right is expr.right else Binary(expr.op, left, right, expr.dtype, expr.origin)
        )
    if isinstance(expr, (Unary, Cast)):
        operand = substitute(expr.operand, replacement)
        return expr if operand is expr.operand else evolve(expr, operand=operand)
    if isinstance(expr, Tuple):
        items = _each(expr.items, replacement)
        return expr if items is expr.items else evolve(expr, items=items)
    if isinstance(expr, TupleItem):
        value = substitute(expr.value, replacement)
        return expr if value is expr.value else evolve(expr, value=value)
    if isinstance(expr, Opaque):
        inner = _each(expr.operands, replacement)
        return expr if inner is expr.operands else evolve(expr, operands=inner)
    return _substitute_call(expr, replacement)


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
    changed = {key: _attribute(value, replacement) for key, value in attrs.items()}
    return attrs if all(changed[key] is value for key, value in attrs.items()) else changed


def _attribute(value: object, replacement: Replacement) -> object:
    if isinstance(value, _EXPRESSIONS):
        return substitute(value, replacement)
    if isinstance(value, tuple):
        old = cast("tuple[object, ...]", value)
        new = tuple(_attribute(item, replacement) for item in old)
        return old if _same(old, new) else new
    return value


def substitute_type(type_: Type, replacement: Replacement) -> Type:
    """A type with the variables of its symbolic extents and offsets replaced; itself if nothing changed."""
    if isinstance(type_, TupleType):
        items = tuple(substitute_type(item, replacement) for item in type_.items)
        return type_ if _same(items, type_.items) else TupleType(items)
    if isinstance(type_, TileType):
        shape, memref = _shape(type_.shape, replacement), _memref(type_.memref, replacement)
        view = type_.view
        if view is not None and _has_symbols((*(view.valid_shape or ()), *(view.stride or ()), view.start_offset)):
            view = evolve(
                view,
                valid_shape=_optional_shape(view.valid_shape, replacement),
                stride=_optional_shape(view.stride, replacement),
                start_offset=_optional_dim(view.start_offset, replacement),
            )
        if shape is type_.shape and memref is type_.memref and view is type_.view:
            return type_
        return evolve(type_, shape=shape, memref=memref, view=view)
    return _tensor(type_, replacement) if isinstance(type_, TensorType) else type_


def _tensor(type_: TensorType, replacement: Replacement) -> TensorType:
    shape, view = _shape(type_.shape, replacement), type_.view
    if view is not None and _has_symbols((*(view.valid_shape or ()), *(view.stride or ()))):
        view = evolve(
            view,
            valid_shape=_optional_shape(view.valid_shape, replacement),
            stride=_optional_shape(view.stride, replacement),
        )
    return type_ if shape is type_.shape and view is type_.view else evolve(type_, shape=shape, view=view)


def _memref(memref: MemRef | None, replacement: Replacement) -> MemRef | None:
    if memref is None or not _has_symbols((memref.byte_offset, memref.size, memref.slot)):
        return memref
    return evolve(
        memref,
        byte_offset=_optional_dim(memref.byte_offset, replacement),
        size=_optional_dim(memref.size, replacement),
        slot=_optional_dim(memref.slot, replacement),
    )


def _has_symbols(dims: tuple[Dim | None, ...]) -> bool:
    return any(isinstance(dim, _EXPRESSIONS) for dim in dims)


def _shape(shape: Shape, replacement: Replacement) -> Shape:
    if not _has_symbols(shape):
        return shape
    new = tuple(dim if isinstance(dim, int) else substitute(dim, replacement) for dim in shape)
    return shape if _same(new, shape) else new


def _optional_shape(shape: Shape | None, replacement: Replacement) -> Shape | None:
    return None if shape is None else _shape(shape, replacement)


def _optional_dim(dim: Dim | None, replacement: Replacement) -> Dim | None:
    return dim if dim is None or isinstance(dim, int) else substitute(dim, replacement)


def _each(items: tuple[Expr, ...], replacement: Replacement) -> tuple[Expr, ...]:
    new = tuple(substitute(item, replacement) for item in items)
    return items if _same(new, items) else new


def substitute_iter_args(args: tuple[IterArg, ...], replacement: Replacement) -> tuple[IterArg, ...]:
    """Iter args with the variables of their initialisers replaced."""
    return tuple(evolve(arg, init=substitute(arg.init, replacement)) for arg in args)


def _same(new: tuple[object, ...], old: tuple[object, ...]) -> bool:
    return all(map(is_, new, old))
