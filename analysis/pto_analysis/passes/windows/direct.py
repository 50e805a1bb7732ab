"""The accumulator check of compilers before carries and aliases were followed (up to August 2026).

It looks at bound calls whose accumulator is the slice itself, and rejects a narrow window at a run-time column, of
which nothing is proved. It decides what such a compiler does (`pto-lint canonicalize --toolchain`), never a finding:
the windows that it misses are wrong all the same.
"""

from __future__ import annotations

from datetime import date

from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.walk import statements
from pto_analysis.ops.table import get
from pto_analysis.passes.canonicalize.collect import Constants, index_sum, slice_operands
from pto_analysis.passes.windows.accumulator import accumulator_window
from pto_analysis.toolchain import Newest, Toolchain

ROUTES_FOLLOWED_SINCE = date(2026, 8, 28)
"""The first compiler known to follow an accumulator back to its window."""

_Place = tuple[Var, Expr, Expr]


def checks_direct_slices_only(toolchain: Toolchain) -> bool:
    return not isinstance(toolchain.pypto, Newest) and toolchain.pypto < ROUTES_FOLLOWED_SINCE


def rejects_direct_slice(function: Function) -> bool:
    """Whether such a compiler stops at an accumulator of the function."""
    if not function.kind.is_incore:
        return False
    constants, places = Constants(), dict[Var, _Place]()
    for stmt in statements(function.body):
        if not isinstance(stmt, Assign):
            continue
        constants.define(stmt.var, stmt.value)
        parts = slice_operands(stmt, constants)
        if parts is not None:
            places[stmt.var] = _peeled(parts, places)
        elif isinstance(stmt.value, Call) and _is_rejected(stmt.value, places):
            return True
    return False


def _peeled(parts: _Place, places: dict[Var, _Place]) -> _Place:
    source, row, col = parts
    outer = places.get(source)
    return parts if outer is None else (outer[0], index_sum(outer[1], row), index_sum(outer[2], col))


def _is_rejected(call: Call, places: dict[Var, _Place]) -> bool:
    spec = get(call.op)
    position = None if spec is None else spec.reused_operand
    operand = call.args[position] if position is not None and position < len(call.args) else None
    place = places.get(operand) if isinstance(operand, Var) else None
    if place is None or not isinstance(operand, Var):
        return False
    base, row, col = place
    extent = accumulator_window(base.type, operand.type, row, col)
    return extent is not None and extent.is_contiguous is not True
