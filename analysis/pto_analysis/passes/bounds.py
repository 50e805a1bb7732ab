"""Windows that provably read past their source, also where the compiler cannot see it.

Two proofs: the offset's range lies outside in every execution, or the first or last round of the loops around the
window puts it outside. Rounds count only for loops with literal bounds that run, and not inside branches, where the
round may be one that the condition leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Binary, Call, Expr, Tuple, Unary, Var
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Scope, Stmt, While
from pto_analysis.ir.types import Dim, ScalarType, Shape, TensorType, TileType, UnknownType
from pto_analysis.passes.canonicalize.collect import value_origin
from pto_analysis.passes.scalars import ScalarFacts
from pto_analysis.source.span import Origin

Round = Literal["always", "first", "last"]


@frozen(eq=False)
class OutsideWindow:
    """A read of `extent` elements from `offset` on, along `axis` of a source that has `available` there.

    `value` is the offset in that round, None where only its range is known (`always`).
    """

    op: str
    source: Var
    axis: int
    offset: Expr
    value: int | None
    extent: Dim
    available: Dim
    round: Round
    origin: Origin | None


def outside_windows(body: Block, facts: Callable[[], ScalarFacts]) -> tuple[OutsideWindow, ...]:
    """The provably outside windows of a body in SSA form, in program order, one for each operation.

    `facts` are asked for where the rounds of loops do not tell where a window begins.
    """
    return tuple(_Sweep(facts).block(body))


@frozen
class _Known:
    """A scalar's value in the first and the last round of the loops around it; `varies` if it depends on them."""

    first: int
    last: int
    varies: bool


class _Sweep:
    def __init__(self, facts: Callable[[], ScalarFacts]) -> None:
        self.facts = facts
        self.values: dict[Var, _Known] = {}
        self.branches = 0

    def block(self, block: Block) -> Iterator[OutsideWindow]:
        for stmt in block:
            yield from self.statement(stmt)

    def statement(self, stmt: Stmt) -> Iterator[OutsideWindow]:
        if isinstance(stmt, (Assign, Eval)) and isinstance(stmt.value, Call):
            found = self.call(stmt.value, value_origin(stmt))
            if found is not None:
                yield found
        if isinstance(stmt, Assign) and isinstance(stmt.var.type, ScalarType):
            known = self.known(stmt.value)
            if known is not None:
                self.values[stmt.var] = known
        elif isinstance(stmt, For):
            if self.may_run(stmt):
                yield from self.block(stmt.body)
        elif isinstance(stmt, (While, If)):
            self.branches += 1
            for inner in (stmt.body,) if isinstance(stmt, While) else (stmt.then, stmt.orelse):
                yield from self.block(inner)
            self.branches -= 1
        elif isinstance(stmt, Scope):
            yield from self.block(stmt.body)

    def may_run(self, loop: For) -> bool:
        """Notes the loop variable's first and last value where the bounds are literal; False when there is no round."""
        start, stop, step = (self.known(bound) for bound in (loop.start, loop.stop, loop.step))
        if start is None or stop is None or step is None or start.varies or stop.varies or step.varies:
            return True
        if step.first <= 0 or start.first >= stop.first:
            return False
        rounds = (stop.first - start.first - 1) // step.first
        self.values[loop.var] = _Known(start.first, start.first + rounds * step.first, True)
        return True

    def known(self, expr: Expr) -> _Known | None:
        value = constant_int(expr)
        if value is not None:
            return _Known(value, value, False)
        if isinstance(expr, Var):
            known = self.values.get(expr)
            return None if known is not None and known.varies and self.branches else known
        if isinstance(expr, Unary) and expr.op == "-":
            operand = self.known(expr.operand)
            return None if operand is None else _Known(-operand.first, -operand.last, operand.varies)
        if not isinstance(expr, Binary):
            return None
        left, right = self.known(expr.left), self.known(expr.right)
        if left is None or right is None:
            return None
        first, last = _apply(expr.op, left.first, right.first), _apply(expr.op, left.last, right.last)
        return None if first is None or last is None else _Known(first, last, left.varies or right.varies)

    def call(self, call: Call, origin: Origin | None) -> OutsideWindow | None:
        parts = _window_parts(call)
        if parts is None:
            return None
        source, offsets, extents = parts
        shape = source.type.shape if isinstance(source.type, (TileType, TensorType)) else ()
        for axis, (offset, extent, available) in enumerate(zip(offsets, extents, shape, strict=False)):
            size, limit = constant_int(extent), constant_int(available)
            if size is None or limit is None:
                continue
            fault = self.fault(offset, limit - size)
            if fault is not None:
                return OutsideWindow(call.op, source, axis, offset, fault[1], size, limit, fault[0], origin)
        return None

    def fault(self, offset: Expr, highest: int) -> tuple[Round, int | None] | None:
        """In which round the offset is outside [0, highest], and what it is then."""
        known = self.known(offset)
        if known is not None:
            if not 0 <= known.first <= highest:
                return ("first" if known.varies else "always"), known.first
            return None if 0 <= known.last <= highest else ("last", known.last)
        possible = self.facts().range(offset)
        below = possible.upper is not None and possible.upper < 0
        above = possible.lower is not None and possible.lower > highest
        return ("always", None) if below or above else None


def _window_parts(call: Call) -> tuple[Var, tuple[Expr, ...], Shape] | None:
    """Source, offsets and extents of a read; a load that clamps or declares less valid data reads less.

    A call without a type was refused when it was typed, and has been told about there.
    """
    if isinstance(call.type, UnknownType):
        return None
    if call.op == "tile.slice" and len(call.args) >= 3:
        source, extents, offsets = call.args[0], call.args[1], call.args[2]
    elif call.op == "tile.extract" and len(call.args) == 4:
        source, extents, offsets = call.args[0], call.args[3], Tuple(call.args[1:3])
    elif call.op == "tile.load" and len(call.args) >= 3 and not call.attrs.get("clamp"):
        source, offsets, extents = call.args[0], call.args[1], call.args[3] if len(call.args) > 3 else call.args[2]
    else:
        return None
    if not isinstance(source, Var) or not isinstance(offsets, Tuple) or not isinstance(extents, Tuple):
        return None
    return source, offsets.items, extents.items


def _apply(op: str, left: int, right: int) -> int | None:
    if op in ("//", "%") and right == 0:
        return None
    apply = _RESULTS.get(op)
    return None if apply is None else apply(left, right)


_RESULTS: Mapping[str, Callable[[int, int], int]] = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "//": int.__floordiv__,
    "%": int.__mod__,
    "min": min,
    "max": max,
}
"""What an operation on two known values gives."""
