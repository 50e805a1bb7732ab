"""Finding and reading configuration files: the nearest one above a file wins, whole."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from attrs import evolve

from pto_lsp.config.keys import read_table
from pto_lsp.config.settings import ConfigError, Settings

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CONFIG_NAMES = ("pto-lint.toml", "pyproject.toml")
"""In one folder the first that speaks of pto-lint wins."""


class ConfigFinder:
    """The settings of every folder, each file read once.

    A `pyproject.toml` without `[tool.pto-lint]` is passed over.
    """

    def __init__(self) -> None:
        self._by_folder: dict[Path, Settings | None] = {}

    def nearest(self, folder: Path) -> Settings | None:
        """The settings that hold in `folder` (absolute), or None without a configuration. Errors: ConfigError."""
        if folder not in self._by_folder:
            found = read_folder(folder)
            if found is None and folder.parent != folder:
                found = self.nearest(folder.parent)
            self._by_folder[folder] = found
        return self._by_folder[folder]


def read_folder(folder: Path) -> Settings | None:
    for name in CONFIG_NAMES:
        path = folder / name
        if not path.is_file():
            continue
        settings = read_config(path)
        if settings is not None:
            return settings
    return None


def read_config(path: Path) -> Settings | None:
    """The settings in one file; None for a `pyproject.toml` that does not mention pto-lint. Errors: ConfigError."""
    document = _parse(path)
    if path.name == "pyproject.toml":
        tool = document.get("tool")
        table = cast("Mapping[str, object]", tool).get("pto-lint") if isinstance(tool, Mapping) else None
        where = f"{path}: [tool.pto-lint]"
    else:
        table, where = document, str(path)
    if table is None:
        return None
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} is not a table")
    settings = read_table(Settings(path.parent), cast("Mapping[str, object]", table), where)
    return evolve(settings, source=path)


def _parse(path: Path) -> Mapping[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: broken TOML: {error}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
