"""Loops as their author wrote them, and the windows that they walk through global memory with."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Binary, Call, Expr, Tuple, Unary, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, For
from pto_analysis.ir.types import ScalarType, TensorType
from pto_analysis.ir.walk import statements
from pto_analysis.source.remembered import FEW

OFFSETS_AND_EXTENTS = {"tensor.slice": (2, 1), "tile.load": (1, 2)}
"""Reads of windows of a tensor, operand 0: where their offsets and extents stand."""

_VALID = 3
"""Where their valid shapes stand."""


@frozen
class Affine:
    """`constant` plus each variable times its factor."""

    constant: int
    factors: tuple[tuple[Var, int], ...] = ()

    def plus(self, other: Affine, sign: int = 1) -> Affine:
        total = dict(self.factors)
        for var, factor in other.factors:
            total[var] = total.get(var, 0) + sign * factor
        kept = tuple((var, factor) for var, factor in total.items() if factor)
        return Affine(self.constant + sign * other.constant, kept)

    def times(self, number: int) -> Affine:
        return Affine(self.constant * number, tuple((var, factor * number) for var, factor in self.factors if number))


@frozen
class Window:
    """A read of a window of `source`; an extent of None is not a number, an offset of None not affine.

    `valid` is the valid shape that is asked for, () for none; a `clamped` read takes what there is.
    """

    source: Var
    offsets: tuple[Affine | None, ...]
    extents: tuple[int | None, ...]
    valid: tuple[Expr, ...]
    clamped: bool
    call: Call


class Scalars:
    """What single assignments say about the scalars of a function."""

    def __init__(self, function: Function) -> None:
        self._values: dict[Var, Expr] = {}
        seen: set[Var] = set()
        for stmt in statements(function.body):
            for var in stmt.definitions:
                if var in seen:
                    self._values.pop(var, None)
                elif isinstance(stmt, Assign) and isinstance(var.type, ScalarType):
                    self._values[var] = stmt.value
                seen.add(var)

    def resolved(self, expr: Expr) -> Expr:
        """The expression that a name stands for, through names of names."""
        steps = 0
        while isinstance(expr, Var) and expr in self._values and steps < len(self._values):
            expr, steps = self._values[expr], steps + 1
        return expr

    def _named(self, expr: Expr) -> Expr:
        """The same, but a name for the result of an operation stays a name."""
        for _ in self._values:
            value = self._values.get(expr) if isinstance(expr, Var) else None
            if value is None or isinstance(value, Call):
                break
            expr = value
        return expr

    def affine(self, expr: Expr, depth: int = 0) -> Affine | None:
        """The value as a sum over variables; None for what is no sum, or too deep."""
        number = constant_int(expr)
        if number is not None:
            return Affine(number)
        known = self._named(expr)
        if isinstance(known, Var):
            return Affine(0, ((known, 1),))
        if known is not expr:
            return self.affine(known, depth + 1) if depth < _DEEPEST else None
        if isinstance(expr, Unary) and expr.op == "-":
            operand = self.affine(expr.operand, depth + 1)
            return None if operand is None else operand.times(-1)
        return self._binary(expr, depth) if isinstance(expr, Binary) and depth < _DEEPEST else None

    def _binary(self, expr: Binary, depth: int) -> Affine | None:
        left, right = self.affine(expr.left, depth + 1), self.affine(expr.right, depth + 1)
        if left is None or right is None:
            return None
        if expr.op in ("+", "-"):
            return left.plus(right, 1 if expr.op == "+" else -1)
        if expr.op == "*" and not (left.factors and right.factors):
            return right.times(left.constant) if not left.factors else left.times(right.constant)
        if expr.op == "//" and not left.factors and not right.factors and right.constant > 0:
            return Affine(left.constant // right.constant)
        return None

    def number(self, expr: Expr) -> int | None:
        value = self.affine(expr)
        return value.constant if value is not None and not value.factors else None


_DEEPEST = 32


@lru_cache(maxsize=FEW)
def scalars_of(function: Function) -> Scalars:
    return Scalars(function)


def window_of(call: Call, scalars: Scalars) -> Window | None:
    """The window that a call reads from a tensor."""
    places = OFFSETS_AND_EXTENTS.get(call.op)
    if places is None or max(places) >= len(call.args):
        return None
    source, (offsets, extents) = call.args[0], (call.args[place] for place in places)
    if not isinstance(source, Var) or not isinstance(source.type, TensorType):
        return None
    if not isinstance(offsets, Tuple) or not isinstance(extents, Tuple):
        return None
    valid = call.args[_VALID] if len(call.args) > _VALID else None
    return Window(
        source,
        tuple(scalars.affine(item) for item in offsets.items),
        tuple(scalars.number(item) for item in extents.items),
        valid.items if isinstance(valid, Tuple) else (),
        bool(call.attrs.get("clamp")) or not isinstance(valid, (Tuple, type(None))),
        call,
    )


def loops_of(function: Function) -> Mapping[Var, For]:
    """Every counting loop by its variable."""
    return {stmt.var: stmt for stmt in statements(function.body) if isinstance(stmt, For)}
