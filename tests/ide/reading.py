"""The kernels of a text, and the place of a cursor in it."""

from __future__ import annotations

from attrs import frozen

from pto_analysis.check import read_unit
from pto_analysis.frontend.module import Modules
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.source.unit import Unit, split_units
from pto_analysis.source.workspace import Workspace
from pto_analysis.toolchain import Toolchain
from tests.support.checking import PATH, Texts


@frozen(eq=False)
class Read:
    """The last unit of a module with its kernels; places count the unit's lines."""

    unit: Unit
    kernels: tuple[KernelFacts, ...]

    def place(self, text: str) -> tuple[int, int]:
        before = self.unit.text[: self.unit.text.index(text)]
        return before.count("\n"), len(before) - before.rfind("\n") - 1


def read(text: str) -> Read:
    source = split_units(text)
    file = FileFacts(PATH, source, Modules(Workspace(Texts({PATH: text}))), Toolchain())
    unit = source.units[-1]
    return Read(unit, read_unit(file, unit).kernels)
