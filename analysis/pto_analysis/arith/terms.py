"""The expression language of the arithmetic engine: symbols, numbers and operations with a width.

Two kinds of integers share it. A term with `bits` None is an ideal integer that never wraps (indices of the
Python DSL, lane numbers). A term with `bits` w is what a w-bit register holds, read as an unsigned number in
[0, 2**w); the signed operations (`sdiv`, `slt`, …) reinterpret it, as the `.pto` dialect's `arith` ops do.
Comparisons have one bit.

Terms are kept shallow: a value with a name of its own is a `Symbol`, and what it was computed from is told to
`arith.scalars.Scalars`, so that shared sub-expressions never multiply.
"""

from __future__ import annotations

from typing import Union

from pto_analysis.frozen import frozen

INDEX_BITS = 64
"""Width of `index` and `i64`."""

IDEAL_OPS = frozenset({"add", "sub", "mul", "floordiv", "floormod", "and", "or", "xor", "shl", "ashr", "smin", "smax"})
"""Operations that have a meaning on ideal integers."""

SIZED_OPS = IDEAL_OPS | {"udiv", "sdiv", "urem", "srem", "lshr", "umin", "umax", "ceildiv", "zext", "sext", "trunc"}
"""Operations on registers. `sdiv` and `srem` truncate toward zero, `floordiv` and `floormod` round down (signed)."""

COMPARISONS = frozenset({"eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"})


@frozen
class Number:
    """A constant; its value is reduced to the width where it has one."""

    value: int
    bits: int | None = INDEX_BITS

    def __str__(self) -> str:
        return str(self.value)


@frozen
class Symbol:
    """A value with a name: an argument, a loop variable or a result. Names are unique in a function."""

    name: str
    bits: int | None = INDEX_BITS

    def __str__(self) -> str:
        return self.name


@frozen
class Node:
    """`op` applied to `args`; `bits` is the width of the result. `select` takes (condition, then, otherwise)."""

    op: str
    args: tuple[Term, ...]
    bits: int | None = INDEX_BITS

    def __str__(self) -> str:
        return spelled(self)


Term = Union[Number, Symbol, Node]

_INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "floordiv": "//",
    "udiv": "/u",
    "sdiv": "/",
    "floormod": "%",
    "urem": "%",
    "srem": "%s",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "lshr": ">>",
    "ashr": ">>s",
    "eq": "==",
    "ne": "!=",
    "ult": "<",
    "ule": "<=",
    "ugt": ">",
    "uge": ">=",
    "slt": "<",
    "sle": "<=",
    "sgt": ">",
    "sge": ">=",
}


def number(value: int, bits: int | None = INDEX_BITS) -> Number:
    """A constant of that width; negative values take their two's complement."""
    return Number(value if bits is None else value % (1 << bits), bits)


def node(op: str, *args: Term) -> Node:
    """`op` at the width of its operands (of the second one for `select`, 1 for comparisons)."""
    if op in COMPARISONS:
        return Node(op, args, 1)
    return Node(op, args, args[1].bits if op == "select" else args[0].bits)


def cast(op: str, value: Term, bits: int) -> Node:
    """`zext`, `sext` or `trunc` of `value` to `bits`."""
    return Node(op, (value,), bits)


def spelled(term: Term) -> str:
    """A term as a reader would write it, for messages and lane names."""
    if not isinstance(term, Node):
        return str(term)
    parts = [f"({spelled(arg)})" if isinstance(arg, Node) else str(arg) for arg in term.args]
    if term.op in _INFIX and len(parts) == 2:
        return f"{parts[0]} {_INFIX[term.op]} {parts[1]}"
    if term.op == "select":
        return f"{parts[1]} if {parts[0]} else {parts[2]}"
    if term.op in ("zext", "sext", "trunc"):
        return parts[0]
    return f"{term.op}({', '.join(parts)})"
