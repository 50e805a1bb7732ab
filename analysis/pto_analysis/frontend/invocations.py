"""Calls of other kernels: `self.f(…)`, `f(…)`, `pl.submit(self.f, …)` (DSL section a.5)."""

from __future__ import annotations

from pto_analysis.frontend.callee import Callee, CalleeParam
from pto_analysis.frontend.extents import as_expr
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import dotted_text, dsl_path
from pto_analysis.frontend.options import read_option
from pto_analysis.frontend.reading import Reading
from pto_analysis.ir.dtypes import TASK_ID
from pto_analysis.ir.expr import Expr, Invoke, Opaque, Var, type_of
from pto_analysis.ir.function import Direction
from pto_analysis.ir.types import Dim, ScalarType, TensorType, TileType, TupleType, Type, UnknownType
from pto_analysis.ir.walk import substitute_type
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin

_SUBMIT_KEYWORDS = frozenset(
    {"deps", "dumps", "allow_early_resolve", "predicate", "core_num", "sync_start", "attrs", "device"}
)


def invoke(reading: Reading, spelled: str, callee: Callee | None, node: syntax.Call, origin: Origin) -> Expr:
    """The call `spelled(…)`; its arguments are put into the order of the parameters."""
    args = _arguments(reading, node.args, callee)
    attrs = _attributes(reading, node.args)
    if callee is None:
        why = reading.unknown(f"call of {spelled}", f"`{spelled}` could not be resolved to a kernel", origin)
        return Invoke(spelled, args, attrs, why, origin)
    if len(args) != len(callee.params) and not _has_star(node):
        _wrong_count(reading, spelled, len(callee.params), len(callee.params), len(args), origin)
    return Invoke(spelled, args, attrs, _result(callee, args), origin)


def read_submit(reading: Reading, node: syntax.Call, origin: Origin) -> Expr:
    """`pl.submit(self.f, args…)`: the results and the task id as one tuple. Out arguments may be left out."""
    if not node.args:
        problem = reading.refuse(IssueKind.ARGUMENTS, "pl.submit needs a kernel to submit", origin)
        return Opaque("submit", (), problem, origin)
    target = node.args[0].value
    spelled = dotted_text(target) or "kernel"
    head, _, name = spelled.rpartition(".")
    callee = reading.methods(name) if head == "self" else reading.callees(spelled)
    args = _arguments(reading, node.args[1:], callee)
    attrs = {"submit": (dsl_path(reading, node.func) or "pl.submit").rpartition(".")[2]}
    attrs |= _attributes(reading, node.args[1:])
    returns: tuple[Type, ...] | None = None
    if callee is not None:
        required = sum(param.direction is Direction.IN for param in callee.params)
        if not required <= len(args) <= len(callee.params):
            _wrong_count(reading, spelled, required, len(callee.params), len(args), origin)
        returns = callee.returns()
    if callee is None or returns is None:
        why = reading.unknown(f"submit of {spelled}", f"the results of `{spelled}` are not known", origin)
        return Invoke(spelled, args, attrs, why, origin)
    items = returns if len(args) != len(callee.params) else _bound(returns, callee.params, args)
    return Invoke(spelled, args, attrs, TupleType((*items, ScalarType(TASK_ID))), origin)


def _arguments(reading: Reading, written: tuple[syntax.Argument, ...], callee: Callee | None) -> tuple[Expr, ...]:
    """The argument values, keywords after the positional ones in the order of the callee's parameters."""
    args = [reading.expression(argument.value) for argument in written if argument.keyword is None]
    keywords = {
        argument.keyword: argument.value
        for argument in written
        if argument.keyword is not None and argument.keyword not in _SUBMIT_KEYWORDS
    }
    names = [param.name for param in callee.params[len(args) :]] if callee is not None else list(keywords)
    for name in names:
        if name in keywords:
            args.append(reading.expression(keywords.pop(name)))
    for name, value in keywords.items():
        reading.refuse(
            IssueKind.UNKNOWN_KEYWORD, f"this kernel has no parameter `{name}`", reading.origin(value), keyword=name
        )
    return tuple(args)


def _attributes(reading: Reading, written: tuple[syntax.Argument, ...]) -> dict[str, object]:
    """What is said about the dispatch itself: dependencies, core count, predicates."""
    attrs: dict[str, object] = {}
    for argument in written:
        if argument.keyword not in _SUBMIT_KEYWORDS or argument.keyword == "attrs":
            continue
        assert argument.keyword is not None
        attrs[argument.keyword] = read_option(reading, argument.value)
    return attrs


def _result(callee: Callee, args: tuple[Expr, ...]) -> Type:
    returns = callee.returns()
    if returns is None:
        return UnknownType("the callee's result is not known")
    bound = returns
    if len(callee.params) == len(args):
        bound = _bound(_given_back(returns, callee.returned, args), callee.params, args)
    if len(bound) == 1:
        return bound[0]
    return TupleType(bound) if bound else UnknownType("the callee returns nothing")


def _given_back(
    returns: tuple[Type, ...], returned: tuple[int, ...] | None, args: tuple[Expr, ...]
) -> tuple[Type, ...]:
    """The results; where the callee does not know the type of a parameter it returns, that of the argument."""
    if returned is None or len(returned) != len(returns):
        return returns
    pairs = zip(returns, returned, strict=True)
    return tuple(type_of(args[at]) if isinstance(type_, UnknownType) else type_ for type_, at in pairs)


def _bound(returns: tuple[Type, ...], params: tuple[CalleeParam, ...], args: tuple[Expr, ...]) -> tuple[Type, ...]:
    """The declared results with the callee's dynamic extents replaced by those of the arguments."""
    extents: dict[Var, Dim] = {}
    for param, arg in zip(params, args, strict=True):
        actual = type_of(arg)
        if isinstance(param.type, (TensorType, TileType)) and isinstance(actual, (TensorType, TileType)):
            for declared, given in zip(param.type.shape, actual.shape, strict=False):
                if isinstance(declared, Var):
                    extents.setdefault(declared, given)
    if not extents:
        return returns

    def actual_extent(var: Var) -> Expr:
        given = extents.get(var, var)
        return as_expr(given, None)

    return tuple(substitute_type(type_, actual_extent) for type_ in returns)


def _has_star(node: syntax.Call) -> bool:
    return any(argument.star for argument in node.args)


def _wrong_count(reading: Reading, spelled: str, low: int, high: int, given: int, origin: Origin) -> None:
    expected = str(high) if low == high else f"{low} to {high}"
    reading.refuse(
        IssueKind.CALL_ARITY, f"`{spelled}` takes {expected} arguments, not {given}", origin,
        expected=high, given=given,
    )  # fmt: skip
