"""Small respellings: the name that was meant, an offset that the compiler can prove, a loop, a direction, a sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.written import (
    Written,
    argument,
    atom,
    items_of,
    loop_call,
    plain,
    replace,
    source_of,
    term,
    written_at,
)
from pto_analysis.frozen import evolve
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.span import Origin, Span
from pto_analysis.source.unit import Unit

AXES = 2
"""Axes of a tile."""


def did_you_mean(unit: Unit, origin: Origin | None, wrong: str, suggestions: Sequence[str]) -> Fix | None:
    """The nearest name in place of a keyword or of a dotted name: of its last part, or of all where others differ."""
    if origin is None or origin.reason is not None or origin.statement >= len(unit.lines) or not suggestions:
        return None
    right = suggestions[0]
    at = Written(unit, origin.statement)
    spelling = wrong.removeprefix("pl.")
    namespace, _, word = spelling.rpartition(".")
    span = _name_span(at, origin.node, word)
    if span is None or _is_given(at, wrong, right):
        return None
    if right.rpartition(".")[0] == namespace:
        edit = Edit(span, right.rpartition(".")[2])
    else:
        line = source_of(unit).line(span.end_line)
        if right.startswith("pld.") or not line[: span.end_column].endswith(f".{spelling}"):
            return None
        edit = Edit(evolve(span, column=span.end_column - len(spelling)), right)
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

    `multiples` are what the offsets are always multiples of, in elements. The slice is a call or a subscript.
    """
    found = written_at(unit, slice_origin)
    if found is None or not multiples:
        return None
    at, node = found
    places = [_offset_places(at, node, axis) for axis in multiples]
    if any(not each for each in places):
        return None
    spellings = [
        f"{atom(at.text_of(each[0]))} // {by} * {by}" for each, by in zip(places, multiples.values(), strict=True)
    ]
    edits = [replace(at, place, spelling) for each, spelling in zip(places, spellings, strict=True) for place in each]
    shown = " and ".join(f"`{plain(spelling)}`" for spelling in spellings)
    return Fix(f"Write the offset as {shown}, which the compiler can prove", Applicability.SAFE, tuple(edits))


def _offset_places(at: Written, node: syntax.Expression, axis: int) -> list[syntax.Expression]:
    """Where an offset is written: once in a call, as both bounds of a subscript; none where it cannot be told."""
    if isinstance(node, syntax.Call):
        offsets = items_of(argument(node, 2, "offset"))
        return [offsets[axis]] if axis < len(offsets) == AXES else []
    items = node.items if isinstance(node, syntax.Subscript) else ()
    bounds = items[axis] if axis < len(items) <= AXES else None
    if not isinstance(bounds, syntax.Slice) or bounds.lower is None or bounds.step is not None:
        return []
    lower, upper = bounds.lower, bounds.upper
    if not isinstance(upper, syntax.Binary) or upper.op != "+":
        return []
    same = [each for each in (upper.left, upper.right) if at.text_of(each) == at.text_of(lower)]
    return [lower, *same] if len(same) == 1 else []


def ordered_loop(unit: Unit, header: Origin | None) -> Fix | None:
    """`pl.range` in place of the loop's own kind; unsafe, since its rounds then follow each other."""
    found = loop_call(unit, header)
    if found is None or not isinstance(found[1].func, syntax.Attribute):
        return None
    at, func = found[0], found[1].func
    end = at.span(func)
    edit = Edit(Span(end.end_line, end.end_column - len(func.attr), end.end_line, end.end_column), "range")
    return Fix(f"Write `{at.text_of(func.value)}.range`", Applicability.UNSAFE, (edit,))


def declared_output(unit: Unit, parameter: Origin | None) -> Fix | None:
    """`pl.Out[…]` around a parameter's annotation; unsafe, since it may be read before it is written."""
    at = Written(unit, parameter.statement) if parameter is not None else None
    nodes = nodes_of(at.parsed) if at is not None and at.parsed is not None else ()
    found = next((node for node in nodes if parameter is not None and node.id == parameter.node), None)
    annotation = found.annotation if isinstance(found, syntax.Parameter) else None
    if at is None or annotation is None:
        return None
    text = at.text_of(annotation)
    module, dot, _ = text.partition(".Tensor")
    if not dot or not module.isidentifier():
        return None
    edit = replace(at, annotation, f"{module}.Out[{text}]")
    return Fix(f"Declare it `{module}.Out[…]`", Applicability.UNSAFE, (edit,))


def rounded_up(unit: Unit, quotient: Origin | None, block: int) -> Fix | None:
    """`(n + B - 1) // B` for `pl.max(n, B) // B`; unsafe, since it is another number."""
    found = written_at(unit, quotient)
    node = found[1] if found is not None else None
    maximum = node.left if isinstance(node, syntax.Binary) and node.op == "//" else None
    if found is None or not isinstance(node, syntax.Binary) or not isinstance(maximum, syntax.Call):
        return None
    at, divisor = found[0], found[0].text_of(node.right)
    others = [each.value for each in maximum.args if at.text_of(each.value) not in (divisor, str(block))]
    if len(others) != 1 or len(maximum.args) != 2:
        return None
    less = str(block - 1) if divisor.isdigit() else f"{term(divisor)} - 1"
    edit = replace(at, maximum, f"({term(at.text_of(others[0]))} + {less})")
    return Fix(f"Round up to blocks of {divisor}", Applicability.UNSAFE, (edit,))
