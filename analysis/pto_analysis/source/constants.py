"""The value of an expression outside of the DSL, computed from its syntax. No user code runs.

One evaluator for module-level code and for what kernels take from around them. What it cannot know is
`Unknown` with a reason; it never raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Protocol, cast

from pto_analysis.source import host_tensors, syntax
from pto_analysis.source.builtin_calls import BUILTINS, call_builtin, call_method, method_of, sequence_of
from pto_analysis.source.dsl_names import call_dsl, dsl_attribute
from pto_analysis.source.externals import call_external, external_attribute
from pto_analysis.source.operators import MAX_ITEMS, binary, bounded, compare, guarded, unary
from pto_analysis.source.values import (
    ClassRef,
    DslName,
    DynVar,
    EnumMember,
    External,
    FunctionRef,
    HostTensor,
    Instance,
    LocalFunction,
    Method,
    ModuleRef,
    Unknown,
    Value,
    truth,
)

Lookup = Callable[[str], Value]
"""What a name is; `Unknown(defined=False)` when nothing defines it."""

Arguments = tuple[tuple[Value, ...], dict[str, Value]]
"""Positional arguments, then those by keyword."""


class World(Protocol):
    """What lies behind references to the workspace's modules, classes and functions."""

    def attribute(self, owner: Value, name: str) -> Value:
        """An attribute of a ModuleRef, ClassRef, Instance or EnumMember."""
        ...

    def call(self, function: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
        """A call of a ClassRef, FunctionRef or a Method of an Instance."""
        ...


class NoWorld:
    """A world without modules, for expressions that name nothing of the workspace."""

    def attribute(self, owner: Value, name: str) -> Value:
        return Unknown(f"attribute {name} of {type(owner).__name__}")

    def call(self, function: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:  # noqa: ARG002
        return Unknown(f"call of {type(function).__name__}")


def evaluate(node: syntax.Expression, lookup: Lookup, world: World) -> Value:
    """The value of an expression, with names from `lookup` and then Python's builtins."""
    try:
        return _Evaluator(lookup, world, count(1)).value(node)
    except RecursionError:
        return Unknown("expression too deep")


def arguments_of(node: syntax.Expression, lookup: Lookup, world: World) -> Arguments | Unknown:
    """The values of a call's arguments."""
    if not isinstance(node, syntax.Call):
        return Unknown("no call")
    try:
        return _Evaluator(lookup, world, count(1)).arguments(node)
    except RecursionError:
        return Unknown("expression too deep")


class _Evaluator:
    """`turns` counts the turns of comprehensions, in all of one expression."""

    def __init__(self, lookup: Lookup, world: World, turns: Iterator[int]) -> None:
        self._lookup = lookup
        self._world = world
        self._turns = turns

    def value(self, node: syntax.Expression) -> Value:
        rule = _RULES.get(type(node))
        return Unknown(f"{type(node).__name__.lower()} expression") if rule is None else rule(self, node)

    def name(self, node: syntax.Name) -> Value:
        found = self._lookup(node.name)
        if isinstance(found, Unknown) and not found.defined and node.name in BUILTINS:
            return External(f"builtins.{node.name}")
        return found

    def constant(self, node: syntax.Constant) -> Value:
        return bounded(cast("Value", node.value))

    def attribute(self, node: syntax.Attribute) -> Value:
        return self.attribute_of(self.value(node.value), node.attr)

    def attribute_of(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Unknown):
            return owner
        if isinstance(owner, DslName):
            return dsl_attribute(owner, name)
        if isinstance(owner, External):
            return external_attribute(owner, name)
        if isinstance(owner, (ModuleRef, ClassRef, Instance, EnumMember)):
            return self._world.attribute(owner, name)
        if isinstance(owner, DynVar):
            return owner.name if name == "name" else Unknown(f"attribute {name} of a dynamic extent")
        return host_tensors.attribute(owner, name) if isinstance(owner, HostTensor) else method_of(owner, name)

    def call(self, node: syntax.Call) -> Value:
        function = self.value(node.func)
        if isinstance(function, Unknown):
            return function
        given = self.arguments(node)
        return given if isinstance(given, Unknown) else self.apply(function, *given)

    def arguments(self, node: syntax.Call) -> Arguments | Unknown:
        args: list[Value] = []
        keywords: dict[str, Value] = {}
        for argument in node.args:
            problem = self._argument(argument, args, keywords)
            if problem is not None:
                return problem
        return tuple(args), keywords

    def apply(self, function: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
        if isinstance(function, DslName):
            return call_dsl(function, args, keywords)
        if isinstance(function, External):
            if function.path.startswith("builtins."):
                return call_builtin(function.path.partition(".")[2], args, keywords)
            return call_external(function, args, keywords)
        if isinstance(function, LocalFunction):
            return function.call(args, keywords)
        if isinstance(function, Method) and isinstance(function.receiver, HostTensor):
            return host_tensors.call_method(function.receiver, function.name, args, keywords)
        if isinstance(function, Method) and not isinstance(function.receiver, Instance):
            return call_method(function.receiver, function.name, args, keywords)
        if isinstance(function, (ClassRef, FunctionRef, Method)):
            return self._world.call(function, args, keywords)
        return Unknown("call of a value that is no function")

    def _argument(self, argument: syntax.Argument, args: list[Value], keywords: dict[str, Value]) -> Unknown | None:
        value = self.value(argument.value)
        if argument.keyword is not None:
            keywords[argument.keyword] = value
        elif argument.star == "":
            args.append(value)
        elif argument.star == "*":
            items = sequence_of(value)
            if isinstance(items, Unknown):
                return items
            args.extend(items)
        elif isinstance(value, dict):
            keywords.update((str(key), each) for key, each in value.items())
        else:
            return Unknown("** of a value that is not known")
        return None

    def subscript(self, node: syntax.Subscript) -> Value:
        owner = self.value(node.value)
        if isinstance(owner, Unknown):
            return owner
        if isinstance(owner, External):
            return owner
        if isinstance(owner, (DslName, DynVar)):
            return Unknown("subscript of a name of the DSL")
        items = [self._index(item) for item in node.items]
        index = items[0] if len(items) == 1 else tuple(items)
        if isinstance(index, Unknown):
            return index
        if isinstance(owner, ClassRef):
            return self._world.attribute(owner, index) if isinstance(index, str) else Unknown("subscript of a class")
        if isinstance(owner, Instance):
            owner = tuple(owner.fields.values())
        if isinstance(index, EnumMember) and not isinstance(owner, dict):
            index = index.value
        return guarded(_item, owner, index)

    def _index(self, node: syntax.Expression) -> Any:
        if not isinstance(node, syntax.Slice):
            return self.value(node)
        parts = [None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)]
        missing = next((part for part in parts if isinstance(part, Unknown)), None)
        return missing if missing is not None else slice(*parts)

    def sequence(self, node: syntax.Sequence) -> Value:
        items = self._items(node.items)
        if isinstance(items, Unknown):
            return items
        return bounded(items if node.kind == "list" else tuple(items))

    def _items(self, nodes: Iterable[syntax.Expression]) -> list[Value] | Unknown:
        found: list[Value] = []
        for node in nodes:
            if not isinstance(node, syntax.Starred):
                found.append(self.value(node))
                continue
            items = sequence_of(self.value(node.value))
            if isinstance(items, Unknown):
                return items
            found.extend(items)
        return found

    def dict(self, node: syntax.Dict) -> Value:
        return _dict_of((self.value(key), self.value(value)) for key, value in node.items)

    def unary(self, node: syntax.Unary) -> Value:
        operand = self.value(node.operand)
        if node.op != "not":
            return unary(node.op, operand)
        known = truth(operand)
        return _undecided(operand) if known is None else not known

    def binary(self, node: syntax.Binary) -> Value:
        return binary(node.op, self.value(node.left), self.value(node.right))

    def compare(self, node: syntax.Compare) -> Value:
        left = self.value(node.left)
        for op, right_node in zip(node.ops, node.rights, strict=True):
            right = self.value(right_node)
            holds = compare(op, left, right)
            if holds is not True:
                return holds
            left = right
        return True

    def boolean(self, node: syntax.Boolean) -> Value:
        stops_at = node.op == "or"
        result: Value = None
        for each in node.values:
            result = self.value(each)
            known = truth(result)
            if known is None:
                return _undecided(result)
            if known is stops_at:
                return result
        return result

    def unsupported(self, node: syntax.Unsupported) -> Value:
        rule = _UNSUPPORTED_RULES.get(node.what)
        return Unknown(node.what) if rule is None else rule(self, node)

    def conditional(self, node: syntax.Unsupported) -> Value:
        body, test, orelse = node.children
        decided = self.value(test)
        known = truth(decided)
        if known is None:
            first = self.value(body)
            return first if first == self.value(orelse) else _undecided(decided)
        return self.value(body if known else orelse)

    def formatted(self, node: syntax.Unsupported) -> Value:
        pieces: list[str] = []
        for child in node.children:
            value = self.value(child)
            if isinstance(value, Unknown):
                return value
            pieces.append(str(value))
        return bounded("".join(pieces))

    def replacement(self, node: syntax.Unsupported) -> Value:
        value = self.value(node.children[0])
        return value if isinstance(value, (str, int, float, Unknown)) else Unknown("text of an object")

    def walrus(self, node: syntax.Unsupported) -> Value:
        return self.value(node.children[1])

    def list_of(self, node: syntax.Unsupported) -> Value:
        found = self._comprehended(node.children[:1], node.children[1:])
        return found if isinstance(found, Unknown) else bounded([values[0] for values in found])

    def set_of(self, node: syntax.Unsupported) -> Value:
        items = self.list_of(node) if node.what == "set comprehension" else self._items(node.children)
        return items if isinstance(items, Unknown) else guarded(frozenset, items)

    def dict_of(self, node: syntax.Unsupported) -> Value:
        found = self._comprehended(node.children[:2], node.children[2:])
        return found if isinstance(found, Unknown) else _dict_of((key, value) for key, value in found)

    def _comprehended(
        self, elements: tuple[syntax.Expression, ...], clauses: tuple[syntax.Expression, ...]
    ) -> list[tuple[Value, ...]] | Unknown:
        found: list[tuple[Value, ...]] = []
        for scope in self._scopes(clauses):
            if isinstance(scope, Unknown):
                return scope
            found.append(tuple(scope.value(each) for each in elements))
        return found

    def _scopes(self, clauses: tuple[syntax.Expression, ...]) -> Iterator[_Evaluator | Unknown]:
        """An evaluator for each turn of a comprehension."""
        if not clauses:
            yield self
            return
        clause = clauses[0]
        assert isinstance(clause, syntax.Unsupported)
        target, iterable, *conditions = clause.children
        items = sequence_of(self.value(iterable))
        if isinstance(items, Unknown):
            yield items
            return
        for item in items:
            names = unpack(target, item)
            inner = _Evaluator(_overlaid(names, self._lookup), self._world, self._turns)
            decided = [truth(inner.value(condition)) for condition in conditions]
            if None in decided or isinstance(names, Unknown) or next(self._turns) > MAX_ITEMS:
                yield Unknown("a comprehension that cannot be followed")
                return
            if all(decided):
                yield from inner._scopes(clauses[1:])


def unpack(target: syntax.Expression, value: Value) -> dict[str, Value] | Unknown:
    """The names that an assignment of a value to a target binds."""
    if isinstance(target, syntax.Name):
        return {target.name: value}
    if not isinstance(target, syntax.Sequence):
        return Unknown("assignment to something else than names")
    items = sequence_of(value)
    if isinstance(items, Unknown) or len(items) != len(target.items):
        items = [items if isinstance(items, Unknown) else Unknown("unpacks another number of values")] * len(
            target.items
        )
    names: dict[str, Value] = {}
    for each, item in zip(target.items, items, strict=True):
        inner = unpack(each, item)
        if isinstance(inner, Unknown):
            return inner
        names.update(inner)
    return names


def _overlaid(names: dict[str, Value] | Unknown, outer: Lookup) -> Lookup:
    known = {} if isinstance(names, Unknown) else names
    return lambda name: known[name] if name in known else outer(name)


def _item(owner: Any, index: Any) -> Any:
    return owner[index]


def _dict_of(pairs: Iterable[tuple[Value, Value]]) -> Value:
    found: dict[Value, Value] = {}
    for key, value in pairs:
        if isinstance(key, Unknown):
            return key
        try:
            found[key] = value
        except TypeError:
            return Unknown("dictionary key that is not hashable")
    return bounded(found)


def _undecided(value: Value) -> Unknown:
    return value if isinstance(value, Unknown) else Unknown("depends on something known at run time only")


_RULES: dict[type, Callable[[_Evaluator, Any], Value]] = {
    syntax.Name: _Evaluator.name,
    syntax.Constant: _Evaluator.constant,
    syntax.Attribute: _Evaluator.attribute,
    syntax.Call: _Evaluator.call,
    syntax.Subscript: _Evaluator.subscript,
    syntax.Sequence: _Evaluator.sequence,
    syntax.Dict: _Evaluator.dict,
    syntax.Unary: _Evaluator.unary,
    syntax.Binary: _Evaluator.binary,
    syntax.Compare: _Evaluator.compare,
    syntax.Boolean: _Evaluator.boolean,
    syntax.Unsupported: _Evaluator.unsupported,
}

_UNSUPPORTED_RULES: dict[str, Callable[[_Evaluator, syntax.Unsupported], Value]] = {
    "conditional expression": _Evaluator.conditional,
    "f-string": _Evaluator.formatted,
    "replacement field": _Evaluator.replacement,
    "walrus": _Evaluator.walrus,
    "list comprehension": _Evaluator.list_of,
    "generator expression": _Evaluator.list_of,
    "set": _Evaluator.set_of,
    "set comprehension": _Evaluator.set_of,
    "dictionary comprehension": _Evaluator.dict_of,
}
