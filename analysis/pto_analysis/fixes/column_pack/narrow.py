"""A narrow accumulator window that reaches over a block's edge, moved to where it fits into one block of columns."""

from __future__ import annotations

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.written import Written, argument, items_of, replace, written_at
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin
from pto_analysis.source.unit import Unit


def move_into_block(unit: Unit, slice_origin: Origin | None, column: int) -> Fix | None:
    """Other columns than the author's, hence unsafe."""
    found = written_at(unit, slice_origin)
    edit = None if found is None else _edit(*found, column)
    if edit is None:
        return None
    return Fix(f"Start the window at column {column}, inside one block", Applicability.UNSAFE, (edit,))


def _edit(at: Written, node: syntax.Expression, column: int) -> Edit | None:
    if isinstance(node, syntax.Call):
        offsets = items_of(argument(node, 2, "offset"))
        return replace(at, offsets[1], str(column)) if len(offsets) == 2 else None
    columns = node.items[1] if isinstance(node, syntax.Subscript) and len(node.items) == 2 else None
    if not isinstance(columns, syntax.Slice):
        return None
    lower, upper = (
        bound.value if isinstance(bound, syntax.Constant) else None for bound in (columns.lower, columns.upper)
    )
    if not isinstance(lower, int) or not isinstance(upper, int):
        return None
    return replace(at, columns, f"{column}:{column + upper - lower}")
