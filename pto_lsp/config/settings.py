"""What can be configured, and the value of everything that was not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen

from pto_analysis.findings import Severity
from pto_analysis.rules.rule import OptionValue
from pto_analysis.rules.selection import Selection
from pto_analysis.toolchain import Toolchain

OUTPUT_FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "junit")
COLORS = ("auto", "always", "never")
SEVERITIES = tuple(severity.value for severity in Severity)


class ConfigError(Exception):
    """A configuration that cannot be used: which file, which key, and what would be right."""


@frozen
class Settings:
    """Everything that decides what `check` reports about a file. `root` is what globs are relative to."""

    root: Path
    selection: Selection = Selection()
    toolchain: Toolchain = Toolchain()
    rule_options: Mapping[str, Mapping[str, OptionValue]] = field(factory=dict[str, Mapping[str, OptionValue]])
    exclude: tuple[str, ...] = ()
    min_severity: Severity | None = None
    fail_level: Severity = Severity.WARNING
    source: Path | None = None


RANK = {severity: rank for rank, severity in enumerate(Severity)}
"""0 is the gravest."""


def at_least(severity: Severity, level: Severity) -> bool:
    return RANK[severity] <= RANK[level]
