"""Statements that are not read: what they assign is known to exist, and nothing more."""

from __future__ import annotations

from pto_analysis.frontend.bindings import define_unknown
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.reading import Reading
from pto_analysis.ir.expr import Var
from pto_analysis.ir.stmt import Skipped
from pto_analysis.source import syntax
from pto_analysis.source.blocks import Block, walk_lines
from pto_analysis.source.span import Origin
from pto_analysis.source.statements import StatementError, parse_statement


def skip(reading: Reading, block: Block, kind: IssueKind, message: str, *, broken: bool = False) -> None:
    """Leave a statement, and what it governs, out; `broken` ones may hide any name before an `=`."""
    statement = block.line.index
    reading.statement = statement
    reading.refuse(kind, message, reading.here())
    names: dict[str, Var] = {}
    for name, node in _assigned(block, broken=broken):
        reading.statement = statement
        names.setdefault(name, define_unknown(reading, name, message, Origin(statement, node)))
    reading.statement = statement
    reading.emit(Skipped(message, tuple(names.values()), reading.here()))


def _assigned(block: Block, *, broken: bool) -> list[tuple[str, int]]:
    """Names that a statement or the statements under it assign, with their node."""
    found: list[tuple[str, int]] = []
    for line in walk_lines([block]):
        parsed = parse_statement(line.text) if line.error is None else None
        if parsed is None or isinstance(parsed, StatementError):
            if broken:
                found += [(name, 0) for name in _names_before_equals(line.text)]
            continue
        found += [(node.name, node.id) for node in _targets(parsed.statement)]
    return found


def _targets(statement: syntax.Statement) -> list[syntax.Name]:
    if isinstance(statement, syntax.Assign):
        return [name for target in statement.targets for name in _names(target)]
    if isinstance(statement, syntax.AugAssign):
        return _names(statement.target)
    if isinstance(statement, syntax.ForHeader):
        return _names(statement.target)
    if isinstance(statement, syntax.WithHeader):
        return [name for _, target in statement.items if target is not None for name in _names(target)]
    return []


def _names(target: syntax.Expression) -> list[syntax.Name]:
    if isinstance(target, syntax.Name):
        return [target]
    if isinstance(target, syntax.Sequence):
        return [name for item in target.items for name in _names(item)]
    if isinstance(target, syntax.Starred):
        return _names(target.value)
    if isinstance(target, syntax.Subscript) and isinstance(target.value, syntax.Name):
        return [target.value]
    return []


def _names_before_equals(text: str) -> list[str]:
    """The names left of the first `=` of a statement that does not parse."""
    head, equals, _ = text.partition("=")
    if not equals:
        return []
    words = [word.strip() for word in head.partition(":")[0].split(",")]
    return [word for word in words if word.isidentifier()]
