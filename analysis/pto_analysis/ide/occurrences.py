"""Where a name of a kernel is defined and used, and which other names mean the same window."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frontend.discovery import KernelSite, find_kernels
from pto_analysis.frontend.module import KernelPlace, Modules
from pto_analysis.frozen import frozen
from pto_analysis.ide.outline import last_line
from pto_analysis.ide.spot import Spot, dotted_name, spot_at
from pto_analysis.ide.variables import KernelNames, kernel_around
from pto_analysis.passes.ssa.names import base_name
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.span import Span
from pto_analysis.source.statements import StatementSyntax, name_span, positions
from pto_analysis.source.unit import Unit, place


@frozen(order=True)
class Occurrence:
    """`span` is in the unit's lines; `writes` where the name is assigned."""

    span: Span
    writes: bool = False


@frozen
class Target:
    """A place in a file: `span` counts the lines of the file."""

    path: str
    span: Span


def occurrences_at(unit: Unit, line: int, column: int) -> tuple[Occurrence, ...]:
    """Every occurrence, in its kernel, of the name at a place; none when it is no name of a kernel."""
    found = _local_name(unit, line, column)
    return _occurrences(unit, *found) if found is not None else ()


def window_aliases(unit: Unit, kernels: Sequence[KernelFacts], line: int, column: int) -> tuple[Occurrence, ...]:
    """Occurrences of the name at a place and of every other name of the kernel for the same window."""
    found = _local_name(unit, line, column)
    if found is None:
        return ()
    site, name = found
    names = {name} | _same_window(kernels, unit, line, column, name)
    return tuple(sorted(occurrence for each in names for occurrence in _occurrences(unit, site, each)))


def definition_at(path: str, unit: Unit, modules: Modules, line: int, column: int) -> tuple[Target, ...]:
    """Where the name at a place gets its value: the last assignment before it in the kernel, or a kernel that it
    means, in this file or another."""
    spot = spot_at(unit, line, column)
    if spot is None or spot.dotted is None:
        return ()
    site = _site_of(unit, spot.statement)
    local = _local_definition(unit, site, spot) if site is not None else None
    if local is not None:
        return (Target(path, local.shifted(unit.first_line)),)
    found = kernel_meant(path, unit, modules, spot)
    return (_name_of_kernel(found.reader.path, found.unit, found.site),) if found is not None else ()


def _local_name(unit: Unit, line: int, column: int) -> tuple[KernelSite, str] | None:
    spot = spot_at(unit, line, column)
    if spot is None:
        return None
    name = _name_of(spot)
    site = _site_of(unit, spot.statement)
    if name is None or site is None or not any(each.writes for each in _occurrences(unit, site, name)):
        return None
    return site, name


def _name_of(spot: Spot) -> str | None:
    node = spot.node
    if isinstance(node, (syntax.Name, syntax.Parameter)):
        return node.name
    return None


def _site_of(unit: Unit, statement: int) -> KernelSite | None:
    """The innermost kernel whose header or body holds a statement."""
    found = None
    for site in find_kernels(unit):
        if site.statement <= statement and unit.lines[statement].line <= last_line(site.block):
            found = site
    return found


def _occurrences(unit: Unit, site: KernelSite, name: str) -> tuple[Occurrence, ...]:
    last = last_line(site.block)
    found: set[Occurrence] = set()
    for index in range(site.statement, len(unit.lines)):
        if unit.lines[index].line > last:
            break
        found |= _in_statement(unit, index, name)
    return tuple(sorted(found))


def _in_statement(unit: Unit, index: int, name: str) -> set[Occurrence]:
    logical = unit.lines[index]
    parsed = unit.syntax(index) if name in logical.text else None
    if not isinstance(parsed, StatementSyntax):
        return set()
    spans = positions(parsed)
    targets = {node.id for node in _targets(parsed.statement)}
    found: set[Occurrence] = set()
    for node in nodes_of(parsed.statement):
        if isinstance(node, syntax.Parameter) and node.name == name:
            start = place(logical, spans[node.id])
            span = Span(start.line, start.column, start.line, start.column + len(name))
            found.add(Occurrence(span, writes=True))
        elif isinstance(node, syntax.Name) and node.name == name:
            found.add(Occurrence(place(logical, spans[node.id]), writes=node.id in targets))
    return found


def _targets(statement: syntax.Statement) -> list[syntax.Name]:
    """The names that a statement assigns."""
    if isinstance(statement, syntax.Assign):
        waiting: list[syntax.Expression] = list(statement.targets)
    elif isinstance(statement, syntax.ForHeader):
        waiting = [statement.target]
    elif isinstance(statement, syntax.WithHeader):
        waiting = [target for _, target in statement.items if target is not None]
    elif isinstance(statement, syntax.AugAssign):
        waiting = [statement.target]
    else:
        return []
    names: list[syntax.Name] = []
    while waiting:
        target = waiting.pop()
        if isinstance(target, syntax.Name):
            names.append(target)
        elif isinstance(target, syntax.Sequence):
            waiting.extend(target.items)
        elif isinstance(target, syntax.Subscript):
            waiting.append(target.value)
    return names


def _local_definition(unit: Unit, site: KernelSite, spot: Spot) -> Span | None:
    name = _name_of(spot)
    if name is None or spot.node is None:
        return None
    here = spot.span(spot.node)
    writes = [each.span for each in _occurrences(unit, site, name) if each.writes]
    before = [span for span in writes if (span.line, span.column) <= (here.line, here.column)]
    return before[-1] if before else (writes[0] if writes else None)


def kernel_meant(path: str, unit: Unit, modules: Modules, spot: Spot) -> KernelPlace | None:
    """The kernel that a name inside another kernel means."""
    site, reader = _site_of(unit, spot.statement), modules.reader(path)
    if site is None or reader is None or spot.dotted is None or _local_definition(unit, site, spot) is not None:
        return None
    return reader.place(unit, site, spot.dotted[0])


def is_local(unit: Unit, statement: int, name: str) -> bool:
    """Whether the kernel around a statement assigns the name, or a function around the kernel may."""
    site = _site_of(unit, statement)
    if site is None:
        return False
    return bool(site.enclosing) or any(each.writes for each in _occurrences(unit, site, name))


def _name_of_kernel(path: str, unit: Unit, site: KernelSite) -> Target:
    """Where a kernel gets its name."""
    line = site.block.line
    relative = name_span(line.text)
    span = place(line, relative) if relative is not None else unit.statement_span(line.index)
    return Target(path, span.shifted(unit.first_line))


def _same_window(kernels: Sequence[KernelFacts], unit: Unit, line: int, column: int, name: str) -> set[str]:
    spot = spot_at(unit, line, column)
    kernel = kernel_around(kernels, spot.statement) if spot is not None else None
    if spot is None or kernel is None:
        return set()
    var = KernelNames.of(kernel).ssa.at(spot.statement, name)
    window = kernel.analysis.windows.of(var) if var is not None else None
    if window is None:
        return set()
    same = kernel.analysis.windows.windows.items()
    return {
        base_name(each.name)
        for each, other in same
        if (other.base, other.row, other.col) == (window.base, window.row, window.col)
    }


def kernel_name_at(unit: Unit, line: int, column: int) -> str | None:
    """The last word of the dotted name at a place, or the name of the kernel whose header it is in."""
    spot = spot_at(unit, line, column)
    if spot is None:
        return None
    if spot.dotted is not None:
        return spot.dotted[0].rpartition(".")[2]
    return next((site.header.name for site in find_kernels(unit) if site.statement == spot.statement), None)


def kernel_at(path: str, unit: Unit, modules: Modules, line: int, column: int) -> Target | None:
    """The kernel that is defined or named at a place."""
    spot = spot_at(unit, line, column)
    if spot is None:
        return None
    own = next((site for site in find_kernels(unit) if site.statement == spot.statement), None)
    if own is not None and spot.dotted is None:
        return _name_of_kernel(path, unit, own)
    found = definition_at(path, unit, modules, line, column)
    return found[0] if found else None


def calls_of_kernel(path: str, unit: Unit, modules: Modules, name: str, kernel: Target | None) -> tuple[Span, ...]:
    """Where a unit mentions a kernel of that name, but for places that provably mean another one."""
    calls = kernel_calls(unit, name)
    if kernel is None:
        return calls
    meant = {span: definition_at(path, unit, modules, span.line, span.column) for span in calls}
    return tuple(span for span, found in meant.items() if found in ((), (kernel,)))


def kernel_calls(unit: Unit, name: str) -> tuple[Span, ...]:
    """Where a unit mentions a kernel by a bare name or as `self.<name>`."""
    found: list[Span] = []
    for index, logical in enumerate(unit.lines):
        parsed = unit.syntax(index) if name in logical.text else None
        if not isinstance(parsed, StatementSyntax):
            continue
        spans = positions(parsed)
        for node in nodes_of(parsed.statement):
            if isinstance(node, (syntax.Name, syntax.Attribute)) and dotted_name(node) in (name, f"self.{name}"):
                end = place(logical, spans[node.id])
                found.append(Span(end.end_line, end.end_column - len(name), end.end_line, end.end_column))
    return tuple(dict.fromkeys(found))
