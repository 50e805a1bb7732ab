"""All that CanonicalizeTileSlice does to a kernel, written into its source one slice at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pto_analysis.findings import Applicability, Fix
from pto_analysis.fixes.extract import explicit_extract, reduced_to_comments
from pto_analysis.fixes.fold import folded_extracts
from pto_analysis.fixes.places import places_of
from pto_analysis.fixes.written import written_at
from pto_analysis.frozen import evolve
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.walk import statements
from pto_analysis.passes.canonicalize import Canonicalized, Rewrite
from pto_analysis.passes.ssa.names import base_name
from pto_analysis.source import syntax
from pto_analysis.source.unit import Unit


def canonical_steps(unit: Unit, function: Function, canonical: Canonicalized) -> Iterator[Fix]:
    """Unused slices go, then the rewrites of each slice as edits; a slice whose rewrites cannot be written has none.

    `function` is the kernel in SSA form. Where a slice has both, its extracts come first: copies follow once the text
    has changed and was read again.
    """
    yield from _unused(unit, function, canonical)
    by_slice: dict[Var, list[Rewrite]] = {}
    for rewrite in canonical.rewrites:
        by_slice.setdefault(rewrite.slice, []).append(rewrite)
    for group in by_slice.values():
        made = _step(unit, function, group)
        if made is not None:
            yield made


def _unused(unit: Unit, function: Function, canonical: Canonicalized) -> Iterator[Fix]:
    """The slices that nothing reads and that the compiler drops."""
    kept = {stmt.var for stmt in statements(canonical.function.body) if isinstance(stmt, Assign)}
    places = places_of(function)
    for stmt in places.statements:
        if not isinstance(stmt, Assign) or stmt.var in kept or places.readers(stmt.var):
            continue
        found = written_at(unit, stmt.value.origin if isinstance(stmt.value, Call) else None)
        name = base_name(stmt.var.name)
        if found is None or not isinstance(found[0].parsed, syntax.Assign) or places.overlooks(unit, {name}):
            continue
        gone = reduced_to_comments(found[0])
        if gone is not None:
            yield Fix(f"Remove `{name}`, which nothing reads", Applicability.SAFE, (gone,))


def _step(unit: Unit, function: Function, group: Sequence[Rewrite]) -> Fix | None:
    folds = [rewrite for rewrite in group if rewrite.action == "fold-extract"]
    if not folds:
        return explicit_extract(unit, function, group)
    is_all = len(folds) == len(group)
    return folded_extracts(unit, function, [evolve(rewrite, dropped=rewrite.dropped and is_all) for rewrite in folds])
