"""The kernels of a unit with their tiles: document symbols and folding."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frontend.discovery import KernelSite, find_kernels
from pto_analysis.frozen import frozen
from pto_analysis.ide.describe import brief_type
from pto_analysis.ide.variables import kernel_around
from pto_analysis.ir import walk
from pto_analysis.ir.types import TileType
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source.blocks import Block
from pto_analysis.source.span import Span
from pto_analysis.source.statements import name_span
from pto_analysis.source.unit import Unit, place


@frozen
class Symbol:
    """`whole` covers the definition, `name_span` its name; both in the unit's lines."""

    name: str
    detail: str
    is_kernel: bool
    whole: Span
    name_span: Span
    children: tuple[Symbol, ...] = ()


def symbols(unit: Unit, kernels: Sequence[KernelFacts]) -> tuple[Symbol, ...]:
    """Every kernel of the unit, with the tiles that it defines."""
    return tuple(_kernel(unit, site, kernels) for site in find_kernels(unit))


def folds(unit: Unit) -> tuple[tuple[int, int], ...]:
    """First and last line of every kernel, and of every loop and scope in one."""
    found: list[tuple[int, int]] = []
    for site in find_kernels(unit):
        waiting = [site.block]
        while waiting:
            block = waiting.pop()
            last = last_line(block)
            if block.body and last > block.line.line:
                found.append((block.line.line, last))
            waiting.extend(block.body)
    return tuple(sorted(set(found)))


def last_line(block: Block) -> int:
    """The last line of a compound statement."""
    last = block
    while last.body:
        last = last.body[-1]
    return last.line.end_line


def _kernel(unit: Unit, site: KernelSite, kernels: Sequence[KernelFacts]) -> Symbol:
    line = site.block.line
    relative = name_span(line.text)
    name = place(line, relative) if relative is not None else unit.statement_span(line.index)
    whole = Span(unit.lines[site.decorator.statement].line, line.column, last_line(site.block), _end_column(site))
    kernel = kernel_around(kernels, site.statement)
    children = _tiles(kernel) if kernel is not None and kernel.function.qualname == site.qualname else ()
    kind = kernel.function.kind.value if kernel is not None else ""
    return Symbol(site.header.name, kind, is_kernel=True, whole=whole, name_span=name, children=children)


def _end_column(site: KernelSite) -> int:
    last = site.block
    while last.body:
        last = last.body[-1]
    return last.line.end_column


def _tiles(kernel: KernelFacts) -> tuple[Symbol, ...]:
    """The first definition of every name that holds a tile."""
    seen: dict[str, Symbol] = {}
    for stmt in walk.statements(kernel.function.body):
        for var in stmt.definitions:
            name = var.name
            if not isinstance(var.type, TileType) or var.origin is None or name in seen:
                continue
            span = kernel.span(var.origin)
            whole = kernel.span(stmt.origin) if stmt.origin is not None else span
            covering = whole if whole.contains(span.line, span.column) else span
            seen[name] = Symbol(name, brief_type(var.type), is_kernel=False, whole=covering, name_span=span)
    return tuple(seen.values())
