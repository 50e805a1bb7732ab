"""What a file's findings may depend on besides its text: the files it imports, and those these import.

More than the analysis really read, so that nothing is missed; also which files were looked for in vain, since one
that appears changes what an import means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import field, frozen

from pto_analysis.source.imports import SourceProvider, resolve_import, submodule
from pto_analysis.source.modules import Imported, ModuleIndex, index_module
from pto_lsp.workspace.states import PRESENT, READ

MAX_FILES = 500


@frozen(eq=False)
class _Witness:
    """A provider that remembers which paths it was asked about."""

    inner: SourceProvider
    asked: dict[str, str | None] = field(factory=dict[str, "str | None"])

    @property
    def roots(self) -> tuple[str, ...]:
        return self.inner.roots

    def read(self, path: str) -> str | None:
        return self.inner.read(path)

    def exists(self, path: str) -> bool:
        there = self.inner.exists(path)
        self.asked.setdefault(path, PRESENT if there else None)
        return there


def dependencies(path: str, provider: SourceProvider) -> Mapping[str, str | None]:
    """Paths by what counted of them: READ for their text, PRESENT, None for missing. `path` itself is left out."""
    witness = _Witness(provider)
    found: dict[str, str | None] = {}
    waiting = [path]
    seen = {path}
    while waiting and len(seen) < MAX_FILES:
        current = waiting.pop()
        text = provider.read(current)
        if text is None:
            continue
        for target in _targets(current, index_module(text), witness):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    found.update(witness.asked)
    found.update(dict.fromkeys(seen - {path}, READ))
    return found


def _targets(path: str, index: ModuleIndex, provider: SourceProvider) -> Iterator[str]:
    for imported in _imports(index):
        if imported.level == 0 and imported.module.split(".")[0] == "pypto":
            continue
        target = resolve_import(provider, path, imported.module, imported.level)
        if target is None:
            continue
        yield target
        inner = submodule(provider, target, imported.name) if imported.name is not None else None
        if inner is not None:
            yield inner


def _imports(index: ModuleIndex) -> Iterator[Imported]:
    for bindings in (*index.bindings.values(), index.stars):
        for binding in bindings:
            if isinstance(binding.meaning, Imported):
                yield binding.meaning
