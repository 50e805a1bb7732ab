"""Statements by their shape: each shape is parsed once, and filled in for every statement that has it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast, get_args

import attrs
from attrs import frozen

from pto_analysis.source import syntax
from pto_analysis.source.parse_failure import ParseFailure
from pto_analysis.source.shapes import Leaf, StandIn, shape_of, stand_ins
from pto_analysis.source.span import Span
from pto_analysis.source.text import SourceText

if TYPE_CHECKING:
    from pto_analysis.source.concrete import Concrete

_FIELDS = {
    kind: tuple(each.name for each in attrs.fields(kind))
    for kind in (*get_args(syntax.Statement), *get_args(syntax.Expression), syntax.Argument, syntax.Parameter)
}

_Place = tuple[int, int]
"""A mark of a text (see `_marks`) and the characters from there on."""


@frozen(eq=False)
class Template:
    """The syntax of all statements of one shape. `nodes` counts its nodes, the statement itself included."""

    tree: syntax.Statement
    nodes: int
    _names: Mapping[str, int]
    """The leaves that names of the tree stand in for."""
    _constants: Mapping[int, int]
    """The leaves that constants of the tree stand in for, by their ids."""

    def statement(self, leaves: tuple[Leaf, ...], shift: int = 0) -> Any:
        """The syntax of the statement with these leaves; its ids are the template's and `shift`."""
        names, constants = self._names, self._constants

        def filled(part: Any) -> Any:
            kind = cast("type[object]", type(part))
            if kind is str:
                return leaves[names[part]] if part in names else part
            if kind is tuple:
                return tuple([filled(item) for item in part])
            if kind is int:  # constants apart, all numbers of a tree are ids
                return part + shift
            if kind is syntax.Constant:
                value = leaves[constants[part.id]] if part.id in constants else part.value
                return syntax.Constant(part.id + shift, value)
            fields = _FIELDS.get(kind)
            return part if fields is None else kind(*[filled(getattr(part, name)) for name in fields])

        return filled(self.tree)


@lru_cache(maxsize=8192)
def template_of(shape: str) -> Template | None:
    """The template of a shape; None when it does not parse, or joins adjacent strings to one constant."""
    parsed = _parsed(shape)
    if parsed is None:
        return None
    leaves = {each.spelling: number for number, each in enumerate(_stand_ins(shape))}
    constants: dict[int, int] = {}
    for node, spelling in parsed.literals():
        if spelling is None:
            return None
        if spelling in leaves:
            constants[node] = leaves[spelling]
    return Template(parsed.statement, len(parsed.nodes), leaves, constants)


def filled(text: str) -> syntax.Statement | None:
    """The syntax of a statement by its shape; None when it has to be parsed itself."""
    shape = shape_of(text)
    template = None if shape is None else template_of(shape.text)
    return None if shape is None or template is None else template.statement(shape.leaves)


def filled_positions(text: str) -> tuple[Span, ...] | None:
    """The spans of the nodes of a statement by its shape (see `statements.positions`); None as `filled`."""
    found = stand_ins(text)
    shape = None if found is None else shape_of(text)
    places = None if shape is None else _places(shape.text)
    if found is None or places is None:
        return None
    source, marks = SourceText(text), _marks(found)
    return tuple(
        source.span(marks[first] + past_first, marks[last] + past_last)
        for (first, past_first), (last, past_last) in places
    )


@lru_cache(maxsize=2048)
def _places(shape: str) -> tuple[tuple[_Place, _Place], ...] | None:
    """Where the nodes of a shape begin and end; None when there is no template of it."""
    from pto_analysis.source.concrete import node_spans  # libcst loads late

    parsed = _parsed(shape) if template_of(shape) else None
    if parsed is None:
        return None
    source, marks = SourceText(shape), _marks(_stand_ins(shape))

    def place(line: int, column: int) -> _Place:
        offset = source.offset(line, column)
        mark = bisect_right(marks, offset) - 1
        return mark, offset - marks[mark]

    return tuple(
        (place(span.line, span.column), place(span.end_line, span.end_column)) for span in node_spans(parsed, shape)
    )


def _marks(found: list[StandIn]) -> list[int]:
    """The offsets between which texts of one shape differ in length: the beginning, and both ends of every leaf."""
    return [0, *(offset for each in found for offset in (each.start, each.end))]


def _stand_ins(shape: str) -> list[StandIn]:
    return stand_ins(shape) or []


def _parsed(shape: str) -> Concrete | None:
    from pto_analysis.source.concrete import read_statement  # libcst loads late

    try:
        return read_statement(shape)
    except ParseFailure:
        return None
