"""What was found in earlier states of the files, for those who keep several: asked before anything is worked out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from pto_analysis.frontend.call_sites import Calls
from pto_analysis.frontend.callee import CalleeParam
from pto_analysis.frontend.discovery import KernelSite
from pto_analysis.frontend.functions import FunctionFacts
from pto_analysis.source.unit import Unit

if TYPE_CHECKING:
    from pto_analysis.frontend.module import ModuleReader


IsDsl = Callable[[str], bool]
Sites = tuple[KernelSite, ...]
Parameters = tuple[CalleeParam, ...]


class Recall(Protocol):
    """Gives what is known from before, if all that it depends on is the same, else what the last argument makes."""

    def calls(self, reader: ModuleReader, find: Callable[[], Calls], /) -> Calls:
        """What Python code of a file hands to kernels."""
        ...

    def sites(self, reader: ModuleReader, unit: Unit, find: Callable[[IsDsl], Sites], /) -> Sites:
        """The kernels of a unit, by which names are of the DSL (`reader.is_dsl` tells)."""
        ...

    def parameters(
        self, reader: ModuleReader, unit: Unit, site: KernelSite, told: bytes, read: Callable[[], Parameters], /
    ) -> Parameters:
        """The parameters of a kernel as callers see them, where Python code tells types of this fingerprint."""
        ...

    def facts(
        self, reader: ModuleReader, unit: Unit, site: KernelSite, given: bytes, read: Callable[[], FunctionFacts], /
    ) -> FunctionFacts:
        """A kernel with the types for its bare parameters that have this fingerprint."""
        ...


class _Nothing:
    """The first state."""

    def calls(self, _reader: ModuleReader, find: Callable[[], Calls], /) -> Calls:
        return find()

    def sites(self, reader: ModuleReader, _unit: Unit, find: Callable[[IsDsl], Sites], /) -> Sites:
        return find(reader.is_dsl)

    def parameters(
        self, _reader: ModuleReader, _unit: Unit, _site: KernelSite, _told: bytes, read: Callable[[], Parameters], /
    ) -> Parameters:
        return read()

    def facts(
        self, _reader: ModuleReader, _unit: Unit, _site: KernelSite, _given: bytes, read: Callable[[], FunctionFacts], /
    ) -> FunctionFacts:
        return read()


NOTHING: Recall = _Nothing()
