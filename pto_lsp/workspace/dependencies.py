"""What a file's findings may depend on besides its text: the files it imports, and those these import.

Where a kernel leaves the shape of a parameter to its callers, the files near it that mention it count too. All this
is more than the analysis really read, so that nothing is missed; also which files were looked for in vain, since one
that appears changes what an import means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial

from attrs import field, frozen

from pto_analysis.source.importers import is_package, module_name, possible_importers
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

    @property
    def answers(self) -> Mapping[str, str | None]:
        return {**self.asked, **self.listed}

    def exists(self, path: str) -> bool:
        there = self.inner.exists(path)
        self.asked[path] = PRESENT if there else None
        return there


@frozen(eq=False)
class _Links:
    """Files that a file may depend on, and what was asked to find them."""

    targets: tuple[str, ...] = ()
    asked: Mapping[str, str | None] = field(factory=dict[str, "str | None"])


@frozen(eq=False)
class _Callers(_Links):
    """The files that may call kernels of a file, and (`near`) those that would be among them with one of `names`."""

    near: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


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
        self._callers: dict[str, _Callers] = {}

    def of(self, path: str) -> Mapping[str, str | None]:
        """Paths by what counted of them (see `states`): READ for their text. `path` itself is left out."""
        return _reached(path, lambda each: (self._links_of(each), self._callers_of(each)))

    def imported_by(self, path: str) -> Mapping[str, str | None]:
        """The same without the files that count for what they hand to kernels alone."""
        return _reached(path, lambda each: (self._links_of(each),))

    def _links_of(self, path: str) -> _Links:
        if path not in self._links:
            text = self._workspace.provider.read(path)
            witness = _Witness(self._workspace.provider)
            targets = () if text is None else tuple(_targets(path, self._imports_of(path, text), witness))
            self._links[path] = _Links(targets, witness.answers)
        return self._links[path]

    def _callers_of(self, path: str) -> _Callers:
        if path not in self._callers:
            text = self._workspace.provider.read(path)
            witness = _Witness(self._workspace.provider)
            is_open = text is not None and leaves_shapes_open(text)
            targets = tuple(possible_importers(witness, path)) if is_open else ()
            handing = (path, *filter(is_package, targets))
            near = tuple(dict.fromkeys(each for one in handing for each in _near(witness, one))) if is_open else ()
            names = tuple(dict.fromkeys(map(module_name, handing)))
            self._callers[path] = _Callers(targets, witness.answers, near, names)
        return self._callers[path]

    def _imports_of(self, path: str, text: str) -> tuple[Imported, ...]:
        known = self._imports.get(path)
        if known is None or known[0] != text:
            index = self._workspace.index(path)
            known = self._imports[path] = (text, () if index is None else _imports(index))
        return known[1]


def _reached(path: str, links: Callable[[str], Iterable[_Links]]) -> Mapping[str, str | None]:
    """The files that are reached from one by the links of each."""
    asked: dict[str, str | None] = {}
    looked_for: dict[str, set[str]] = {}
    waiting = [path]
    seen = {path}
    while waiting and len(seen) < MAX_FILES:
        current = waiting.pop()
        for each in links(current):
            asked.update(each.asked)
            if isinstance(each, _Callers):
                for other in each.near:
                    looked_for.setdefault(other, set()).update(each.names)
            for target in each.targets:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
    named = {other: without(names) for other, names in looked_for.items()}
    found = {**asked, **named, **dict.fromkeys(seen, READ)}
    del found[path]
    return found


def _near(provider: SourceProvider, path: str) -> Iterator[str]:
    for folder in folders_above(provider, path):
        yield from provider.listing(folder)


def _targets(path: str, imports: Iterable[Imported], provider: SourceProvider) -> Iterator[str]:
    resolve = cache(partial(resolve_import, provider, path))
    for imported in imports:
        if imported.level == 0 and imported.module.split(".")[0] == "pypto":
            continue
        target = resolve(imported.module, imported.level)
        if target is None:
            continue
        yield target
        inner = submodule(provider, target, imported.name) if imported.name is not None else None
        if inner is not None:
            yield inner


def _imports(index: ModuleIndex) -> tuple[Imported, ...]:
    meanings = [binding.meaning for each in (*index.bindings.values(), index.stars) for binding in each]
    return tuple(dict.fromkeys(each for each in meanings if isinstance(each, Imported)))
