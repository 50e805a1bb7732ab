"""What was read in earlier states of the files, by everything that it depends on (see `around`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import blake2b
from weakref import WeakKeyDictionary

from attrs import frozen

from pto_analysis.frontend.call_sites import Calls
from pto_analysis.frontend.discovery import KernelSite
from pto_analysis.frontend.functions import FunctionFacts
from pto_analysis.frontend.module import ModuleReader
from pto_analysis.frontend.recall import IsDsl, Parameters, Sites
from pto_analysis.source.unit import Unit, UnitContent
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.around import Around
from pto_lsp.workspace.cores import Cores
from pto_lsp.workspace.dependencies import Dependencies, KnownImports
from pto_lsp.workspace.states import READ
from pto_lsp.workspace.versions import Uses, Versions

MAX_FACTS = 500_000
"""Characters of units whose functions are kept as they were read."""

MAX_CALLS = 2_000_000
"""Characters of files whose calls of kernels in Python code are kept; little is kept of each."""

MAX_PARAMETERS = 20_000
"""Parameters of kernels that are kept as callers see them."""

MAX_INTERFACES = 10_000
"""Kernels of which is kept what their callers see, as a fingerprint."""


@frozen(eq=False)
class _Sites:
    """The kernels of a unit, and which names were taken to be of the DSL."""

    dsl: Mapping[str, bool]
    sites: Sites


class Memory:
    """What is kept from one state of the files to the next. Not for several threads at once."""

    def __init__(self, uses: Uses) -> None:
        self.calls: Versions[None, Calls] = Versions(MAX_CALLS, uses)
        self.facts: Versions[tuple[str, str, bytes], FunctionFacts] = Versions(MAX_FACTS, uses)
        self.parameters: Versions[tuple[str, str], Parameters] = Versions(MAX_PARAMETERS, uses)
        self.interfaces: Versions[str, bytes] = Versions(MAX_INTERFACES, uses)
        self.cores = Cores(uses)
        self.sites: WeakKeyDictionary[UnitContent, dict[str, _Sites]] = WeakKeyDictionary()
        """By path, as sites are told apart by their identity: files of one text have sites of their own."""
        self.imports: KnownImports = {}
        self.digests: dict[str, tuple[str, str]] = {}
        """By path: a text and its digest."""

    def sweep(self, path: str, since: int) -> None:
        """Forgets what of a file was of no use since then."""
        for each in (self.calls, self.facts, self.parameters, self.interfaces, self.cores):
            each.sweep(path, since)


class Recollection:
    """`frontend.recall.Recall` for one state of the files."""

    def __init__(self, memory: Memory, workspace: Workspace) -> None:
        self._memory = memory
        self._provider = workspace.provider
        self._around: dict[str, Around] = {}
        self._dependencies = Dependencies(workspace, memory.imports)

    def release(self) -> None:
        """Forgets this state, which the garbage collector would have to find otherwise."""
        self._around.clear()

    def around(self, reader: ModuleReader) -> Around:
        """The surroundings of the units of a file."""
        if reader.path not in self._around:
            path = reader.path
            self._around[path] = Around(reader, partial(self._imported, path), partial(self._interface, path))
        return self._around[reader.path]

    def _interface(self, path: str, unit: Unit, made_from: bytes, make: Callable[[], bytes]) -> bytes:
        return self._memory.interfaces.of(path, unit.name or "", made_from, make, lambda _: 1)

    def _imported(self, path: str) -> Iterator[str]:
        """Every file that the names of a module may come from, with a digest of its text."""
        found = self._dependencies.imported_by(path)
        for name in sorted(found):
            yield name
            yield self._digest_of(name) if found[name] == READ else str(found[name])

    def _digest_of(self, path: str) -> str:
        text = self._provider.read(path) or ""
        known = self._memory.digests.get(path)
        if known is None or known[0] != text:
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            known = self._memory.digests[path] = (text, digest)
        return known[1]

    def calls(self, reader: ModuleReader, find: Callable[[], Calls]) -> Calls:
        size = len(reader.source.source.text)
        return self._memory.calls.of(reader.path, None, self.around(reader).host, find, lambda _: size)

    def sites(self, reader: ModuleReader, unit: Unit, find: Callable[[IsDsl], Sites]) -> Sites:
        by_path = self._memory.sites.setdefault(unit.content, {})
        known = by_path.get(reader.path)
        if known is None or any(reader.is_dsl(name) is not answer for name, answer in known.dsl.items()):
            answers: dict[str, bool] = {}

            def is_dsl(name: str) -> bool:
                answers[name] = reader.is_dsl(name)
                return answers[name]

            known = by_path[reader.path] = _Sites(answers, find(is_dsl))
        return known.sites

    def parameters(
        self, reader: ModuleReader, unit: Unit, site: KernelSite, told: bytes, read: Callable[[], Parameters]
    ) -> Parameters:
        place = (unit.name or unit.keyword, site.qualname)
        key = _together(unit.content.digest, told, self.around(reader).declaring(unit))
        return self._memory.parameters.of(reader.path, place, key, read, lambda found: len(found) + 1)

    def facts(
        self, reader: ModuleReader, unit: Unit, site: KernelSite, given: bytes, read: Callable[[], FunctionFacts]
    ) -> FunctionFacts:
        place = (unit.name or unit.keyword, site.qualname, given)
        key = _together(unit.content.digest, self.around(reader).reading(unit))
        return self._memory.facts.of(reader.path, place, key, read, lambda _: len(unit.text))


def _together(*digests: bytes) -> bytes:
    return blake2b(b"".join(digests), digest_size=16).digest()
