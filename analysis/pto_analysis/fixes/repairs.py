"""Small repairs of single statements: a padded load, an index from the end, a region around an operation."""

from __future__ import annotations

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.forms import end_of_arguments
from pto_analysis.fixes.written import (
    Written,
    argument,
    dsl_of,
    items_of,
    line_end,
    loop_call,
    replace,
    written_at,
    written_call,
)
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin
from pto_analysis.source.unit import Unit


def padded_load(unit: Unit, load: Origin | None, columns: int) -> Fix | None:
    """A load of so many columns that is valid as far as before; unsafe, since other tiles may have to follow."""
    found = written_call(unit, load)
    if found is None or not isinstance(found[1].func, syntax.Attribute) or found[1].func.attr != "load":
        return None
    at, call = found
    extents = items_of(argument(call, 2, "shapes"))
    is_bounded = argument(call, 3, "valid_shape") is not None or any(each.keyword == "clamp" for each in call.args)
    end = end_of_arguments(at, call)
    if not extents or is_bounded or end is None:
        return None
    valid = ", ".join(at.text_of(extent) for extent in extents)
    edits = (replace(at, extents[-1], str(columns)), Edit(end, f", valid_shape=[{valid}]"))
    return Fix(f"Load {columns} columns, valid as far as before", Applicability.UNSAFE, edits)


def counted_from_start(unit: Unit, access: Origin | None, axis: int, index: int) -> Fix | None:
    """An index that counts from the end, from the start; unsafe, since another element may have been meant."""
    found = written_at(unit, access)
    if found is None:
        return None
    at, node = found
    items = node.items if isinstance(node, syntax.Subscript) else ()
    if isinstance(node, syntax.Call) and len(node.args) > 1 and node.args[1].keyword is None:
        items = tuple(items_of(node.args[1].value))
    item = items[axis] if axis < len(items) else None
    if not isinstance(item, syntax.Unary) or item.op != "-" or not isinstance(item.operand, syntax.Constant):
        return None
    return Fix(f"Write {index}", Applicability.UNSAFE, (replace(at, item, str(index)),))


def in_region(unit: Unit, statement: Origin | None) -> Fix | None:
    """A region around one statement; unsafe, since what it makes then goes through global memory."""
    module = dsl_of(unit)
    if statement is None or module is None:
        return None
    at = Written(unit, statement.statement)
    is_simple = isinstance(at.parsed, (syntax.Assign, syntax.ExpressionStatement))
    if not is_simple or not at.is_alone or "\n" in at.text:
        return None
    inner = "\t" if "\t" in at.indent else "    "
    text = f"with {module}.at(level={module}.Level.CORE_GROUP):{line_end(unit)}{at.indent}{inner}{at.text}"
    return Fix("Put it into a region of its own", Applicability.UNSAFE, (Edit(at.whole, text),))


def started_at_once(unit: Unit, header: Origin | None) -> Fix | None:
    """`sync_start=True` for a launch; unsafe, since it then waits until all cores are free."""
    found = loop_call(unit, header) or _scope_call(unit, header)
    if found is None:
        return None
    at, call = found
    end = end_of_arguments(at, call)
    if end is None or any(each.keyword == "sync_start" for each in call.args):
        return None
    return Fix("Start all blocks at once", Applicability.UNSAFE, (Edit(end, ", sync_start=True"),))


def _scope_call(unit: Unit, header: Origin | None) -> tuple[Written, syntax.Call] | None:
    """The call that a `with` opens."""
    if header is None:
        return None
    at = Written(unit, header.statement)
    value = at.parsed.items[0][0] if isinstance(at.parsed, syntax.WithHeader) else None
    return (at, value) if isinstance(value, syntax.Call) else None


def result_read(unit: Unit, read: Origin | None, call: Origin | None, stale: str) -> Fix | None:
    """The name that a call's result was given, in the one place behind it that reads the old one; unsafe: it may be
    meant."""
    if read is None or call is None or call.statement >= read.statement:
        return None
    maker, at = Written(unit, call.statement).parsed, Written(unit, read.statement)
    target = maker.targets[0] if isinstance(maker, syntax.Assign) and len(maker.targets) == 1 else None
    places = [node for node in at.nodes() if isinstance(node, syntax.Name) and node.name == stale]
    if not isinstance(target, syntax.Name) or target.name == stale or len(places) != 1:
        return None
    edit = replace(at, places[0], target.name)
    return Fix(f"Read `{target.name}`, the call's result", Applicability.UNSAFE, (edit,))
