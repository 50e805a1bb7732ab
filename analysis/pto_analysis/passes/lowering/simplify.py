"""The compiler's Simplify on SSA form: constants forward, loops of at most one trip inlined, dead code out.

Facts: hw-native-sys/pypto, transforms `simplify` and its dead-code helper (2026-08-21).
"""

from __future__ import annotations

from attrs import define, field

from pto_analysis.frozen import evolve
from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Binary, Call, Const, Expr, Invoke, Opaque, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, IterArg, Return, Scope, Stmt, While, Yield
from pto_analysis.ir.walk import final_yield, statements, type_variables, updated
from pto_analysis.passes.lowering.arithmetic import Range, decide, default_range, fold, range_of, under
from pto_analysis.passes.lowering.tree import (
    integer,
    is_scalar,
    map_block,
    map_extents,
    map_inner,
    reads,
    renamed,
    substitute,
)


def simplify(function: Function) -> Function:
    """Errors: none; what cannot be decided stays as written."""
    body = _without_dead_scalars(_Simplifier().block(function.body))
    pruned = _without_dead_merges(body)
    return evolve(function, body=body if pruned is body else _without_dead_scalars(pruned))


@define
class _Simplifier:
    values: dict[Var, Expr] = field(factory=dict[Var, Expr])
    ranges: dict[Var, Range] = field(factory=dict[Var, Range])
    depth: int = 0

    def block(self, block: Block) -> Block:
        return tuple(new for stmt in block for new in self.statement(stmt))

    def nested(self, block: Block) -> Block:
        """A block whose constants do not reach past it. What a fold inside it lifted stays known."""
        self.depth += 1
        result = self.block(block)
        self.depth -= 1
        return result

    def expression(self, expr: Expr) -> Expr:
        folded = fold(substitute(expr, self.values), self.ranges)
        if isinstance(folded, (Call, Invoke)):
            kind = map_extents(folded.type, self.extent)
            return folded if kind == folded.type else evolve(folded, type=kind)
        return folded

    def extent(self, dim: int | Expr) -> int | Expr:
        if isinstance(dim, int):
            return dim
        folded = fold(substitute(dim, self.values), self.ranges)
        value = integer(folded)
        return folded if value is None else value

    def define(self, var: Var) -> Var:
        kind = map_extents(var.type, self.extent)
        if kind is var.type or kind == var.type:
            return var
        fresh = evolve(var, type=kind)
        self.values[var] = fresh
        return fresh

    def statement(self, stmt: Stmt) -> Block:
        if isinstance(stmt, Assign):
            return self._assign(stmt)
        if isinstance(stmt, Eval):
            value = self.expression(stmt.value)
            return (updated(stmt, value=value),) if isinstance(value, (Call, Invoke, Opaque)) else ()
        if isinstance(stmt, (Yield, Return)):
            return (updated(stmt, values=tuple(self.expression(value) for value in stmt.values)),)
        if isinstance(stmt, For):
            return self._loop(stmt)
        if isinstance(stmt, If):
            return self._branch(stmt)
        if isinstance(stmt, While):
            carried = self._carried(stmt.iter_args)
            condition, body = self.expression(stmt.condition), self.nested(stmt.body)
            return (updated(stmt, iter_args=carried, condition=condition, body=body),)
        if isinstance(stmt, Scope):
            return (updated(stmt, body=self.block(stmt.body)),)
        return (stmt,)

    def _assign(self, stmt: Assign) -> Block:
        value = self.expression(stmt.value)
        var = self.define(stmt.var)
        if is_scalar(var.type):
            if isinstance(value, Const) and self.depth == 0:
                self.values[stmt.var] = value
            else:
                self.ranges[var] = default_range(var).within(range_of(value, self.ranges))
        return (stmt if value is stmt.value and var is stmt.var else Assign(var, value, stmt.origin),)

    def _carried(self, iter_args: tuple[IterArg, ...]) -> tuple[IterArg, ...]:
        inits = tuple(self.expression(carried.init) for carried in iter_args)
        return tuple(
            updated(carried, init=init, var=self.define(carried.var))
            for carried, init in zip(iter_args, inits, strict=True)
        )

    def _loop(self, loop: For) -> Block:
        start, stop, step = (self.expression(bound) for bound in (loop.start, loop.stop, loop.step))
        trips = _few_trips(loop, start, stop, step)
        if trips == 0:
            return tuple(
                Assign(self.define(result), self.expression(carried.init), loop.origin)
                for result, carried in zip(loop.return_vars, loop.iter_args, strict=False)
            )
        if trips == 1:
            seed = {loop.var: start, **{carried.var: self.expression(carried.init) for carried in loop.iter_args}}
            return self._lift(self.block(renamed(loop.body, seed)), loop.return_vars)
        low, high = integer(start), integer(stop)
        if low is not None and high is not None and low < high:
            self.ranges[loop.var] = Range(low, high - 1)
        carried = self._carried(loop.iter_args)
        body = self.nested(loop.body)
        results = tuple(self.define(result) for result in loop.return_vars)
        return (updated(loop, start=start, stop=stop, step=step, iter_args=carried, body=body, return_vars=results),)

    def _branch(self, branch: If) -> Block:
        condition = self.expression(branch.condition)
        verdict = decide(condition, self.ranges)
        if verdict is not None:
            return self._lift(self.block(branch.then if verdict else branch.orelse), branch.return_vars)
        then = self._arm(branch.then, condition, holds=True)
        orelse = self._arm(branch.orelse, condition, holds=False)
        results = tuple(self.define(result) for result in branch.return_vars)
        return (updated(branch, condition=condition, then=then, orelse=orelse, return_vars=results),)

    def _arm(self, arm: Block, condition: Expr, *, holds: bool) -> Block:
        outer = self.ranges
        self.ranges = dict(under(condition, holds=holds, ranges=outer))
        result = self.nested(arm)
        self.ranges = outer
        return result

    def _lift(self, block: Block, results: tuple[Var, ...]) -> Block:
        """A body that runs exactly once joins its surroundings; its yielded values take the results' place."""
        end = final_yield(block)
        if end is None:
            return block
        for result, value in zip(results, end.values, strict=False):
            self.values[result] = value
        return block[:-1]


def _few_trips(loop: For, start: Expr, stop: Expr, step: Expr) -> int | None:
    """0 or 1 for a plain loop that runs that often, else None: a scheduled loop keeps its form."""
    stride = integer(step)
    if loop.kind != "range" or loop.attrs or stride is None or stride < 1:
        return None
    length = integer(fold(_difference(stop, start)))
    if length is None or length > stride:
        return None
    return 1 if length > 0 else 0


def _difference(stop: Expr, start: Expr) -> Expr:
    return Binary("-", stop, start, INDEX)


def _without_dead_scalars(block: Block) -> Block:
    """Scalar bindings that nothing alive reads are dropped; operations stay, whatever they return."""
    live: set[Var] = set()
    pending: dict[Var, Assign] = {}
    for stmt in statements(block):
        if _removable(stmt):
            assert isinstance(stmt, Assign)
            pending[stmt.var] = stmt
            continue
        for operand in stmt.operands:
            live.update(operand.variables)
        for var in stmt.definitions:
            live.update(type_variables(var.type))
    work = [var for var in live if var in pending]
    while work:
        for var in pending[work.pop()].value.variables:
            if var not in live:
                live.add(var)
                if var in pending:
                    work.append(var)
    return _kept(block, live)


def _removable(stmt: Stmt) -> bool:
    return isinstance(stmt, Assign) and is_scalar(stmt.var.type) and not _runs_something(stmt.value)


def _runs_something(expr: Expr) -> bool:
    return isinstance(expr, (Call, Invoke, Opaque)) or any(map(_runs_something, expr.parts))


def _kept(block: Block, live: set[Var]) -> Block:
    return map_block(block, lambda stmt: _if_kept(stmt, live))


def _if_kept(stmt: Stmt, live: set[Var]) -> Block:
    if isinstance(stmt, (If, For, While, Scope)):
        return (map_inner(stmt, lambda block: _kept(block, live)),)
    return () if isinstance(stmt, Assign) and stmt.var not in live and _removable(stmt) else (stmt,)


def _without_dead_merges(block: Block) -> Block:
    """Branch results that nothing reads go, with the values yielded for them."""
    return _pruned(block, set(reads(block)))


def _pruned(block: Block, used: set[Var]) -> Block:
    return map_block(block, lambda stmt: (_with_pruned(stmt, used),))


def _with_pruned(stmt: Stmt, used: set[Var]) -> Stmt:
    if not isinstance(stmt, (If, For, While, Scope)):
        return stmt
    stmt = map_inner(stmt, lambda block: _pruned(block, used))
    if not isinstance(stmt, If):
        return stmt
    alive = tuple(position for position, result in enumerate(stmt.return_vars) if result in used)
    if len(alive) == len(stmt.return_vars):
        return stmt
    results = tuple(stmt.return_vars[position] for position in alive)
    return updated(stmt, then=_narrowed(stmt.then, alive), orelse=_narrowed(stmt.orelse, alive), return_vars=results)


def _narrowed(block: Block, alive: tuple[int, ...]) -> Block:
    end = final_yield(block)
    if end is None:
        return block
    if not alive:
        return block[:-1]
    return (*block[:-1], updated(end, values=tuple(end.values[position] for position in alive)))
