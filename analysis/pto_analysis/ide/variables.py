"""The variables of a kernel by where they stand in the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Stmt
from pto_analysis.ir.types import TileType
from pto_analysis.passes.lowering import tree
from pto_analysis.passes.ssa.names import base_name
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
        defined = (var for stmt in stmts for var in stmt.definitions)
        used = (var for stmt in stmts for operand in stmt.operands for var in operand.variables)
        for var in (*defined, *used):
            if _is_called(var, name):
                return var
        return next((param.var for param in self.function.params if _is_called(param.var, name)), None)

    def occurrences(self, name: str) -> Iterator[tuple[Origin, bool]]:
        """Origins of the statements that assign (True) or read a name."""
        for stmt in walk.statements(self.function.body):
            if stmt.origin is None:
                continue
            if any(_is_called(var, name) for var in stmt.definitions):
                yield stmt.origin, True
            operands = stmt.operands
            if any(_is_called(var, name) for operand in operands for var in operand.variables):
                yield stmt.origin, False


def _is_called(var: Var, name: str) -> bool:
    """Whether the author calls the variable so, be it one of the source or a version of one."""
    return name in (var.name, base_name(var.name))


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


@frozen(eq=False)
class LoweredVariables:
    """The tiles that lowering makes of the values of a tensor-level kernel, each with the function that it lives in.

    Lowering names a tile by what stands before the first "__" of the author's name, so that is what finds it.
    """

    _by_place: dict[tuple[int, str], tuple[KernelFacts, Var]]

    def at(self, statement: int, name: str) -> tuple[KernelFacts, Var] | None:
        return self._by_place.get((statement, tree.base_name(name)))


def lowered_variables(kernels: Sequence[KernelFacts], written: KernelFacts) -> LoweredVariables:
    """Where a value passes through several tiles, the last counts."""
    found: dict[tuple[int, str], tuple[KernelFacts, Var]] = {}
    for made in made_of(kernels, written):
        if made is written:
            continue
        for statement, stmts in Names(made.analysis.function).by_statement.items():
            for var in (var for stmt in stmts for var in stmt.definitions):
                if isinstance(var.type, TileType):
                    found[statement, tree.base_name(var.name)] = (made, var)
    return LoweredVariables(found)
