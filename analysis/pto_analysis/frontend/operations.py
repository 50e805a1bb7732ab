"""DSL operations: which op a spelling is for these operands, its operands and attributes, its result type (DSL e)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pto_analysis.frontend import scalars
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.typed import rests_on_unknown, type_of
from pto_analysis.ir.dtypes import FP32, INDEX, DType
from pto_analysis.ir.expr import Call, Cast, Const, Expr, Opaque, is_expression
from pto_analysis.ir.types import Type, UnknownType
from pto_analysis.ops.deduce import deduce, deduce_as_written
from pto_analysis.ops.lookup import ScalarCall, candidates, resolve
from pto_analysis.ops.spec import Refusal
from pto_analysis.source.span import Origin

_CERTAIN = frozenset({"unknown-op", "keyword"})
"""Refusals that hold whatever the operands are."""

_KINDS: dict[str, IssueKind] = {
    "unknown-op": IssueKind.UNKNOWN_OPERATION,
    "keyword": IssueKind.UNKNOWN_KEYWORD,
    "arity": IssueKind.ARGUMENTS,
    "attribute": IssueKind.ARGUMENTS,
    "out-of-bounds": IssueKind.OUT_OF_BOUNDS,
}


def operate(
    reading: Reading,
    path: str,
    positional: Sequence[object],
    keywords: Mapping[str, object],
    origin: Origin,
    keyword_origins: Mapping[str, Origin] | None = None,
) -> Expr:
    """The call `path(…)` on read arguments. A refused or unknown call is `Opaque`, its operands still visible."""
    path = _canonical(path)
    if _level_is_open(path, positional, keywords):
        why = reading.unknown(path, "whether this is a tile or a tensor is not known", origin)
        values = (*positional, *keywords.values())
        return Opaque(path, tuple(value for value in values if is_expression(value)), why, origin)
    resolved = resolve(path.removeprefix("pl."), positional, keywords)
    if isinstance(resolved, ScalarCall):
        return _scalar_call(reading, path, resolved, origin)
    if isinstance(resolved, Refusal):
        return _refused(reading, path, resolved, positional, keywords, origin, keyword_origins or {})
    bound = resolved
    type_ = deduce(bound.op, bound.args, bound.attrs)
    if isinstance(type_, Refusal):
        problem: Type
        if any(rests_on_unknown(arg) for arg in bound.args):
            problem = reading.unknown(path, "an operand is not known", origin)
        else:
            problem = _refuse(reading, path, type_, origin, keyword_origins or {})
            if type_.kind == "out-of-bounds":
                problem = deduce_as_written(bound.op, bound.args, bound.attrs)
        return Call(bound.op, bound.args, bound.attrs, problem, origin)
    if isinstance(type_, UnknownType) and type_.why != bound.op and any(map(rests_on_unknown, bound.args)):
        reading.unknown(path, type_.why, origin)
    return Call(bound.op, bound.args, bound.attrs, type_, origin)


@lru_cache(maxsize=1024)
def _canonical(path: str) -> str:
    """`pld.window` by its full name `pld.tensor.window`."""
    module, _, name = path.partition(".")
    if module != "pld" or "." in name or candidates(path):
        return path
    full = (f"pld.{category}.{name}" for category in ("system", "tensor", "tile"))
    return next((each for each in full if candidates(each)), path)


def _level_is_open(path: str, positional: Sequence[object], keywords: Mapping[str, object]) -> bool:
    """Whether an operation exists for tiles and for tensors, and its first operand does not say which is meant."""
    first = positional[0] if positional else next(iter(keywords.values()), None)
    return (
        is_expression(first) and isinstance(type_of(first), UnknownType) and _has_two_levels(path.removeprefix("pl."))
    )


@lru_cache(maxsize=1024)
def _has_two_levels(spelling: str) -> bool:
    return len({spec.namespace for spec in candidates(spelling)}) > 1


def _scalar_call(reading: Reading, path: str, call: ScalarCall, origin: Origin) -> Expr:
    """Scalar arithmetic spelled as a call: `pl.min(a, b)`, `pl.add(1, n)`, `pl.cast(n, pl.INT32)`."""
    first, second = (_as_scalar(value, origin) for value in call.arguments[:2])
    if call.operator == "cast":
        if is_expression(first) and isinstance(second, DType):
            return Cast(first, second, origin)
    elif is_expression(first) and is_expression(second):
        return scalars.binary(reading, call.operator, first, second, origin)
    problem = reading.refuse(IssueKind.ARGUMENTS, f"{path} takes scalars", origin, operation=path)
    return Opaque(path, tuple(value for value in (first, second) if is_expression(value)), problem, origin)


def _as_scalar(value: object, origin: Origin) -> object:
    """A plain number (a keyword literal) as a literal of the IR."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return Const(value, INDEX if isinstance(value, int) else FP32, origin)


def _refused(
    reading: Reading,
    path: str,
    refusal: Refusal,
    positional: Sequence[object],
    keywords: Mapping[str, object],
    origin: Origin,
    keyword_origins: Mapping[str, Origin],
) -> Expr:
    values = (*positional, *keywords.values())
    operands = tuple(value for value in values if is_expression(value))
    if refusal.kind in _CERTAIN or not any(rests_on_unknown(value) for value in values):
        problem = _refuse(reading, path, refusal, origin, keyword_origins)
    else:
        problem = reading.unknown(path, "an operand is not known", origin)
    return Opaque(path, operands, problem, origin)


def _refuse(
    reading: Reading, path: str, refusal: Refusal, origin: Origin, keyword_origins: Mapping[str, Origin]
) -> UnknownType:
    place = keyword_origins.get(refusal.keyword or "", origin)
    return reading.refuse(
        _KINDS.get(refusal.kind, IssueKind.OPERANDS), refusal.message, place,
        operation=path, refusal=refusal.kind, operand=refusal.operand, keyword=refusal.keyword,
        suggestions=refusal.suggestions, **refusal.data,
    )  # fmt: skip
