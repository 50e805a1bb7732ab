"""An extract of a slice, written as the extract of the slice's source that the compiler makes of it."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.extract import removed_statement
from pto_analysis.fixes.places import Places, places_of
from pto_analysis.fixes.written import (
    Written,
    argument,
    comments_in,
    items_of,
    names_in,
    replace,
    term,
    written_call,
)
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Call, Expr, Tuple
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign
from pto_analysis.passes.canonicalize import Rewrite
from pto_analysis.passes.ssa.names import base_name
from pto_analysis.source import syntax
from pto_analysis.source.unit import Unit


def folded_extracts(unit: Unit, function: Function, rewrites: Sequence[Rewrite]) -> Fix | None:
    """Every extract of one slice reads the slice's source; the slice goes when nothing else reads it.

    None where an offset is not written out, or a name in it means something else at an extract.
    """
    first = rewrites[0]
    places = places_of(function)
    slicing, found = places.defined.get(first.slice), written_call(unit, first.slice_origin)
    if slicing is None or found is None or not isinstance(slicing.value, Call):
        return None
    window = _Window(places, slicing, *found)
    edits: list[Edit] = []
    for rewrite in rewrites:
        made = window.folded_into(unit, rewrite)
        if made is None:
            return None
        edits += made
    known = not places.overlooks(unit, {base_name(first.slice.name)})
    if first.dropped and known and isinstance(found[0].parsed, syntax.Assign) and found[0].parsed.value is found[1]:
        unused = removed_statement(found[0])
        edits += [unused] if unused is not None else []
    return Fix(f"Extract from `{base_name(first.base.name)}` itself", Applicability.SAFE, tuple(edits))


class _Window:
    """A slice that is written as a call."""

    def __init__(self, places: Places, slicing: Assign, at: Written, call: syntax.Call) -> None:
        self._places, self._slicing, self._at = places, slicing, at
        self._source = argument(call, 0, "tile")
        self._offsets = items_of(argument(call, 2, "offset"))

    def folded_into(self, unit: Unit, rewrite: Rewrite) -> list[Edit] | None:
        found = written_call(unit, rewrite.consumer_origin)
        if found is None:
            return None
        at, call = found
        reader = self._places.reader(rewrite.slice, at.statement)
        value = reader.value if isinstance(reader, Assign) else None
        if not isinstance(reader, Assign) or not isinstance(value, Call) or value.op != "tile.extract":
            return None
        operand, row, col = argument(call, 0, "src"), argument(call, 1, "index_row"), argument(call, 2, "index_col")
        if not isinstance(operand, syntax.Name) or row is None or col is None or not self._may_move_to(reader):
            return None
        own = self._own_offsets()
        if own is None or comments_in(at, at.span(call)):
            return None
        starts = ((row, rewrite.row, value.args[1], 0), (col, rewrite.col, value.args[2], 1))
        joined = [
            replace(at, node, _sum(at.text_of(node), expr, self._at.text_of(self._offsets[axis]), own[axis], total))
            for node, total, expr, axis in starts
        ]
        assert self._source is not None
        return [replace(at, operand, self._at.text_of(self._source)), *joined]

    def _may_move_to(self, reader: Assign) -> bool:
        """Whether the slice's source and offsets mean the same at the extract; a slice of a slice is left alone."""
        if not isinstance(self._source, syntax.Name) or len(self._offsets) != 2:
            return False
        if any("\n" in self._at.text_of(node) or "#" in self._at.text_of(node) for node in self._offsets):
            return False
        names = names_in(self._source).union(*map(names_in, self._offsets))
        return self._places.means_the_same(names, self._slicing, reader)

    def _own_offsets(self) -> tuple[Expr, ...] | None:
        value = self._slicing.value
        offset = value.args[2] if isinstance(value, Call) and len(value.args) == 3 else None
        return offset.items if isinstance(offset, Tuple) and len(offset.items) == 2 else None


def _sum(outer: str, outer_value: Expr, inner: str, inner_value: Expr, total: Expr) -> str:
    """The extract's offset and the slice's, in the author's words; the compiler's sum where it knows the number."""
    first, second = constant_int(outer_value), constant_int(inner_value)
    if second == 0:
        return outer
    if first == 0:
        return inner
    known = constant_int(total)
    if known is not None and (None in (first, second) or (outer.isdigit() and inner.isdigit())):
        return str(known)
    return f"{term(outer)} + {term(inner)}"
