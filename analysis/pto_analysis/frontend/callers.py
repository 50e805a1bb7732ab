"""What its callers tell of a kernel: the types of bare `pl.Tensor` parameters, the values of a factory's parameters.

Python code of the file is asked first, then the kernels of the file, then files near it that import it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from pto_analysis.frontend.call_sites import Called, Calls, CallTypes, find_calls
from pto_analysis.frontend.discovery import KernelSite
from pto_analysis.frontend.functions import site_parameters
from pto_analysis.frontend.kernels import invokes, is_bare
from pto_analysis.frontend.recursion import may_reach
from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.expr import type_of
from pto_analysis.ir.types import Type, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.dsl_names import dsl_attribute, dsl_module
from pto_analysis.source.externals import external_name
from pto_analysis.source.importers import is_package
from pto_analysis.source.unit import ModuleSource, Unit
from pto_analysis.source.values import ClassRef, FunctionRef, ModuleRef, Unknown, Value

if TYPE_CHECKING:
    from pto_analysis.frontend.module import ModuleReader, Modules

Given = Mapping[str, Type]
"""Types by the name of the parameter."""


class Callers:
    """The calls that concern one file's kernels, looked for when first asked for."""

    def __init__(self, modules: Modules, reader: ModuleReader) -> None:
        self._modules = modules
        self._reader = reader
        self._calls: Calls | None = None
        self._objects: dict[str, Value] = {}
        self._told: dict[KernelSite, Given] = {}
        self._given: dict[KernelSite, Given] = {}
        self._asking: set[KernelSite] = set()

    def told(self, site: KernelSite) -> Given:
        """The types of bare parameters that Python code of the file tells."""
        if site not in self._told:
            self._told[site] = self._asked_python(site, _bare_parameters(site))
        return self._told[site]

    def _asked_python(self, site: KernelSite, bare: frozenset[str]) -> Given:
        if not bare:
            return {}
        types = self.python_calls().tensors.get(FunctionRef(self._reader.path, site.qualname), {})
        return {name: type_ for name, type_ in _by_name(_names(site), types).items() if name in bare}

    def given(self, site: KernelSite) -> Given:
        """Types for the bare parameters of a kernel; each source fills in what nearer ones leave open."""
        if site in self._given:
            return self._given[site]
        bare = _bare_parameters(site)
        if not bare or site in self._asking:
            return {}
        self._asking.add(site)
        try:
            self._given[site] = self._asked(site, bare)
        finally:
            self._asking.discard(site)
        return self._given[site]

    def _asked(self, site: KernelSite, bare: frozenset[str]) -> Given:
        given = dict(self.told(site))
        for types in self._calls_of(site):
            if len(given) == len(bare):
                break
            for name in sorted(bare & types.keys()):
                given.setdefault(name, types[name])
        return given

    def _calls_of(self, site: KernelSite) -> Iterator[Given]:
        """What the calls in kernels and in other files say, the nearest first."""
        ref, params, names = FunctionRef(self._reader.path, site.qualname), _names(site), {site.header.name}
        yield self._handed(self._reader, site, params, names)
        for other in self._importers(site, names):
            yield self._handed(other, site, params, names)
            yield _by_name(params, other.callers.python_calls().tensors.get(ref, {}))

    def _importers(self, site: KernelSite, names: set[str]) -> Iterator[ModuleReader]:
        """Files that use one of the names; those that packages give the kernel are added to them."""
        if "." in site.qualname:
            return
        for path in self._modules.workspace.importers(self._reader.path):
            other = self._modules.reader(path)
            if other is None or not any(name in other.source.source.text for name in names):
                continue
            if is_package(path):
                names |= _called(names, other.source)
            yield other

    def _callers_in(self, reader: ModuleReader, site: KernelSite, known: Set[str]) -> Iterator[tuple[Unit, KernelSite]]:
        """The kernels of a file where a name of another means it, so that they may call it."""
        names = _called(known, reader.source)
        for unit in reader.source.units:
            if names.isdisjoint(unit.content.words):
                continue
            spellings = [call for call in unit.content.calls if call.rpartition(".")[2] in names]
            for other in reader.sites(unit) if spellings else ():
                if other is not site and any(_means(reader, unit, other, spelled, site) for spelled in spellings):
                    yield unit, other

    def _handed(self, reader: ModuleReader, site: KernelSite, params: list[str], names: Set[str]) -> Given:
        """The arguments of the first call of a kernel in the kernels of a file, those that it calls itself excepted."""
        for unit, caller in self._callers_in(reader, site, names):
            if may_reach(reader.all_sites(), site, caller):
                continue
            for call in invokes(reader.function_facts(unit, caller).function):
                if _means(reader, unit, caller, call.callee, site):
                    pairs = zip(params, map(type_of, call.args), strict=False)
                    return {param: type_ for param, type_ in pairs if not isinstance(type_, UnknownType)}
        return {}

    def python_calls(self) -> Calls:
        """What Python code of this file hands to kernels and to the functions around them."""
        if self._calls is None:
            self._calls = Calls()
            self._calls = self._modules.recall.calls(self._reader, self._found_calls)
        return self._calls

    def _found_calls(self) -> Calls:
        source, around = self._reader.source, self._around()
        found = self._calls = find_calls(self._reader.path, source, around)
        if "self." in source.source.text and around.has_factories:
            found = find_calls(self._reader.path, source, evolve(around, objects=self.construct))
        return found

    def summary(self) -> str:
        """What `python_calls` tells, for comparison with another state of the file; empty where no kernel asks."""
        asks = any(site.enclosing or _bare_parameters(site) for site in self._reader.all_sites())
        return repr(self.python_calls()) if asks else ""

    def arguments(self, name: str) -> Mapping[str, Value]:
        """The values with which Python code of the file calls a function or class, by position or keyword."""
        value = self._reader.lookup(name)
        return self.python_calls().values.get(value, {}) if isinstance(value, (FunctionRef, ClassRef)) else {}

    def construct(self, name: str) -> Value:
        """An object of a class of this file: as its Python code makes one, else with the defaults."""
        if name not in self._objects:
            cls = self._reader.lookup(name)
            given = self.arguments(name)
            positional = tuple(given[str(at)] for at in range(len(given)) if str(at) in given)
            keywords = {key: value for key, value in given.items() if not key.isdigit()}
            made = self._modules.workspace.call(cls, positional, keywords)
            if isinstance(made, Unknown) and given:
                made = self._modules.workspace.call(cls, (), {})
            self._objects[name] = made
        return self._objects[name]

    def _around(self) -> _Around:
        sites = self._reader.all_sites()
        counts = Counter(site.header.name for site in sites)
        nested = [site for site in sites if "." in site.qualname]
        refs = {site.qualname: FunctionRef(self._reader.path, site.qualname) for site in nested}
        single = {site.header.name: refs[site.qualname] for site in nested if counts[site.header.name] == 1}
        return _Around(self._modules, self._reader, refs, single, any(site.enclosing for site in sites))


@frozen(eq=False)
class _Around:
    """`call_sites.Surroundings` of one file.

    `nested` are its kernels that are not at module level by qualified name, `single` those that alone have their name.
    """

    modules: Modules
    reader: ModuleReader
    nested: Mapping[str, FunctionRef]
    single: Mapping[str, FunctionRef]
    has_factories: bool
    objects: Callable[[str], Value] = lambda name: Unknown(f"an object of {name}")

    def instance(self, name: str) -> Value:
        return self.objects(name)

    def lookup(self, name: str) -> Value:
        return self.reader.lookup(name)

    def evaluate(self, node: syntax.Expression, lookup: Callable[[str], Value]) -> Value:
        return self.modules.workspace.evaluate(self.reader.path, node, lookup)

    def imported(self, module: str, name: str | None, level: int) -> Value:
        dsl = dsl_module(module) if level == 0 else None
        if dsl is not None:
            return dsl if name is None else dsl_attribute(dsl, name)
        target = self.modules.workspace.resolve(self.reader.path, module, level)
        if target is None:
            return external_name(module if name is None else f"{module}.{name}")
        return ModuleRef(target) if name is None else self.modules.workspace.attribute(ModuleRef(target), name)

    def nested_kernel(self, name: str, inside: str) -> FunctionRef | None:
        while inside:
            found = self.nested.get(f"{inside}.{name}")
            if found is not None:
                return found
            inside = inside.rpartition(".")[0]
        return self.single.get(name)

    def is_kernel(self, ref: FunctionRef) -> bool:
        return ref in self.nested.values() or self.modules.place(ref) is not None

    def is_factory(self, ref: Called) -> bool:
        """Methods of the file's classes may call its factories with what they were made with."""
        if isinstance(ref, ClassRef) and ref.path == self.reader.path:
            return self.has_factories
        reader, unit = self.modules.reader(ref.path), self.modules.workspace.unit_of(ref)
        return reader is not None and unit is not None and any(site.enclosing for site in reader.sites(unit))


def _names(site: KernelSite) -> list[str]:
    return [param.name for param in site_parameters(site)]


_BARE: WeakKeyDictionary[KernelSite, frozenset[str]] = WeakKeyDictionary()


def _bare_parameters(site: KernelSite) -> frozenset[str]:
    """Remembered as long as the kernel's place in a text."""
    known = _BARE.get(site)
    if known is None:
        known = _BARE[site] = frozenset(param.name for param in site_parameters(site) if is_bare(param))
    return known


def _called(names: Set[str], source: ModuleSource) -> frozenset[str]:
    """What a file may call a kernel of these names: so, and by the names that its imports and assignments give it."""
    return frozenset({*names}.union(*(source.renamed.get(name, ()) for name in names)))


def _means(reader: ModuleReader, unit: Unit, caller: KernelSite, spelled: str, site: KernelSite) -> bool:
    """Whether a name where one kernel stands means another."""
    place = reader.place(unit, caller, spelled)
    return place is not None and place.site is site


def _by_name(params: list[str], types: CallTypes) -> Given:
    """The types of a call by the names of the parameters."""
    found = {name: types.get(name) or types.get(str(position)) for position, name in enumerate(params)}
    return {name: type_ for name, type_ in found.items() if type_ is not None}
