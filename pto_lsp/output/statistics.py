"""`--statistics`: how often each rule fired, and what was not understood, so that silence can be judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TypeVar

from pto_analysis.rules.index import rule_index
from pto_lsp.output.report import Statistics, plural
from pto_lsp.output.style import Style


def render(statistics: Statistics, style: Style) -> str:
    rows = [
        f"{style.paint('Kernels', 'bold')}: {statistics.kernels} in {plural(statistics.files, 'file')}; "
        f"InCore functions and regions: {statistics.regions}, {statistics.understood} understood in full"
    ]
    rows += [_rule_row(code, count, style) for code, count in _by_count(statistics.rules)]
    if statistics.unknown:
        rows.append(style.paint("Not understood", "bold"))
        reasons = Counter((value.what, value.why) for value in statistics.unknown)
        rows += [f"{count:>6}  {what}: {why}" for (what, why), count in _by_count(reasons)]
        rows += [f"        {value.path}:{value.line}: {value.what}: {value.why}" for value in statistics.unknown]
    return "".join(f"{row}\n" for row in rows)


_Key = TypeVar("_Key", str, tuple[str, str])


def _by_count(counts: Mapping[_Key, int]) -> list[tuple[_Key, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _rule_row(code: str, count: int, style: Style) -> str:
    rule = rule_index().get(code)
    return f"{count:>6}  {style.paint(code, 'bold')}  {rule.name if rule is not None else ''}"
