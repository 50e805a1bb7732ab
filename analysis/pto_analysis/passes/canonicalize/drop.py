"""Removing the slices that nothing uses any more (seed: algorithm, phase 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from pto_analysis.frozen import evolve
from pto_analysis.ir.expr import Var
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, Stmt, While
from pto_analysis.ir.walk import statements


def drop_unused(body: Block, slices: Collection[Var]) -> tuple[Block, frozenset[Var]]:
    """The body without the slices that have no use, to a fixpoint, and the slices that went.

    Works in rounds as the compiler does: all slices unused at the start of a round go together. A slice that is
    alone in a nested block stays: the compiler keeps a lone statement outside of any sequence, where its removal
    does not look.
    """
    pool = set(slices)
    definitions = {stmt.var: stmt for stmt in statements(body) if isinstance(stmt, Assign) and stmt.var in pool}
    uses: Counter[Var] = Counter(
        var for stmt in statements(body) for expr in stmt.operands for var in expr.variables if var in pool
    )
    home, size = _homes(body)
    dropped: set[Var] = set()
    unused = [var for var in definitions if not uses[var]]
    while unused:
        going = [var for var in unused if size[home[definitions[var]]] > 1]
        unused = list[Var]()
        for var in going:
            dropped.add(var)
            size[home[definitions[var]]] -= 1
            for source in definitions[var].value.variables:
                if source not in pool:
                    continue
                uses[source] -= 1
                if not uses[source] and source in definitions:
                    unused.append(source)
    return (_without(body, dropped) if dropped else body), frozenset(dropped)


def _homes(body: Block) -> tuple[dict[Stmt, int], dict[int, int]]:
    """The number of each statement's block, and the number of statements in each block.

    The function's own block is never a lone statement: it ends in a return.
    """
    home: dict[Stmt, int] = {}
    size: dict[int, int] = {}
    pending = [body]
    while pending:
        block = pending.pop()
        number = len(size)
        size[number] = len(block)
        for stmt in block:
            home[stmt] = number
            pending += stmt.blocks
    return home, size


def _without(block: Block, dropped: set[Var]) -> Block:
    kept = tuple(_inside(stmt, dropped) for stmt in block if not (isinstance(stmt, Assign) and stmt.var in dropped))
    return block if len(kept) == len(block) and all(a is b for a, b in zip(kept, block, strict=True)) else kept


def _inside(stmt: Stmt, dropped: set[Var]) -> Stmt:
    if isinstance(stmt, (For, While, Scope)):
        body = _without(stmt.body, dropped)
        return stmt if body is stmt.body else evolve(stmt, body=body)
    if isinstance(stmt, If):
        then, orelse = _without(stmt.then, dropped), _without(stmt.orelse, dropped)
        return stmt if then is stmt.then and orelse is stmt.orelse else evolve(stmt, then=then, orelse=orelse)
    return stmt
