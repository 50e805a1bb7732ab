"""Decorators of the DSL that it does not have: a function under one is no kernel, and nothing else is said about it."""

from __future__ import annotations

from collections.abc import Iterator

from pto_analysis.findings import Finding, Fix
from pto_analysis.fixes.spelling import did_you_mean
from pto_analysis.frontend.discovery import KERNEL_FORMS, decorator_call
from pto_analysis.frozen import frozen
from pto_analysis.report import shifted
from pto_analysis.rules.facts import FileFacts
from pto_analysis.source import syntax
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.span import Origin, Span
from pto_analysis.source.statements import StatementError, parse_statement
from pto_analysis.source.unit import Unit
from pto_analysis.source.values import DslName
from pto_analysis.suggest import near_match

_KNOWN = (*sorted(KERNEL_FORMS), "program")


@frozen(eq=False)
class Misspelt:
    """A decorator that is near to one of the DSL; lines count from the unit's first."""

    wrong: str
    right: str
    span: Span
    fix: Fix | None
    unit: Unit

    def placed(self, finding: Finding) -> Finding:
        """The finding where it stands in the file."""
        return shifted(finding, self.unit.first_line)


def misspelt_decorators(file: FileFacts) -> Iterator[Misspelt]:
    for unit in file.source.units:
        if "@" not in unit.text:
            continue
        for line in unit.lines:
            found = _misspelt(file, unit, line) if line.text.startswith("@") else None
            if found is not None:
                yield found


def _misspelt(file: FileFacts, unit: Unit, line: LogicalLine) -> Misspelt | None:
    names, _ = decorator_call(line)
    form = ".".join(names[1:])
    if not form or not _is_language(file, names[0]) or form in _KNOWN:
        return None
    right = near_match(form, _KNOWN)
    node = _decorator(line)
    if right is None or node is None:
        return None
    origin = Origin(line.index, node.id)
    fix = did_you_mean(unit, origin, f"pl.{form}", (right,))
    return Misspelt(f"{names[0]}.{form}", f"{names[0]}.{right}", unit.span_of(origin), fix, unit)


def _decorator(line: LogicalLine) -> syntax.Expression | None:
    """The name in a decorator, without the arguments of its call."""
    parsed = parse_statement(line.text)
    if isinstance(parsed, StatementError) or not isinstance(parsed.statement, syntax.Decorator):
        return None
    value = parsed.statement.value
    return value.func if isinstance(value, syntax.Call) else value


def _is_language(file: FileFacts, name: str) -> bool:
    """Whether a name is the DSL's module."""
    value = file.modules.workspace.lookup(file.path, name)
    return isinstance(value, DslName) and value.path == "pl"
