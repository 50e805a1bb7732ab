"""Building and rebuilding IR: what the stages of the lowering share beyond `ir.walk`.

Everything here is pure: a rebuild returns the node it was given when nothing under it changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import is_
from typing import Union

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir import walk
from pto_analysis.ir.dtypes import INDEX, UINT8, DType
from pto_analysis.ir.expr import Call, Const, Expr, Invoke, Opaque, Tuple, TupleItem, Unary, Var, type_of
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, IterArg, Return, Scope, Stmt, While, Yield
from pto_analysis.ir.types import ScalarType, Shape, TensorType, TileType, TupleType, Type, UnknownType

_TYPED = (Var, Call, Invoke, TupleItem, Opaque)
"""The expressions whose type is written down; that of any other follows from its parts and is known."""

Substitution = Mapping[Var, Expr]
Loop = Union[For, While]


def map_operands(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """`expr` with its direct operands changed; the very expression when none is."""
    old = expr.parts
    if not old:
        return expr
    new = tuple(map(change, old))
    return expr if all(map(is_, new, old)) else expr.with_parts(new)


def substitute(expr: Expr, mapping: Substitution) -> Expr:
    """`expr` with variables replaced, in its types and attributes too."""
    if mapping.keys().isdisjoint(expr.mentioned):
        return expr
    return walk.substitute(expr, lambda var: mapping.get(var, var))


def substitute_type(kind: Type, mapping: Substitution) -> Type:
    """`kind` with variables replaced in its extents."""
    return walk.substitute_type(kind, lambda var: mapping.get(var, var)) if mapping and kind.symbols else kind


def map_extents(kind: Type, change: Callable[[int | Expr], int | Expr]) -> Type:
    """`kind` with `change` applied to its physical and valid extents; the very type when all of them stay."""
    if not kind.symbols:
        return kind
    if isinstance(kind, TupleType):
        items = tuple(map_extents(item, change) for item in kind.items)
        return kind if all(map(is_, items, kind.items)) else TupleType(items)
    if not isinstance(kind, (TileType, TensorType)):
        return kind
    shape, view = _map_shape(kind.shape, change), kind.view
    if view is not None and view.valid_shape is not None:
        valid = _map_shape(view.valid_shape, change)
        view = view if valid is view.valid_shape else evolve(view, valid_shape=valid)
    return kind if shape is kind.shape and view is kind.view else evolve(kind, shape=shape, view=view)


def _map_shape(shape: Shape, change: Callable[[int | Expr], int | Expr]) -> Shape:
    new = tuple(map(change, shape))
    return shape if all(map(is_, new, shape)) else new


def shape_of(expr: Expr) -> Shape | None:
    kind = type_of(expr)
    return kind.shape if isinstance(kind, (TileType, TensorType)) else None


def index(value: int) -> Const:
    return Const(value, INDEX)


def index_tuple(values: tuple[int | Expr, ...]) -> Tuple:
    """A literal tuple of extents or offsets."""
    return Tuple(tuple(index(value) if isinstance(value, int) else value for value in values))


def tuple_items(expr: Expr | None) -> tuple[int | Expr, ...] | None:
    """The elements of a literal tuple, literal integers as plain numbers; None for anything else."""
    if not isinstance(expr, Tuple):
        return None
    return tuple(known if (known := integer(item)) is not None else item for item in expr.items)


def integer(expr: int | Expr | None) -> int | None:
    """The value of a literal integer, else None."""
    if isinstance(expr, bool):
        return None
    if isinstance(expr, int):
        return expr
    if isinstance(expr, Const) and isinstance(expr.value, int) and not isinstance(expr.value, bool):
        return expr.value
    if isinstance(expr, Unary) and expr.op == "-":
        inner = integer(expr.operand)
        return None if inner is None else -inner
    return None


def number(value: int | float, dtype: DType) -> Const:
    """`value` as a literal of `dtype`."""
    return Const(float(value) if dtype.is_float else int(value), dtype)


def base_name(name: str) -> str:
    """The author's part of a name: what stands before the first role suffix (reference: DSL section g)."""
    return name.split("__", 1)[0] or name


def is_scalar(kind: Type) -> bool:
    return isinstance(kind, ScalarType)


def is_unknown(expr: Expr) -> bool:
    return isinstance(expr, _TYPED) and isinstance(expr.type, UnknownType)


PREDICATE_SCRATCH = (UINT8, (1, 32))
"""dtype and shape of the scratch tile of a select."""


def operands_in_order(stmt: Stmt) -> tuple[Expr, ...]:
    """What a statement itself reads, in the compiler's order: the initial values of a loop come before its bounds."""
    if isinstance(stmt, For):
        return (*(carried.init for carried in stmt.iter_args), stmt.start, stmt.stop, stmt.step)
    return stmt.operands


def calls(expr: Expr) -> Iterator[Call]:
    """Every operation in an expression, the outer one first."""
    return (item for item in expr.compounds if isinstance(item, Call))


def calls_of_kernels(expr: Expr) -> Iterator[Invoke]:
    """Every call of another kernel in an expression."""
    return (item for item in expr.compounds if isinstance(item, Invoke))


def reads(block: Block) -> Iterator[Var]:
    """Every variable that a block reads, with repetitions."""
    for stmt in walk.statements(block):
        for operand in stmt.operands:
            yield from operand.variables


def call_of(stmt: Stmt) -> Call | None:
    """The operation that a statement binds or runs, if it does."""
    value = stmt.value if isinstance(stmt, (Assign, Eval)) else None
    return value if isinstance(value, Call) else None


def map_block(block: Block, change: Callable[[Stmt], Block]) -> Block:
    """The statements that stand for those of a block; the very block when each stands for itself."""
    result: list[Stmt] = []
    same = True
    for stmt in block:
        new = change(stmt)
        same = same and len(new) == 1 and new[0] is stmt
        result += new
    return block if same else tuple(result)


def map_inner(stmt: If | For | While | Scope, change: Callable[[Block], Block]) -> Stmt:
    """A statement with the blocks inside it changed; the very statement when none is."""
    if isinstance(stmt, If):
        then, orelse = change(stmt.then), change(stmt.orelse)
        return stmt if then is stmt.then and orelse is stmt.orelse else evolve(stmt, then=then, orelse=orelse)
    body = change(stmt.body)
    return stmt if body is stmt.body else evolve(stmt, body=body)


def with_values(stmt: Stmt, mapping: Substitution) -> Stmt:
    """A statement, with all that is inside it, reading other values; its own definitions stay."""
    if isinstance(stmt, Assign):
        return evolve(stmt, value=substitute(stmt.value, mapping))
    if isinstance(stmt, Eval):
        value = substitute(stmt.value, mapping)
        return evolve(stmt, value=value) if isinstance(value, (Call, Invoke, Opaque)) else stmt
    if isinstance(stmt, (Yield, Return)):
        return evolve(stmt, values=tuple(substitute(value, mapping) for value in stmt.values))
    if isinstance(stmt, If):
        then, orelse = block_with_values(stmt.then, mapping), block_with_values(stmt.orelse, mapping)
        return evolve(stmt, condition=substitute(stmt.condition, mapping), then=then, orelse=orelse)
    if isinstance(stmt, (For, While)):
        carried = tuple(evolve(item, init=substitute(item.init, mapping)) for item in stmt.iter_args)
        stmt = evolve(stmt, iter_args=carried, body=block_with_values(stmt.body, mapping))
        if isinstance(stmt, While):
            return evolve(stmt, condition=substitute(stmt.condition, mapping))
        start, stop, step = (substitute(bound, mapping) for bound in (stmt.start, stmt.stop, stmt.step))
        return evolve(stmt, start=start, stop=stop, step=step)
    if isinstance(stmt, Scope):
        return evolve(stmt, body=block_with_values(stmt.body, mapping))
    return stmt


def block_with_values(block: Block, mapping: Substitution) -> Block:
    return tuple(with_values(stmt, mapping) for stmt in block)


@frozen
class Renaming:
    """Copies a block with every definition replaced by a fresh variable, so that the copy can stand beside it."""

    mapping: dict[Var, Expr]

    def block(self, block: Block) -> Block:
        return tuple(self.statement(stmt) for stmt in block)

    def expression(self, expr: Expr) -> Expr:
        return substitute(expr, self.mapping)

    def define(self, var: Var) -> Var:
        fresh = evolve(var, type=substitute_type(var.type, self.mapping))
        self.mapping[var] = fresh
        return fresh

    def statement(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, Assign):
            value = self.expression(stmt.value)
            return evolve(stmt, value=value, var=self.define(stmt.var))
        if isinstance(stmt, Eval):
            value = self.expression(stmt.value)
            return evolve(stmt, value=value) if isinstance(value, (Call, Invoke, Opaque)) else stmt
        if isinstance(stmt, (Yield, Return)):
            return evolve(stmt, values=tuple(self.expression(value) for value in stmt.values))
        if isinstance(stmt, For):
            start, stop, step = (self.expression(bound) for bound in (stmt.start, stmt.stop, stmt.step))
            carried = self._carried(stmt)
            var = self.define(stmt.var)
            body = self.block(stmt.body)
            returned = tuple(self.define(result) for result in stmt.return_vars)
            return evolve(
                stmt, start=start, stop=stop, step=step, iter_args=carried, var=var, body=body, return_vars=returned
            )
        if isinstance(stmt, While):
            carried = self._carried(stmt)
            condition, body = self.expression(stmt.condition), self.block(stmt.body)
            returned = tuple(self.define(result) for result in stmt.return_vars)
            return evolve(stmt, condition=condition, iter_args=carried, body=body, return_vars=returned)
        if isinstance(stmt, If):
            condition = self.expression(stmt.condition)
            then, orelse = self.block(stmt.then), self.block(stmt.orelse)
            returned = tuple(self.define(result) for result in stmt.return_vars)
            return evolve(stmt, condition=condition, then=then, orelse=orelse, return_vars=returned)
        if isinstance(stmt, Scope):
            return evolve(stmt, body=self.block(stmt.body))
        return stmt

    def _carried(self, loop: Loop) -> tuple[IterArg, ...]:
        inits = tuple(self.expression(carried.init) for carried in loop.iter_args)
        return tuple(
            evolve(carried, init=init, var=self.define(carried.var))
            for carried, init in zip(loop.iter_args, inits, strict=True)
        )


def renamed(block: Block, seed: Substitution) -> Block:
    """A copy of `block` with fresh definitions, the variables of `seed` replaced."""
    return Renaming(dict(seed)).block(block)
