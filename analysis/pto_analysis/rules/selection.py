"""Which rules are on: `--select`, `--ignore` and their extensions, resolved to codes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatch

from attrs import field

from pto_analysis.findings import Severity
from pto_analysis.frozen import frozen
from pto_analysis.rules.index import rule_index, rule_names
from pto_analysis.rules.rule import GROUPS
from pto_analysis.suggest import did_you_mean

_PREFIX = re.compile(r"PTO\d{0,3}")


class UnknownRuleError(ValueError):
    """A selector that names no rule; the message holds the near match."""


@frozen
class Selection:
    """What the user asked for.

    A selector is a code (`PTO201`), a prefix (`PTO2`), a name (`strided-accumulator-window`) or `ALL`.
    `per_file_ignores` pairs a glob with selectors, `severities` overrides a rule's severity by code.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severities: tuple[tuple[str, Severity], ...] = ()


@frozen
class Enabled:
    """The resolved selection for one file. `named` are the codes that were selected one by one."""

    codes: frozenset[str]
    named: frozenset[str] = frozenset()
    severities: dict[str, Severity] = field(factory=dict[str, Severity])


def resolve(selection: Selection) -> Enabled:
    """The rules that are on in every file. The more exact selector wins; `ignore` wins a draw.

    Errors: UnknownRuleError.
    """
    chosen = _weights((*(selection.select or ()), *selection.extend_select))
    refused = _weights((*selection.ignore, *selection.extend_ignore))
    if selection.select is None:
        chosen = {code: 0 for code, rule in rule_index().items() if rule.on_by_default} | chosen
    codes = frozenset(code for code, weight in chosen.items() if weight > refused.get(code, -1))
    named = frozenset(code for code, weight in chosen.items() if weight == _EXACT) & codes
    return Enabled(codes, named, {code_of(name): severity for name, severity in selection.severities})


def enabled_for(path: str, enabled: Enabled, selection: Selection) -> Enabled:
    """`enabled` less what `per_file_ignores` take away from `path` (relative to the configuration's folder)."""
    ignored = [item for glob, items in selection.per_file_ignores if _matches(path, glob) for item in items]
    if not ignored:
        return enabled
    refused = _weights(ignored).keys()
    return Enabled(enabled.codes - refused, enabled.named - refused, enabled.severities)


_EXACT = len("PTO000")


def _weights(selectors: Iterable[str]) -> dict[str, int]:
    weights: dict[str, int] = {}
    for selector in selectors:
        for code in expand(selector):
            weights[code] = max(_weight(selector), weights.get(code, 0))
    return weights


def _weight(selector: str) -> int:
    """How exact a selector is: a name counts as a whole code, ALL as one letter."""
    if selector.upper() == "ALL":
        return 1
    return min(len(selector), _EXACT) if _PREFIX.fullmatch(selector.upper()) else _EXACT


def expand(selector: str) -> list[str]:
    """The codes that a selector names. Errors: UnknownRuleError."""
    wanted = selector.upper()
    if wanted == "ALL":
        return list(rule_index())
    if selector.lower() in rule_names():
        return [rule_names()[selector.lower()]]
    codes = [code for code in rule_index() if code.startswith(wanted)] if _PREFIX.fullmatch(wanted) else []
    if not codes and wanted not in GROUPS:
        raise UnknownRuleError(unknown_rule(selector))
    return codes


def code_of(name: str) -> str:
    """The one code that a code or name stands for. Errors: UnknownRuleError."""
    codes = expand(name)
    if len(codes) != 1:
        raise UnknownRuleError(f"`{name}` is a group of rules; one rule is needed here")
    return codes[0]


def unknown_rule(selector: str) -> str:
    return f"unknown rule `{selector}`{did_you_mean(selector, [*rule_index(), *rule_names()])}"


def _matches(path: str, glob: str) -> bool:
    """A glob without a slash matches the file's name anywhere, as in .gitignore; `**` spans folders."""
    if "/" not in glob:
        return fnmatch(path.rpartition("/")[2], glob)
    return fnmatch(path, glob.removeprefix("./")) or fnmatch(path, f"*/{glob}")
