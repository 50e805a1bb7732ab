"""`if`, `elif`, `else`, with explicit yields or with Python's own merging of names (DSL section c.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pto_analysis.frontend.loops import read_condition
from pto_analysis.frontend.reading import Reading, YieldFrame
from pto_analysis.frontend.yields import check_branch_yields
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Var
from pto_analysis.ir.stmt import Block, If
from pto_analysis.ir.types import Type, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin


@frozen(eq=False)
class Arm:
    """One arm: its test (None for `else`), the statement of its header, and how to read its body."""

    test: syntax.Expression | None
    statement: int
    read_body: Callable[[], None]


def read_if(reading: Reading, arms: Sequence[Arm]) -> None:
    """An `if` chain; an `elif` is an `if` alone in the else block."""
    first, rest = arms[0], arms[1:]
    reading.statement = first.statement
    origin = reading.here()
    assert first.test is not None
    condition = read_condition(reading, first.test, "if")
    then, then_frame = _arm(reading, first.read_body)
    orelse: Block = ()
    else_frame = YieldFrame()
    if rest and rest[0].test is None:
        orelse, else_frame = _arm(reading, rest[0].read_body)
    elif rest:
        orelse, else_frame = _arm(reading, lambda: read_if(reading, rest))
    results = _results(reading, then_frame, else_frame)
    reading.statement = first.statement
    check_branch_yields(reading, (then, orelse), results)
    reading.emit(If(condition, then, orelse, results, origin))


def _arm(reading: Reading, read_body: Callable[[], None]) -> tuple[Block, YieldFrame]:
    frame = YieldFrame()
    reading.scope.enter()
    reading.yields.append(frame)
    body = reading.nested(read_body)
    reading.yields.pop()
    if frame.names:
        reading.scope.leave_hiding()
    else:
        reading.scope.leave_leaking()
    return body, frame


def _results(reading: Reading, then: YieldFrame, orelse: YieldFrame) -> tuple[Var, ...]:
    """The variables that the yields of both arms name, in the order of the first arm that names them."""
    named: dict[str, tuple[Type, Origin]] = {}
    for name, type_, origin in (*then.names, *orelse.names):
        known = named.get(name)
        if known is None or isinstance(known[0], UnknownType):
            named[name] = (type_, known[1] if known is not None else origin)
    results = tuple(Var(name, type_, origin) for name, (type_, origin) in named.items())
    for var in results:
        reading.define(var.name, var)
    return results
