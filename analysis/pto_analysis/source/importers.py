"""Which files may import a module: those near it that mention it."""

from __future__ import annotations

from collections.abc import Iterator
from os.path import basename, dirname, splitext

from pto_analysis.source.imports import SourceProvider, folders_above


def module_name(path: str) -> str:
    """The last name by which a file is imported; that of its folder for a package's `__init__.py`."""
    stem = splitext(basename(path))[0]
    return basename(dirname(path)) if stem == "__init__" else stem


def possible_importers(provider: SourceProvider, path: str) -> Iterator[str]:
    """Files in a module's folder and in those above it, up to the root of the workspace, whose text names it."""
    name = module_name(path)
    for folder in folders_above(provider, path):
        for other in provider.listing(folder):
            if other != path and name in (provider.read(other) or ""):
                yield other
