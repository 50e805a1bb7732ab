"""A tensor that is made anew in every round of a loop, instead of once before it."""

from __future__ import annotations

from pto_analysis.findings import Applicability, Fix
from pto_analysis.fixes.extract import reduced_to_comments
from pto_analysis.fixes.written import Written, insertion, name_counts, names_in
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin
from pto_analysis.source.unit import Unit


def made_inside(unit: Unit, made: Origin | None, loop: Origin | None, name: str, local: frozenset[str]) -> Fix | None:
    """Unsafe, since a round no longer finds what the one before it left; None where the tensor is used elsewhere too.

    `local` are the names that the kernel defines.
    """
    if made is None or loop is None or made.reason is not None or loop.reason is not None:
        return None
    at, first = Written(unit, made.statement), loop.statement + 1
    parsed = at.parsed
    if not isinstance(parsed, syntax.Assign) or parsed.value is None or names_in(parsed.value) & local:
        return None
    inside = _body(unit, loop.statement)
    used = sum(_mentions(unit, index, name) for index in (made.statement, *inside))
    gone = reduced_to_comments(at)
    if gone is None or not inside or not Written(unit, first).begins_line or "\n" in at.text:
        return None
    if used != name_counts(unit)[name]:
        return None
    edits = (gone, insertion(Written(unit, first), at.text))
    return Fix(f"Make `{name}` inside the loop", Applicability.UNSAFE, edits)


def _body(unit: Unit, header: int) -> range:
    """The statements of a block, by number."""
    lines, end = unit.lines, header + 1
    while end < len(lines) and lines[end].indent > lines[header].indent:
        end += 1
    return range(header + 1, end)


def _mentions(unit: Unit, statement: int, name: str) -> int:
    return sum(isinstance(node, syntax.Name) and node.name == name for node in Written(unit, statement).nodes())
