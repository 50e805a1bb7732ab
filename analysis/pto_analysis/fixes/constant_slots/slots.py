"""What chooses the slots and windows of a loop."""

from __future__ import annotations

from collections.abc import Iterator

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Binary, Call, Expr, Tuple, Var
from pto_analysis.ir.stmt import Assign, Eval, For
from pto_analysis.ir.types import TileType

_WINDOW_OFFSETS = {"tile.slice": 2, "tile.assemble": 2}
"""Operand that says where a window begins."""


@frozen(eq=False)
class Slots:
    """The expressions that choose slots and windows in a loop, and the scalars that the loop computes."""

    exprs: tuple[Expr, ...]
    scalars: dict[Var, Expr]

    @classmethod
    def of(cls, loop: For) -> Slots:
        exprs: list[Expr] = []
        scalars: dict[Var, Expr] = {}
        for stmt in walk.statements(loop.body):
            exprs += _chosen_by(stmt)
            if isinstance(stmt, Assign) and isinstance(stmt.value, (Binary, Var)):
                scalars[stmt.var] = stmt.value
        return cls(tuple(expr for expr in exprs if constant_int(expr) is None), scalars)

    def rest_on(self, index: Var) -> bool:
        """Whether the loop's variable decides every slot."""
        return all(var is index for expr in self.exprs for var in self.leaves(expr))

    def rotate(self, index: Var, count: int) -> bool:
        """Whether the variable counts only modulo the number of slots, plus a constant."""
        return all(_is_modular(node, index, count) for expr in self.exprs for node in self.written(expr))

    def leaves(self, expr: Expr) -> Iterator[Var]:
        for written in self.written(expr):
            yield from (var for var in written.variables if var not in self.scalars)

    def written(self, expr: Expr) -> Iterator[Expr]:
        """The expression with those of the scalars that it reads."""
        waiting, seen = [expr], set[int]()
        while waiting:
            current = waiting.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            read = [var for var in current.variables if var in self.scalars]
            waiting += [self.scalars[var] for var in read]
            yield current

    def counts(self) -> set[int]:
        """The numbers of slots by which the expressions wrap around."""
        found: set[int] = set()
        for expr in self.exprs:
            for written in self.written(expr):
                found |= {count for node in _nodes(written) if (count := _modulus(node)) is not None}
        return found


def turns_of_slots(loop: For, count: int) -> set[tuple[int, int]]:
    """Where the loop's body has `index % count` or `(index + c) % count`: statement and node of the source."""
    found: set[tuple[int, int]] = set()
    for stmt in walk.statements(loop.body):
        for expr in (*stmt.operands, *_chosen_by(stmt)):
            for node in _nodes(expr):
                if _modulus(node) == count and isinstance(node, Binary) and _is_shifted(node.left, loop.var):
                    found |= {(node.origin.statement, node.origin.node)} if node.origin is not None else set()
    return found


def _chosen_by(stmt: object) -> Iterator[Expr]:
    if isinstance(stmt, Assign) and isinstance(stmt.var.type, TileType) and stmt.var.type.memref is not None:
        slot = stmt.var.type.memref.slot
        if slot is not None and not isinstance(slot, int):
            yield slot
    call = stmt.value if isinstance(stmt, (Assign, Eval)) else None
    for each in _calls(call) if isinstance(call, Call) else ():
        at = _WINDOW_OFFSETS.get(each.op)
        offset = each.args[at] if at is not None and at < len(each.args) else None
        if isinstance(offset, Tuple):
            yield from offset.items


def _calls(expr: Expr) -> Iterator[Call]:
    return (node for node in _nodes(expr) if isinstance(node, Call))


def _nodes(expr: Expr) -> Iterator[Expr]:
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children)


def _modulus(node: Expr) -> int | None:
    return constant_int(node.right) if isinstance(node, Binary) and node.op == "%" else None


def _is_modular(expr: Expr, index: Var, count: int) -> bool:
    """Whether `index` stands only in `index % count` and `(index + c) % count`."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        if node is index:
            return False
        if _modulus(node) == count and isinstance(node, Binary) and _is_shifted(node.left, index):
            continue
        waiting.extend(node.children)
    return True


def _is_shifted(expr: Expr, index: Var) -> bool:
    if expr is index:
        return True
    return isinstance(expr, Binary) and expr.op == "+" and expr.left is index and constant_int(expr.right) is not None
