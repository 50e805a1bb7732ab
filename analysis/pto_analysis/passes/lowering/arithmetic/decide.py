"""Whether a condition holds, and what it says about the variables in it."""

from __future__ import annotations

from pto_analysis.ir.dtypes import BOOL, INDEX
from pto_analysis.ir.expr import Binary, Const, Expr, Unary, Var
from pto_analysis.passes.lowering.arithmetic.fold import fold
from pto_analysis.passes.lowering.arithmetic.ranges import COMPARISONS, Range, Ranges, compare, default_range, range_of
from pto_analysis.passes.lowering.arithmetic.rules import literal

_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def decide(condition: Expr, ranges: Ranges) -> bool | None:
    """Whether a condition always or never holds; None when that depends on the run."""
    return _decided(fold(condition, ranges), ranges)


def _decided(folded: Expr, ranges: Ranges) -> bool | None:
    if isinstance(folded, Const):
        return bool(folded.value)
    if isinstance(folded, Unary) and folded.op == "not":
        inner = _decided(folded.operand, ranges)
        return None if inner is None else not inner
    if not isinstance(folded, Binary):
        return None
    if folded.op in ("and", "or"):
        sides = (_decided(folded.left, ranges), _decided(folded.right, ranges))
        decisive = folded.op == "or"
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive
    if folded.op not in COMPARISONS:
        return None
    gap = Binary("-", folded.left, folded.right, INDEX)
    for form in (gap, fold(gap, ranges), sum_of(*terms_of(gap))):
        verdict = compare(folded.op, range_of(form, ranges))
        if verdict is not None:
            return verdict
    return None


def under(condition: Expr, *, holds: bool, ranges: Ranges) -> Ranges:
    """`ranges` where a condition holds, or does not: comparisons of a variable with a number narrow it."""
    folded = fold(condition if holds else Unary("not", condition, BOOL), ranges)
    narrowed = dict(ranges)
    pending = [folded]
    while pending:
        part = pending.pop()
        if not isinstance(part, Binary):
            continue
        if part.op == "and":
            pending += [part.left, part.right]
        elif part.op in COMPARISONS:
            _narrow(narrowed, part.op, part.left, part.right)
            _narrow(narrowed, _MIRRORED[part.op], part.right, part.left)
    return narrowed


def _narrow(ranges: dict[Var, Range], op: str, var: Expr, bound: Expr) -> None:
    value = range_of(bound, ranges)
    if not isinstance(var, Var) or value.low is None or value.low != value.high:
        return
    number = value.low
    allowed = {
        "<": Range(high=number - 1),
        "<=": Range(high=number),
        ">": Range(low=number + 1),
        ">=": Range(low=number),
        "==": Range(number, number),
    }.get(op)
    if allowed is not None:
        ranges[var] = ranges.get(var, default_range(var)).within(allowed)


def terms_of(expr: Expr) -> tuple[dict[Expr, int], int]:
    """`expr` as a sum: what is not a number with its factor, and the number."""
    value = literal(expr)
    if value is not None:
        return {}, value
    if isinstance(expr, Binary) and expr.op in ("+", "-"):
        left, constant = terms_of(expr.left)
        right, other = terms_of(expr.right)
        sign = 1 if expr.op == "+" else -1
        for term, factor in right.items():
            left[term] = left.get(term, 0) + sign * factor
        return left, constant + sign * other
    if isinstance(expr, Binary) and expr.op == "*":
        factor = literal(expr.right)
        if factor is not None:
            terms, constant = terms_of(expr.left)
            return {term: times * factor for term, times in terms.items()}, constant * factor
    return {expr: 1}, 0


def sum_of(terms: dict[Expr, int], constant: int) -> Expr:
    """The sum that `terms_of` took apart, with equal terms cancelled."""
    result: Expr = Const(constant, INDEX)
    for term, factor in terms.items():
        if factor:
            op, size = ("+", factor) if factor > 0 else ("-", -factor)
            result = Binary(op, result, Binary("*", term, Const(size, INDEX), INDEX), INDEX)
    return result
