"""Scalar operators: their result types, the casts that the DSL inserts, constant folding of literals (DSL d.1)."""

from __future__ import annotations

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.reading import Reading
from pto_analysis.ir.dtypes import BOOL, FP32, INDEX, INT64, DType
from pto_analysis.ir.expr import Binary, Cast, Const, Expr, Opaque, Unary, type_of
from pto_analysis.ir.types import ArrayType, ScalarType, TensorType, TileType, Type, UnknownType
from pto_analysis.source.span import Origin

ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "min", "max"})
SHIFTS = frozenset({"<<", ">>"})
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
LOGIC = frozenset({"and", "or"})

_KINDS: dict[type, str] = {TileType: "a tile", TensorType: "a tensor", ArrayType: "an array"}
ELEMENTWISE = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "fmod", "//": "div"}


def binary(reading: Reading, op: str, left: Expr, right: Expr, origin: Origin) -> Expr:
    """`left op right` on scalars. `op` is an `ir.expr.Binary` operator."""
    if op in LOGIC:
        return _logic(reading, op, left, right, origin)
    left_dtype, right_dtype = scalar_dtype(left), scalar_dtype(right)
    if left_dtype is None or right_dtype is None:
        return _not_scalars(reading, op, left, right, origin)
    if isinstance(type_of(left), UnknownType):
        left_dtype = _constant_beside(right_dtype)
    elif isinstance(type_of(right), UnknownType):
        right_dtype = _constant_beside(left_dtype)
    dtype = _common(left_dtype, right_dtype, op)
    if isinstance(dtype, str):
        problem = reading.refuse(
            IssueKind.SCALAR_TYPES, f"`{op}` on {left_dtype} and {right_dtype}: {dtype}", origin,
            operator=op, left=left_dtype.name, right=right_dtype.name,
        )  # fmt: skip
        return Opaque(f"operator {op}", (left, right), problem, origin)
    result = BOOL if op in COMPARISONS else dtype
    return Binary(op, convert(left, dtype, origin), convert(right, dtype, origin), result, origin)


def unary(reading: Reading, op: str, operand: Expr, origin: Origin) -> Expr:
    """`-x`, `~x` or `not x` on a scalar; a negated literal is a literal."""
    if op == "+":
        return operand
    if op == "-" and isinstance(operand, Const) and not isinstance(operand.value, bool):
        return Const(-operand.value, operand.dtype, origin)
    dtype = scalar_dtype(operand)
    if dtype is None:
        return _not_scalars(reading, op, operand, operand, origin)
    return Unary(op, operand, BOOL if op == "not" else dtype, origin)


def convert(expr: Expr, dtype: DType, origin: Origin) -> Expr:
    """`expr` as `dtype`. INDEX and INT64 are one representation and need no cast."""
    own = None if isinstance(type_of(expr), UnknownType) else scalar_dtype(expr)
    if own is None or own == dtype or {own, dtype} == {INDEX, INT64}:
        return expr
    return Cast(expr, dtype, origin)


def scalar_dtype(expr: Expr) -> DType | None:
    """The dtype of a scalar. A value of unknown kind counts as an index, which it mostly is; others give None."""
    type_ = type_of(expr)
    if isinstance(type_, ScalarType):
        return type_.dtype
    return INDEX if isinstance(type_, UnknownType) else None


def is_scalar(type_: Type) -> bool:
    return isinstance(type_, ScalarType)


def _constant_beside(other: DType) -> DType:
    """The dtype that a Python constant of unknown value has beside an operand: its category must be the same."""
    if other.category == "float":
        return FP32
    return INDEX if other.is_int else other


def _common(left: DType, right: DType, op: str) -> DType | str:
    """The dtype that both operands get: the wider of one category, the left one on a tie; else why there is none."""
    if left.category == "bool" or right.category == "bool":
        return "BOOL is not a number; compare or cast it first"
    if left.category != right.category:
        return "an integer and a float do not mix; cast one side"
    if op in SHIFTS and not (left.is_int and right.is_int):
        return "only integers shift"
    return right if right.bits > left.bits else left


def _logic(reading: Reading, op: str, left: Expr, right: Expr, origin: Origin) -> Expr:
    for side in (left, right):
        if scalar_dtype(side) is None:
            return _not_scalars(reading, op, left, right, origin)
    return Binary(op, left, right, BOOL, origin)


def _not_scalars(reading: Reading, op: str, left: Expr, right: Expr, origin: Origin) -> Expr:
    kinds = [_KINDS[type(side)] for side in (type_of(left), type_of(right)) if type(side) in _KINDS]
    kind = kinds[0] if kinds else "a tuple"
    name = ELEMENTWISE.get(op) if kind in ("a tile", "a tensor") else None
    hint = "" if name is None else f"; write `pl.{name}(…)`"
    problem = reading.refuse(
        IssueKind.SCALAR_TYPES, f"operator `{op}` works on scalars, and this operand is {kind}{hint}", origin,
        operator=op, operand=kind, suggestion=name,
    )  # fmt: skip
    return Opaque(f"operator {op}", (left, right), problem, origin)
