"""The keys of `[tool.pto-lint]`: one row each, with the reader that turns a TOML value into a setting.

The same rows read what an editor sends (`pto.*`). Keys are spelled as the options are; `select` and
`extend-select` take lists or one comma-separated string.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from attrs import evolve

from pto_analysis.findings import Severity
from pto_analysis.rules.rule import OptionValue
from pto_analysis.rules.selection import UnknownRuleError, code_of, expand
from pto_analysis.suggest import did_you_mean
from pto_analysis.toolchain import TARGETS, ToolchainError, parse_toolchain
from pto_lsp.config.settings import SEVERITIES, ConfigError, Settings

Reader = Callable[[Settings, object], Settings]


def read_table(settings: Settings, table: Mapping[str, object], where: str) -> Settings:
    """`settings` with every key of `table` applied. Errors: ConfigError naming `where`, the key and a near match."""
    for key, value in table.items():
        reader = KEYS.get(key.replace("_", "-"))
        if reader is None:
            raise ConfigError(f"{where}: unknown key `{key}`{did_you_mean(key, KEYS)}")
        try:
            settings = reader(settings, value)
        except (ValueError, UnknownRuleError, ToolchainError) as error:
            raise ConfigError(f"{where}: `{key}`: {error}") from None
    return settings


def strings(value: object) -> tuple[str, ...]:
    """A list of strings, or one string with commas. Errors: ValueError."""
    if isinstance(value, str):
        return tuple(item.strip() for item in value.split(",") if item.strip())
    if isinstance(value, (list, tuple)):
        items = cast("list[object]", value)
        if all(isinstance(item, str) for item in items):
            return tuple(str(item) for item in items)
    raise ValueError("a list of strings is needed here")


def selectors(value: object) -> tuple[str, ...]:
    """A list of rules. Errors: ValueError, UnknownRuleError."""
    items = strings(value)
    for item in items:
        expand(item)
    return items


def severity(value: object) -> Severity:
    if isinstance(value, str) and value in SEVERITIES:
        return Severity(value)
    raise ValueError(f"one of {', '.join(SEVERITIES)} is needed here, not {value!r}")


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise ValueError("a table is needed here")
    return {str(key): item for key, item in cast("Mapping[object, object]", value).items()}


def _selection(field: str) -> Reader:
    def read(settings: Settings, value: object) -> Settings:
        return evolve(settings, selection=evolve(settings.selection, **{field: selectors(value)}))

    return read


def _per_file_ignores(settings: Settings, value: object) -> Settings:
    rows = tuple((glob, selectors(items)) for glob, items in _table(value).items())
    return evolve(settings, selection=evolve(settings.selection, per_file_ignores=rows))


def _severities(settings: Settings, value: object) -> Settings:
    rows = tuple((code_of(name), severity(level)) for name, level in _table(value).items())
    return evolve(settings, selection=evolve(settings.selection, severities=rows))


def _target(settings: Settings, value: object) -> Settings:
    if value not in TARGETS:
        raise ValueError(f"one of {', '.join(TARGETS)} is needed here, not {value!r}")
    return evolve(settings, toolchain=evolve(settings.toolchain, target=value))


def _toolchain(settings: Settings, value: object) -> Settings:
    if not isinstance(value, str):
        raise ValueError('text like "pypto=2026-08-21,ptoas=0.66" is needed here')
    return evolve(settings, toolchain=parse_toolchain(value, settings.toolchain))


def _exclude(settings: Settings, value: object) -> Settings:
    return evolve(settings, exclude=strings(value))


def _min_severity(settings: Settings, value: object) -> Settings:
    return evolve(settings, min_severity=severity(value))


def _fail_level(settings: Settings, value: object) -> Settings:
    return evolve(settings, fail_level=severity(value))


def _rules(settings: Settings, value: object) -> Settings:
    options = {code_of(name): _rule_options(code_of(name), _table(items)) for name, items in _table(value).items()}
    return evolve(settings, rule_options=options)


def _rule_options(code: str, table: dict[str, object]) -> dict[str, OptionValue]:
    from pto_analysis.rules.registry import all_rules

    known = {option.name: option for option in all_rules()[code].options}
    for name, value in table.items():
        if name not in known:
            raise ValueError(f"{code} has no option `{name}`{did_you_mean(name, known)}")
        if type(value) is not type(known[name].default):
            raise ValueError(f"{code}.{name} needs a value like {known[name].default!r}")
    return cast("dict[str, OptionValue]", table)


KEYS: dict[str, Reader] = {
    "select": _selection("select"),
    "ignore": _selection("ignore"),
    "extend-select": _selection("extend_select"),
    "extend-ignore": _selection("extend_ignore"),
    "per-file-ignores": _per_file_ignores,
    "severity": _severities,
    "target": _target,
    "toolchain": _toolchain,
    "exclude": _exclude,
    "min-severity": _min_severity,
    "fail-level": _fail_level,
    "rules": _rules,
}
