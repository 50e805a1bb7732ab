"""Walking the syntax tree of a statement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast, get_args

import attrs

from pto_analysis.source import syntax

Node = syntax.Expression | syntax.Argument | syntax.Parameter

_KINDS = (*get_args(syntax.Expression), syntax.Argument, syntax.Parameter)


def nodes_of(statement: syntax.Statement) -> Iterator[Node]:
    """Every node of a statement in preorder."""
    waiting: list[object] = [statement]
    while waiting:
        current = waiting.pop()
        if isinstance(current, tuple):
            waiting.extend(reversed(cast("tuple[object, ...]", current)))
            continue
        if isinstance(current, _KINDS):
            yield cast("Node", current)
        if attrs.has(type(current)):
            waiting.extend(getattr(current, each.name) for each in reversed(attrs.fields(type(current))))
