"""Scalar expressions of a kernel as the terms that the assembler will see: 64-bit registers, signed operations."""

from __future__ import annotations

from pto_analysis.arith.terms import INDEX_BITS, Node, Number, Symbol, Term, node, number
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Binary, Cast, Const, Expr, Unary, Var
from pto_analysis.ir.types import Dim, ScalarType
from pto_analysis.passes.ssa.names import source_name

_ARITHMETIC = {
    "+": "add", "-": "sub", "*": "mul", "//": "sdiv", "%": "srem", "<<": "shl", ">>": "ashr", "&": "and", "|": "or",
    "^": "xor", "min": "smin", "max": "smax",
}  # fmt: skip

_COMPARISONS = {"==": "eq", "!=": "ne", "<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}

_LOGIC = {"and": "and", "or": "or"}


class KernelScalars:
    """The symbols of a kernel's scalars, named as the author calls them, one name for each."""

    def __init__(self) -> None:
        self._symbols: dict[Var, Symbol] = {}
        self._names: set[str] = set()

    def symbol(self, var: Var) -> Symbol:
        """The symbol of an integer scalar; also of a boolean one, which holds 0 or 1."""
        if var not in self._symbols:
            self._symbols[var] = Symbol(self.unique(source_name(var.name) or var.name), bits_of(var))
        return self._symbols[var]

    def unique(self, name: str) -> str:
        """A name that nothing else in the program has."""
        candidate, count = name, 1
        while candidate in self._names:
            count += 1
            candidate = f"{name}_{count}"
        self._names.add(candidate)
        return candidate

    def term(self, value: Expr | Dim) -> Term | None:
        """The term of an index or condition; None when only run time knows the value."""
        constant = constant_int(value)
        if constant is not None:
            return number(constant)
        if isinstance(value, Const) and isinstance(value.value, bool):
            return Number(int(value.value), 1)
        if isinstance(value, Var):
            return self.symbol(value) if is_scalar(value) else None
        if isinstance(value, Binary):
            return self._binary(value)
        if isinstance(value, Unary):
            return self._unary(value)
        if isinstance(value, Cast) and value.dtype.is_index_like:
            return self.term(value.operand)
        return None

    def _binary(self, value: Binary) -> Term | None:
        left, right = self.term(value.left), self.term(value.right)
        op = _ARITHMETIC.get(value.op) or _COMPARISONS.get(value.op) or _LOGIC.get(value.op)
        if left is None or right is None or op is None or left.bits != right.bits:
            return None
        return node(op, left, right)

    def _unary(self, value: Unary) -> Term | None:
        operand = self.term(value.operand)
        if operand is None:
            return None
        if value.op == "-":
            return node("sub", number(0), operand) if operand.bits == INDEX_BITS else None
        if value.op == "not" and operand.bits == 1:
            return Node("xor", (operand, Number(1, 1)), 1)
        return None


def is_scalar(var: Var) -> bool:
    """Whether a variable is a whole number or a truth value."""
    return isinstance(var.type, ScalarType) and (var.type.dtype.is_int or var.type.dtype.category == "bool")


def bits_of(var: Var) -> int:
    return 1 if isinstance(var.type, ScalarType) and var.type.dtype.category == "bool" else INDEX_BITS
