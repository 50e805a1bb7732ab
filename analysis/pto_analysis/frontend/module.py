"""Entry points: the kernels of a module, unit by unit.

`read_module` reads one file. Tools that look at many files make one `Modules` for all of them, so that what one
file needs of another is worked out once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from os.path import dirname

from pto_analysis.frontend.callee import Callee, CalleeParam
from pto_analysis.frontend.callers import Callers
from pto_analysis.frontend.closure import Closure
from pto_analysis.frontend.discovery import KernelSite, find_kernels, without_parameters
from pto_analysis.frontend.expressions import read_expression
from pto_analysis.frontend.functions import (
    FunctionFacts,
    callee_parameters,
    completed,
    declared_results,
    is_strict,
    read_function,
    site_kind,
    site_parameters,
)
from pto_analysis.frontend.kernels import (
    argument_types,
    is_bare,
    method_of,
    results_without_reading,
    returned_kernel,
    returned_parameters,
    visible_kernel,
)
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.recall import NOTHING, Recall
from pto_analysis.frontend.recursion import may_reach
from pto_analysis.frontend.symbols import symbols_of
from pto_analysis.frozen import frozen
from pto_analysis.ir.fingerprint import fingerprint
from pto_analysis.ir.function import Function
from pto_analysis.ir.types import Type, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.imports import SourceProvider
from pto_analysis.source.text import mentions_dsl
from pto_analysis.source.unit import ModuleSource, Unit
from pto_analysis.source.values import DslName, FunctionRef, ModuleRef, Unknown, Value
from pto_analysis.source.workspace import Workspace


@frozen(eq=False)
class UnitFacts:
    """The kernels of one unit. `dependencies` are the other files that were looked into."""

    unit: Unit
    functions: tuple[FunctionFacts, ...]
    dependencies: frozenset[str] = frozenset()


@frozen(eq=False)
class ModuleFacts:
    """The units of a module that hold kernels, in source order."""

    path: str
    units: tuple[UnitFacts, ...] = ()


def read_module(path: str, text: str, provider: SourceProvider) -> ModuleFacts:
    """The kernels of a file whose text is given; `provider` gives the files that it imports. Never raises."""
    if not mentions_dsl(text):
        return ModuleFacts(path)
    return Modules(Workspace(_Overlay(provider, path, text))).read(path)


class Modules:
    """The kernels of the files of one workspace state. `recall` has what was found in earlier states."""

    def __init__(self, workspace: Workspace, recall: Recall = NOTHING) -> None:
        self.workspace = workspace
        self.recall = recall
        self._readers: dict[str, ModuleReader | None] = {}
        self._homes: dict[Function, KernelPlace] = {}

    def release(self) -> None:
        """Forgets what was worked out, which the garbage collector would have to find otherwise."""
        for reader in self._readers.values():
            if reader is not None:
                reader.release()
        self._readers.clear()
        self._homes.clear()
        self.workspace.release()

    def read(self, path: str) -> ModuleFacts:
        """Every kernel of a file; none when the file cannot be read."""
        reader = self.reader(path)
        if reader is None:
            return ModuleFacts(path)
        return ModuleFacts(path, tuple(reader.unit_facts(unit) for unit in reader.units_with_kernels()))

    def reader(self, path: str) -> ModuleReader | None:
        if path not in self._readers:
            source = self.workspace.source(path)
            self._readers[path] = None if source is None else ModuleReader(self, path, source)
        return self._readers[path]

    def place(self, ref: FunctionRef) -> KernelPlace | None:
        """The kernel that a name of the workspace means; None when it is a plain function."""
        reader, unit = self.reader(ref.path), self.workspace.unit_of(ref)
        if reader is None or unit is None:
            return None
        site = next((site for site in reader.sites(unit) if site.qualname == ref.name), None)
        return None if site is None else KernelPlace(reader, unit, site)

    def remember(self, function: Function, place: KernelPlace) -> None:
        """Where a function was read, for `called`."""
        self._homes[function] = place

    def called(self, caller: Function, spelled: str) -> Function | None:
        """The kernel that a function read here means by `f`, `ops.f` or `self.f`; None when it cannot be told."""
        home = self._homes.get(caller)
        place = None if home is None else home.reader.place(home.unit, home.site, spelled)
        if place is None:
            return None
        types = argument_types([caller], spelled.rpartition(".")[2]) or ()
        return place.reader.facts_for(place.unit, place.site, types).function


@frozen(eq=False)
class KernelPlace:
    """Where a kernel stands: its file's reader, its unit, its site there."""

    reader: ModuleReader
    unit: Unit
    site: KernelSite

    def callee(self) -> Callee:
        return self.reader.callee(self.unit, self.site)


class ModuleReader:
    """The kernels of one file, each read once for every set of types that its bare parameters have.

    What is said about a kernel does not depend on what was read before: who is called is seen as Python code alone
    makes it, who calls is asked for the types of bare parameters, and kernels that call themselves tell nothing.
    """

    def __init__(self, modules: Modules, path: str, source: ModuleSource) -> None:
        self._modules = modules
        self._path = path
        self._source = source
        self._names: dict[str, Value] = {}
        self._sites: dict[Unit, tuple[KernelSite, ...]] = {}
        self._facts: dict[tuple[KernelSite, bytes], FunctionFacts] = {}
        self._callees: dict[KernelSite, Callee] = {}
        self._busy: set[KernelSite] = set()
        self._callers: Callers | None = None

    def release(self) -> None:
        """See `Modules.release`."""
        for each in (self._names, self._sites, self._facts, self._callees):
            each.clear()
        self._callers = None

    @property
    def callers(self) -> Callers:
        if self._callers is None:
            self._callers = Callers(self._modules, self)
        return self._callers

    @property
    def path(self) -> str:
        return self._path

    @property
    def source(self) -> ModuleSource:
        return self._source

    def lookup(self, name: str) -> Value:
        """A module-level name."""
        if name not in self._names:
            workspace = self._modules.workspace
            value = workspace.lookup(self._path, name)
            if isinstance(value, Unknown) and not value.defined and workspace.binding(self._path, name) is not None:
                value = Unknown(value.why)
            self._names[name] = value
        return self._names[name]

    def units_with_kernels(self) -> tuple[Unit, ...]:
        return tuple(unit for unit in self._source.units if self.sites(unit))

    def sites(self, unit: Unit) -> tuple[KernelSite, ...]:
        if unit not in self._sites:
            self._sites[unit] = self._modules.recall.sites(self, unit, partial(find_kernels, unit))
        return self._sites[unit]

    def is_dsl(self, name: str) -> bool:
        """Whether a name may be of the DSL: what is imported from elsewhere or defined here is not."""
        return isinstance(self.lookup(name), (DslName, Unknown))

    def unit_facts(self, unit: Unit) -> UnitFacts:
        """The kernels of one unit, so that a cache can read a changed one alone."""
        return UnitFacts(unit, tuple(self.function_facts(unit, site) for site in self.sites(unit)))

    def function_facts(self, unit: Unit, site: KernelSite) -> FunctionFacts:
        """A kernel with the types that all its callers tell."""
        return self._read(unit, site, self.callers.given(site))

    def facts_for(self, unit: Unit, site: KernelSite, types: Sequence[Type]) -> FunctionFacts:
        """A kernel as it is when called with arguments of these types: they decide what bare parameters are."""
        told = self.callers.told(site)
        given = {
            param.name: type_
            for param, type_ in zip(site_parameters(site), types, strict=False)
            if is_bare(param) and param.name not in told and not isinstance(type_, UnknownType)
        }
        return self._read(unit, site, {**told, **given})

    def _read(self, unit: Unit, site: KernelSite, given: Mapping[str, Type]) -> FunctionFacts:
        key = (site, _fingerprint(given))
        if key not in self._facts:
            read = partial(self._newly_read, unit, site, given)
            self._facts[key] = self._modules.recall.facts(self, unit, site, key[1], read)
            self._modules.remember(self._facts[key].function, KernelPlace(self, unit, site))
        return self._facts[key]

    def _newly_read(self, unit: Unit, site: KernelSite, given: Mapping[str, Type]) -> FunctionFacts:
        self._busy.add(site)
        try:
            return read_function(self._reading(unit, site, given), site)
        finally:
            self._busy.discard(site)

    def callee(self, unit: Unit, site: KernelSite) -> Callee:
        """A kernel as its callers see it."""
        if site not in self._callees:
            told = self.callers.told(site)
            read = partial(self._parameters, unit, site, told)
            params = self._modules.recall.parameters(self, unit, site, _fingerprint(told), read)
            results = cache(partial(self._results, unit, site, params))
            returned = returned_parameters(site)
            self._callees[site] = Callee(site.header.name, params, site_kind(site), results, returned)
        return self._callees[site]

    def _parameters(self, unit: Unit, site: KernelSite, told: Mapping[str, Type]) -> tuple[CalleeParam, ...]:
        return callee_parameters(self._reading(unit, site, told), site)

    def _results(self, unit: Unit, site: KernelSite, params: tuple[CalleeParam, ...]) -> tuple[Type, ...] | None:
        told = self.callers.told(site)
        declared = declared_results(self._reading(unit, site, told), site)
        if declared is not None and not any(isinstance(type_, UnknownType) for type_ in declared):
            return declared
        known = results_without_reading(site, params)
        if known is None and site not in self._busy and not may_reach(self.all_sites(), site, site):
            known = self._read(unit, site, told).results
        return completed(declared, known)

    def all_sites(self) -> tuple[KernelSite, ...]:
        """The kernels of the file."""
        return tuple(site for unit in self._source.units for site in self.sites(unit))

    def _reading(self, unit: Unit, site: KernelSite, given: Mapping[str, Type]) -> Reading:
        reading = Reading(
            closure=self._closure(site),
            read=read_expression,
            callees=lambda name: _callee(self.named_place(unit, site, name)),
            methods=lambda name: _callee(self.method_place(unit, site, name)),
            kind=site_kind(site),
            decorator=site.decorator.form,
            strict_ssa=site.strict_ssa or is_strict(site),
            in_program=site.program is not None,
            given=given,
        )
        reading.share_symbols(symbols_of(self._path, unit.name or unit.keyword))
        return reading

    def _made_kernel(self, site: KernelSite, name: str) -> KernelPlace | None:
        """The kernel that `name = factory(…)` made: what the factory returns last."""
        definition = self._closure(site).definition(name)
        if not isinstance(definition, syntax.Call) or not isinstance(definition.func, syntax.Name):
            return None
        factory = self.lookup(definition.func.name)
        unit = self._modules.workspace.unit_of(factory) if isinstance(factory, FunctionRef) else None
        reader = self._modules.reader(factory.path) if isinstance(factory, FunctionRef) else None
        if unit is None or reader is None:
            return None
        made = returned_kernel(unit.blocks, reader.sites(unit))
        return None if made is None else KernelPlace(reader, unit, made)

    def _closure(self, site: KernelSite) -> Closure:
        workspace, path = self._modules.workspace, self._path
        return Closure(
            module=self.lookup,
            evaluator=lambda node, lookup: workspace.evaluate(path, node, lookup),
            frames=tuple(map(without_parameters, site.enclosing)) if site.conditional else site.enclosing,
            definitions=lambda name: workspace.definition(path, name),
            arguments=self.callers.arguments,
            construct=self.callers.construct,
        )

    def place(self, unit: Unit, site: KernelSite, spelled: str) -> KernelPlace | None:
        """The kernel that a call in this one means by `f`, `ops.f` or `self.f`."""
        if spelled.startswith("self."):
            return self.method_place(unit, site, spelled.removeprefix("self."))
        return self.named_place(unit, site, spelled)

    def method_place(self, unit: Unit, site: KernelSite, name: str) -> KernelPlace | None:
        """The kernel `self.<name>` of the site's program; jit functions find those around them there."""
        found = method_of(self.sites(unit), site.program, name)
        if found is not None:
            return KernelPlace(self, unit, found)
        is_jit = site.program is None and site.decorator.form.startswith("jit")
        return self.named_place(unit, site, name) if is_jit else None

    def named_place(self, unit: Unit, site: KernelSite, name: str) -> KernelPlace | None:
        """The kernel of a bare or dotted name; names of enclosing functions hide those of the module."""
        beside = visible_kernel(self.sites(unit), site, name)
        if beside is not None:
            return KernelPlace(self, unit, beside)
        made = self._made_kernel(site, name)
        if made is not None:
            return made
        root, *attributes = name.split(".")
        if any(root in frame for frame in site.enclosing):
            return None
        value = self.lookup(root)
        for attribute in attributes:
            if not isinstance(value, ModuleRef):
                return None
            value = self._modules.workspace.attribute(value, attribute)
        return self._modules.place(value) if isinstance(value, FunctionRef) else None


def _fingerprint(types: Mapping[str, Type]) -> bytes:
    return fingerprint(dict(sorted(types.items())))


def _callee(place: KernelPlace | None) -> Callee | None:
    return None if place is None else place.callee()


@frozen
class _Overlay:
    """A provider with the text of one file on top."""

    below: SourceProvider
    path: str
    text: str

    @property
    def roots(self) -> tuple[str, ...]:
        return self.below.roots

    def read(self, path: str) -> str | None:
        return self.text if path == self.path else self.below.read(path)

    def exists(self, path: str) -> bool:
        return path == self.path or self.below.exists(path)

    def listing(self, folder: str) -> tuple[str, ...]:
        here = {self.path} if dirname(self.path) == folder else set[str]()
        return tuple(sorted({*self.below.listing(folder), *here}))
