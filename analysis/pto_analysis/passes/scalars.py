"""What is true about a function's index arithmetic: its scalars told to the arithmetic engine.

This is our reasoning, not the compiler's (`canonicalize.compiler_proof`): floor divisions, remainders, minima,
shifts, casts and loop variables count.
"""

from __future__ import annotations

from pto_analysis.arith.comparison import decided
from pto_analysis.arith.from_ir import IrScalars
from pto_analysis.arith.questions import interval, multiple_of
from pto_analysis.arith.ranges import Range
from pto_analysis.ir.expr import Binary, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, Stmt, While
from pto_analysis.ir.types import ScalarType


class ScalarFacts:
    """Facts about the scalars of a function in SSA form. What loops carry and branches merge is unknown."""

    def __init__(self, function: Function) -> None:
        self._known = IrScalars()
        self._loops = 0
        self._unknown([param.var for param in function.params], frozenset())
        self._block(function.body, frozenset())

    def is_multiple(self, expr: Expr, modulus: int) -> bool:
        """Whether the value is provably always a multiple of `modulus`."""
        return multiple_of(self._known.term(expr), modulus, self._known.scalars)

    def range(self, expr: Expr) -> Range:
        """Where the value provably lies."""
        return interval(self._known.term(expr), self._known.scalars)

    def decided(self, condition: Expr) -> bool | None:
        """Whether a comparison provably always holds (True) or never does (False)."""
        if not isinstance(condition, Binary):
            return None
        return decided(condition.op, self.range(condition.left), self.range(condition.right))

    def _block(self, block: Block, loops: frozenset[str]) -> None:
        for stmt in block:
            self._statement(stmt, loops)

    def _statement(self, stmt: Stmt, loops: frozenset[str]) -> None:
        if isinstance(stmt, Assign):
            if isinstance(stmt.var.type, ScalarType):
                self._known.define(stmt.var, stmt.value)
        elif isinstance(stmt, (For, While)):
            self._loop(stmt, loops)
        elif isinstance(stmt, (If, Scope)):
            for inner in stmt.blocks:
                self._block(inner, loops)
        if isinstance(stmt, (For, While, If)):
            self._unknown(stmt.return_vars, loops)

    def _loop(self, loop: For | While, loops: frozenset[str]) -> None:
        self._loops += 1
        name = f"loop {self._loops}"
        if isinstance(loop, For):
            self._known.loop(loop, name, loops)
        inner = loops | {name}
        self._unknown([arg.var for arg in loop.iter_args], inner)
        self._block(loop.body, inner)

    def _unknown(self, variables: tuple[Var, ...] | list[Var], loops: frozenset[str]) -> None:
        for var in variables:
            if isinstance(var.type, ScalarType):
                self._known.unknown(var, loops)
