"""Which files a run looks at: paths as given, folders walked without what git ignores, each file once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import field, frozen

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = (".py", ".pto")

SKIPPED_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", ".venv", "venv", "__pycache__", "__pypackages__", "node_modules", "site-packages",
        ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".eggs",
    }
)  # fmt: skip


@frozen
class Found:
    """What a walk gave: files in a stable order, and the places that could not be read."""

    files: tuple[Path, ...]
    errors: tuple[tuple[Path, str], ...] = ()


@frozen
class _Ignores:
    """The .gitignore files from the repository's root down to a folder."""

    specs: tuple[tuple[str, GitIgnoreSpec], ...] = ()

    def within(self, folder: str) -> _Ignores:
        spec = _read_gitignore(os.path.join(folder, ".gitignore"))
        return _Ignores((*self.specs, (folder, spec))) if spec is not None else self

    def ignored(self, path: str, *, is_folder: bool) -> bool:
        """The last .gitignore with an opinion decides, as in git."""
        for folder, spec in reversed(self.specs):
            relative = os.path.relpath(path, folder).replace(os.sep, "/")
            verdict = spec.check_file(relative + "/" if is_folder else relative).include
            if verdict is not None:
                return verdict
        return False


@frozen
class _Walk:
    exclude: tuple[str, ...]
    visited: set[tuple[int, int]] = field(factory=set[tuple[int, int]])
    errors: list[tuple[Path, str]] = field(factory=list[tuple[Path, str]])


def discover(paths: Iterable[Path], exclude: tuple[str, ...] = ()) -> Found:
    """Files named in `paths` (whatever their suffix, ignored or not) and the `.py` and `.pto` files below folders.

    `exclude` are globs for what is found by walking. A folder reached twice through links is walked once.
    """
    files: dict[Path, None] = {}
    walk = _Walk(exclude)
    for path in paths:
        if path.is_dir():
            folder = os.path.abspath(path)
            for name in _walk(folder, _outer_ignores(folder), walk):
                files[path / os.path.relpath(name, folder)] = None
        else:
            files[path] = None
    return Found(tuple(files), tuple(walk.errors))


def _walk(folder: str, ignores: _Ignores, walk: _Walk) -> Iterator[str]:
    try:
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in walk.visited:
            return
        walk.visited.add((status.st_dev, status.st_ino))
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        walk.errors.append((Path(folder), (error.strerror or str(error)).lower()))
        return
    ignores = ignores.within(folder)
    for entry in found:
        if os.path.isdir(entry.path):
            if not _skips_folder(entry, ignores, walk):
                yield from _walk(entry.path, ignores, walk)
        elif entry.name.endswith(SUFFIXES) and not _skips_file(entry, ignores, walk):
            yield entry.path


def _skips_folder(entry: os.DirEntry[str], ignores: _Ignores, walk: _Walk) -> bool:
    if entry.name in SKIPPED_FOLDERS or os.path.isfile(os.path.join(entry.path, "pyvenv.cfg")):
        return True
    return ignores.ignored(entry.path, is_folder=True) or _excluded(entry.path, walk.exclude)


def _skips_file(entry: os.DirEntry[str], ignores: _Ignores, walk: _Walk) -> bool:
    return ignores.ignored(entry.path, is_folder=False) or _excluded(entry.path, walk.exclude)


def _excluded(path: str, globs: tuple[str, ...]) -> bool:
    from fnmatch import fnmatch

    path = path.replace(os.sep, "/")
    return any(
        fnmatch(path.rpartition("/")[2], glob) or fnmatch(path, f"*/{glob.removeprefix('./').rstrip('/')}")
        for glob in globs
    )


def _outer_ignores(folder: str) -> _Ignores:
    """The .gitignore files above `folder`, up to its repository's root; none outside a repository."""
    above: list[str] = []
    current = folder
    while not os.path.exists(os.path.join(current, ".git")):
        parent = os.path.dirname(current)
        if parent == current:
            return _Ignores()
        above.append(parent)
        current = parent
    ignores = _Ignores()
    exclude = _read_gitignore(os.path.join(current, ".git", "info", "exclude"))
    if exclude is not None:
        ignores = _Ignores(((current, exclude),))
    for outer in reversed(above):
        ignores = ignores.within(outer)
    return ignores


def _read_gitignore(path: str) -> GitIgnoreSpec | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)
