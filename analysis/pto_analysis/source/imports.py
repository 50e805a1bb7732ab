"""Which file an import means."""

from __future__ import annotations

from os.path import commonpath, dirname, join, normpath
from typing import Protocol

_SOURCE_FOLDERS = ("", "src", "python")


class SourceProvider(Protocol):
    """Where source text comes from: open buffers first, then the disk. Paths are absolute."""

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders of the workspace."""
        ...

    def read(self, path: str) -> str | None:
        """The text of a file; None when there is none that can be read."""
        ...

    def exists(self, path: str) -> bool:
        """Whether a file or folder is there."""
        ...

    def listing(self, folder: str) -> tuple[str, ...]:
        """The paths of the Python files in a folder, sorted."""
        ...


def resolve_import(provider: SourceProvider, importer: str, module: str, level: int) -> str | None:
    """The file of a module (a folder, for a namespace package), as imported from a file; None when not found.

    Absolute names are looked for in the importer's folder, as for a script, then in the folders above it up
    to the workspace root, then in the roots themselves and their `src` and `python` folders.
    """
    if level:
        folder = dirname(importer)
        for _ in range(level - 1):
            folder = dirname(folder)
        return _module_file(provider, folder, module)
    for folder in _search_folders(provider, importer):
        found = _module_file(provider, folder, module)
        if found is not None:
            return found
    return None


def submodule(provider: SourceProvider, package: str, name: str) -> str | None:
    """The file of `package.name`, for a package given by its `__init__.py` or folder."""
    if package.endswith(".py") and not package.endswith("__init__.py"):
        return None
    folder = dirname(package) if package.endswith(".py") else package
    return _module_file(provider, folder, name)


def folders_above(provider: SourceProvider, path: str) -> list[str]:
    """The folder of a file and those above it, up to the root of its workspace."""
    folder = dirname(path)
    inside = [root for root in provider.roots if _is_under(folder, root)]
    stop = min(inside, key=len) if inside else folder
    folders = [folder]
    while folder != stop and dirname(folder) != folder:
        folder = dirname(folder)
        folders.append(folder)
    return folders


def _search_folders(provider: SourceProvider, importer: str) -> list[str]:
    folders = folders_above(provider, importer)
    others = [join(root, name) if name else root for root in provider.roots for name in _SOURCE_FOLDERS]
    return list(dict.fromkeys([*folders, *others]))


def _is_under(folder: str, root: str) -> bool:
    try:
        return commonpath([folder, root]) == normpath(root)
    except ValueError:
        return False


def _module_file(provider: SourceProvider, folder: str, module: str) -> str | None:
    target = normpath(join(folder, *module.split("."))) if module else folder
    if module and provider.exists(f"{target}.py"):
        return f"{target}.py"
    package = join(target, "__init__.py")
    if provider.exists(package):
        return package
    return target if module and provider.exists(target) else None
