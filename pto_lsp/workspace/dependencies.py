"""What a file's findings may depend on besides its text: the files it imports, and those these import.

Where a kernel leaves the shape of a parameter to its callers, the files near it that mention it count too. All this
is more than the analysis really read, so that nothing is missed; also which files were looked for in vain, since one
that appears changes what an import means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from attrs import field, frozen

from pto_analysis.source.importers import module_name, possible_importers
from pto_analysis.source.imports import SourceProvider, folders_above, resolve_import, submodule
from pto_analysis.source.modules import Imported, ModuleIndex
from pto_analysis.source.workspace import Workspace
from pto_lsp.workspace.states import PRESENT, READ, listing, without

MAX_FILES = 500

_BARE_PARAMETER = re.compile(
    r":\s*(?!torch\b)(?:\w+\s*\.\s*)?(?:(?:In)?Out\s*\[\s*(?:\w+\s*\.\s*)?)?(?:Distributed)?Tensor\b(?!\s*\[)"
)
"""A parameter whose shape and dtype are its callers' to say, and now and then something else."""


@frozen(eq=False)
class _Witness:
    """A provider that remembers what it was asked: which paths exist, which files a folder lists."""

    inner: SourceProvider
    asked: dict[str, str | None] = field(factory=dict[str, "str | None"])
    listed: dict[str, str | None] = field(factory=dict[str, "str | None"])

    @property
    def roots(self) -> tuple[str, ...]:
        return self.inner.roots

    def read(self, path: str) -> str | None:
        return self.inner.read(path)

    def listing(self, folder: str) -> tuple[str, ...]:
        paths = self.inner.listing(folder)
        if folder not in self.listed:
            self.listed[folder] = listing(paths)
        return paths

    def exists(self, path: str) -> bool:
        there = self.inner.exists(path)
        self.asked[path] = PRESENT if there else None
        return there


@frozen(eq=False)
class _Links:
    """What one file leads to: the files that it may depend on, what was asked to find them, and (`near`) the files
    that would be among them if they named it."""

    targets: tuple[str, ...] = ()
    witness: _Witness | None = None
    near: tuple[str, ...] = ()


def leaves_shapes_open(text: str) -> bool:
    """Whether a kernel may have parameters whose types only its callers tell."""
    return _BARE_PARAMETER.search(text) is not None


KnownImports = dict[str, tuple[str, "tuple[Imported, ...]"]]
"""By path: a text and its imports."""


class Dependencies:
    """The dependencies of the files of one workspace; where each file leads is found out once."""

    def __init__(self, workspace: Workspace, imports: KnownImports | None = None) -> None:
        """`imports` are those of files that may have been read before."""
        self._workspace = workspace
        self._imports = {} if imports is None else imports
        self._links: dict[str, _Links] = {}

    def of(self, path: str) -> Mapping[str, str | None]:
        """Paths by what counted of them (see `states`): READ for their text. `path` itself is left out."""
        asked: dict[str, str | None] = {}
        listed: dict[str, str | None] = {}
        looked_for: dict[str, set[str]] = {}
        waiting = [path]
        seen = {path}
        while waiting and len(seen) < MAX_FILES:
            current = waiting.pop()
            links = self._links_of(current)
            if links.witness is not None:
                asked.update(links.witness.asked)
                listed.update(links.witness.listed)
            for other in links.near:
                looked_for.setdefault(other, set()).add(module_name(current))
            for target in links.targets:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        named = {other: without(names) for other, names in looked_for.items()}
        found = {**asked, **listed, **named, **dict.fromkeys(seen, READ)}
        del found[path]
        return found

    def _links_of(self, path: str) -> _Links:
        if path not in self._links:
            self._links[path] = self._found_links(path)
        return self._links[path]

    def _found_links(self, path: str) -> _Links:
        text = self._workspace.provider.read(path)
        if text is None:
            return _Links()
        witness = _Witness(self._workspace.provider)
        targets = [*_targets(path, self._imports_of(path, text), witness)]
        if not leaves_shapes_open(text):
            return _Links(tuple(targets), witness)
        targets += possible_importers(witness, path)
        return _Links(tuple(targets), witness, tuple(_near(witness, path)))

    def _imports_of(self, path: str, text: str) -> tuple[Imported, ...]:
        known = self._imports.get(path)
        if known is None or known[0] != text:
            index = self._workspace.index(path)
            known = self._imports[path] = (text, () if index is None else _imports(index))
        return known[1]


def _near(provider: SourceProvider, path: str) -> Iterator[str]:
    for folder in folders_above(provider, path):
        yield from provider.listing(folder)


def _targets(path: str, imports: Iterable[Imported], provider: SourceProvider) -> Iterator[str]:
    for imported in imports:
        if imported.level == 0 and imported.module.split(".")[0] == "pypto":
            continue
        target = resolve_import(provider, path, imported.module, imported.level)
        if target is None:
            continue
        yield target
        inner = submodule(provider, target, imported.name) if imported.name is not None else None
        if inner is not None:
            yield inner


def _imports(index: ModuleIndex) -> tuple[Imported, ...]:
    meanings = [binding.meaning for each in (*index.bindings.values(), index.stars) for binding in each]
    return tuple(dict.fromkeys(each for each in meanings if isinstance(each, Imported)))
