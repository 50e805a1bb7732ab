"""The copy that the compiler inserts for a window, written out where it happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.written import Written, argument, dsl_name, line_end, written_call
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.spelling import dim_text, expression_text
from pto_analysis.passes.canonicalize import Rewrite
from pto_analysis.passes.ssa.names import base_name
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.span import Span
from pto_analysis.source.unit import Unit


def explicit_extract(unit: Unit, function: Function, rewrites: Sequence[Rewrite]) -> Fix | None:
    """One `pl.tile.extract` before each statement that reads the window, and its name in the operand's place.

    Only where every name that the extract reads means the same throughout the kernel (`function` is its SSA form), the
    consumer is a statement of its own line, and the operand is the slice's name.
    """
    definitions = Counter(base_name(var.name) for var in _variables(function))
    taken = set(definitions)
    edits: list[Edit] = []
    for rewrite in rewrites:
        if rewrite.action not in ("col-expand-operand", "aligned-operand") or not _is_stable(rewrite, definitions):
            return None
        made = _one(unit, rewrite, taken)
        if made is None:
            return None
        edits += made
    if not edits:
        return None
    return Fix(f"Copy `{base_name(rewrites[0].slice.name)}` with `pl.tile.extract`", Applicability.SAFE, tuple(edits))


def _one(unit: Unit, rewrite: Rewrite, taken: set[str]) -> list[Edit] | None:
    found = written_call(unit, rewrite.consumer_origin)
    if found is None:
        return None
    at, call = found
    name = base_name(rewrite.slice.name)
    operand = _operand(call, rewrite.operand, name)
    module = dsl_name(call)
    if operand is None or module is None or (not at.indent and at.whole.column):
        return None
    if _reads(at, name) != 1:
        return None
    fresh = _free_name(f"{name}_copy", taken)
    extents = ", ".join(dim_text(dim, _source) for dim in rewrite.shape)
    source = base_name(rewrite.base.name)
    places = f"{expression_text(rewrite.row, _source)}, {expression_text(rewrite.col, _source)}"
    line = (
        f"{fresh} = {module}.tile.extract({source}, {places}, shape=[{extents}], target_memory={module}.Mem.Vec)"
        f"{line_end(unit)}{at.indent}"
    )
    start = at.whole
    return [Edit(Span(start.line, start.column, start.line, start.column), line), Edit(at.span(operand), fresh)]


def _source(var: Var) -> str:
    return base_name(var.name)


def _operand(call: syntax.Call, position: int, name: str) -> syntax.Name | None:
    """The operand that is the slice's name: at its position, or wherever it stands by keyword."""
    candidates = [each.value for each in call.args]
    at_position = argument(call, position, "")
    for node in (at_position, *candidates):
        if isinstance(node, syntax.Name) and node.name == name:
            return node
    return None


def _reads(at: Written, name: str) -> int:
    if at.parsed is None:
        return 0
    return sum(isinstance(node, syntax.Name) and node.name == name for node in nodes_of(at.parsed))


def _free_name(name: str, taken: set[str]) -> str:
    candidate, count = name, 2
    while candidate in taken:
        candidate, count = f"{name}{count}", count + 1
    taken.add(candidate)
    return candidate


def _is_stable(rewrite: Rewrite, definitions: Counter[str]) -> bool:
    """Whether the names that the extract reads, and the slice's own, have one meaning in the kernel."""
    read: list[Expr] = [rewrite.base, rewrite.row, rewrite.col]
    names = {base_name(var.name) for expr in read for var in walk.variables(expr)}
    return all(definitions[name] == 1 for name in (*names, base_name(rewrite.slice.name)))


def _variables(function: Function) -> Iterable[Var]:
    yield from (param.var for param in function.params)
    for stmt in walk.statements(function.body):
        yield from walk.definitions(stmt)
