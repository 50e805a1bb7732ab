"""`with` blocks: `pl.at`, `pl.spmd`, `pl.cluster`, `pl.scope`, `pl.manual_scope` (DSL section a.4)."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.frontend.forms import check_nesting, check_scope, is_core_scope
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.meant import meant_name
from pto_analysis.frontend.names import dsl_path, last_name
from pto_analysis.frontend.options import read_scope_options
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.skipping import skip
from pto_analysis.ir.dtypes import TASK_ID
from pto_analysis.ir.expr import Var
from pto_analysis.ir.stmt import Scope
from pto_analysis.ir.types import ScalarType
from pto_analysis.source import syntax
from pto_analysis.source.blocks import Block

REGION_KINDS = frozenset({"at", "spmd", "cluster", "scope", "manual_scope"})


def read_with(reading: Reading, header: syntax.WithHeader, block: Block, read_body: Callable[[], None]) -> None:
    origin = reading.here()
    context, alias = header.items[0]
    if len(header.items) != 1 or not isinstance(context, syntax.Call):
        skip(reading, block, IssueKind.OUTSIDE_DSL, "a `with` takes one DSL scope")
        return
    kind = last_name(context.func)
    if kind not in REGION_KINDS:
        kind = meant_name(reading, context.func, REGION_KINDS) or kind
    if dsl_path(reading, context.func) is None or kind not in REGION_KINDS:
        skip(reading, block, IssueKind.OUTSIDE_DSL, f"`with {kind or 'this'}` is not a scope of the DSL")
        return
    attrs = read_scope_options(reading, kind, context)
    check_scope(reading, kind, context, attrs)
    core = is_core_scope(kind, attrs)
    if core:
        check_nesting(reading, origin)
    var: Var | None = None
    if isinstance(alias, syntax.Name):
        var = Var(alias.name, ScalarType(TASK_ID), reading.origin(alias))
        reading.define(alias.name, var)
    reading.scope.enter()
    reading.core_scopes += core
    body = reading.nested(read_body)
    reading.core_scopes -= core
    reading.scope.leave_leaking()
    reading.emit(Scope(kind, attrs, body, var, origin))
