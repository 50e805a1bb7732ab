"""Rewriting a body whose values change their types: the variables that hold them follow, through loops and branches."""

from __future__ import annotations

from abc import ABC, abstractmethod

from attrs import define, field

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Expr, Var, type_of
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, IterArg, Return, Scope, Stmt, While, Yield
from pto_analysis.ir.types import Type
from pto_analysis.ir.walk import updated
from pto_analysis.passes.lowering.notes import LoweringNote
from pto_analysis.passes.lowering.tree import substitute


@define
class Retyping(ABC):
    """One walk in program order. A stage says what becomes of an operation; `values` holds what stands for a variable
    from there on, `notes` what could not be lowered."""

    values: dict[Var, Expr] = field(factory=dict[Var, Expr], init=False)
    notes: list[LoweringNote] = field(factory=list[LoweringNote], init=False)

    @abstractmethod
    def assign(self, stmt: Assign) -> Block:
        """What stands for `var = value`."""

    @abstractmethod
    def evaluate(self, stmt: Eval) -> Block:
        """What stands for an operation without a result."""

    def block(self, block: Block) -> Block:
        return tuple(new for stmt in block for new in self.statement(stmt))

    def expression(self, expr: Expr) -> Expr:
        return substitute(expr, self.values)

    def define(self, var: Var, kind: Type) -> Var:
        """The variable with the type that it has now."""
        if kind == var.type:
            self.values.pop(var, None)
            return var
        fresh = Var(var.name, kind, var.origin)
        self.values[var] = fresh
        return fresh

    def statement(self, stmt: Stmt) -> Block:
        if isinstance(stmt, Assign):
            return self.assign(stmt)
        if isinstance(stmt, Eval):
            return self.evaluate(stmt)
        if isinstance(stmt, (Yield, Return)):
            return (updated(stmt, values=tuple(map(self.expression, stmt.values))),)
        if isinstance(stmt, (For, While)):
            return (self._loop(stmt),)
        if isinstance(stmt, If):
            return (self._branch(stmt),)
        if isinstance(stmt, Scope):
            return (updated(stmt, body=self.block(stmt.body)),)
        return (stmt,)

    def _loop(self, loop: For | While) -> Stmt:
        carried = tuple(map(self._carried, loop.iter_args))
        if isinstance(loop, For):
            start, stop, step = map(self.expression, (loop.start, loop.stop, loop.step))
            loop = updated(loop, start=start, stop=stop, step=step)
        else:
            loop = updated(loop, condition=self.expression(loop.condition))
        body = self.block(loop.body)
        kinds = [item.var.type for item in carried]
        results = tuple(map(self.define, loop.return_vars, kinds))
        return updated(loop, iter_args=carried, body=body, return_vars=results)

    def _carried(self, item: IterArg) -> IterArg:
        init = self.expression(item.init)
        return item if init is item.init else IterArg(self.define(item.var, type_of(init)), init)

    def _branch(self, branch: If) -> Stmt:
        condition = self.expression(branch.condition)
        outer = dict(self.values)
        then = self.block(branch.then)
        self.values = dict(outer)
        orelse = self.block(branch.orelse)
        self.values = outer
        end = walk.final_yield(then) or walk.final_yield(orelse)
        kinds = [type_of(value) for value in end.values] if end is not None else []
        results = tuple(
            self.define(result, kinds[position]) if position < len(kinds) else result
            for position, result in enumerate(branch.return_vars)
        )
        return updated(branch, condition=condition, then=then, orelse=orelse, return_vars=results)
