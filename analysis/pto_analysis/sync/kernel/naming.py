"""Where the author first wrote a name: the place that the compiler gives to what it adds for one of its versions."""

from __future__ import annotations

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign
from pto_analysis.source.span import Origin


def first_named(function: Function) -> dict[Var, Origin | None]:
    """The origin of every variable; versions of one assigned name have that of the first assignment."""
    first: dict[str, Origin | None] = {}
    found: dict[Var, Origin | None] = {}
    for stmt in walk.statements(function.body):
        for var in stmt.definitions:
            found[var] = first.setdefault(_name(var), var.origin) if isinstance(stmt, Assign) else var.origin
    return found


def _name(var: Var) -> str:
    return var.name.partition("__")[0]
