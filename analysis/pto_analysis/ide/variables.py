"""The variables of a kernel by where they stand in the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from attrs import field, frozen

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Stmt
from pto_analysis.ir.types import TileType
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source.span import Origin


@frozen(eq=False, slots=False)
class Names:
    """The statements and names of one function, by the source statements they were made from."""

    function: Function

    @cached_property
    def by_statement(self) -> dict[int, list[Stmt]]:
        found: dict[int, list[Stmt]] = {}
        for stmt in walk.statements(self.function.body):
            if stmt.origin is not None:
                found.setdefault(stmt.origin.statement, []).append(stmt)
        return found

    def at(self, statement: int, name: str) -> Var | None:
        """The variable that a name means in a statement: the one it assigns, else one it reads, else a parameter."""
        stmts = self.by_statement.get(statement, [])
        defined = (var for stmt in stmts for var in walk.definitions(stmt))
        used = (var for stmt in stmts for operand in walk.operands(stmt) for var in walk.variables(operand))
        for var in (*defined, *used):
            if source_name(var) == name:
                return var
        return next((param.var for param in self.function.params if source_name(param.var) == name), None)

    def occurrences(self, name: str) -> Iterator[tuple[Origin, bool]]:
        """Origins of the statements that assign (True) or read a name."""
        for stmt in walk.statements(self.function.body):
            if stmt.origin is None:
                continue
            if any(source_name(var) == name for var in walk.definitions(stmt)):
                yield stmt.origin, True
            operands = walk.operands(stmt)
            if any(source_name(var) == name for operand in operands for var in walk.variables(operand)):
                yield stmt.origin, False


def source_name(var: Var) -> str:
    """The author's name of a variable, without what SSA conversion and lowering add to it."""
    return var.name.partition("__")[0] or var.name


@frozen(eq=False, slots=False)
class KernelNames:
    """A kernel's names before and after SSA conversion."""

    kernel: KernelFacts
    written: Names = field()
    ssa: Names = field()

    @classmethod
    def of(cls, kernel: KernelFacts) -> KernelNames:
        return cls(kernel, Names(kernel.function), Names(kernel.analysis.function))


def kernel_around(kernels: Sequence[KernelFacts], statement: int) -> KernelFacts | None:
    """The kernel in the source that a statement belongs to: the last that begins at or before it."""
    found = None
    for kernel in kernels:
        origin = kernel.function.origin
        if kernel.written is None and origin is not None and origin.statement <= statement:
            found = kernel
    return found


def made_of(kernels: Sequence[KernelFacts], written: KernelFacts) -> list[KernelFacts]:
    """The functions that the compiler makes of a kernel; the kernel itself when it is tile-level."""
    outlined = [kernel for kernel in kernels if kernel.written is written]
    return outlined or [written]


def lowered_variables(
    kernels: Sequence[KernelFacts], written: KernelFacts
) -> dict[tuple[int, str], tuple[KernelFacts, Var]]:
    """The tiles that lowering makes of the values of a tensor-level kernel, by statement and the author's name.

    Each comes with the function that it lives in; where a value passes through several tiles, the last counts.
    """
    found: dict[tuple[int, str], tuple[KernelFacts, Var]] = {}
    for made in made_of(kernels, written):
        if made is written:
            continue
        for statement, stmts in Names(made.analysis.function).by_statement.items():
            for var in (var for stmt in stmts for var in walk.definitions(stmt)):
                if isinstance(var.type, TileType):
                    found[statement, source_name(var)] = (made, var)
    return found
