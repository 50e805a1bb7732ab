"""`pl.yield_`: the values that a loop body or branch hands on."""

from __future__ import annotations

from typing import TypeGuard

from pto_analysis.frontend.agreement import contradiction
from pto_analysis.frontend.bindings import define_unknown
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import last_name
from pto_analysis.frontend.reading import Reading, YieldFrame
from pto_analysis.ir.expr import Expr, Var, type_of
from pto_analysis.ir.stmt import Block, If, IterArg, Scope, Stmt, Yield
from pto_analysis.ir.types import Type, UnknownType
from pto_analysis.source import syntax


def is_yield(node: syntax.Expression | None) -> TypeGuard[syntax.Call]:
    return isinstance(node, syntax.Call) and last_name(node.func) == "yield_"


def read_yield(
    reading: Reading, node: syntax.Call, targets: tuple[syntax.Name, ...], annotated: Type | None = None
) -> None:
    """`a, b = pl.yield_(x, y)`: the names become visible when the loop or branch is done."""
    values = tuple(reading.expression(argument.value) for argument in node.args)
    reading.emit(Yield(values, reading.here()))
    if not reading.yields:
        if values:
            message = "`pl.yield_` ends the body of a loop or branch, and stands in none"
            reading.refuse(IssueKind.LOOP_FORM, message, reading.here())
        for target in targets:
            define_unknown(reading, target.name, "handed on by no loop or branch", reading.origin(target))
        return
    reading.yields[-1].bare |= not targets
    for position, target in enumerate(targets):
        type_ = type_of(values[position]) if position < len(values) else UnknownType("nothing was yielded")
        if annotated is not None and not isinstance(annotated, UnknownType):
            type_ = annotated
        reading.yields[-1].names.append((target.name, type_, reading.origin(target)))


def check_loop_yields(reading: Reading, body: Block, carried: tuple[IterArg, ...], frame: YieldFrame) -> None:
    """A loop with `init_values` yields once, last, and as many values of the same types (facts: verifier SSAForm)."""
    if not carried:
        _check_carries_nothing(reading, body, frame)
        return
    if not _ends_with_yield(reading, body, "a loop"):
        return
    last = body[-1]
    assert isinstance(last, Yield)
    if len(last.values) != len(carried) or (frame.names and len(frame.names) != len(carried)):
        values, names = _count(len(last.values), "value"), _count(len(frame.names), "name")
        _refuse(reading, last, f"the loop carries {_count(len(carried), 'value')}, and yields {values} to {names}")
        return
    for arg, value in zip(carried, last.values, strict=True):
        _check_type(reading, last, arg.var, value)


def _check_carries_nothing(reading: Reading, body: Block, frame: YieldFrame) -> None:
    """A loop without `init_values` hands nothing on: the names of a yield in it are not visible behind the loop."""
    if not frame.names:
        return
    yields = [stmt for stmt in body if isinstance(stmt, Yield)]
    place = (yields[-1].origin if yields else None) or reading.here()
    reading.refuse(IssueKind.LOOP_FORM, "this loop has no init_values, so that a yield in it is lost", place)
    for name, _, origin in frame.names:
        define_unknown(reading, name, "yielded by a loop that carries nothing", origin)


def check_branch_yields(reading: Reading, arms: tuple[Block, Block], results: tuple[Var, ...]) -> None:
    """Where an `if` names what it yields, both arms end with a yield of the same values."""
    if not results:
        return
    for arm in arms:
        if not any(isinstance(stmt, Yield) for stmt in arm):
            if all(_is_plain(stmt) for stmt in arm):
                reading.refuse(
                    IssueKind.LOOP_FORM, "both arms of an `if` that yields end with `pl.yield_`", reading.here()
                )
            continue
        if not _ends_with_yield(reading, arm, "an arm"):
            continue
        last = arm[-1]
        assert isinstance(last, Yield)
        if len(last.values) != len(results):
            values, names = _count(len(last.values), "value"), _count(len(results), "name")
            _refuse(reading, last, f"this arm yields {values}, and the arms give {names} together")
            continue
        for var, value in zip(results, last.values, strict=True):
            _check_type(reading, last, var, value)


def _ends_with_yield(reading: Reading, body: Block, what: str) -> bool:
    """Whether a yield is the last statement; one that stands before the last is refused."""
    yields = [stmt for stmt in body if isinstance(stmt, Yield)]
    early = [stmt for stmt in yields if stmt is not body[-1]]
    for stmt in early:
        _refuse(reading, stmt, f"`pl.yield_` is the last statement of {what}")
    return bool(yields) and not early


def _is_plain(stmt: Stmt) -> bool:
    """Whether the statement yields nothing for the block around it: a scope or an `elif` may."""
    return not isinstance(stmt, (If, Scope))


def _check_type(reading: Reading, last: Yield, var: Var, value: Expr) -> None:
    kind, yielded = var.type, type_of(value)
    if isinstance(kind, UnknownType) or isinstance(yielded, UnknownType):
        return
    problem = contradiction(kind, yielded)
    if problem is not None:
        message = f"`{var.name}` is handed on with {problem} here"
        reading.refuse(IssueKind.REBOUND_TYPE, message, last.origin or reading.here(), name=var.name)


def _refuse(reading: Reading, stmt: Yield, message: str) -> None:
    reading.refuse(IssueKind.LOOP_FORM, message, stmt.origin or reading.here())


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
