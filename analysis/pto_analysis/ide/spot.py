"""What the cursor is on: the statement, the syntax node, and the nodes around it."""

from __future__ import annotations

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.nodes import Node, nodes_of
from pto_analysis.source.span import Span
from pto_analysis.source.statements import StatementSyntax, positions
from pto_analysis.source.unit import Unit, place


@frozen(eq=False)
class Spot:
    """A place in a statement. `nodes` are those that cover it, the outermost first; empty where nothing parses."""

    unit: Unit
    statement: int
    nodes: tuple[Node, ...]

    @property
    def node(self) -> Node | None:
        return self.nodes[-1] if self.nodes else None

    def span(self, node: Node) -> Span:
        return self.unit.node_span(self.statement, node.id)

    @property
    def call(self) -> syntax.Call | None:
        """The innermost call around the place."""
        return next((node for node in reversed(self.nodes) if isinstance(node, syntax.Call)), None)

    @property
    def dotted(self) -> tuple[str, Node] | None:
        """The dotted name that the place is in, up to the part it is on, with that part's node."""
        for node in reversed(self.nodes):
            if isinstance(node, (syntax.Name, syntax.Attribute)):
                text = dotted_name(node)
                return None if text is None else (text, node)
        return None


def statement_at(unit: Unit, line: int, column: int) -> int | None:
    """The number of the statement that a place is in."""
    found = None
    for index, each in enumerate(unit.lines):
        if (each.line, each.column) > (line, column):
            break
        if (line, column) <= (each.end_line, each.end_column):
            found = index
    return found


def line_statement(unit: Unit, line: int) -> int | None:
    """The number of the last statement that begins at or before a line, blank lines behind it included."""
    found = None
    for index, each in enumerate(unit.lines):
        if each.line <= line:
            found = index
    return found


def spot_at(unit: Unit, line: int, column: int) -> Spot | None:
    """What stands at a place of a unit; None between statements."""
    statement = statement_at(unit, line, column)
    if statement is None:
        return None
    parsed = unit.syntax(statement)
    if not isinstance(parsed, StatementSyntax):
        return Spot(unit, statement, ())
    logical, spans = unit.lines[statement], positions(parsed)
    covering = [
        node
        for node in nodes_of(parsed.statement)
        if node.id < len(spans) and place(logical, spans[node.id]).contains(line, column)
    ]
    return Spot(unit, statement, tuple(covering))


def dotted_name(node: Node) -> str | None:
    """`pl.tile.load` for the attribute chain; None when its root is no name."""
    parts: list[str] = []
    while isinstance(node, syntax.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, syntax.Name):
        return None
    return ".".join([node.name, *reversed(parts)])
