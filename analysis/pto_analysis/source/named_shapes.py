"""Shapes that a module gives a name: `SHAPE = [R * T, N]`, in the words of its author."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.statements import StatementSyntax, parse_statement, positions
from pto_analysis.source.text import SourceText


@frozen
class NamedShapes:
    """The items of lists and tuples by the one name that a module-level statement gives them."""

    items: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def of(self, node: syntax.Expression) -> tuple[str, ...]:
        """The items that a name stands for; () for everything else."""
        return dict(self.items).get(node.name, ()) if isinstance(node, syntax.Name) else ()


def named_shapes(statements: Iterable[LogicalLine]) -> NamedShapes:
    found: dict[str, tuple[str, ...]] = {}
    for line in statements:
        for name, items in _assigned(line):
            found[name] = () if name in found else items
    return NamedShapes(tuple((name, items) for name, items in found.items() if items))


def _assigned(line: LogicalLine) -> list[tuple[str, tuple[str, ...]]]:
    """The names that a statement assigns, with the items of its value, if it has any."""
    parsed = parse_statement(line.text) if line.error is None and "=" in line.text else None
    if not isinstance(parsed, StatementSyntax) or not isinstance(parsed.statement, syntax.Assign):
        return []
    statement, text, spans = parsed.statement, SourceText(line.text), positions(parsed)
    value = statement.value
    items = tuple(text.slice(spans[item.id]) for item in value.items) if isinstance(value, syntax.Sequence) else ()
    is_whole = len(statement.targets) == 1 and not any("\n" in item for item in items)
    return [(target.name, items if is_whole else ()) for target in statement.targets if isinstance(target, syntax.Name)]
