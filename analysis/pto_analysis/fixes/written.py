"""The source behind an IR node: its syntax, its arguments, its text, and replacements of parts of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from pto_analysis.findings import Edit
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.span import Origin, Span
from pto_analysis.source.statements import StatementSyntax
from pto_analysis.source.unit import Unit


@frozen(eq=False)
class Written:
    """One statement of a unit."""

    unit: Unit
    statement: int

    @property
    def parsed(self) -> syntax.Statement | None:
        found = self.unit.syntax(self.statement)
        return found.statement if isinstance(found, StatementSyntax) else None

    @property
    def text(self) -> str:
        return self.unit.statement_text(self.statement)

    @property
    def whole(self) -> Span:
        return self.unit.statement_span(self.statement)

    @property
    def indent(self) -> str:
        """What stands before the statement in its line; "" behind something else."""
        line = self.unit.text.splitlines()[self.whole.line]
        before = line[: self.whole.column]
        return before if not before.strip() else ""

    def node(self, identity: int) -> syntax.Expression | None:
        if self.parsed is None:
            return None
        found = (node for node in nodes_of(self.parsed) if node.id == identity)
        return next((node for node in found if not isinstance(node, (syntax.Argument, syntax.Parameter))), None)

    def span(self, node: syntax.Expression) -> Span:
        return self.unit.node_span(self.statement, node.id)

    def text_of(self, node: syntax.Expression) -> str:
        """The node as it is written, on one line or several."""
        return cut(self.unit.text, self.span(node))

    def with_replaced(self, parts: Iterable[tuple[syntax.Expression, str]]) -> str:
        """The text of the statement with other texts for some of its nodes, which must not overlap."""
        lines = self.unit.text.splitlines(keepends=True)
        start = _offset(lines, self.whole.line, self.whole.column)
        text = self.text
        placed: list[tuple[int, int, str]] = []
        for node, new in parts:
            span = self.span(node)
            first = _offset(lines, span.line, span.column) - start
            placed.append((first, _offset(lines, span.end_line, span.end_column) - start, new))
        for first, end, new in sorted(placed, reverse=True):
            text = text[:first] + new + text[end:]
        return text


def written_at(unit: Unit, origin: Origin | None) -> tuple[Written, syntax.Expression] | None:
    """The statement and node that an IR node was made from; None when a pass made it, or it does not parse."""
    if origin is None or origin.reason is not None or origin.statement >= len(unit.lines):
        return None
    at = Written(unit, origin.statement)
    node = at.node(origin.node)
    return None if node is None else (at, node)


def written_call(unit: Unit, origin: Origin | None) -> tuple[Written, syntax.Call] | None:
    """The call that an IR node was made from; of a subscript or an operator there is none."""
    found = written_at(unit, origin)
    if found is None:
        return None
    at, node = found
    return (at, node) if isinstance(node, syntax.Call) else None


def argument(call: syntax.Call, position: int, keyword: str) -> syntax.Expression | None:
    """An argument by position or by name; None when it is not given, or hidden behind a star."""
    positional: list[syntax.Expression] = []
    for each in call.args:
        if each.star:
            return None
        if each.keyword is None:
            positional.append(each.value)
        elif each.keyword == keyword:
            return each.value
    return positional[position] if position < len(positional) else None


def items_of(node: syntax.Expression | None) -> Sequence[syntax.Expression]:
    """The items of a list or tuple that is written out."""
    return node.items if isinstance(node, syntax.Sequence) else ()


def replace(at: Written, node: syntax.Expression, text: str) -> Edit:
    return Edit(at.span(node), text)


def cut(text: str, span: Span) -> str:
    lines = text.splitlines(keepends=True)
    return text[_offset(lines, span.line, span.column) : _offset(lines, span.end_line, span.end_column)]


def _offset(lines: Sequence[str], line: int, column: int) -> int:
    return sum(map(len, lines[:line])) + column


def atom(text: str) -> str:
    """The text so that it can be an operand of any operator."""
    plain = text.replace("_", "a").replace(".", "a")
    return text if plain.isalnum() else f"({text})"


def dsl_name(call: syntax.Call) -> str | None:
    """What the module calls the DSL: the first word of the callee's dotted name."""
    node: syntax.Expression = call.func
    while isinstance(node, syntax.Attribute):
        node = node.value
    return node.name if isinstance(node, syntax.Name) else None


def line_end(unit: Unit) -> str:
    """How the file ends its lines."""
    return "\r\n" if "\r\n" in unit.text else "\n"
