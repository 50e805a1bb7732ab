"""Chains of names in syntax: `pl.tile.load`, and what they mean as paths of the DSL."""

from __future__ import annotations

from pto_analysis.frontend.reading import Reading
from pto_analysis.source import syntax


def dotted_text(node: syntax.Expression) -> str | None:
    """`a.b.c` as text; None when the expression is not a chain of names."""
    if isinstance(node, syntax.Name):
        return node.name
    if isinstance(node, syntax.Attribute):
        head = dotted_text(node.value)
        return None if head is None else f"{head}.{node.attr}"
    return None


def last_name(node: syntax.Expression) -> str:
    """The last name of a chain (`Tensor` of `pl.Tensor`), "" for other expressions."""
    if isinstance(node, syntax.Attribute):
        return node.attr
    return node.name if isinstance(node, syntax.Name) else ""


def dsl_path(reading: Reading, node: syntax.Expression) -> str | None:
    """The canonical path of a DSL name (`pl.tile.load`, `pld.window`), whatever the import is called; else None."""
    chain: list[str] = []
    while isinstance(node, syntax.Attribute):
        chain.append(node.attr)
        node = node.value
    if not isinstance(node, syntax.Name) or node.name in reading.scope:
        return None
    root = reading.closure.dsl_root(node.name)
    if root is None:
        return None
    return ".".join([root, *reversed(chain)])


def dsl_constant_path(reading: Reading, node: syntax.Expression) -> str | None:
    """`Mem.Vec` for `pl.Mem.Vec`: the path inside the DSL's module; None for names that are not of the DSL."""
    path = dsl_path(reading, node)
    return None if path is None else path.partition(".")[2]
