"""Small respellings: the name that was meant, an offset that the compiler can prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.written import Written, argument, atom, items_of, plain, replace, written_call
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.span import Origin, Span
from pto_analysis.source.unit import Unit


def did_you_mean(unit: Unit, origin: Origin | None, wrong: str, suggestions: Sequence[str]) -> Fix | None:
    """The nearest name in place of the last part of a dotted name, or of a keyword."""
    if origin is None or origin.reason is not None or origin.statement >= len(unit.lines) or not suggestions:
        return None
    right = suggestions[0]
    at = Written(unit, origin.statement)
    named = _name_span(at, origin.node, wrong.rpartition(".")[2])
    if named is None or _is_given(at, wrong, right):
        return None
    edit = Edit(named, right.rpartition(".")[2])
    return Fix(f"Write `{right}`", Applicability.UNSAFE, (edit,))


def _is_given(at: Written, wrong: str, right: str) -> bool:
    """Whether a call has both keywords, the wrong and the right one."""
    calls = (node for node in at.nodes() if isinstance(node, syntax.Call))
    return any({wrong, right} <= {each.keyword for each in call.args} for call in calls)


def _name_span(at: Written, identity: int, wrong: str) -> Span | None:
    """Where the wrong name stands: as a keyword, or as the callee's last word."""
    parsed = at.parsed
    node = next((node for node in nodes_of(parsed) if node.id == identity), None) if parsed is not None else None
    arguments = node.args if isinstance(node, syntax.Call) else (node,) if isinstance(node, syntax.Argument) else ()
    for each in arguments:
        if each.keyword == wrong:
            span = at.unit.node_span(at.statement, each.id)
            return Span(span.line, span.column, span.line, span.column + len(wrong))
    name = node.func if isinstance(node, syntax.Call) else node
    if isinstance(name, syntax.Attribute) and name.attr == wrong:
        end = at.span(name)
        return Span(end.end_line, end.end_column - len(wrong), end.end_line, end.end_column)
    return None


def provable_offset(unit: Unit, slice_origin: Origin | None, multiples: Mapping[int, int]) -> Fix | None:
    """Offsets of a slice, by axis, in a spelling whose multiple the compiler sees; the value stays the same.

    `multiples` are what the offsets are always multiples of, in elements.
    """
    found = written_call(unit, slice_origin)
    if found is None:
        return None
    at, call = found
    offsets = items_of(argument(call, 2, "offset"))
    if not multiples or any(axis >= len(offsets) for axis in multiples):
        return None
    spellings = {axis: f"{atom(at.text_of(offsets[axis]))} // {by} * {by}" for axis, by in multiples.items()}
    edits = [replace(at, offsets[axis], spelling) for axis, spelling in spellings.items()]
    shown = " and ".join(f"`{plain(spelling)}`" for spelling in spellings.values())
    return Fix(f"Write the offset as {shown}, which the compiler can prove", Applicability.SAFE, tuple(edits))
