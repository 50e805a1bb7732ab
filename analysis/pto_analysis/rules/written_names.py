"""What happens to the names of a function as its author wrote it: what they are made of, what is written through them.

By name, not by point of the program: a name stands for all that is ever assigned to it. So "not made of" is a proof,
"made of" is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from pto_analysis.ir.expr import Call, Const, Expr, Invoke, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import For, If, Stmt, While
from pto_analysis.ir.walk import final_yield, statements
from pto_analysis.ops import get
from pto_analysis.source.remembered import FEW


@lru_cache(maxsize=FEW)
def made_of(function: Function) -> Mapping[str, frozenset[str]]:
    """The names that the values of every name are computed from, in one step."""
    found: dict[str, set[str]] = {}
    for stmt in statements(function.body):
        read = {var.name for value in _values(stmt) for var in value.variables}
        for var in stmt.definitions:
            found.setdefault(var.name, set()).update(read)
    return {name: frozenset(read) for name, read in found.items()}


def _values(stmt: Stmt) -> Iterator[Expr]:
    yield from stmt.operands
    for block in _arms(stmt):
        last = final_yield(block)
        if last is not None:
            yield from last.values


def _arms(stmt: Stmt) -> tuple[tuple[Stmt, ...], ...]:
    if isinstance(stmt, (For, While)):
        return (stmt.body,)
    return (stmt.then, stmt.orelse) if isinstance(stmt, If) else ()


def derived(function: Function, root: str) -> frozenset[str]:
    """All names that a value of `root` may have gone into, `root` among them."""
    readers: dict[str, list[str]] = {}
    for name, read in made_of(function).items():
        for source in read:
            readers.setdefault(source, []).append(name)
    found = {root}
    pending = [root]
    while pending:
        for name in readers.get(pending.pop(), ()):
            if name not in found:
                found.add(name)
                pending.append(name)
    return frozenset(found)


def calls_of(stmt: Stmt) -> Iterator[Call | Invoke]:
    """The calls that a statement makes itself, inner ones too."""
    pending = [operand for operand in stmt.operands if type(operand) not in _LEAVES]
    while pending:
        expr = pending.pop()
        if isinstance(expr, (Call, Invoke)):
            yield expr
        pending += [child for child in expr.children if type(child) not in _LEAVES]


_LEAVES = (Var, Const)
"""What holds no calls: most operands, of most statements."""


def written_operands(call: Call) -> Iterable[Var]:
    """The operands of a call that it writes, as far as they are names."""
    spec = get(call.op)
    if spec is None:
        return ()
    return [arg for position, arg in enumerate(call.args) if position in spec.effects and isinstance(arg, Var)]


@lru_cache(maxsize=FEW)
def writes_of(function: Function) -> tuple[tuple[Stmt, frozenset[str]], ...]:
    """Every statement with the names that it writes through itself, or hands to a function that may."""
    return tuple((stmt, frozenset(_written_in(stmt))) for stmt in statements(function.body))


def _written_in(stmt: Stmt) -> Iterator[str]:
    for call in calls_of(stmt):
        for var in written_operands(call) if isinstance(call, Call) else call.variables:
            yield var.name
