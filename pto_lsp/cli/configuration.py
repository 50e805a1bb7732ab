"""The settings that hold for each file: the nearest configuration file under the command line."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from attrs import evolve, frozen

from pto_analysis.report import CheckOptions
from pto_analysis.rules.selection import Enabled, enabled_for, resolve
from pto_lsp.cli.arguments import UsageError
from pto_lsp.config.files import ConfigFinder, read_config
from pto_lsp.config.keys import read_table, strings
from pto_lsp.config.settings import ConfigError, Settings

_LISTS = ("select", "ignore", "extend_select", "extend_ignore", "exclude")
_PLAIN = ("target", "toolchain", "min_severity", "fail_level")


@frozen
class FileSettings:
    """What the checker needs to know about one file's configuration."""

    settings: Settings
    options: CheckOptions
    enabled: Enabled


class Configuration:
    """Finds the settings of files. Errors of every method: UsageError."""

    def __init__(self, arguments: Namespace) -> None:
        self._finder = ConfigFinder()
        self._isolated: bool = arguments.isolated
        self._overlay = _overlay(arguments)
        self._given = _given(arguments.config)
        self._folders: dict[Path, FileSettings] = {}
        self.main = self.for_folder(Path.cwd()).settings

    def for_folder(self, folder: Path) -> FileSettings:
        """The settings in a folder (absolute), with the command line on top."""
        if folder not in self._folders:
            self._folders[folder] = self._settle(folder)
        return self._folders[folder]

    def for_file(self, path: Path) -> FileSettings:
        """The settings of one file, without the rules that `per-file-ignores` takes away from it."""
        found = self.for_folder(path.absolute().parent)
        relative = os.path.relpath(path.absolute(), found.settings.root).replace(os.sep, "/")
        return evolve(found, enabled=enabled_for(relative, found.enabled, found.settings.selection))

    def _settle(self, folder: Path) -> FileSettings:
        try:
            base = self._given
            if base is None and not self._isolated:
                base = self._finder.nearest(folder)
            settings = read_table(base or Settings(Path.cwd()), self._overlay, "command line")
        except ConfigError as error:
            raise UsageError(str(error)) from None
        options = CheckOptions(settings.toolchain, settings.rule_options)
        return FileSettings(settings, options, resolve(settings.selection))


def _given(name: str | None) -> Settings | None:
    """The configuration named by `--config`."""
    if name is None:
        return None
    try:
        settings = read_config(Path(name).absolute())
    except ConfigError as error:
        raise UsageError(str(error)) from None
    if settings is None:
        raise UsageError(f"{name} has no [tool.pto-lint]")
    return settings


def _overlay(arguments: Namespace) -> dict[str, object]:
    """The command line as a configuration table: what was not given is absent."""
    given: dict[str, object] = {key: value for key, value in vars(arguments).items() if value is not None}
    table: dict[str, object] = {name: given[name] for name in _PLAIN if name in given}
    for name in _LISTS:
        if name in given:
            table[name] = [item for text in cast("list[str]", given[name]) for item in strings(text)]
    if "per_file_ignores" in given:
        table["per_file_ignores"] = _pairs(cast("list[str]", given["per_file_ignores"]), ":", "--per-file-ignores")
    if "severity" in given:
        table["severity"] = dict(_pair(text, "=", "--severity") for text in cast("list[str]", given["severity"]))
    return table


def _pairs(texts: Iterable[str], separator: str, option: str) -> dict[str, list[str]]:
    """`tests/*:PTO1,PTO2` rows; several rows of one glob add up."""
    table: dict[str, list[str]] = {}
    for text in texts:
        glob, rules = _pair(text, separator, option)
        table.setdefault(glob, []).extend(strings(rules))
    return table


def _pair(text: str, separator: str, option: str) -> tuple[str, str]:
    left, found, right = text.rpartition(separator)
    if not found or not left or not right:
        raise UsageError(f"{option}: `{text}` is not of the form LEFT{separator}RIGHT")
    return left.strip(), right.strip()
