"""Inline functions and helpers, also those of other files, take the place of their calls.

Facts: hw-native-sys/pypto, `inline_functions` (2026-08-21; reference: DSL section a.5).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from attrs import Factory, define, field

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Expr, Invoke, TupleItem, Var, type_of
from pto_analysis.ir.function import Function, FunctionKind
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Return, Scope, Stmt, While
from pto_analysis.ir.types import TensorType, TileType
from pto_analysis.passes.lowering.emit import because
from pto_analysis.passes.lowering.notes import LoweringNote
from pto_analysis.passes.lowering.relocate import relocated
from pto_analysis.passes.lowering.tree import Renaming, calls_of_kernels, substitute, substitute_type
from pto_analysis.passes.lowering.windows import as_expr

STAGE = "lowered"
WRITTEN_IN = "written_in"
"""Attribute of a region that stands in an inline function: that function's qualified name."""

Helpers = Callable[[Function, str], "Function | None"]
"""What kernel a function means by the name that it calls; None when it cannot be told."""


@frozen
class Expanded:
    function: Function
    notes: tuple[LoweringNote, ...] = ()


def no_helpers(_caller: Function, _spelled: str) -> None:
    """For functions that are known to call nothing."""


def expand(function: Function, helpers: Helpers, unit: frozenset[Function]) -> Expanded:
    """`function` with its inline calls written out.

    `unit` holds the functions whose origins are good in the same text; what comes from any other gets the origin
    of its call. A call that cannot be written out stays and is noted.
    """
    expander = _Expander(helpers, unit)
    body = expander.block(function.body, _Site(function, (function,)))
    return Expanded(evolve(function, body=body), tuple(expander.notes))


@frozen
class _Site:
    """The function whose code is being read, and those whose calls led there."""

    function: Function
    chain: tuple[Function, ...]


@define
class _Expander:
    helpers: Helpers
    unit: frozenset[Function]
    notes: list[LoweringNote] = field(factory=list[LoweringNote])
    tuples: dict[Var, tuple[Expr, ...]] = field(factory=dict[Var, tuple[Expr, ...]])
    numbers: count[int] = Factory(count)

    def block(self, block: Block, site: _Site) -> Block:
        return tuple(new for stmt in block for new in self.statement(stmt, site))

    def statement(self, stmt: Stmt, site: _Site) -> Block:
        if isinstance(stmt, If):
            then, orelse = self.block(stmt.then, site), self.block(stmt.orelse, site)
            return (walk.updated(stmt, then=then, orelse=orelse),)
        if isinstance(stmt, (For, While, Scope)):
            return (walk.updated(stmt, body=self.block(stmt.body, site)),)
        stmt = self._unpacked(stmt)
        call = _top_call(stmt)
        if call is not None:
            found = self.helpers(site.function, call.callee)
            if found is not None and found.kind is FunctionKind.INLINE:
                return self._spliced(stmt, call, found, site)
        self._note_nested(stmt, site)
        return (stmt,)

    def _unpacked(self, stmt: Stmt) -> Stmt:
        """`tmp[i]` of a call that was written out is the value itself."""
        if isinstance(stmt, Assign) and isinstance(stmt.value, TupleItem) and isinstance(stmt.value.value, Var):
            items = self.tuples.get(stmt.value.value)
            if items is not None and stmt.value.index < len(items):
                return evolve(stmt, value=items[stmt.value.index])
        return stmt

    def _spliced(self, stmt: Stmt, call: Invoke, callee: Function, site: _Site) -> Block:
        problem = _problem(callee, call, site)
        if problem is not None:
            return self._left(stmt, call, problem)
        entry, seed = self._bindings(callee, call)
        body = self.block(callee.body, _Site(callee, (*site.chain, callee)))
        final = body[-1] if body and isinstance(body[-1], Return) else None
        copy = _Copy(seed, self.numbers)
        spliced = copy.block(body[:-1] if final is not None else body)
        values = tuple(copy.expression(value) for value in final.values) if final is not None else ()
        if callee not in self.unit:
            spliced = relocated(spliced, because(call.origin, f"written in the inline function {callee.name}"))
        spliced = _marked(spliced, callee.qualname)
        if isinstance(stmt, Assign) and not values:
            return self._left(stmt, call, "returns nothing")
        return (*entry, *spliced, *self._ending(stmt, values))

    def _ending(self, stmt: Stmt, values: tuple[Expr, ...]) -> Block:
        if isinstance(stmt, Return):
            return (evolve(stmt, values=values),)
        if not isinstance(stmt, Assign):
            return ()
        value, *others = values
        if others:
            self.tuples[stmt.var] = values
            return ()
        return () if value is stmt.var else (evolve(stmt, value=value),)

    def _bindings(self, callee: Function, call: Invoke) -> tuple[Block, dict[Var, Expr]]:
        """What each variable of the callee is here. An argument that is no variable, but assigned there, gets one."""
        defined = {var for stmt in walk.statements(callee.body) for var in stmt.definitions}
        entry: list[Stmt] = []
        seed: dict[Var, Expr] = {}
        for param, arg in zip(callee.params, call.args, strict=True):
            seed[param.var] = arg
            if param.var in defined and not isinstance(arg, Var):
                local = Var(f"{param.var.name}_inline{next(self.numbers)}", type_of(arg), call.origin)
                entry.append(Assign(local, arg, call.origin))
                seed[param.var] = local
            _match_extents(param.var, arg, seed)
        return tuple(entry), seed

    def _left(self, stmt: Stmt, call: Invoke, why: str) -> Block:
        self.notes.append(LoweringNote("unknown", STAGE, call.callee, why, call.origin))
        return (stmt,)

    def _note_nested(self, stmt: Stmt, site: _Site) -> None:
        for operand in stmt.operands:
            for call in calls_of_kernels(operand):
                found = self.helpers(site.function, call.callee)
                if found is not None and found.kind is FunctionKind.INLINE:
                    self._left(stmt, call, "an inline function must be called in a statement of its own")


def _top_call(stmt: Stmt) -> Invoke | None:
    """The call that is all of a statement."""
    value: Expr | None = stmt.value if isinstance(stmt, (Assign, Eval)) else None
    if isinstance(stmt, Return) and len(stmt.values) == 1:
        value = stmt.values[0]
    return value if isinstance(value, Invoke) and "submit" not in value.attrs else None


def _problem(callee: Function, call: Invoke, site: _Site) -> str | None:
    if callee in site.chain:
        return "an inline function that calls itself"
    if len(callee.params) != len(call.args):
        return "the call has another number of arguments"
    early = any(isinstance(stmt, Return) for stmt in walk.statements(callee.body[:-1]))
    return "it returns before its end" if early or _returns_inside(callee.body[-1:]) else None


def _returns_inside(last: Block) -> bool:
    inner = (block for stmt in last for block in stmt.blocks)
    return any(isinstance(stmt, Return) for block in inner for stmt in walk.statements(block))


def _match_extents(param: Var, arg: Expr, seed: dict[Var, Expr]) -> None:
    """The callee's dynamic extents are those of what it is called with."""
    declared, given = param.type, type_of(arg)
    if isinstance(declared, (TensorType, TileType)) and isinstance(given, (TensorType, TileType)):
        for extent, actual in zip(declared.shape, given.shape, strict=False):
            if isinstance(extent, Var):
                seed.setdefault(extent, as_expr(actual))


def _marked(block: Block, qualname: str) -> Block:
    """Regions remember the inline function that they stand in, the innermost one."""
    marked: list[Stmt] = []
    for stmt in block:
        if isinstance(stmt, Scope):
            body = _marked(stmt.body, qualname)
            marked.append(evolve(stmt, body=body, attrs={WRITTEN_IN: qualname, **stmt.attrs}))
        elif isinstance(stmt, For):
            attrs = {WRITTEN_IN: qualname, **stmt.attrs} if stmt.kind == "spmd" else stmt.attrs
            marked.append(evolve(stmt, body=_marked(stmt.body, qualname), attrs=attrs))
        elif isinstance(stmt, While):
            marked.append(evolve(stmt, body=_marked(stmt.body, qualname)))
        elif isinstance(stmt, If):
            marked.append(evolve(stmt, then=_marked(stmt.then, qualname), orelse=_marked(stmt.orelse, qualname)))
        else:
            marked.append(stmt)
    return tuple(marked)


@frozen
class _Copy(Renaming):
    """A copy of code that is not in SSA form yet: every variable has one new name, however often it is assigned."""

    numbers: count[int] = Factory(count)

    def define(self, var: Var) -> Var:
        known = self.mapping.get(var)
        if isinstance(known, Var):
            return known
        fresh = evolve(var, name=f"{var.name}_inline{next(self.numbers)}", type=substitute_type(var.type, self.mapping))
        self.mapping[var] = fresh
        return fresh

    def block(self, block: Block) -> Block:
        for stmt in walk.statements(block):
            for var in stmt.definitions:
                self.define(var)
        return tuple(self.statement(stmt) for stmt in block)

    def expression(self, expr: Expr) -> Expr:
        return substitute(expr, self.mapping)
