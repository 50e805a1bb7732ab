"""How long the compiler keeps each tile's bytes when it lets buffers share memory: first and last point of every value.

Points are numbered through the function, arm after arm. Origin: hw-native-sys/pypto 2026-08-21,
`memory_reuse_pass.cpp` (LifetimeAnalyzer).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Return, Scope, Stmt, While, Yield
from pto_analysis.ir.types import TileType


@frozen
class Lifetime:
    """The point that makes a value, and the last one that reads it."""

    first: int
    last: int

    def meets(self, other: Lifetime) -> bool:
        """Whether both are needed at one time; a value may be made where the other is read last."""
        return self.first < other.last and other.first < self.last


@frozen
class Lifetimes:
    """Of every tile that a statement makes, in program order.

    `families` number the merges that a value is an arm's value of: values of one family never live in one run.
    """

    of: dict[Var, Lifetime]
    families: dict[Var, frozenset[int]]


def lifetimes_of(function: Function) -> Lifetimes:
    walked = _Walk()
    walked.block(function.body, None)
    return walked.result()


@frozen(eq=False)
class _LoopSpan:
    """A loop from its first point; its last point stands in `_Walk.ends`."""

    start: int
    outer: _LoopSpan | None


@define
class _Walk:
    point: int = 0
    made: dict[Var, int] = field(factory=dict[Var, int])
    read: dict[Var, tuple[int, _LoopSpan | None]] = field(factory=dict[Var, "tuple[int, _LoopSpan | None]"])
    ends: dict[_LoopSpan, int] = field(factory=dict[_LoopSpan, int])
    arms: dict[Var, list[Var]] = field(factory=dict[Var, list[Var]])
    """Of a merge the values that its arms make."""
    starts: dict[Var, Var] = field(factory=dict[Var, Var])
    """Of a loop's result what the loop started with."""
    families: dict[Var, set[int]] = field(factory=dict[Var, set[int]])
    merges: int = 0

    def block(self, block: Block, loop: _LoopSpan | None) -> None:
        for stmt in block:
            self._statement(stmt, loop)

    def _statement(self, stmt: Stmt, loop: _LoopSpan | None) -> None:
        if isinstance(stmt, (Assign, Eval, Yield, Return)):
            if isinstance(stmt, Assign) and isinstance(stmt.var.type, TileType):
                self.made[stmt.var] = self.point
            self._reads(stmt.operands, loop)
            self.point += 1
        elif isinstance(stmt, If):
            self._fork(stmt, loop)
        elif isinstance(stmt, (For, While)):
            self._loop(stmt, loop)
        elif isinstance(stmt, Scope):
            self.block(stmt.body, loop)

    def _reads(self, values: Iterable[Expr], loop: _LoopSpan | None) -> None:
        for value in values:
            for var in value.variables:
                self._reading(var, loop)

    def _reading(self, var: Var, loop: _LoopSpan | None) -> None:
        """A merge is read where its arms made it, the result of a loop in the buffer that the loop started in."""
        if var in self.arms:
            for source in self.arms[var]:
                self._reading(source, loop)
            return
        target = self.starts.get(var, var)
        if target in self.made and self.read.get(target, (0, None))[0] <= self.point:
            self.read[target] = (self.point, loop)

    def _loop(self, loop: For | While, outer: _LoopSpan | None) -> None:
        span = _LoopSpan(self.point, outer)
        self._reads((arg.init for arg in loop.iter_args), span)
        self.block(loop.body, span)
        self.ends[span] = self.point - 1
        for arg, result in zip(loop.iter_args, loop.return_vars, strict=False):
            if isinstance(result.type, TileType) and isinstance(arg.init, Var) and arg.init in self.made:
                self.starts[result] = arg.init

    def _fork(self, branch: If, loop: _LoopSpan | None) -> None:
        self._reads((branch.condition,), loop)
        first = self.point
        self.block(branch.then, loop)
        middle = self.point
        self.block(branch.orelse, loop)
        spans = ((branch.then, first, middle), (branch.orelse, middle, self.point))
        yields = [(walk.final_yield(arm), start, stop) for arm, start, stop in spans]
        for index, result in enumerate(branch.return_vars):
            if not isinstance(result.type, TileType):
                continue
            self.merges += 1
            sources: list[Var] = []
            for last, start, stop in yields:
                value = last.values[index] if last is not None and index < len(last.values) else None
                if isinstance(value, Var):
                    sources += (each for each in self._ends_of(value, set()) if start <= self.made.get(each, -1) < stop)
            if sources:
                self.arms[result] = sources
                for each in (*sources, result):
                    self.families.setdefault(each, set()).add(self.merges)

    def _ends_of(self, value: Var, seen: set[Var]) -> Iterator[Var]:
        """The values behind a value that is a merge itself."""
        if value not in self.arms:
            yield value
        elif value not in seen:
            seen.add(value)
            for each in self.arms[value]:
                yield from self._ends_of(each, seen)

    def result(self) -> Lifetimes:
        of = {var: Lifetime(first, self._last(var, first)) for var, first in self.made.items()}
        return Lifetimes(of, {var: frozenset(each) for var, each in self.families.items()})

    def _last(self, var: Var, first: int) -> int:
        """The last read, or the end of the outermost loop that reads it and did not make it."""
        last, loop = self.read.get(var, (first, None))
        while loop is not None:
            if first < loop.start:
                last = max(last, self.ends[loop])
            loop = loop.outer
        return last
