"""`arith` operations as terms (reference: sync 9, "control flow and scalars")."""

from __future__ import annotations

from pto_analysis.arith.terms import Term, cast, node, number
from pto_analysis.pto.scope import Handle, Scope, integer_bits
from pto_analysis.pto.syntax import Literal, Operation, Use
from pto_analysis.pto.types import ScalarType
from pto_analysis.sync.program import Alias, Choice

_BINARY = {
    "addi": "add",
    "subi": "sub",
    "muli": "mul",
    "divui": "udiv",
    "divsi": "sdiv",
    "floordivsi": "floordiv",
    "ceildivsi": "ceildiv",
    "remui": "urem",
    "remsi": "srem",
    "andi": "and",
    "ori": "or",
    "xori": "xor",
    "shli": "shl",
    "shrui": "lshr",
    "shrsi": "ashr",
    "minui": "umin",
    "maxui": "umax",
    "minsi": "smin",
    "maxsi": "smax",
}
_CASTS = {"extsi": "sext", "extui": "zext", "trunci": "trunc", "index_cast": "sext", "index_castui": "zext"}
_COMPARISONS = frozenset({"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})


_RETYPED = "builtin.unrealized_conversion_cast"
"""The same value under another type: how the compiler makes constants of unsigned types."""


def is_scalar_operation(name: str) -> bool:
    return name == _RETYPED or name.startswith(("arith.", "math.", "index."))


def lower_scalar(scope: Scope, operation: Operation) -> None:
    """Define the results of an `arith` operation; what is not integer arithmetic stays unknown."""
    short = operation.name.partition(".")[2]
    if short == "constant":
        _constant(scope, operation)
    elif short == "select" and len(operation.results) == 1:
        _select(scope, operation)
    elif operation.name == _RETYPED:
        _retype(scope, operation)
    else:
        value = _value(scope, operation, short)
        if value is None or len(operation.results) != 1:
            scope.define_unknown(operation)
        else:
            scope.define(operation.results[0], value)


def _retype(scope: Scope, operation: Operation) -> None:
    uses = operation.uses()
    if len(uses) != 1 or len(operation.results) != 1:
        scope.define_unknown(operation)
        return
    handle, term = scope.known(uses[0]), scope.term(uses[0])
    if isinstance(handle, Handle):
        scope.bind(operation.results[0], Alias(handle.name), handle, strides=handle.strides)
    elif term is not None:
        scope.define(operation.results[0], term)
    else:
        scope.define_unknown(operation)


def _constant(scope: Scope, operation: Operation) -> None:
    """Numbers and booleans; the type decides the width. Floats and dense values are no integers."""
    kind = operation.results[0].type if operation.results else None
    literal = next((arg.value for arg in operation.arguments if isinstance(arg, Literal)), None)
    text = operation.attributes.get("value", "")
    if literal is None and text:
        digits = text.partition(":")[0].strip()
        literal = int(digits) if digits.lstrip("-").isdigit() and len(digits) < 40 else None
    if "true" in operation.words or "false" in operation.words:
        literal, kind = int("true" in operation.words), ScalarType("i1")
    integer = isinstance(kind, ScalarType) and kind.is_integer
    if not isinstance(literal, int) or not integer or len(operation.results) != 1:
        scope.define_unknown(operation)
        return
    scope.define(operation.results[0], number(literal, integer_bits(kind)))


def _terms(scope: Scope, operation: Operation) -> list[Term] | None:
    terms = [scope.term(use) for use in operation.uses()]
    known = [term for term in terms if term is not None]
    return known if len(known) == len(terms) else None


def _value(scope: Scope, operation: Operation, short: str) -> Term | None:
    terms = _terms(scope, operation)
    if terms is None:
        return None
    if short in _BINARY and len(terms) == 2 and terms[0].bits == terms[1].bits:
        return node(_BINARY[short], *terms)
    if short == "cmpi" and len(terms) == 2 and terms[0].bits == terms[1].bits:
        return _comparison(operation, terms)
    if short in _CASTS and len(terms) == 1 and operation.results:
        return _resized(terms[0], _CASTS[short], integer_bits(operation.results[0].type))
    return None


_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def _comparison(operation: Operation, terms: list[Term]) -> Term | None:
    word = next((word for word in operation.words if word in _COMPARISONS), None)
    if word is None:
        digits = operation.attributes.get("predicate", "").partition(":")[0].strip()
        word = _PREDICATES[int(digits)] if digits.isdigit() and int(digits) < len(_PREDICATES) else None
    return None if word is None else node(word, *terms)


def _resized(term: Term, widen: str, bits: int) -> Term:
    if term.bits == bits or term.bits is None:
        return term
    return cast(widen if term.bits < bits else "trunc", term, bits)


def _select(scope: Scope, operation: Operation) -> None:
    uses = operation.uses()
    if len(uses) != 3:
        scope.define_unknown(operation)
        return
    condition, then, otherwise = uses
    first, second = scope.known(then), scope.known(otherwise)
    chosen_by = scope.term(condition)
    if isinstance(first, Handle) and isinstance(second, Handle):
        select_handle(scope, operation, (condition, first, second))
        return
    terms = scope.term(then), scope.term(otherwise)
    if chosen_by is None or terms[0] is None or terms[1] is None or terms[0].bits != terms[1].bits:
        scope.define_unknown(operation)
        return
    scope.define(operation.results[0], node("select", chosen_by, terms[0], terms[1]))


def select_handle(scope: Scope, operation: Operation, parts: tuple[Use, Handle, Handle]) -> None:
    """`arith.select` of two buffers."""
    condition, first, second = parts
    chosen_by = scope.term(condition)
    term = chosen_by if chosen_by is not None else scope.builder.define(None, scope.unique("%unknown"), 1)
    scope.bind(operation.results[0], Choice(term, first.name, second.name), first, strides=first.strides)
