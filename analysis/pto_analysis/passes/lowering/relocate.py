"""Gives code from elsewhere a place in this unit: that of the call which brought it in."""

from __future__ import annotations

from pto_analysis.frozen import evolve
from pto_analysis.ir.expr import Call, Expr, Invoke, Opaque, Var
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, IterArg, Return, Scope, Stmt, While, Yield
from pto_analysis.passes.lowering.tree import map_operands
from pto_analysis.source.span import Origin


def relocated(block: Block, origin: Origin | None) -> Block:
    """`block` with every origin replaced. Variables keep theirs, as they are made anew by who calls this."""
    return tuple(_statement(stmt, origin) for stmt in block)


def relocated_expression(expr: Expr, origin: Origin | None) -> Expr:
    if isinstance(expr, Var):
        return expr
    inner = map_operands(expr, lambda part: relocated_expression(part, origin))
    return evolve(inner, origin=origin)


def _statement(stmt: Stmt, origin: Origin | None) -> Stmt:
    stmt = evolve(stmt, origin=origin)
    if isinstance(stmt, Assign):
        return evolve(stmt, value=relocated_expression(stmt.value, origin))
    if isinstance(stmt, Eval):
        value = relocated_expression(stmt.value, origin)
        return evolve(stmt, value=value) if isinstance(value, (Call, Invoke, Opaque)) else stmt
    if isinstance(stmt, (Yield, Return)):
        return evolve(stmt, values=tuple(relocated_expression(value, origin) for value in stmt.values))
    if isinstance(stmt, If):
        then, orelse = relocated(stmt.then, origin), relocated(stmt.orelse, origin)
        return evolve(stmt, condition=relocated_expression(stmt.condition, origin), then=then, orelse=orelse)
    if isinstance(stmt, Scope):
        return evolve(stmt, body=relocated(stmt.body, origin))
    if isinstance(stmt, (For, While)):
        return _loop(stmt, origin)
    return stmt


def _loop(loop: For | While, origin: Origin | None) -> Stmt:
    carried = tuple(IterArg(item.var, relocated_expression(item.init, origin)) for item in loop.iter_args)
    loop = evolve(loop, iter_args=carried, body=relocated(loop.body, origin))
    if isinstance(loop, While):
        return evolve(loop, condition=relocated_expression(loop.condition, origin))
    start, stop, step = (relocated_expression(bound, origin) for bound in (loop.start, loop.stop, loop.step))
    return evolve(loop, start=start, stop=stop, step=step)
