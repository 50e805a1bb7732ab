"""The value of a term for given values of its symbols. Division by zero has no value."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.arith.terms import Number, Symbol, Term

Lookup = Callable[[Symbol], "int | None"]


def evaluate(term: Term, lookup: Lookup) -> int | None:
    """The integer that `term` holds, unsigned where it has a width; None: a symbol or a division is unknown."""
    if isinstance(term, Number):
        return _fit(term.value, term.bits)
    if isinstance(term, Symbol):
        value = lookup(term)
        return None if value is None else _fit(value, term.bits)
    if term.op == "select":
        condition = evaluate(term.args[0], lookup)
        return None if condition is None else evaluate(term.args[1 if condition else 2], lookup)
    values = [evaluate(arg, lookup) for arg in term.args]
    known = [value for value in values if value is not None]
    if len(known) != len(values):
        return None
    return apply(term.op, tuple(known), term.args[0].bits, term.bits)


def apply(op: str, values: tuple[int, ...], operand_bits: int | None, bits: int | None) -> int | None:
    """One operation on known operands of `operand_bits`; the result fits `bits`."""
    if op in _SIGNED:
        values = tuple(signed(value, operand_bits) for value in values)
    if op in _DIVIDES and values[1] == 0:
        return None
    if op in _SHIFTS and not 0 <= values[1] < (operand_bits or 4096):
        return None
    return _fit(values[0] if op in _CASTS else _TABLE[op](values[0], values[1]), bits)


def signed(value: int, bits: int | None) -> int:
    """The signed reading of a register."""
    if bits is None or value < 1 << (bits - 1):
        return value
    return value - (1 << bits)


def _fit(value: int, bits: int | None) -> int:
    return value if bits is None else value & ((1 << bits) - 1)


def _truncated_division(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_TABLE: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "floormod": lambda a, b: a % b,
    "udiv": lambda a, b: a // b,
    "urem": lambda a, b: a % b,
    "sdiv": _truncated_division,
    "srem": lambda a, b: a - b * _truncated_division(a, b),
    "ceildiv": lambda a, b: -(-a // b),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b,
    "lshr": lambda a, b: a >> b,
    "ashr": lambda a, b: a >> b,
    "umin": min,
    "umax": max,
    "smin": min,
    "smax": max,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "ult": lambda a, b: int(a < b),
    "ule": lambda a, b: int(a <= b),
    "ugt": lambda a, b: int(a > b),
    "uge": lambda a, b: int(a >= b),
    "slt": lambda a, b: int(a < b),
    "sle": lambda a, b: int(a <= b),
    "sgt": lambda a, b: int(a > b),
    "sge": lambda a, b: int(a >= b),
}

_SIGNED = frozenset(
    {"floordiv", "floormod", "sdiv", "srem", "ceildiv", "ashr", "smin", "smax", "slt", "sle", "sgt", "sge", "sext"}
)
_DIVIDES = frozenset({"floordiv", "floormod", "udiv", "urem", "sdiv", "srem", "ceildiv"})
_SHIFTS = frozenset({"shl", "lshr", "ashr"})
_CASTS = frozenset({"zext", "sext", "trunc"})
