"""Python that the DSL's parser refuses, in the form that it has: operators, loops, conditions, subscripts, names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.spelling import ordered_loop
from pto_analysis.fixes.written import (
    Written,
    argument,
    comments_in,
    dsl_of,
    items_of,
    loop_call,
    name_counts,
    names_in,
    replace,
    source_of,
    written_at,
    written_call,
)
from pto_analysis.frozen import evolve, frozen
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin, Span
from pto_analysis.source.unit import Unit

OPERATORS = frozenset({"+", "-", "*", "/", "//", "%"})
"""Operators of scalars that an augmented assignment may stand for."""

_COMPOUND = (syntax.Binary, syntax.Compare, syntax.Boolean, syntax.Unsupported)


def augmented(unit: Unit, statement: Origin) -> tuple[str, str] | None:
    """Name and operator of an augmented assignment to a name."""
    parsed = Written(unit, statement.statement).parsed
    if not isinstance(parsed, syntax.AugAssign) or not isinstance(parsed.target, syntax.Name):
        return None
    return parsed.target.name, parsed.op.rstrip("=")


def assigned_sum(unit: Unit, statement: Origin, function: str | None) -> Fix | None:
    """`x = x + y` for `x += y`; with `function`, `x = pl.add(x, y)`, as tiles and tensors need it."""
    at = Written(unit, statement.statement)
    parsed = at.parsed
    if not isinstance(parsed, syntax.AugAssign) or not isinstance(parsed.target, syntax.Name):
        return None
    name, op, module = parsed.target.name, parsed.op.rstrip("="), dsl_of(unit)
    if op not in OPERATORS:
        return None
    sign = _sign(at, parsed.target, parsed.value, f"{op}=")
    if sign is None or (function is not None and module is None):
        return None
    end = _behind(at.whole)
    edits = [Edit(sign.span, f"= {name} {op}")]
    if function is not None:
        edits = [Edit(sign.span, f"= {module}.{function}({name},"), Edit(end, ")")]
    elif isinstance(parsed.value, _COMPOUND) and not sign.is_bracketed:
        edits += [Edit(_before(sign.right), "("), Edit(end, ")")]
    return Fix(f"Write `{name} = …`", Applicability.SAFE, tuple(edits))


def called_operator(unit: Unit, origin: Origin, function: str, *, swapped: bool) -> Fix | None:
    """`pl.add(a, b)` for `a + b` on tiles; `swapped` gives the tile first."""
    found, module = written_at(unit, origin), dsl_of(unit)
    if found is None or module is None:
        return None
    at, node = found
    if not isinstance(node, syntax.Binary):
        return None
    sign = _sign(at, node.left, node.right, node.op)
    if sign is None:
        return None
    left, right, source = sign.left, sign.right, source_of(unit)
    title = f"Write `{module}.{function}(…)`"
    comma = Edit(_with_blanks(at, sign.span), ", ")
    if swapped:
        first = Edit(left, f"{module}.{function}({source.slice(right)}")
        return Fix(title, Applicability.SAFE, (first, comma, Edit(right, f"{source.slice(left)})")))
    opening, closing = Edit(_before(left), f"{module}.{function}("), Edit(_behind(right), ")")
    return Fix(title, Applicability.SAFE, (opening, comma, closing))


def compared_condition(unit: Unit, origin: Origin) -> Fix | None:
    """`n != 0` for a number as a condition."""
    found = written_at(unit, origin)
    if found is None or isinstance(found[1], (syntax.Boolean, syntax.Unary, syntax.Unsupported, syntax.Compare)):
        return None
    return Fix("Compare it with 0", Applicability.SAFE, (Edit(_behind(found[0].span(found[1])), " != 0"),))


def dsl_range(unit: Unit, header: Origin) -> Fix | None:
    """`pl.range` for Python's own."""
    found, module = loop_call(unit, header), dsl_of(unit)
    if found is None:
        return None
    at, call = found
    if not isinstance(call.func, syntax.Name) or call.func.name != "range":
        return None
    if module is None or any(each.keyword is not None or each.star for each in call.args):
        return None
    return Fix(f"Write `{module}.range`", Applicability.SAFE, (replace(at, call.func, f"{module}.range"),))


def written_element(unit: Unit, origin: Origin) -> Fix | None:
    """`pl.write(t, [i, j], value)` for `t[i, j] = value`."""
    at, module = Written(unit, origin.statement), dsl_of(unit)
    parsed = at.parsed
    target = parsed.targets[0] if isinstance(parsed, syntax.Assign) and len(parsed.targets) == 1 else None
    if not isinstance(parsed, syntax.Assign) or parsed.value is None or parsed.annotation is not None:
        return None
    if module is None or not isinstance(target, syntax.Subscript) or not isinstance(target.value, syntax.Name):
        return None
    sign = _sign(at, target, parsed.value, "=")
    if sign is None or comments_in(at, at.span(target)):
        return None
    indices = ", ".join(map(at.text_of, target.items))
    edits = (
        replace(at, target, f"{module}.write({target.value.name}, [{indices}]"),
        Edit(_with_blanks(at, sign.span), ", "),
        Edit(_behind(at.whole), ")"),
    )
    return Fix(f"Write the element with `{module}.write`", Applicability.SAFE, edits)


def sliced_subscript(unit: Unit, origin: Origin, shape: Sequence[int], local: frozenset[str]) -> Fix | None:
    """`pl.slice(t, [16, 64], [i, 0])` for `t[i : i + 16, :]`; the tile has that shape, the kernel defines `local`."""
    found, module = written_at(unit, origin), dsl_of(unit)
    if found is None or module is None:
        return None
    at, node = found
    if not isinstance(node, syntax.Subscript) or not isinstance(node.value, syntax.Name):
        return None
    if comments_in(at, at.span(node)) or len(node.items) > len(shape):
        return None
    bounds = [_bounds(at, item, extent, local) for item, extent in zip(node.items, shape, strict=False)]
    bounds += [("0", str(extent)) for extent in shape[len(node.items) :]]
    if None in bounds:
        return None
    known = [each for each in bounds if each is not None]
    offsets, extents = ", ".join(lower for lower, _ in known), ", ".join(extent for _, extent in known)
    text = f"{module}.slice({node.value.name}, [{extents}], [{offsets}])"
    return Fix(f"Take the window with `{module}.slice`", Applicability.SAFE, (replace(at, node, text),))


def _bounds(at: Written, item: syntax.Expression, extent: int, local: frozenset[str]) -> tuple[str, str] | None:
    """Offset and extent of one axis; None for a single index, and where the extent is not plain to see."""
    if not isinstance(item, syntax.Slice) or item.step is not None:
        return None
    lower, upper = item.lower, item.upper
    first, end = (_number(bound) for bound in (lower, upper))
    if lower is None or first is not None:
        last = extent if upper is None else end
        return None if last is None or last > extent else (str(first or 0), str(last - (first or 0)))
    start = at.text_of(lower)
    if not isinstance(upper, syntax.Binary) or upper.op != "+":
        return None
    for same, other in ((upper.left, upper.right), (upper.right, upper.left)):
        if at.text_of(same) == start and not names_in(other) & local:
            return start, at.text_of(other)
    return None


def _number(node: syntax.Expression | None) -> int | None:
    value = node.value if isinstance(node, syntax.Constant) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def staged_pipeline(unit: Unit, call: Origin) -> Fix | None:
    """`stage=2` for a software pipeline that does not say how many; unsafe, since it decides what is kept."""
    found = written_at(unit, call)
    if found is None:
        return None
    at, node = found
    end = end_of_arguments(at, node) if isinstance(node, syntax.Call) else None
    return None if end is None else Fix("Add `stage=2`", Applicability.UNSAFE, (Edit(end, ", stage=2"),))


def plain_loop(unit: Unit, header: Origin | None) -> Fix | None:
    """`pl.range` for a software pipeline; unsafe, since its rounds no longer overlap."""
    found, ordered = loop_call(unit, header), ordered_loop(unit, header)
    if found is None or ordered is None:
        return None
    at, call = found
    stage = next((number for number, each in enumerate(call.args) if each.keyword == "stage"), 0)
    if not stage:
        return None
    before, value = at.span(call.args[stage - 1].value), at.span(call.args[stage].value)
    gone = Span(before.end_line, before.end_column, value.end_line, value.end_column)
    between = source_of(unit).slice(gone).removesuffix(at.text_of(call.args[stage].value))
    if comments_in(at, gone) or "".join(between.split()) != ",stage=":
        return None
    return evolve(ordered, edits=(*ordered.edits, Edit(gone, "")))


def named_argument(unit: Unit, call: Origin, position: int) -> str | None:
    """The name that a call is given at a position; None for anything else."""
    found = written_at(unit, call)
    if found is None or not isinstance(found[1], syntax.Call):
        return None
    plain = [each.value for each in found[1].args if each.keyword is None and not each.star]
    given = plain[position] if position < len(plain) else None
    return given.name if isinstance(given, syntax.Name) else None


def resized_create(unit: Unit, create: Origin | None, name: str, shape: Sequence[int]) -> Fix | None:
    """Another shape for a tile that is created under a name and read once: as scratch, whose contents do not count."""
    found = written_call(unit, create)
    extents = items_of(argument(found[1], 0, "shape")) if found is not None else ()
    if found is None or len(extents) != len(shape):
        return None
    if name_counts(unit)[name] != 2:
        return None
    at = found[0]
    edits = [
        replace(at, extent, str(right))
        for extent, right in zip(extents, shape, strict=True)
        if at.text_of(extent) != str(right)
    ]
    if at.parsed is None or getattr(at.parsed, "annotation", None) is not None or not edits:
        return None
    return Fix(f"Make `{name}` as large as the operand", Applicability.SAFE, tuple(edits))


def clamped_read(unit: Unit, read: Origin | None) -> Fix | None:
    """`clamp=True` for a window of a tensor; unsafe, since the rest of the window then holds nothing."""
    found = written_call(unit, read)
    if found is None:
        return None
    at, call = found
    name = call.func.attr if isinstance(call.func, syntax.Attribute) else ""
    given = {each.keyword for each in call.args}
    if name not in ("load", "slice") or given & {"clamp", "valid_shape", "valid_shapes"} or len(call.args) > 4:
        return None
    if argument(call, 3, "valid_shapes") is not None:
        return None
    end = end_of_arguments(at, call)
    if end is None:
        return None
    return Fix("Read only what there is: `clamp=True`", Applicability.UNSAFE, (Edit(end, ", clamp=True"),))


def meant_name(unit: Unit, origin: Origin, wrong: str, right: str) -> Fix | None:
    """The nearest name in place of one that nothing defines."""
    found = written_at(unit, origin)
    if found is None:
        return None
    at, node = found
    node = node.func if isinstance(node, syntax.Call) else node
    if isinstance(node, syntax.Name) and node.name == wrong:
        return Fix(f"Write `{right}`", Applicability.UNSAFE, (replace(at, node, right),))
    if isinstance(node, syntax.Attribute) and node.attr == wrong:
        end = at.span(node)
        span = Span(end.end_line, end.end_column - len(wrong), end.end_line, end.end_column)
        return Fix(f"Write `{right}`", Applicability.UNSAFE, (Edit(span, right),))
    return None


def corrected_annotation(unit: Unit, statement: Origin, dtype: str | None, shape: Sequence[str] | None) -> Fix | None:
    """The value's dtype or shape in an annotation; unsafe, since the value may be what is wrong."""
    at, module = Written(unit, statement.statement), dsl_of(unit)
    annotation = at.parsed.annotation if isinstance(at.parsed, syntax.Assign) else None
    if module is None or not isinstance(annotation, syntax.Subscript) or len(annotation.items) < 1:
        return None
    edits: list[Edit] = []
    if dtype is not None:
        edits.append(replace(at, annotation.items[min(1, len(annotation.items) - 1)], f"{module}.{dtype}"))
    if shape is not None:
        extents = items_of(annotation.items[0])
        if len(extents) != len(shape):
            return None
        edits += [
            replace(at, extent, right)
            for extent, right in zip(extents, shape, strict=True)
            if at.text_of(extent) != right
        ]
    return Fix("Annotate it with the value's type", Applicability.UNSAFE, tuple(edits)) if edits else None


def cast_value(unit: Unit, statement: Origin | None, dtype: str) -> Fix | None:
    """A cast around the value of an assignment, which is the value that its annotation speaks of."""
    module = dsl_of(unit)
    if statement is None or module is None:
        return None
    at = Written(unit, statement.statement)
    value = at.parsed.value if isinstance(at.parsed, syntax.Assign) else None
    if value is None:
        return None
    text = f"{module}.cast({at.text_of(value)}, {module}.{dtype})"
    return Fix(f"Cast it to {dtype}", Applicability.SAFE, (replace(at, value, text),))


def end_of_arguments(at: Written, call: syntax.Call) -> Span | None:
    """Behind the last argument and the parentheses around it; None with comments there, or without arguments."""
    if not call.args:
        return None
    last, whole = at.span(call.args[-1].value), at.span(call)
    rest = Span(last.end_line, last.end_column, whole.end_line, whole.end_column)
    text = source_of(at.unit).slice(rest)[:-1]
    if ")" not in text:
        return _behind(last)
    if comments_in(at, rest):
        return None
    start = source_of(at.unit).offset(last.end_line, last.end_column) + text.rindex(")") + 1
    return source_of(at.unit).span(start, start)


def _before(span: Span) -> Span:
    return Span(span.line, span.column, span.line, span.column)


def _behind(span: Span) -> Span:
    return Span(span.end_line, span.end_column, span.end_line, span.end_column)


@frozen
class _Sign:
    """An operator and its operands, with the parentheses around them."""

    left: Span
    span: Span
    right: Span
    is_bracketed: bool


_BLANK = " \t\r\n\f\\"


def _sign(at: Written, left: syntax.Expression, right: syntax.Expression, sign: str) -> _Sign | None:
    """Where an operator stands between its operands; None with a comment there."""
    first, second, source, whole = at.span(left), at.span(right), source_of(at.unit), at.whole
    between = Span(first.end_line, first.end_column, second.line, second.column)
    before, found, behind = source.slice(between).partition(sign)
    closed, opened = before.rstrip(_BLANK), behind.lstrip(_BLANK)
    if not found or comments_in(at, between) or closed.strip(_BLANK + ")") or opened.strip(_BLANK + "("):
        return None
    statement = source.offset(whole.line, whole.column), source.offset(whole.end_line, whole.end_column)
    start, end = source.offset(first.line, first.column), source.offset(second.end_line, second.end_column)
    head = re.search(r"(?:\([ \t]*)" + f"{{{closed.count(')')}}}$", source.text[statement[0] : start])
    tail = re.match(r"(?:[ \t]*\))" + f"{{{opened.count('(')}}}", source.text[end : statement[1]])
    if head is None or tail is None:
        return None
    at_sign = source.offset(first.end_line, first.end_column) + len(before)
    behind_sign = at_sign + len(sign)
    return _Sign(
        source.span(start - len(head[0]), source.offset(first.end_line, first.end_column) + len(closed)),
        source.span(at_sign, behind_sign),
        source.span(behind_sign + len(behind) - len(opened), end + len(tail[0])),
        bool(opened),
    )


def _with_blanks(at: Written, sign: Span) -> Span:
    """The operator with the blanks around it, on its line."""
    line = source_of(at.unit).line(sign.line)
    before, behind = line[: sign.column], line[sign.end_column :]
    start = len(before.rstrip(" \t"))
    return Span(sign.line, start, sign.line, sign.end_column + len(behind) - len(behind.lstrip(" \t")))


def names_of_kernels(unit: Unit) -> frozenset[str]:
    """The methods of a program, which a kernel may call on `self`."""
    statements = (Written(unit, index).parsed for index in range(len(unit.lines)))
    return frozenset(each.name for each in statements if isinstance(each, syntax.FunctionHeader))
