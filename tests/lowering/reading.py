"""Kernels of these tests, read by the frontend from a text alone."""

from __future__ import annotations

from attrs import frozen

from pto_analysis.frontend.module import read_module
from pto_analysis.ir.function import Function


@frozen
class NoFiles:
    """A workspace without files."""

    roots: tuple[str, ...] = ()

    def read(self, path: str) -> str | None:
        del path

    def exists(self, path: str) -> bool:
        return bool(path) and path in self.roots


def read(text: str) -> tuple[Function, ...]:
    """Every function of a module that imports nothing but the DSL; a refused one fails the test."""
    facts = [facts for unit in read_module("/kernel.py", text, NoFiles()).units for facts in unit.functions]
    for each in facts:
        assert not each.issues
        assert not each.not_understood
    return tuple(each.function for each in facts)
