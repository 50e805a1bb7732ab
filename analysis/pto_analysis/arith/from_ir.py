"""Scalar expressions of the tile IR as terms of the arithmetic engine.

IR scalars are read as ideal integers: the DSL's indices are exact where a program means anything. `IrScalars` is told
assignments and loops in program order (`define`, `loop`), or looks definitions up on demand when it is given a way to
(`lookup`); what it is not told about is an unknown.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from pto_analysis.arith.ranges import Range, between
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.terms import Node, Number, Symbol, Term
from pto_analysis.ir.expr import Binary, Cast, Const, Expr, Unary, Var
from pto_analysis.ir.stmt import For
from pto_analysis.ir.types import ScalarType

_OPERATORS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "//": "floordiv",
    "%": "floormod",
    "<<": "shl",
    ">>": "ashr",
    "&": "and",
    "|": "or",
    "^": "xor",
    "min": "smin",
    "max": "smax",
    "==": "eq",
    "!=": "ne",
    "<": "slt",
    "<=": "sle",
    ">": "sgt",
    ">=": "sge",
}

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})

Lookup = Callable[[Var], "Expr | None"]


def _no_definition(_var: Var) -> Expr | None:
    return None


@define
class IrScalars:
    """Terms and facts for the scalars of one IR function."""

    lookup: Lookup = _no_definition
    scalars: Scalars = field(factory=Scalars)
    _symbols: dict[Var, Symbol] = field(factory=dict[Var, Symbol], init=False)
    _fresh: int = field(default=0, init=False)

    def symbol(self, var: Var) -> Symbol:
        """The symbol of a variable; variables are told apart by identity."""
        known = self._symbols.get(var)
        if known is None:
            known = self._symbols[var] = Symbol(f"{var.name}#{len(self._symbols)}", None)
        return known

    def define(self, var: Var, value: Expr) -> None:
        """`var = value`, seen in program order."""
        self.scalars.define(self.symbol(var), self.term(value))

    def unknown(self, var: Var, loops: frozenset[str] = frozenset(), range_: Range | None = None) -> None:
        """A scalar that only run time knows, new in every iteration of `loops`."""
        self.scalars.opaque(self.symbol(var), loops, range_ or _type_range(var))

    def loop(self, loop: For, name: str, outer: frozenset[str] = frozenset()) -> None:
        """Enter a counted loop: its variable gets its range and stride."""
        start, stop, step = (self.term(bound) for bound in (loop.start, loop.stop, loop.step))
        self.scalars.loop_variable(self.symbol(loop.var), name, start, stop, step, outer)

    def term(self, expr: Expr) -> Term:
        """The term for an expression; definitions of its variables are looked up first, innermost first."""
        pending = [expr]
        while pending:
            missing = self._undefined(pending[-1])
            if missing is None:
                done = pending.pop()
                if isinstance(done, Var):
                    continue
                if pending:
                    self._settle(pending[-1])
                continue
            value = self.lookup(missing)
            if value is None:
                self.unknown(missing)
            else:
                pending.extend((missing, value))
        return self._convert(expr)

    def _settle(self, waiting: Expr) -> None:
        """Define the variable that waited for the value handled just now."""
        if isinstance(waiting, Var) and not self.scalars.knows(self.symbol(waiting)):
            value = self.lookup(waiting)
            if value is not None:
                self.scalars.define(self.symbol(waiting), self._convert(value))

    def _undefined(self, expr: Expr) -> Var | None:
        """A variable of the expression that has no facts yet."""
        stack = [expr]
        while stack:
            item = stack.pop()
            if isinstance(item, Var):
                if not self.scalars.knows(self.symbol(item)):
                    return item
            elif isinstance(item, Binary):
                stack.extend((item.right, item.left))
            elif isinstance(item, (Unary, Cast)):
                stack.append(item.operand)
        return None

    def _convert(self, expr: Expr) -> Term:
        if isinstance(expr, Const):
            return Number(int(expr.value), None) if isinstance(expr.value, int) else self._unknown_value()
        if isinstance(expr, Var):
            return self.symbol(expr)
        if isinstance(expr, Binary) and expr.op in _OPERATORS:
            bits = 1 if expr.op in _COMPARISONS else None
            return Node(_OPERATORS[expr.op], (self._convert(expr.left), self._convert(expr.right)), bits)
        if isinstance(expr, Unary) and expr.op == "-":
            return Node("sub", (Number(0, None), self._convert(expr.operand)), None)
        if isinstance(expr, Cast) and expr.dtype.is_int and self._fits(expr):
            return self._convert(expr.operand)
        return self._unknown_value()

    def _fits(self, expr: Cast) -> bool:
        """Whether a cast keeps the value: to an index type always, to a narrower one when the range says so."""
        if expr.dtype.is_index_like:
            return True
        half = 1 << (expr.dtype.bits - 1)
        low, high = (-half, half - 1) if expr.dtype.signed else (0, 2 * half - 1)
        return self.scalars.integer(self.scalars.linear(self._convert(expr.operand))).within(low, high)

    def _unknown_value(self) -> Symbol:
        self._fresh += 1
        symbol = Symbol(f"?{self._fresh}", None)
        self.scalars.opaque(symbol, frozenset({"?"}))
        return symbol


def _type_range(var: Var) -> Range | None:
    """The limits of the variable's dtype, for unsigned and narrow ones."""
    dtype = var.type.dtype if isinstance(var.type, ScalarType) else None
    if dtype is None or not dtype.is_int or dtype.name == "INDEX":
        return None
    if dtype.signed:
        return between(-(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1)
    return between(0, (1 << dtype.bits) - 1)
