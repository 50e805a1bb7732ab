"""Statements by their shape: each shape is parsed once, and filled in for every statement that has it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast, get_args

import attrs

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.parse_failure import ParseFailure
from pto_analysis.source.shapes import Leaf, StandIn, shape_of, spaced_shape_of, stand_ins
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


_Filler = Callable[[tuple[Leaf, ...], int], Any]
"""Makes a part of a tree from the leaves of a statement and what to add to its ids."""


@frozen(eq=False)
class Template:
    """The syntax of all statements of one shape. `nodes` counts its nodes, the statement itself included."""

    nodes: int
    statement: _Filler
    """The syntax of the statement with these leaves; its ids are the template's and the shift."""


@frozen
class _Filling:
    """Which leaves the names of a tree stand in for, and its constants (by their ids)."""

    names: Mapping[str, int]
    constants: Mapping[int, int]

    def filler(self, part: Any) -> _Filler:
        """What makes a part of the tree. The kinds of most nodes have fillers of their own, for speed."""
        kind = cast("type[object]", type(part))
        rule = _FILLERS.get(kind)
        if rule is not None:
            return rule(self, part)
        fields = _FIELDS.get(kind)
        return _kept(part) if fields is None else _built(kind, [self.filler(getattr(part, name)) for name in fields])

    def number(self, number: int) -> _Filler:
        """Constants apart, all numbers of a tree are ids."""
        return lambda _, shift: number + shift

    def text(self, text: str) -> _Filler:
        leaf = self.names.get(text)
        return _kept(text) if leaf is None else lambda leaves, _: leaves[leaf]

    def items(self, items: tuple[Any, ...]) -> _Filler:
        fillers = [self.filler(item) for item in items]
        return lambda leaves, shift: tuple([filler(leaves, shift) for filler in fillers])

    def name(self, node: syntax.Name) -> _Filler:
        number, name = node.id, node.name
        leaf = self.names.get(name)
        if leaf is None:
            return lambda _, shift: syntax.Name(number + shift, name)
        return lambda leaves, shift: syntax.Name(number + shift, cast("str", leaves[leaf]))

    def constant(self, node: syntax.Constant) -> _Filler:
        number, value = node.id, node.value
        leaf = self.constants.get(number)
        if leaf is None:
            return lambda _, shift: syntax.Constant(number + shift, value)
        return lambda leaves, shift: syntax.Constant(number + shift, leaves[leaf])

    def attribute(self, node: syntax.Attribute) -> _Filler:
        number, value, attr = node.id, self.filler(node.value), self.text(node.attr)
        return lambda leaves, shift: syntax.Attribute(number + shift, value(leaves, shift), attr(leaves, shift))

    def argument(self, node: syntax.Argument) -> _Filler:
        number, value, star = node.id, self.filler(node.value), node.star
        if node.keyword is None:
            return lambda leaves, shift: syntax.Argument(number + shift, value(leaves, shift), None, star)
        keyword = self.text(node.keyword)
        return lambda leaves, shift: syntax.Argument(number + shift, value(leaves, shift), keyword(leaves, shift))

    def call(self, node: syntax.Call) -> _Filler:
        number, func, args = node.id, self.filler(node.func), self.items(node.args)
        return lambda leaves, shift: syntax.Call(number + shift, func(leaves, shift), args(leaves, shift))


def _kept(part: Any) -> _Filler:
    return lambda _, __: part


def _built(kind: Callable[..., Any], fields: list[_Filler]) -> _Filler:
    return lambda leaves, shift: kind(*[field(leaves, shift) for field in fields])


_FILLERS: dict[type[object], Callable[[_Filling, Any], _Filler]] = {
    int: _Filling.number,
    str: _Filling.text,
    tuple: _Filling.items,
    syntax.Name: _Filling.name,
    syntax.Constant: _Filling.constant,
    syntax.Attribute: _Filling.attribute,
    syntax.Argument: _Filling.argument,
    syntax.Call: _Filling.call,
}


@lru_cache(maxsize=8192)
def template_of(shape: str) -> Template | None:
    """The template of a shape; None when it does not parse, or joins adjacent strings to one constant."""
    from pto_analysis.source.concrete import read_bare  # libcst loads late

    parsed = read_bare(shape)
    if parsed is None:
        return None
    leaves = {each.spelling: number for number, each in enumerate(_stand_ins(shape))}
    constants: dict[int, int] = {}
    for node, spelling in parsed.literals:
        if spelling is None:
            return None
        if spelling in leaves:
            constants[node] = leaves[spelling]
    return Template(parsed.nodes, _Filling(leaves, constants).filler(parsed.statement))


def filled(text: str) -> syntax.Statement | None:
    """The syntax of a statement by its shape; None when it has to be parsed itself."""
    shape = shape_of(text)
    template = None if shape is None else template_of(shape.text)
    return None if shape is None or template is None else template.statement(shape.leaves, 0)


def filled_positions(text: str) -> tuple[Span, ...] | None:
    """The spans of the nodes of a statement by its shape (see `statements.positions`); None as `filled`."""
    found = stand_ins(text)
    shape = None if found is None else spaced_shape_of(text)
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
