"""Scratch tiles of reductions: one that is missing, one that tensors do not take; and a placement left out."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.forms import end_of_arguments
from pto_analysis.fixes.written import (
    Written,
    argument,
    dsl_of,
    free_name,
    insertion,
    replace,
    source_of,
    words_of,
    written_call,
)
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin, Span
from pto_analysis.source.unit import Unit


def reduced_name(unit: Unit, call: Origin) -> str | None:
    """What a reduction of one operand reads, by its name."""
    found = written_call(unit, call)
    if found is None or len(found[1].args) != 1 or found[1].args[0].star:
        return None
    value = found[1].args[0].value
    return value.name if isinstance(value, syntax.Name) else None


def added_scratch(unit: Unit, call: Origin, shape: Sequence[int], dtype: str) -> Fix | None:
    """A scratch tile of the operand's shape, created on a line before the reduction."""
    found, module = written_call(unit, call), dsl_of(unit)
    end = end_of_arguments(*found) if found is not None else None
    if found is None or end is None or module is None or not found[0].begins_line:
        return None
    name = free_name("tmp", words_of(unit))
    extents = ", ".join(map(str, shape))
    create = f"{name} = {module}.create_tile([{extents}], dtype={module}.{dtype}, target_memory={module}.Mem.Vec)"
    return Fix("Give it a scratch tile", Applicability.SAFE, (insertion(found[0], create), Edit(end, f", {name}")))


def dropped_scratch(unit: Unit, call: Origin, keyword: str) -> Fix | None:
    """A reduction of a tensor without the scratch that only tiles take; `call` is it, or that argument of it."""
    at = Written(unit, call.statement)
    calls = [node for node in at.nodes() if isinstance(node, syntax.Call)]
    node = next((each for each in calls if call.node in (each.id, *(given.id for given in each.args))), None)
    if call.reason is not None or node is None or len(node.args) != 2 or any(each.star for each in node.args):
        return None
    operand, scratch = node.args
    if operand.keyword is not None or scratch.keyword not in (None, keyword):
        return None
    first, last = at.span(operand.value), at.span(scratch.value)
    gone = Span(first.end_line, first.end_column, last.end_line, last.end_column)
    between = source_of(unit).slice(gone).removesuffix(at.text_of(scratch.value))
    if "".join(between.split()) not in (",", f",{keyword}="):
        return None
    return Fix("Leave the scratch out", Applicability.SAFE, (Edit(gone, ""),))


def unplaced_operand(unit: Unit, move: Origin | None) -> Fix | None:
    """The tile itself in the place of its move; unsafe, since the compiler then chooses how to cut it."""
    found = written_call(unit, move)
    if found is None or len(found[1].args) != 2:
        return None
    at, call = found
    tile, name = argument(call, 0, "tile"), call.func.attr if isinstance(call.func, syntax.Attribute) else ""
    if name != "move" or tile is None or argument(call, 1, "target_memory") is None:
        return None
    edit = replace(at, call, at.text_of(tile))
    return Fix("Leave the placement to the compiler", Applicability.UNSAFE, (edit,))
