"""The source behind an IR node: its syntax, its arguments, its text, and replacements of parts of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pto_analysis.findings import Edit
from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.remembered import FEW
from pto_analysis.source.span import Origin, Span
from pto_analysis.source.statements import StatementSyntax
from pto_analysis.source.text import LINE_END, SourceText
from pto_analysis.source.unit import Unit


@lru_cache(maxsize=FEW)
def source_of(unit: Unit) -> SourceText:
    """The unit's text with its line index."""
    return SourceText(unit.text)


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
        before = source_of(self.unit).line(self.whole.line)[: self.whole.column]
        return before if not before.strip() else ""

    @property
    def begins_line(self) -> bool:
        return not self.unit.lines[self.statement].joined

    @property
    def is_alone(self) -> bool:
        """Whether nothing but the statement, and perhaps a comment, stands on its lines."""
        following = self.unit.lines[self.statement + 1 : self.statement + 2]
        return self.begins_line and not any(line.joined for line in following)

    def nodes(self) -> Iterator[syntax.Expression]:
        """Every expression of the statement in preorder."""
        for node in nodes_of(self.parsed) if self.parsed is not None else ():
            if not isinstance(node, (syntax.Argument, syntax.Parameter)):
                yield node

    def node(self, identity: int) -> syntax.Expression | None:
        return next((node for node in self.nodes() if node.id == identity), None)

    def span(self, node: syntax.Expression) -> Span:
        return self.unit.node_span(self.statement, node.id)

    def text_of(self, node: syntax.Expression) -> str:
        """The node as it is written, on one line or several."""
        return source_of(self.unit).slice(self.span(node))

    def with_replaced(self, parts: Iterable[tuple[syntax.Expression, str]]) -> str:
        """The text of the statement with other texts for some of its nodes, which must not overlap."""
        return self._replaced(self.whole, parts)

    def text_with(self, node: syntax.Expression, parts: Iterable[tuple[syntax.Expression, str]]) -> str:
        """The text of a node with other texts for some nodes inside it."""
        return self._replaced(self.span(node), parts)

    def _replaced(self, whole: Span, parts: Iterable[tuple[syntax.Expression, str]]) -> str:
        source = source_of(self.unit)
        start, text = source.offset(whole.line, whole.column), source.slice(whole)
        placed: list[tuple[int, int, str]] = []
        for node, new in parts:
            span = self.span(node)
            first = source.offset(span.line, span.column) - start
            placed.append((first, source.offset(span.end_line, span.end_column) - start, new))
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


def names_in(node: syntax.Expression) -> frozenset[str]:
    """The names that an expression reads."""
    return frozenset(each.name for each in nodes_of(syntax.ExpressionStatement(node)) if isinstance(each, syntax.Name))


def replace(at: Written, node: syntax.Expression, text: str) -> Edit:
    return Edit(at.span(node), text)


def insertion(at: Written, line: str) -> Edit:
    """A statement on a line of its own before another one that begins its line."""
    start = at.whole
    return Edit(Span(start.line, start.column, start.line, start.column), f"{line}{line_end(at.unit)}{at.indent}")


def comments_in(at: Written, span: Span) -> list[str]:
    """The comments inside a part of a statement."""
    comments = at.unit.lines[at.statement].comments
    return [comment.text for comment in comments if span.contains(comment.line, comment.column)]


def atom(text: str) -> str:
    """The text so that it can be an operand of any operator."""
    plain = text.replace("_", "a").replace(".", "a")
    return text if plain.isalnum() else f"({text})"


def term(text: str) -> str:
    """The text so that it can stand beside a `+`."""
    return f"({text})" if set(text) & set("<>=&|^\n") or " if " in text else text


def plain(text: str) -> str:
    """An expression on one line; one with comments inside keeps its lines."""
    return text if "#" in text else re.sub(r"\s*\\?[\r\n]+\s*", " ", text)


def dsl_name(unit: Unit, call: syntax.Call) -> str | None:
    """What the module calls the DSL, by the callee's dotted name: the word that its decorators use too."""
    node: syntax.Expression = call.func
    while isinstance(node, syntax.Attribute):
        node = node.value
    if not isinstance(node, syntax.Name) or not isinstance(call.func, syntax.Attribute):
        return None
    known = re.search(rf"\b{re.escape(node.name)}\.(?:function|jit|program)\b", unit.text)
    return node.name if known else None


@lru_cache(maxsize=FEW)
def dsl_of(unit: Unit) -> str | None:
    """What the module calls the DSL, by the first call of the unit that says it."""
    for index in range(len(unit.lines)):
        for node in Written(unit, index).nodes():
            module = dsl_name(unit, node) if isinstance(node, syntax.Call) else None
            if module is not None:
                return module
    return None


def line_end(unit: Unit) -> str:
    """How the unit ends its lines, going by the first."""
    found = LINE_END.search(unit.text)
    return found[0] if found else "\n"


def words_of(unit: Unit) -> set[str]:
    """Every word of the unit's text: names that a new variable must not have."""
    return set(re.findall(r"\w+", unit.text))


@lru_cache(maxsize=FEW)
def name_counts(unit: Unit) -> Counter[str]:
    """How often each name is assigned or read."""
    nodes = (node for index in range(len(unit.lines)) for node in Written(unit, index).nodes())
    return Counter(node.name for node in nodes if isinstance(node, syntax.Name))


def free_name(name: str, taken: set[str]) -> str:
    """`name`, or with the least number behind it that makes it new; it is taken from then on."""
    candidate, count = name, 2
    while candidate in taken:
        candidate, count = f"{name}{count}", count + 1
    taken.add(candidate)
    return candidate


def loop_call(unit: Unit, header: Origin | None) -> tuple[Written, syntax.Call] | None:
    """The call that a `for` loops over; `None` where it loops over anything else."""
    at = Written(unit, header.statement) if header is not None else None
    parsed = at.parsed if at is not None else None
    call = parsed.iterable if isinstance(parsed, syntax.ForHeader) else None
    return (at, call) if at is not None and isinstance(call, syntax.Call) else None
