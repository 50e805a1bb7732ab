"""Nested operations become temporaries, so that every operation stands alone in one statement.

Facts: hw-native-sys/pypto, transform `flatten_call_expr` (2026-08-21).
"""

from __future__ import annotations

from attrs import define, field

from pto_analysis.frozen import evolve
from pto_analysis.ir.expr import Call, Expr, Invoke, Opaque, Var, type_of
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Return, Scope, Stmt, While, Yield
from pto_analysis.ir.walk import updated
from pto_analysis.passes.lowering.tree import map_operands
from pto_analysis.passes.ssa.names import unnamed

_CALLS: frozenset[type] = frozenset({Call, Invoke})


def flatten_calls(function: Function) -> Function:
    return evolve(function, body=_Flattener().block(function.body))


@define
class _Flattener:
    count: int = 0
    pending: list[Stmt] = field(factory=list[Stmt])

    def block(self, block: Block) -> Block:
        result: list[Stmt] = []
        for stmt in block:
            outer, self.pending = self.pending, []
            new = self.statement(stmt)
            result += [*self.pending, new]
            self.pending = outer
        return tuple(result)

    def value(self, expr: Expr) -> Expr:
        """An expression that may stay an operation at its top."""
        return map_operands(expr, self.operand)

    def operand(self, expr: Expr) -> Expr:
        if _CALLS.isdisjoint(map(type, expr.compounds)):
            return expr
        flat = map_operands(expr, self.operand)
        if not isinstance(flat, (Call, Invoke)):
            return flat
        temporary = Var(unnamed(self.count), type_of(flat), flat.origin)
        self.count += 1
        self.pending.append(Assign(temporary, flat, flat.origin))
        return temporary

    def statement(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, Assign):
            value = self.value(stmt.value)
            return stmt if value is stmt.value else Assign(stmt.var, value, stmt.origin)
        if isinstance(stmt, Eval):
            value = self.value(stmt.value)
            if value is stmt.value or not isinstance(value, (Call, Invoke, Opaque)):
                return stmt
            return Eval(value, stmt.origin)
        if isinstance(stmt, (Yield, Return)):
            return updated(stmt, values=tuple(self.operand(value) for value in stmt.values))
        if isinstance(stmt, For):
            start, stop, step = (self.operand(bound) for bound in (stmt.start, stmt.stop, stmt.step))
            carried = tuple(updated(item, init=self.operand(item.init)) for item in stmt.iter_args)
            return updated(stmt, start=start, stop=stop, step=step, iter_args=carried, body=self.block(stmt.body))
        if isinstance(stmt, If):
            condition = self.operand(stmt.condition)
            return updated(stmt, condition=condition, then=self.block(stmt.then), orelse=self.block(stmt.orelse))
        if isinstance(stmt, While):
            carried = tuple(updated(item, init=self.operand(item.init)) for item in stmt.iter_args)
            return updated(stmt, iter_args=carried, body=self.block(stmt.body))
        if isinstance(stmt, Scope):
            return updated(stmt, body=self.block(stmt.body))
        return stmt
