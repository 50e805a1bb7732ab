"""Which files may import a module: those near it that mention it, or a package that hands its names on."""

from __future__ import annotations

from collections.abc import Iterator
from os.path import basename, dirname, splitext

from pto_analysis.source.imports import SourceProvider, folders_above


def module_name(path: str) -> str:
    """The last name by which a file is imported; that of its folder for a package's `__init__.py`."""
    stem = splitext(basename(path))[0]
    return basename(dirname(path)) if stem == "__init__" else stem


def is_package(path: str) -> bool:
    """Whether a file is what importing its folder runs."""
    return basename(path) == "__init__.py"


def possible_importers(provider: SourceProvider, path: str) -> Iterator[str]:
    """Files in a module's folder and in those above it, up to the root of the workspace, whose text names it.

    A package among them may hand the module's names on, so that those who name the package follow.
    """
    seen, waiting = {path}, [path]
    while waiting:
        current = waiting.pop(0)
        name = module_name(current)
        for folder in folders_above(provider, current):
            for other in provider.listing(folder):
                if other not in seen and name in (provider.read(other) or ""):
                    seen.add(other)
                    yield other
                    if is_package(other):
                        waiting.append(other)
