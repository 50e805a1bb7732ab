"""The values of module-level names across the files of a workspace, worked out when asked for.

Nothing is imported or run. A `Workspace` is one state of the files: make a new one when a file changes (the
indices of unchanged texts are remembered). `Session` records what an analysis asked, so that its result can
be kept for as long as the answers stay the same.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from os.path import basename, splitext
from threading import RLock

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.class_values import ClassValues
from pto_analysis.source.classes import ClassSource, class_source, last_name
from pto_analysis.source.constants import Lookup, World, evaluate, unpack
from pto_analysis.source.dsl_names import dsl_attribute, dsl_module
from pto_analysis.source.effort import MAX_CALLS, TOO_DEEP, Effort
from pto_analysis.source.externals import imported_from_outside
from pto_analysis.source.from_ast import syntax_of
from pto_analysis.source.functions import call_function
from pto_analysis.source.importers import possible_importers
from pto_analysis.source.imports import SourceProvider, resolve_import, submodule
from pto_analysis.source.module_view import ModuleView
from pto_analysis.source.modules import (
    Assigned,
    AttributeSet,
    Augmented,
    Binding,
    Defined,
    Imported,
    ModuleIndex,
    index_module,
    parse_ast,
)
from pto_analysis.source.operators import binary
from pto_analysis.source.unit import ModuleSource, Unit
from pto_analysis.source.values import (
    ClassRef,
    EnumMember,
    FunctionRef,
    Instance,
    Method,
    ModuleRef,
    Unknown,
    Value,
    truth,
)


@frozen
class _Key:
    path: str
    order: int


class Workspace:
    """One state of the files. Every method may be called from any thread."""

    def __init__(
        self,
        provider: SourceProvider,
        base: Workspace | None = None,
        overrides: Mapping[tuple[str, str], Value] | None = None,
    ) -> None:
        """`overrides` replace names of modules, in a copy of `base` that shares its texts and its effort."""
        self._provider = provider
        self._overrides = overrides or {}
        self._lock: RLock = base._lock if base else RLock()
        self._effort: Effort = base._effort if base else Effort()
        self._indices: dict[str, ModuleIndex | None] = base._indices if base else {}
        self._overlays: dict[tuple[str, int], Workspace | None] = {}
        self._values: dict[_Key, Value] = {}
        self._tests: dict[tuple[str, int], bool | None] = {}
        self._class_values: ClassValues | None = None
        self._class_sources: dict[ClassRef, ClassSource | None] = {}
        self._busy: set[_Key] = set()

    def release(self) -> None:
        """Forgets what was worked out, which the garbage collector would have to find otherwise."""
        for each in (self._indices, self._overlays, self._values, self._tests, self._class_sources):
            each.clear()
        self._class_values = None

    @property
    def _classes(self) -> ClassValues:
        if self._class_values is None:
            self._class_values = ClassValues(self)
        return self._class_values

    @property
    def provider(self) -> SourceProvider:
        """Where the texts come from."""
        return self._provider

    def index(self, path: str) -> ModuleIndex | None:
        """What a file binds at its top level; None when it cannot be read. Kept as long as the workspace."""
        if path not in self._indices:
            text = self._provider.read(path)
            self._indices[path] = None if text is None else index_module(text)
        return self._indices[path]

    def source(self, path: str) -> ModuleSource | None:
        """The text of a file cut into units; None when it cannot be read."""
        index = self.index(path)
        return None if index is None else index.source

    def resolve(self, importer: str, module: str, level: int = 0) -> str | None:
        """The file that an import in another file means."""
        return resolve_import(self._provider, importer, module, level)

    def importers(self, path: str) -> tuple[str, ...]:
        """Files that may import a module, the nearest first."""
        return tuple(possible_importers(self._provider, path))

    def scope(self, path: str) -> Lookup:
        """Looks up the names of a module as its functions see them."""
        return lambda name: self.lookup(path, name)

    def evaluate(self, path: str, node: syntax.Expression, lookup: Lookup | None = None) -> Value:
        """The value of an expression that stands in a file; `lookup` for names of functions around it."""
        with self._lock:
            return evaluate(node, lookup or self.scope(path), self.view(path))

    def view(self, path: str) -> World:
        """The world as the code of a module sees it."""
        return ModuleView(self, path, None)

    def lookup(self, path: str, name: str, before: int | None = None) -> Value:
        """What a module-level name is worth: finally, or before the binding of that order."""
        with self._lock:
            index = self.index(path)
            if index is None:
                return Unknown(f"{path} cannot be read", defined=False)
            if before is None and (path, name) in self._overrides:
                return self._overrides[path, name]
            with self._effort.nested() as allowed:
                return self._lookup(path, index, name, before) if allowed else Unknown(TOO_DEEP)

    def binding(self, path: str, name: str) -> Binding | None:
        """Where a module binds a name last."""
        index = self.index(path)
        found = index.bindings.get(name) if index else None
        return found[-1] if found else None

    def definition(self, path: str, name: str) -> syntax.Expression | None:
        """The expression that a module assigns to a name, when that is its only meaning. Its node ids are 0."""
        index = self.index(path)
        found = index.bindings.get(name, ()) if index else ()
        if len(found) != 1:
            return None
        meaning = found[0].meaning
        return meaning.expression if isinstance(meaning, Assigned) and _is_name(meaning.target) else None

    def asserts(self, path: str) -> tuple[syntax.Expression, ...]:
        """The tests that a module asserts at its top level."""
        index = self.index(path)
        return index.asserts if index else ()

    def unit_of(self, ref: FunctionRef | ClassRef) -> Unit | None:
        """The unit that defines a function or class (for a method, its class)."""
        index = self.index(ref.path)
        top = ref.name.partition(".")[0]
        for binding in reversed(index.bindings.get(top, ()) if index else ()):
            if isinstance(binding.meaning, Defined):
                return binding.meaning.unit
        return None

    def attribute(self, owner: Value, name: str) -> Value:
        """An attribute of a module, class, instance or enum member."""
        with self._lock, self._effort.nested() as allowed:
            if not allowed:
                return Unknown(TOO_DEEP)
            if isinstance(owner, ModuleRef):
                return self._module_attribute(owner, name)
            if isinstance(owner, ClassRef):
                return self._classes.attribute_of_class(owner, name)
            if isinstance(owner, Instance):
                return self._classes.attribute_of_instance(owner, name)
            if isinstance(owner, EnumMember):
                return self._classes.attribute_of_member(owner, name)
            return Unknown(f"attribute {name}")

    def call(self, function: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
        """A call of a class, a function, or a method of an instance."""
        with self._lock, self._effort.nested() as allowed:
            self._effort.calls += 1
            if not allowed or self._effort.calls > MAX_CALLS:
                return Unknown("too many calls")
            if isinstance(function, ClassRef):
                return self._classes.construct(function, args, keywords)
            if isinstance(function, Method):
                return self._classes.call_method(function, args, keywords)
            if isinstance(function, FunctionRef):
                return self._call_function(function, args, keywords)
            return Unknown("call of a value that is no function")

    def class_source(self, ref: ClassRef) -> ClassSource | None:
        """What the text of a class says."""
        if ref not in self._class_sources:
            node = self._node(ref)
            self._class_sources[ref] = class_source(node) if isinstance(node, ast.ClassDef) else None
        return self._class_sources[ref]

    def _lookup(self, path: str, index: ModuleIndex, name: str, before: int | None) -> Value:
        possible: list[Value] = []
        for binding in reversed(index.bindings.get(name, ())):
            if before is not None and binding.order >= before:
                continue
            holds = self._holds(path, binding)
            if holds is False:
                continue
            possible.append(self._bound(path, index, binding))
            if holds:
                break
        if possible:
            same = all(each == possible[0] for each in possible[1:])
            return possible[0] if same else Unknown("depends on a condition that is not known")
        return self._implicit(path, index, name)

    def _implicit(self, path: str, index: ModuleIndex, name: str) -> Value:
        """A name that the module does not bind itself."""
        if name == "__name__":
            return splitext(basename(path))[0]
        for star in reversed(index.stars):
            value = self._imported_star(path, star, name)
            if not (isinstance(value, Unknown) and not value.defined):
                return value
        return Unknown(f"{name} is not defined", defined=False)

    def _imported_star(self, path: str, star: Binding, name: str) -> Value:
        imported = star.meaning
        if not isinstance(imported, Imported) or name.startswith("_"):
            return Unknown("private name", defined=False)
        target = None if dsl_module(imported.module) else self.resolve(path, imported.module, imported.level)
        return Unknown("not there", defined=False) if target is None else self.lookup(target, name)

    def _holds(self, path: str, binding: Binding) -> bool | None:
        """Whether the conditions of a binding hold; None when that is not known."""
        result: bool | None = True
        for test, wanted in binding.conditions:
            key = (path, id(test))
            if key not in self._tests:
                self._tests[key] = None
                self._tests[key] = truth(self._value_at(path, test, binding.order))
            known = self._tests[key]
            if known is not None and known is not wanted:
                return False
            result = None if known is None else result
        return result

    def _value_at(self, path: str, node: syntax.Expression, order: int) -> Value:
        view = ModuleView(self, path, order)
        return evaluate(node, lambda name: self.lookup(path, name, order), view)

    def _bound(self, path: str, index: ModuleIndex, binding: Binding) -> Value:
        """The value of a binding, after those that it needs: a long chain of names must not recurse."""
        waiting = [binding]
        while True:
            last = waiting[-1]
            needed = self._needed(path, index, last)
            if needed is not None:
                waiting.append(needed)
                continue
            value = self._remembered(path, last)
            waiting.pop()
            if not waiting:
                return value

    def _needed(self, path: str, index: ModuleIndex, binding: Binding) -> Binding | None:
        """An earlier binding of this module that a binding mentions, not evaluated yet."""
        meaning = binding.meaning
        if not isinstance(meaning, (Assigned, Augmented)) or _Key(path, binding.order) in self._values:
            return None
        for name in meaning.names:
            earlier = [each for each in index.bindings.get(name, ()) if each.order < binding.order]
            if not earlier or not isinstance(earlier[-1].meaning, (Assigned, Augmented)):
                continue
            key = _Key(path, earlier[-1].order)
            if key not in self._values and key not in self._busy:
                return earlier[-1]
        return None

    def _remembered(self, path: str, binding: Binding) -> Value:
        key = _Key(path, binding.order)
        if key in self._values:
            return self._values[key]
        if key in self._busy:
            return Unknown(f"{binding.name} is defined by itself")
        self._busy.add(key)
        try:
            value = self._value_of(path, binding)
        finally:
            self._busy.discard(key)
        self._values[key] = value
        return value

    def _value_of(self, path: str, binding: Binding) -> Value:
        meaning = binding.meaning
        if isinstance(meaning, Assigned):
            names = unpack(meaning.target, self._value_at(path, meaning.expression, binding.order))
            return names if isinstance(names, Unknown) else names[binding.name]
        if isinstance(meaning, Augmented):
            before = self.lookup(path, binding.name, binding.order)
            return binary(meaning.op, before, self._value_at(path, meaning.expression, binding.order))
        if isinstance(meaning, Imported):
            return self._imported(path, meaning, binding.order)
        if isinstance(meaning, Defined):
            return (ClassRef if meaning.is_class else FunctionRef)(path, meaning.name)
        return Unknown(meaning.why)

    def _imported(self, path: str, imported: Imported, order: int) -> Value:
        dsl = dsl_module(imported.module) if imported.level == 0 else None
        if dsl is not None:
            return dsl if imported.name is None else dsl_attribute(dsl, imported.name)
        target = self.resolve(path, imported.module, imported.level)
        if target is None:
            return imported_from_outside(imported)
        if imported.name is None:
            return ModuleRef(target)
        inner = submodule(self._provider, target, imported.name) if target == path else None
        if inner is not None:  # a package that imports from itself has no such name yet
            return ModuleRef(inner)
        return ModuleView(self, path, order).attribute(ModuleRef(target), imported.name)

    def _module_attribute(self, owner: ModuleRef, name: str) -> Value:
        value = self.lookup(owner.path, name)
        if not isinstance(value, Unknown) or value.defined:
            return value
        found = submodule(self._provider, owner.path, name)
        return ModuleRef(found) if found is not None else Unknown(f"{basename(owner.path)} has no {name}")

    def after_assignments(self, path: str, before: int | None) -> Workspace | None:
        """The workspace as it is once a module has assigned names of other modules; None when it assigns none.

        One level is enough: what depends on a second one is unknown already without the first.
        """
        index = None if self._overrides else self.index(path)
        sets = [each for each in index.attribute_sets if before is None or each.order < before] if index else []
        if not sets:
            return None
        key = (path, sets[-1].order)
        if key not in self._overlays:
            self._overlays[key] = None
            self._overlays[key] = self._overlay(path, sets)
        return self._overlays[key]

    def _overlay(self, path: str, sets: list[AttributeSet]) -> Workspace | None:
        overrides: dict[tuple[str, str], Value] = {}
        for each in sets:
            owner = self.lookup(path, each.owner, each.order)
            if isinstance(owner, ModuleRef):
                overrides[owner.path, each.attribute] = self._value_at(path, each.expression, each.order)
        return Workspace(self._provider, self, overrides) if overrides else None

    def _call_function(self, ref: FunctionRef, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
        owner, _, method = ref.name.rpartition(".")
        if ref.line is not None:
            return Unknown(f"{ref.name} is defined inside of a function")
        if owner:
            return self._classes.call_on_class(ClassRef(ref.path, owner), method, args, keywords)
        node = self._node(ref)
        if not isinstance(node, ast.FunctionDef):
            return Unknown(f"function {ref.name} cannot be read")
        for decorator in node.decorator_list:
            if last_name(syntax_of(decorator)) not in ("lru_cache", "cache"):
                return Unknown(f"{ref.name} is decorated")
        return call_function(node, args, keywords, self.scope(ref.path), self, ref)

    def _node(self, ref: FunctionRef | ClassRef) -> ast.stmt | None:
        """The `ast` of a definition."""
        unit = self.unit_of(ref)
        tree = parse_ast(unit.text) if unit else None
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == ref.name:
                return node
        return None


def _is_name(target: syntax.Expression) -> bool:
    return isinstance(target, syntax.Name)
