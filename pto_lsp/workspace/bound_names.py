"""The names that a compound statement of a module may bind: more than it does, never fewer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from keyword import kwlist

from pto_analysis.source import syntax
from pto_analysis.source.remembered import remembered
from pto_analysis.source.statements import StatementSyntax, parse_statement
from pto_analysis.source.unit import Unit

_WORD = re.compile(r"[^\W\d]\w*")
_KEYWORDS = frozenset(kwlist)

_RAISES = re.compile(r"(?:raise|assert)\b")

_BINDS_NOTHING = (
    syntax.ExpressionStatement,
    syntax.Return,
    syntax.WhileHeader,
    syntax.IfHeader,
    syntax.ElseHeader,
    syntax.Decorator,
    syntax.Simple,
)


@remembered(characters=200_000)
def bound_names(text: str) -> frozenset[str]:
    """Names that a unit of this text may bind, in whatever scope."""
    return frozenset(name for line in Unit(0, text).lines for name in _bound(line.text))


def words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text)) - _KEYWORDS


def _bound(text: str) -> Iterable[str]:
    """Every word of a statement that does not parse, or that has other ways to bind."""
    parsed = parse_statement(text)
    if not isinstance(parsed, StatementSyntax) or ":=" in text:
        return words(text)
    if _RAISES.match(text):
        return ()
    statement = parsed.statement
    if isinstance(statement, _BINDS_NOTHING):
        return ()
    if isinstance(statement, (syntax.FunctionHeader, syntax.ClassHeader)):
        return (statement.name,)
    if isinstance(statement, syntax.Assign):
        return _or_words(statement.targets, text)
    if isinstance(statement, (syntax.AugAssign, syntax.ForHeader)):
        return _or_words((statement.target,), text)
    return words(text)


def _or_words(targets: Iterable[syntax.Expression], text: str) -> Iterable[str]:
    """The names among targets; every word where a target is of another kind."""
    found: list[str] = []
    for target in _flat(targets):
        if isinstance(target, syntax.Name):
            found.append(target.name)
        elif not isinstance(target, (syntax.Attribute, syntax.Subscript)):
            return words(text)
    return found


def _flat(targets: Iterable[syntax.Expression]) -> Iterator[syntax.Expression]:
    waiting = list(targets)
    while waiting:
        target = waiting.pop()
        if isinstance(target, syntax.Sequence):
            waiting.extend(target.items)
        else:
            yield target
