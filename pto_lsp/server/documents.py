"""The state that the server looks at: open documents over the disk, folders, and settings."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from attrs import evolve, field, frozen

from pto_analysis.rules.selection import Enabled, enabled_for, resolve
from pto_lsp.config.files import ConfigFinder
from pto_lsp.config.keys import KEYS, read_table
from pto_lsp.config.settings import ConfigError, Settings
from pto_lsp.workspace.live import DiskTexts
from pto_lsp.workspace.provider import project_root
from pto_lsp.workspace.snapshot import Snapshot

log = logging.getLogger("pto.documents")


@frozen
class Document:
    """One text as the client has it. `uri` and `version` are the client's own."""

    uri: str
    path: str
    version: int | None
    text: str


@frozen
class EditorSettings:
    """What the client configured. `linter` holds the keys that a configuration file may have too, and wins over it."""

    linter: Mapping[str, object] = field(factory=dict[str, object])
    inlay_hints: frozenset[str] = frozenset({"types", "windows", "copies"})
    code_lens: bool = True
    preview_model: str = "precise"
    enabled: bool = True


_HINTS = {"types": True, "windows": True, "copies": True, "waits": False}


def editor_settings(section: object) -> EditorSettings:
    """From the `pto` section of the client's settings; what is missing or of the wrong kind has its default."""
    table = _table(section)
    hints = _table(table.get("inlayHints"))
    shown = frozenset(name for name, default in _HINTS.items() if hints.get(name, default) is True)
    linter = {name: value for name, value in table.items() if name in KEYS and value not in (None, "", [])}
    return EditorSettings(
        linter=linter,
        inlay_hints=shown,
        code_lens=table.get("codeLens", True) is not False,
        preview_model="ptoas" if _table(table.get("preview")).get("model") == "ptoas" else "precise",
        enabled=table.get("enable", True) is not False,
    )


def _table(value: object) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        return {}
    return {str(key): item for key, item in cast("Mapping[object, object]", value).items()}


class Documents:
    """Everything the analysis may read. Owned by the event loop; worker threads see snapshots of it."""

    def __init__(self) -> None:
        self._open: dict[str, Document] = {}
        self._disk = DiskTexts()
        self._folders: tuple[str, ...] = ()
        self._configs = ConfigFinder()
        self.editor = EditorSettings()
        self.generation = 0

    def open(self, document: Document) -> None:
        """A document was opened or changed."""
        self._open[document.path] = document
        self.generation += 1

    def close(self, path: str) -> None:
        self._open.pop(path, None)
        self.generation += 1

    def get(self, path: str) -> Document | None:
        return self._open.get(path)

    @property
    def opened(self) -> tuple[Document, ...]:
        return tuple(self._open.values())

    @property
    def folders(self) -> tuple[str, ...]:
        return self._folders

    def set_folders(self, folders: Iterable[str]) -> None:
        self._folders = tuple(dict.fromkeys(folders))
        self.generation += 1

    def configure(self, editor: EditorSettings) -> None:
        self.editor = editor
        self.forget_configuration()

    def forget_configuration(self) -> None:
        """Configuration files are read again when next needed; also called when any watched file changes."""
        self._configs = ConfigFinder()
        self.generation += 1

    def snapshot(self, path: str) -> Snapshot:
        """The files as a document sees them now."""
        overlay = {document.path: document.text for document in self._open.values()}
        return Snapshot((self._root(path),), overlay, self._disk.read)

    def _root(self, path: str) -> str:
        return project_root(os.path.dirname(path))

    def settings(self, path: str) -> tuple[Settings, Enabled, str | None]:
        """What holds for a file, and what is wrong with its configuration (then the defaults hold)."""
        folder = Path(path).parent
        problem = None
        settings = Settings(folder)
        try:
            settings = self._configs.nearest(folder) or settings
            settings = read_table(settings, self.editor.linter, "editor settings")
            enabled = resolve(settings.selection)
        except (ConfigError, ValueError) as error:
            problem = str(error)
            settings = Settings(folder)
            enabled = resolve(settings.selection)
        relative = os.path.relpath(path, settings.root).replace(os.sep, "/")
        return settings, enabled_for(relative, enabled, settings.selection), problem


def moved(document: Document, text: str, version: int | None) -> Document:
    """The same document with a newer text."""
    return evolve(document, text=text, version=version)
