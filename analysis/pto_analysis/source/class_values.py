"""Attributes, instances and methods of the workspace's classes: dataclasses, named tuples, enums, plain classes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Protocol

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.classes import ClassSource, FieldSpec, is_class_method, is_static, last_name
from pto_analysis.source.constants import Lookup, evaluate
from pto_analysis.source.functions import Initialiser, call_function, call_initialiser
from pto_analysis.source.operators import bounded
from pto_analysis.source.values import ClassRef, EnumMember, FunctionRef, Instance, Method, Unknown, Value

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_HARMLESS_BASES = frozenset({"object", "Protocol", "Generic", "ABC"})
_MAX_LINEAGE = 32


class Host(Protocol):
    """What class values need from the workspace."""

    def attribute(self, owner: Value, name: str) -> Value: ...

    def call(self, function: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value: ...

    def scope(self, path: str) -> Lookup: ...

    def class_source(self, ref: ClassRef) -> ClassSource | None: ...


@frozen(eq=False)
class _Lineage:
    """A class and its bases in the workspace, nearest first, and the names of the other bases."""

    classes: tuple[tuple[ClassRef, ClassSource], ...]
    others: frozenset[str]

    @property
    def is_enum(self) -> bool:
        return bool(self.others & _ENUMS)

    @property
    def has_fields(self) -> bool:
        """Whether a constructor takes the annotated names."""
        decorated = any(last_name(each) == "dataclass" for _, source in self.classes for each in source.decorators)
        return decorated or "NamedTuple" in self.others

    @property
    def is_closed(self) -> bool:
        """Whether every base is known."""
        return self.others <= _ENUMS | _HARMLESS_BASES | {"NamedTuple"}


class ClassValues:
    """Answers about classes; remembers what class attributes are worth."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._lineages: dict[ClassRef, _Lineage] = {}
        self._members: dict[tuple[ClassRef, str], Value] = {}

    def attribute_of_class(self, ref: ClassRef, name: str) -> Value:
        lineage = self._lineage(ref)
        for cls, source in lineage.classes:
            if name in source.attributes:
                return self._class_attribute(lineage, cls, source, name)
            if name in source.methods:
                return FunctionRef(cls.path, f"{cls.name}.{name}")
        if name == "__name__":
            return ref.name
        return Unknown(f"{ref.name} has no attribute {name} that is known")

    def attribute_of_instance(self, owner: Instance, name: str) -> Value:
        if name in owner.fields:
            return owner.fields[name]
        for cls, source in self._lineage(owner.cls).classes:
            if name in source.properties:
                return call_function(source.methods[name], (owner,), {}, self._host.scope(cls.path), self._host)
            if name in source.methods:
                return Method(owner, name)
            if name in source.attributes:
                return self.attribute_of_class(cls, name)
        return Method(owner, name) if name == "_replace" else Unknown(f"{owner.cls.name} has no attribute {name}")

    def attribute_of_member(self, owner: EnumMember, name: str) -> Value:
        if name in ("value", "_value_"):
            return owner.value
        if name in ("name", "_name_"):
            return owner.name
        for cls, source in self._lineage(owner.cls).classes:
            if name in source.properties:
                return call_function(source.methods[name], (owner,), {}, self._host.scope(cls.path), self._host)
        return Unknown(f"attribute {name} of an enum member")

    def construct(self, ref: ClassRef, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
        """`Class(…)`."""
        lineage = self._lineage(ref)
        if not lineage.classes:
            return Unknown(f"class {ref.name} cannot be read")
        if lineage.is_enum:
            return self._member_of_value(lineage, ref, args)
        initialise = self._initialiser(lineage.classes)
        if initialise is not None:
            return initialise(Instance(ref, {}), args, keywords)
        if lineage.has_fields:
            return self._with_fields(lineage, ref, args, keywords)
        if args or keywords or not lineage.is_closed:
            return Unknown(f"how {ref.name} is made")
        return Instance(ref, {})

    def _initialiser(self, classes: tuple[tuple[ClassRef, ClassSource], ...]) -> Initialiser | None:
        """The first `__init__` of some classes; its `super()` means the next one."""
        found = ((at, cls, source.methods.get("__init__")) for at, (cls, source) in enumerate(classes))
        for position, cls, function in found:
            if function is not None:
                scope, above = self._host.scope(cls.path), self._initialiser(classes[position + 1 :])
                return partial(call_initialiser, function, outer=scope, world=self._host, above=above)
        return None

    def call_method(self, method: Method, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
        """A method of an instance."""
        receiver = method.receiver
        if not isinstance(receiver, Instance):
            return Unknown(f"method {method.name}")
        for cls, source in self._lineage(receiver.cls).classes:
            function = source.methods.get(method.name)
            if function is not None:
                bound = args if is_static(function) else (receiver, *args)
                return call_function(function, bound, keywords, self._host.scope(cls.path), self._host)
        if method.name == "_replace" and set(keywords) <= set(receiver.fields):
            return Instance(receiver.cls, {**receiver.fields, **keywords})
        return Unknown(f"method {method.name}")

    def call_on_class(self, ref: ClassRef, name: str, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
        """A static or class method called on its class."""
        for cls, source in self._lineage(ref).classes:
            function = source.methods.get(name)
            if function is not None:
                bound = (ref, *args) if is_class_method(function) else args
                return call_function(function, bound, keywords, self._host.scope(cls.path), self._host)
        return Unknown(f"{ref.name} has no method {name}")

    def _lineage(self, ref: ClassRef) -> _Lineage:
        if ref not in self._lineages:
            self._lineages[ref] = self._read_lineage(ref)
        return self._lineages[ref]

    def _read_lineage(self, ref: ClassRef) -> _Lineage:
        found: dict[ClassRef, ClassSource] = {}
        others: set[str] = set()
        waiting = [ref]
        while waiting and len(found) < _MAX_LINEAGE:
            each = waiting.pop(0)
            source = self._host.class_source(each)
            if each in found or source is None:
                continue
            found[each] = source
            for base in source.bases:
                value = evaluate(base, self._host.scope(each.path), self._host)
                if isinstance(value, ClassRef):
                    waiting.append(value)
                else:
                    others.add(last_name(base))
        return _Lineage(tuple(found.items()), frozenset(others))

    def _class_attribute(self, lineage: _Lineage, cls: ClassRef, source: ClassSource, name: str) -> Value:
        key = (cls, name)
        if key not in self._members:
            self._members[key] = Unknown(f"{name} is defined by itself")
            value = self._auto_value(lineage, cls, source, name)
            if value is None:
                value = evaluate(source.attributes[name], self._class_scope(cls, source, name), self._host)
                value = value.value if isinstance(value, EnumMember) and value.cls == cls else value
            self._members[key] = EnumMember(cls, name, value) if lineage.is_enum else value
        return self._members[key]

    def _auto_value(self, lineage: _Lineage, cls: ClassRef, source: ClassSource, name: str) -> Value:
        """The value of `NAME = auto()`: one more than the member before; None for other attributes."""
        node = source.attributes[name]
        if not lineage.is_enum or not isinstance(node, syntax.Call) or last_name(node) != "auto":
            return None
        names = list(source.attributes)
        before = names[: names.index(name)]
        if not before:
            return 1
        previous = self._class_attribute(lineage, cls, source, before[-1])
        number = previous.value if isinstance(previous, EnumMember) else previous
        return number + 1 if isinstance(number, int) else Unknown("auto()")

    def _class_scope(self, cls: ClassRef, source: ClassSource, name: str) -> Lookup:
        """Names inside a class body: what it defined before `name`, then those of the module."""
        names = list(source.attributes)
        earlier = frozenset(names[: names.index(name)] if name in source.attributes else names)
        module = self._host.scope(cls.path)
        return lambda each: self.attribute_of_class(cls, each) if each in earlier else module(each)

    def _member_of_value(self, lineage: _Lineage, ref: ClassRef, args: tuple[Value, ...]) -> Value:
        for cls, source in lineage.classes:
            for name in source.attributes:
                member = self._class_attribute(lineage, cls, source, name)
                if isinstance(member, EnumMember) and len(args) == 1 and args[0] in (member, member.value):
                    return member
        return Unknown(f"no member of {ref.name} has this value")

    def _with_fields(
        self, lineage: _Lineage, ref: ClassRef, args: tuple[Value, ...], keywords: Mapping[str, Value]
    ) -> Value:
        specs: dict[str, tuple[ClassRef, ClassSource, FieldSpec]] = {}
        for cls, source in reversed(lineage.classes):
            specs.update((spec.name, (cls, source, spec)) for spec in source.fields)
        fields: dict[str, Value] = dict(zip(specs, args, strict=False))
        if len(args) > len(specs) or not set(keywords) <= set(specs):
            return Unknown(f"arguments that do not fit {ref.name}")
        fields.update(keywords)
        for name, (cls, source, spec) in specs.items():
            if name in fields:
                continue
            if spec.default is None:
                return Unknown(f"no value for {name} of {ref.name}")
            fields[name] = self._default(cls, source, spec.default, name)
        altered = frozenset[str]().union(*(source.altered for _, source in lineage.classes))
        fields.update((name, Unknown(f"{name} is set after the constructor")) for name in altered)
        return bounded(Instance(ref, {name: fields[name] for name in (*specs, *sorted(altered - specs.keys()))}))

    def _default(self, cls: ClassRef, source: ClassSource, node: syntax.Expression, name: str) -> Value:
        scope = self._class_scope(cls, source, name)
        if not isinstance(node, syntax.Call) or last_name(node) != "field":
            return evaluate(node, scope, self._host)
        options = {argument.keyword: argument.value for argument in node.args}
        if "default" in options:
            return evaluate(options["default"], scope, self._host)
        if "default_factory" in options:
            return evaluate(syntax.Call(0, options["default_factory"], ()), scope, self._host)
        return Unknown(f"default of {name}")
