"""What was last known about a kernel that does not parse at the moment, moved along with the edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from attrs import evolve, frozen

from pto_analysis.findings import Finding, Related
from pto_analysis.report import FileAnalysis, sort_key
from pto_analysis.rules.syntax_errors import unit_problems
from pto_analysis.source.unit import Unit, split_units

_UNKEPT = ("PTO001", "PTO002")


@frozen
class _Good:
    """A unit's lines when it last parsed, with its findings; lines count from the unit's first."""

    lines: tuple[str, ...]
    findings: tuple[Finding, ...]


class LastGood:
    """The last findings of every kernel while it parsed. For one thread."""

    def __init__(self) -> None:
        self._units: dict[str, dict[str, _Good]] = {}

    def complete(self, path: str, text: str, analysis: FileAnalysis) -> FileAnalysis:
        """`analysis` with the old findings of the kernels that are broken in `text`; those of others are noted."""
        before = self._units.get(path, {})
        now: dict[str, _Good] = {}
        added: list[Finding] = []
        for key, unit in _keyed(text):
            if not unit_problems(unit):
                now[key] = _Good(tuple(unit.text.split("\n")), tuple(_within(unit, analysis)))
            elif key in before:
                now[key] = before[key]
                added += _moved(before[key], unit, analysis)
        self._units[path] = now
        if not added:
            return analysis
        return evolve(analysis, findings=tuple(sorted((*analysis.findings, *added), key=sort_key)))

    def forget(self, path: str) -> None:
        self._units.pop(path, None)


def _keyed(text: str) -> Iterator[tuple[str, Unit]]:
    """Units by name, and by their number among those of the same name."""
    counts: dict[str, int] = {}
    for unit in split_units(text).units:
        name = unit.name or unit.keyword
        counts[name] = counts.get(name, 0) + 1
        yield f"{name}#{counts[name]}", unit


def _within(unit: Unit, analysis: FileAnalysis) -> Iterator[Finding]:
    end = unit.first_line + unit.line_count
    for finding in analysis.findings:
        if unit.first_line <= finding.span.line < end and finding.code not in _UNKEPT:
            yield _placed(finding, {}, -unit.first_line)


def _moved(good: _Good, unit: Unit, analysis: FileAnalysis) -> Iterator[Finding]:
    """The old findings whose lines still stand, where they stand now, unless they are found anew."""
    lines = _correspondence(good.lines, tuple(unit.text.split("\n")))
    known = {(finding.code, finding.message) for finding in analysis.findings}
    for finding in good.findings:
        covered = range(finding.span.line, finding.span.end_line + 1)
        if (finding.code, finding.message) in known or not all(line in lines for line in covered):
            continue
        yield evolve(_placed(finding, lines, unit.first_line), fix=None, data={**finding.data, "stale": True})


def _correspondence(old: tuple[str, ...], new: tuple[str, ...]) -> Mapping[int, int]:
    """Where each old line stands in the new text."""
    found: dict[int, int] = {}
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        found.update({block.a + step: block.b + step for step in range(block.size)})
    return found


def _placed(finding: Finding, lines: Mapping[int, int], offset: int) -> Finding:
    shift = lines.get(finding.span.line, finding.span.line) - finding.span.line + offset
    related = tuple(_related(item, lines, offset) for item in finding.related)
    return evolve(finding, span=finding.span.shifted(shift), related=related)


def _related(item: Related, lines: Mapping[int, int], offset: int) -> Related:
    if item.path is not None:
        return item
    return evolve(item, span=item.span.shifted(lines.get(item.span.line, item.span.line) - item.span.line + offset))
