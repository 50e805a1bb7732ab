"""Extents and offsets: arithmetic on `Dim`, and what the compiler can prove when it compares two of them.

The compiler types an op without looking at loops or conditions: of a variable it knows only that an INDEX is not
negative. So this engine works on linear forms over opaque atoms with constant bounds, and answers True, False or
None (cannot tell). The engine that knows loop ranges and definitions is `pto_analysis.arith`.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Union

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import INDEX, DType
from pto_analysis.ir.expr import Binary, Call, Cast, Const, Expr, Opaque, Tuple, TupleItem, Unary, Var
from pto_analysis.ir.types import Dim, ScalarType, Shape

_INF = math.inf


def as_dim(value: Expr | int) -> Dim:
    """A constant expression as its number, anything else as it is."""
    if isinstance(value, Const) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return value.value
    return value


def as_shape(values: Sequence[Expr | int]) -> Shape:
    return tuple(as_dim(value) for value in values)


def as_expr(dim: Dim) -> Expr:
    """A number as an INDEX constant, an expression as it is."""
    return Const(dim, INDEX) if isinstance(dim, int) else dim


def scalar_dtype(dim: Dim) -> DType | None:
    """The dtype of an extent, or None when it is not known to be a scalar."""
    if isinstance(dim, int):
        return INDEX
    if isinstance(dim, (Const, Unary, Binary, Cast)):
        return dim.dtype
    if isinstance(dim, (Var, TupleItem, Call)):
        return dim.type.dtype if isinstance(dim.type, ScalarType) else None
    return None


def same_dim(left: Dim, right: Dim) -> bool:
    """Whether two extents are the same number, variable or expression (structure, not arithmetic)."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    return left is right or _key(left) == _key(right)


def same_shape(left: Sequence[Dim], right: Sequence[Dim]) -> bool:
    return len(left) == len(right) and all(same_dim(a, b) for a, b in zip(left, right, strict=False))


def add(left: Dim, right: Dim) -> Dim:
    return _fold("+", left, right)


def subtract(left: Dim, right: Dim) -> Dim:
    return _fold("-", left, right)


def multiply(left: Dim, right: Dim) -> Dim:
    return _fold("*", left, right)


def floor_divide(left: Dim, right: Dim) -> Dim:
    return _fold("//", left, right)


def ceil_divide(left: Dim, divisor: int) -> Dim:
    return floor_divide(add(left, divisor - 1), divisor)


def round_up(left: Dim, multiple: int) -> Dim:
    return multiply(ceil_divide(left, multiple), multiple)


def smaller(left: Dim, right: Dim) -> Dim:
    """The minimum, folded where one side is provably not larger."""
    if prove_le(left, right) is True:
        return left
    if prove_le(right, left) is True:
        return right
    return _fold("min", left, right)


def larger(left: Dim, right: Dim) -> Dim:
    """The maximum, folded where one side is provably not smaller."""
    if prove_le(left, right) is True:
        return right
    if prove_le(right, left) is True:
        return left
    return _fold("max", left, right)


def prove_eq(left: Dim, right: Dim) -> bool | None:
    """Whether two extents are equal: True and False are proofs."""
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    if same_dim(left, right):
        return True
    if not _comparable(left, right):
        return None
    difference = _linear(left).minus(_linear(right))
    if not difference.terms:
        return difference.constant == 0
    step = math.gcd(*difference.terms.values())
    if step and difference.constant % step:
        return False
    low, high = difference.bounds()
    return False if low > 0 or high < 0 else None


def prove_le(left: Dim, right: Dim) -> bool | None:
    """Whether `left` is at most `right`: True and False are proofs."""
    if isinstance(left, int) and isinstance(right, int):
        return left <= right
    if same_dim(left, right):
        return True
    if not _comparable(left, right):
        return None
    if _le_by_structure(left, right):
        return True
    low, high = _linear(right).minus(_linear(left)).bounds()
    if low >= 0:
        return True
    return False if high < 0 else None


def is_understood(dim: Dim) -> bool:
    """Whether every part of an extent has a known type; a proof about one that has not may be missing for nothing."""
    match dim:
        case int() | Const():
            return True
        case Binary():
            return is_understood(dim.left) and is_understood(dim.right)
        case Unary() | Cast():
            return is_understood(dim.operand)
        case _:
            return scalar_dtype(dim) is not None


def is_empty(extent: Dim) -> bool:
    """Whether an extent is provably zero."""
    return prove_eq(extent, 0) is True


def format_dim(dim: Dim) -> str:
    """Text of an extent for a message."""
    match dim:
        case int():
            return str(dim)
        case Const():
            return str(dim.value)
        case Var():
            return dim.name
        case Binary(op="min" | "max"):
            return f"{dim.op}({format_dim(dim.left)}, {format_dim(dim.right)})"
        case Binary():
            return f"({format_dim(dim.left)} {dim.op} {format_dim(dim.right)})"
        case Unary():
            return f"{dim.op}{format_dim(dim.operand)}"
        case Cast():
            return format_dim(dim.operand)
        case _:
            return "?"


def format_shape(shape: Sequence[Dim]) -> str:
    """`[16, n]`"""
    return "[" + ", ".join(format_dim(dim) for dim in shape) + "]"


_Term = Union[Expr, Hashable]


@frozen
class _Linear:
    """`constant` plus the sum of coefficient times atom."""

    constant: int
    terms: dict[Hashable, int]
    ranges: dict[Hashable, tuple[float, float]]

    def minus(self, other: _Linear) -> _Linear:
        return self.plus(other.times(-1))

    def plus(self, other: _Linear) -> _Linear:
        if not other.terms:
            return _Linear(self.constant + other.constant, self.terms, self.ranges)
        if not self.terms:
            return _Linear(self.constant + other.constant, other.terms, other.ranges)
        terms = dict(self.terms)
        for atom, coefficient in other.terms.items():
            terms[atom] = terms.get(atom, 0) + coefficient
        kept = {atom: coefficient for atom, coefficient in terms.items() if coefficient}
        return _Linear(self.constant + other.constant, kept, {**self.ranges, **other.ranges})

    def times(self, factor: int) -> _Linear:
        if factor == 0:
            return _Linear(0, {}, {})
        return _Linear(self.constant * factor, {a: c * factor for a, c in self.terms.items()}, self.ranges)

    def bounds(self) -> tuple[float, float]:
        low: float = self.constant
        high: float = self.constant
        for atom, coefficient in self.terms.items():
            ends = [_times(coefficient, end) for end in self.ranges[atom]]
            low += min(ends)
            high += max(ends)
        return low, high

    def divisible_by(self, divisor: int) -> bool:
        return self.constant % divisor == 0 and all(c % divisor == 0 for c in self.terms.values())

    def divided_by(self, divisor: int) -> _Linear:
        return _Linear(self.constant // divisor, {a: c // divisor for a, c in self.terms.items()}, self.ranges)


def _times(coefficient: int, end: float) -> float:
    return 0 if coefficient == 0 or end == 0 else coefficient * end


def _constant(value: int) -> _Linear:
    return _Linear(value, {}, {})


def _atom(expr: Expr, bounds: tuple[float, float]) -> _Linear:
    key = _key(expr)
    return _Linear(0, {key: 1}, {key: bounds})


def _linear(dim: Dim) -> _Linear:
    """The linear form of an extent; what is not linear becomes an atom with the bounds that follow from it."""
    dim = as_dim(dim)
    match dim:
        case int():
            return _constant(dim)
        case Binary():
            return _linear_binary(dim)
        case Unary(op="-"):
            return _linear(dim.operand).times(-1)
        case Cast() if dim.dtype.is_int and _is_integer(dim.operand):
            return _linear(dim.operand)
        case _:
            return _atom(dim, _default_bounds(dim))


def _linear_binary(expr: Binary) -> _Linear:
    if expr.op not in ("+", "-", "*", "//", "%", "min", "max"):
        return _atom(expr, _default_bounds(expr))
    left, right = _linear(expr.left), _linear(expr.right)
    if expr.op == "+":
        return left.plus(right)
    if expr.op == "-":
        return left.minus(right)
    if expr.op == "*":
        return _linear_product(expr, left, right)
    if expr.op in ("min", "max"):
        return _atom(expr, _pick_bounds(expr.op, left.bounds(), right.bounds()))
    return _linear_division(expr, left, right)


def _linear_product(expr: Binary, left: _Linear, right: _Linear) -> _Linear:
    if not right.terms:
        return left.times(right.constant)
    if not left.terms:
        return right.times(left.constant)
    (low_l, _), (low_r, _) = left.bounds(), right.bounds()
    return _atom(expr, (0, _INF) if low_l >= 0 and low_r >= 0 else (-_INF, _INF))


def _linear_division(expr: Binary, left: _Linear, right: _Linear) -> _Linear:
    """`//` and `%` by a positive constant; with anything else the value stays opaque."""
    divisor = right.constant
    if right.terms or divisor <= 0:
        return _atom(expr, _default_bounds(expr))
    whole = expr.op == "//"
    if left.divisible_by(divisor):
        return left.divided_by(divisor) if whole else _constant(0)
    if not left.terms:
        return _constant(left.constant // divisor if whole else left.constant % divisor)
    if not whole:
        return _atom(expr, (0, divisor - 1))
    low, high = left.bounds()
    return _atom(expr, (_floor(low, divisor), _floor(high, divisor)))


def _floor(value: float, divisor: int) -> float:
    return value if math.isinf(value) else math.floor(value / divisor)


def _pick_bounds(op: str, left: tuple[float, float], right: tuple[float, float]) -> tuple[float, float]:
    pick = min if op == "min" else max
    return pick(left[0], right[0]), pick(left[1], right[1])


def _default_bounds(expr: Expr) -> tuple[float, float]:
    """Only a variable of dtype INDEX is known not to be negative."""
    if isinstance(expr, Var) and isinstance(expr.type, ScalarType) and expr.type.dtype is INDEX:
        return 0, _INF
    return -_INF, _INF


def _le_by_structure(left: Dim, right: Dim) -> bool:
    """`min(a, b) <= c` and `c <= max(a, b)`, which linear forms do not show."""
    match left, right:
        case Binary(op="min"), _:
            if prove_le(left.left, right) is True or prove_le(left.right, right) is True:
                return True
        case Binary(op="max"), _:
            if prove_le(left.left, right) is True and prove_le(left.right, right) is True:
                return True
        case _:
            pass
    match right:
        case Binary(op="max"):
            return prove_le(left, right.left) is True or prove_le(left, right.right) is True
        case Binary(op="min"):
            return prove_le(left, right.left) is True and prove_le(left, right.right) is True
        case _:
            return False


def _comparable(left: Dim, right: Dim) -> bool:
    """Two integers, both signed or both unsigned."""
    a, b = scalar_dtype(left), scalar_dtype(right)
    if a is None or b is None or not a.is_int or not b.is_int:
        return False
    if isinstance(as_dim(left), int) or isinstance(as_dim(right), int):
        return True
    return a.signed == b.signed


def _is_integer(expr: Expr) -> bool:
    dtype = scalar_dtype(expr)
    return dtype is not None and dtype.is_int


def _fold(op: str, left: Dim, right: Dim) -> Dim:
    left, right = as_dim(left), as_dim(right)
    if isinstance(left, int) and isinstance(right, int):
        return _evaluate(op, left, right)
    if op in ("+", "-") and right == 0:
        return left
    if op == "+" and left == 0:
        return right
    if op in ("*", "//") and right == 1:
        return left
    return Binary(op, as_expr(left), as_expr(right), scalar_dtype(left) or INDEX)


def _evaluate(op: str, left: int, right: int) -> int:
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "//":
            return left // right
        case "min":
            return min(left, right)
        case _:
            return max(left, right)


def _key(dim: Dim) -> Hashable:
    """A value that is equal for equal structure: variables by identity, the rest by operation and operands."""
    match dim:
        case int():
            return dim
        case Const():
            return dim.value if dim.dtype.is_int else (dim.value, dim.dtype.name)
        case Binary():
            return (dim.op, _key(dim.left), _key(dim.right))
        case Unary():
            return (dim.op, _key(dim.operand))
        case Cast():
            return ("cast", dim.dtype.name, _key(dim.operand))
        case Call():
            return ("call", dim.op, *(_key(arg) for arg in dim.args))
        case Tuple():
            return ("tuple", *(_key(item) for item in dim.items))
        case TupleItem():
            return ("item", dim.index, _key(dim.value))
        case Opaque():
            return ("opaque", id(dim))
        case _:
            return ("other", id(dim))
