"""A window that gets its valid shape where it is sliced, instead of later."""

from __future__ import annotations

from pto_analysis.findings import Applicability, Fix
from pto_analysis.fixes.extract import removed_statement
from pto_analysis.fixes.forms import end_of_arguments
from pto_analysis.fixes.places import places_of
from pto_analysis.fixes.written import argument, comments_in, names_in, replace, written_call
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.function import Function
from pto_analysis.passes.ssa.names import base_name
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin
from pto_analysis.source.unit import Unit


def valid_where_sliced(unit: Unit, function: Function, slice_var: Var, setting: Origin | None) -> Fix | None:
    """`pl.slice(…, valid_shape=[r, c])` in the place of `pl.set_validshape(w, r, c)`; the slice moves there.

    `function` is the kernel in SSA form. None where something else reads the slice, or it means something else there.
    """
    places = places_of(function)
    slicing, moved = places.defined.get(slice_var), written_call(unit, setting)
    sliced = (
        written_call(unit, slicing.value.origin) if slicing is not None and isinstance(slicing.value, Call) else None
    )
    if slicing is None or sliced is None or moved is None:
        return None
    (at, call), (to, setter) = sliced, moved
    name = base_name(slice_var.name)
    reader = places.reader(slice_var, to.statement)
    rows, cols = argument(setter, 1, "valid_rows"), argument(setter, 2, "valid_cols")
    if reader is None or rows is None or cols is None or places.readers(slice_var) != {to.statement}:
        return None
    plain_window = len(call.args) == 3 and argument(call, 3, "valid_shape") is None
    inside = comments_in(at, at.span(call)) or comments_in(to, to.span(setter))
    if not plain_window or inside or not isinstance(at.parsed, syntax.Assign) or at.parsed.value is not call:
        return None
    if not places.means_the_same(names_in(call), slicing, reader) or places.overlooks(unit, {name}):
        return None
    gone = removed_statement(at)
    if gone is None:
        return None
    end, whole = end_of_arguments(at, call), at.span(call)
    if end is None or end.line != whole.line or whole.end_line != whole.line:
        return None
    text, column = at.text_of(call), end.column - whole.column
    valid = f", valid_shape=[{to.text_of(rows)}, {to.text_of(cols)}]"
    moved_call = text[:column] + valid + text[column:]
    edits = (gone, replace(to, setter, moved_call))
    return Fix("Give the window its valid shape where it is sliced", Applicability.SAFE, edits)
