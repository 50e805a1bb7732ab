"""What was read in earlier states of the files, by everything that it depends on (see `around`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b

from attrs import field, frozen

from pto_analysis.frontend.call_sites import Calls
from pto_analysis.frontend.discovery import KernelSite
from pto_analysis.frontend.functions import FunctionFacts
from pto_analysis.frontend.module import ModuleReader
from pto_analysis.source.remembered import Versions
from pto_analysis.source.unit import Unit
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.around import Around
from pto_lsp.workspace.cores import Cores
from pto_lsp.workspace.dependencies import Dependencies, KnownImports
from pto_lsp.workspace.states import READ

MAX_FACTS = 500_000
"""Characters of units whose functions are kept as they were read."""

MAX_CALLS = 2_000_000
"""Characters of files whose calls of kernels in Python code are kept; little is kept of each."""

MAX_INTERFACES = 10_000
"""Kernels of which is kept what their callers see, as a fingerprint."""


@frozen(eq=False)
class Memory:
    """What is kept from one state of the files to the next. Not for several threads at once."""

    calls: Versions[str, Calls] = field(factory=lambda: Versions[str, Calls](MAX_CALLS))
    facts: Versions[tuple[str, str, str, bytes], FunctionFacts] = field(
        factory=lambda: Versions[tuple[str, str, str, bytes], FunctionFacts](MAX_FACTS)
    )
    interfaces: Versions[tuple[str, str], bytes] = field(
        factory=lambda: Versions[tuple[str, str], bytes](MAX_INTERFACES)
    )
    imports: KnownImports = field(factory=KnownImports)
    digests: dict[str, tuple[str, str]] = field(factory=dict[str, tuple[str, str]])
    """By path: a text and its digest."""
    cores: Cores = field(factory=Cores)


class Recollection:
    """`frontend.recall.Recall` for one state of the files."""

    def __init__(self, memory: Memory, workspace: Workspace) -> None:
        self._memory = memory
        self._provider = workspace.provider
        self._around: dict[str, Around] = {}
        self._dependencies = Dependencies(workspace, memory.imports)

    def around(self, reader: ModuleReader) -> Around:
        """The surroundings of the units of a file."""
        if reader.path not in self._around:
            path = reader.path
            self._around[path] = Around(reader, partial(self._imported, path), partial(self._interface, path))
        return self._around[reader.path]

    def _interface(self, path: str, unit: Unit, made_from: bytes, make: Callable[[], bytes]) -> bytes:
        place = (path, unit.name or "")
        known = self._memory.interfaces.get(place, made_from)
        found = make() if known is None else known
        self._memory.interfaces.put(place, made_from, found, 1)
        return found

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
        key = self.around(reader).host
        known = self._memory.calls.get(reader.path, key)
        found = find() if known is None else known
        self._memory.calls.put(reader.path, key, found, len(reader.source.source.text))
        return found

    def facts(
        self, reader: ModuleReader, unit: Unit, site: KernelSite, given: bytes, read: Callable[[], FunctionFacts]
    ) -> FunctionFacts:
        place = (reader.path, unit.name or unit.keyword, site.qualname, given)
        key = _together(unit.content.digest, self.around(reader).reading(unit))
        known = self._memory.facts.get(place, key)
        found = read() if known is None else known
        self._memory.facts.put(place, key, found, len(unit.text))
        return found


def _together(*digests: bytes) -> bytes:
    return blake2b(b"".join(digests), digest_size=16).digest()
