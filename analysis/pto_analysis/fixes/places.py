"""Where a kernel's names get their meaning, so that an expression can be written again at another place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import lru_cache

from attrs import field

from pto_analysis.fixes.written import Written
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, Stmt
from pto_analysis.passes.ssa.names import base_name
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.remembered import FEW
from pto_analysis.source.unit import Unit


@frozen(eq=False)
class Places:
    """The statements of a function in SSA form by number, in program order.

    `definitions` holds the statements that define each name of the source, -1 for a parameter; `blocks` the number of
    the block that a statement stands in.
    """

    statements: tuple[Stmt, ...]
    numbers: dict[Stmt, int]
    blocks: tuple[int, ...]
    definitions: dict[str, list[int]] = field(repr=False)
    defined: dict[Var, Assign] = field(repr=False)

    def overlooks(self, unit: Unit, names: Set[str]) -> bool:
        """Whether the source reads one of the names where the kernel's statements, as understood, do not."""
        known: set[tuple[int, str]] = set()
        for stmt in self.statements:
            for at in _statements_of(stmt):
                read = (var for operand in stmt.operands for var in operand.variables)
                known.update((at, base_name(var.name)) for var in (*stmt.definitions, *read))
        places = [at for at, _ in known]
        return any(
            name in names and (at, name) not in known
            for at in range(min(places, default=0), max(places, default=-1) + 1)
            if any(spelled in unit.statement_text(at) for spelled in names)
            for name in _read_in(Written(unit, at))
        )

    def means_the_same(self, names: Iterable[str], first: Stmt, second: Stmt) -> bool:
        """Whether each name has one meaning in the whole kernel, or none in between the two statements of a block."""
        start, end = self.numbers[first], self.numbers[second]
        together = self.blocks[start] == self.blocks[end]
        for name in names:
            places = self.definitions.get(name, [])
            if len(places) > 1 and (not together or any(start < place < end for place in places)):
                return False
        return True

    def readers(self, var: Var) -> set[int]:
        """The statements of the source that read a variable."""
        found: set[int] = set()
        for stmt in self.statements:
            if any(other is var for operand in stmt.operands for other in operand.variables):
                found |= _statements_of(stmt)
        return found

    def reader(self, var: Var, statement: int) -> Stmt | None:
        """The first reader of a variable that was made from a statement of the source."""
        for stmt in self.statements:
            if stmt.origin is not None and stmt.origin.statement == statement:
                read = (other for operand in stmt.operands for other in operand.variables)
                if any(other is var for other in read):
                    return stmt
        return None


def _read_in(at: Written) -> Iterator[str]:
    """The names in a statement, but for those that it assigns."""
    targets = at.parsed.targets if isinstance(at.parsed, syntax.Assign) else ()
    assigned = {node.id for target in targets for node in nodes_of(syntax.ExpressionStatement(target))}
    return (node.name for node in at.nodes() if isinstance(node, syntax.Name) and node.id not in assigned)


def _statements_of(stmt: Stmt) -> set[int]:
    """The statements of the source that a statement was made from: its own, and its value's."""
    value = stmt.value if isinstance(stmt, (Assign, Eval)) else None
    origins = (stmt.origin, None if value is None or isinstance(value, Var) else value.origin)
    return {origin.statement for origin in origins if origin is not None}


@lru_cache(maxsize=FEW)
def places_of(function: Function) -> Places:
    statements: list[Stmt] = []
    blocks: list[int] = []
    waiting: list[tuple[Block, int, int]] = [(function.body, 0, 0)]
    count = 0
    while waiting:
        block, at, number = waiting.pop()
        if at == len(block):
            continue
        waiting.append((block, at + 1, number))
        statements.append(block[at])
        blocks.append(number)
        for inner in reversed(block[at].blocks):
            count += 1
            waiting.append((inner, 0, count))
    definitions: dict[str, list[int]] = {}
    for param in function.params:
        definitions.setdefault(base_name(param.var.name), []).append(-1)
    for number, stmt in enumerate(statements):
        for var in stmt.definitions:
            definitions.setdefault(base_name(var.name), []).append(number)
    defined = {stmt.var: stmt for stmt in statements if isinstance(stmt, Assign)}
    numbers = {stmt: number for number, stmt in enumerate(statements)}
    return Places(tuple(statements), numbers, tuple(blocks), definitions, defined)
