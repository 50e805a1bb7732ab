"""What is true about a function's index arithmetic: its scalars told to the arithmetic engine.

This is our reasoning, not the compiler's (`canonicalize.compiler_proof`): floor divisions, remainders, minima,
shifts, casts and loop variables count. Index values are ideal integers here, they never wrap.
"""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.arith.questions import interval, multiple_of
from pto_analysis.arith.ranges import Range, between
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.terms import Node, Number, Symbol, Term
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Binary, Cast, Expr, Unary, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, Stmt, While
from pto_analysis.ir.types import ScalarType

_OPS: Mapping[str, str] = {
    "+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "floormod", "<<": "shl", ">>": "ashr", "&": "and",
    "|": "or", "^": "xor", "min": "smin", "max": "smax",
}  # fmt: skip

_WIDE = 32
"""A cast to fewer bits may wrap and is not followed."""


class ScalarFacts:
    """Facts about the scalars of a function in SSA form."""

    def __init__(self, function: Function) -> None:
        self._scalars = Scalars()
        self._symbols: dict[Var, Symbol] = {}
        for param in function.params:
            self._unknown(param.var, frozenset())
        self._block(function.body, frozenset())

    def is_multiple(self, expr: Expr, modulus: int) -> bool:
        """Whether the value is provably always a multiple of `modulus`."""
        return multiple_of(self._term(expr), modulus, self._scalars)

    def range(self, expr: Expr) -> Range:
        """Where the value provably lies."""
        return interval(self._term(expr), self._scalars)

    def _block(self, block: Block, loops: frozenset[str]) -> None:
        for stmt in block:
            self._statement(stmt, loops)

    def _statement(self, stmt: Stmt, loops: frozenset[str]) -> None:
        if isinstance(stmt, Assign):
            if isinstance(stmt.var.type, ScalarType):
                self._scalars.define(self._symbol(stmt.var), self._term(stmt.value))
        elif isinstance(stmt, For):
            self._for(stmt, loops)
        elif isinstance(stmt, While):
            inner = loops | {f"while {len(self._symbols)}"}
            for arg in stmt.iter_args:
                self._unknown(arg.var, inner)
            self._block(stmt.body, inner)
            self._results(stmt, loops)
        elif isinstance(stmt, If):
            self._block(stmt.then, loops)
            self._block(stmt.orelse, loops)
            self._results(stmt, loops)
        elif isinstance(stmt, Scope):
            self._block(stmt.body, loops)

    def _for(self, loop: For, loops: frozenset[str]) -> None:
        symbol = self._symbol(loop.var)
        start, stop, step = self._term(loop.start), self._term(loop.stop), self._term(loop.step)
        self._scalars.loop_variable(symbol, symbol.name, start, stop, step, loops)
        inner = loops | {symbol.name}
        for arg in loop.iter_args:
            self._unknown(arg.var, inner)
        self._block(loop.body, inner)
        self._results(loop, loops)

    def _results(self, stmt: For | While | If, loops: frozenset[str]) -> None:
        for var in stmt.return_vars:
            self._unknown(var, loops)

    def _unknown(self, var: Var, loops: frozenset[str]) -> None:
        if isinstance(var.type, ScalarType):
            known = None if var.type.dtype.signed else between(0, None)
            self._scalars.opaque(self._symbol(var), loops, known)

    def _symbol(self, var: Var) -> Symbol:
        """One symbol for each variable; numbers keep variables of one name apart."""
        if var not in self._symbols:
            self._symbols[var] = Symbol(f"{var.name}#{len(self._symbols)}", None)
        return self._symbols[var]

    def _term(self, expr: Expr) -> Term:
        value = constant_int(expr)
        if value is not None:
            return Number(value, None)
        if isinstance(expr, Var):
            return self._symbol(expr)
        if isinstance(expr, Binary) and expr.op in _OPS and expr.dtype.is_int:
            return Node(_OPS[expr.op], (self._term(expr.left), self._term(expr.right)), None)
        if isinstance(expr, Unary) and expr.op == "-" and expr.dtype.is_int:
            return Node("sub", (Number(0, None), self._term(expr.operand)), None)
        if isinstance(expr, Cast) and _keeps_value(expr):
            return self._term(expr.operand)
        return self._fresh()

    def _fresh(self) -> Symbol:
        """A value that nothing is known about."""
        symbol = Symbol(f"?#{len(self._symbols)}", None)
        self._symbols[Var(symbol.name, ScalarType(INDEX))] = symbol
        return symbol


def _keeps_value(cast: Cast) -> bool:
    """Whether a cast of an integer gives the same integer, as far as indices go."""
    operand = cast.operand
    if isinstance(operand, Var):
        source = operand.type.dtype if isinstance(operand.type, ScalarType) else None
    else:
        source = operand.dtype if isinstance(operand, (Binary, Unary, Cast)) else None
    return source is not None and source.is_int and cast.dtype.is_int and cast.dtype.bits >= _WIDE
