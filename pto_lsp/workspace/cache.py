"""Remembered analyses on disk: one small file per source file, keyed by content, never trusted blindly.

An entry holds if the text, every file that was read for constants, the toolchain, the rules' options and this
program are the same as when it was written. Anything unreadable counts as absent.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import cast

from attrs import frozen

import pto_analysis
from pto_analysis.report import CheckOptions, FileAnalysis
from pto_lsp import __version__
from pto_lsp.workspace.codec import Encoded, decode, encode
from pto_lsp.workspace.reading import ReadError, python_files, read_bytes
from pto_lsp.workspace.states import PRESENT, READ, is_listing, is_without, listing, mentions


def default_cache_dir() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("pto-lint")


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@frozen
class Result:
    """An analysis with what it depends on (see `workspace.dependencies`)."""

    analysis: FileAnalysis
    dependencies: Mapping[str, str | None]


class CacheFolder:
    """The cache on disk. Writing is atomic; a folder that cannot be written is no error."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._digests: dict[str, str | None] = {}
        self._present: dict[str, bool] = {}
        self._listings: dict[str, str] = {}
        self._texts: dict[str, str] = {}

    def read(self, path: str, text: str, options: CheckOptions) -> FileAnalysis | None:
        """The remembered analysis of `path` with this text, if it still holds."""
        try:
            body: object = json.loads(self._entry(path, options).read_bytes())
            stored = cast("dict[str, object]", body)
            if stored["text"] != digest(text):
                return None
            if not self._still_holds(cast("dict[str, str | None]", stored["needs"])):
                return None
            return decode(cast("Encoded", stored["analysis"]))
        except (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError):
            return None

    def write(self, path: str, text: str, options: CheckOptions, result: Result) -> None:
        if result.analysis.errors:
            return
        states = {name: self._current(name) if state == READ else state for name, state in result.dependencies.items()}
        entry_body = {"path": path, "text": digest(text), "needs": states, "analysis": encode(result.analysis)}
        with contextlib.suppress(OSError, TypeError, ValueError):
            body = json.dumps(entry_body)
            entry = self._entry(path, options)
            entry.parent.mkdir(parents=True, exist_ok=True)
            draft = entry.with_suffix(f".{os.getpid()}")
            draft.write_text(body, encoding="utf-8")
            draft.replace(entry)

    def _entry(self, path: str, options: CheckOptions) -> Path:
        return self._folder / _options_key(options) / f"{digest(os.path.abspath(path))[:24]}.json"

    def _still_holds(self, needs: Mapping[str, str | None]) -> bool:
        return all(self._state(path, known) == known for path, known in needs.items())

    def _state(self, path: str, known: str | None) -> str | None:
        if known is None or known == PRESENT:
            return PRESENT if self._exists(path) else None
        if is_listing(known):
            return self._listing(path)
        if is_without(known):
            return None if mentions(known, self._text(path)) else known
        return self._current(path)

    def _listing(self, folder: str) -> str:
        if folder not in self._listings:
            self._listings[folder] = listing(python_files(folder))
        return self._listings[folder]

    def _text(self, path: str) -> str:
        """A file as `without` judges it; empty when it is gone, which the listing of its folder tells."""
        if path not in self._texts:
            try:
                self._texts[path] = Path(path).read_text("utf-8", "replace")
            except OSError:
                self._texts[path] = ""
        return self._texts[path]

    def _exists(self, path: str) -> bool:
        if path not in self._present:
            self._present[path] = os.path.exists(path)
        return self._present[path]

    def _current(self, path: str) -> str | None:
        if path not in self._digests:
            self._digests[path] = file_digest(path)
        return self._digests[path]


def file_digest(path: str) -> str | None:
    """The digest of a file's bytes as text; None when it cannot be read."""
    try:
        return sha256(read_bytes(Path(path))).hexdigest()
    except ReadError:
        return None


def _options_key(options: CheckOptions) -> str:
    rules = {code: dict(values) for code, values in options.rule_options.items()}
    key = [__version__, program_fingerprint(), str(options.toolchain), rules]
    return digest(json.dumps(key, sort_keys=True))[:16]


@cache
def program_fingerprint() -> str:
    """Changes with every file of the analysis, so that a developer never sees results of older code."""
    root = Path(pto_analysis.__file__).parent
    stats = ((path, path.stat()) for path in sorted(root.rglob("*.py")))
    return digest("\n".join(f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in stats))
