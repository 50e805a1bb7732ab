"""Semantic tokens: tiles coloured by the memory they live in."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frozen import frozen
from pto_analysis.ide.variables import KernelNames, kernel_around
from pto_analysis.ir.types import Space, TensorType, TileType
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.span import Span
from pto_analysis.source.statements import StatementSyntax, positions
from pto_analysis.source.unit import Unit, place

TOKEN_TYPES = ("variable",)

TOKEN_MODIFIERS = ("gm", *(space.value.lower() for space in Space if space not in (Space.DDR, Space.SCALAR_LOCAL)))
"""One for each memory; "gm" marks tensors."""


@frozen(order=True)
class Token:
    """`modifier` is an index into TOKEN_MODIFIERS."""

    span: Span
    modifier: int


def tokens(unit: Unit, kernels: Sequence[KernelFacts]) -> tuple[Token, ...]:
    """The names of tiles and tensors, in order."""
    names = {id(kernel): KernelNames.of(kernel).written for kernel in kernels if kernel.written is None}
    found: list[Token] = []
    for index, logical in enumerate(unit.lines):
        kernel = kernel_around(kernels, index)
        parsed = unit.syntax(index) if kernel is not None else None
        if kernel is None or not isinstance(parsed, StatementSyntax) or not names[id(kernel)].by_statement.get(index):
            continue
        spans = positions(parsed)
        for node in nodes_of(parsed.statement):
            if isinstance(node, syntax.Name):
                var = names[id(kernel)].at(index, node.name)
                modifier = _modifier(var.type) if var is not None else None
                if modifier is not None:
                    found.append(Token(place(logical, spans[node.id]), modifier))
    return tuple(sorted(found))


def _modifier(type_: object) -> int | None:
    if isinstance(type_, TensorType):
        return 0
    if isinstance(type_, TileType) and type_.space is not None and type_.space.value.lower() in TOKEN_MODIFIERS:
        return TOKEN_MODIFIERS.index(type_.space.value.lower())
    return None
