"""The operations of a core function, one statement each, as rules look at them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Eval
from pto_analysis.ir.types import TileType, UnknownType
from pto_analysis.ir.walk import statements
from pto_analysis.passes.canonicalize.collect import value_origin
from pto_analysis.passes.ssa.names import source_name
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source.remembered import FEW
from pto_analysis.source.span import Origin


def core_calls(kernel: KernelFacts) -> tuple[tuple[Call, Origin | None], ...]:
    """The typed tile operations of what runs on a core, in program order; nothing for other functions.

    A call without a type was refused when it was typed, and has been told about there.
    """
    return _calls_of(kernel.analysis.function) if kernel.is_core else ()


@lru_cache(maxsize=FEW)
def _calls_of(function: Function) -> tuple[tuple[Call, Origin | None], ...]:
    return tuple(_calls(function))


def _calls(function: Function) -> Iterator[tuple[Call, Origin | None]]:
    for stmt in statements(function.body):
        call = stmt.value if isinstance(stmt, (Assign, Eval)) else None
        if isinstance(stmt, (Assign, Eval)) and isinstance(call, Call) and not isinstance(call.type, UnknownType):
            yield call, value_origin(stmt)


def tile_of(expr: Expr) -> TileType | None:
    """The type of an operand that is a tile."""
    return expr.type if isinstance(expr, (Var, Call)) and isinstance(expr.type, TileType) else None


def operand_name(expr: Expr) -> str:
    """An operand in the author's words."""
    name = source_name(expr.name) if isinstance(expr, Var) else ""
    return f"`{name}`" if name else "the operand"
