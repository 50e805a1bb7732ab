"""The Python around a kernel: module constants, imports, parameters and locals of the functions it is nested in.

Nothing is run. What cannot be known by reading is `Unknown`; a name that nothing defines is told apart.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.values import DslName, Unknown, Value

Lookup = Callable[[str], Value]
Evaluate = Callable[[syntax.Expression, Lookup], Value]

_BUILTINS = frozenset(dir(builtins))
_USUAL_ROOTS = frozenset({"pl", "pld"})


@frozen(eq=False)
class Binding:
    """One name of an enclosing function: `value` when it has one definition that can be evaluated.

    A parameter also knows the function it belongs to and its position: calls may tell its value. The first parameter
    of a method is an object of `instance`, a class of the module.
    """

    value: syntax.Expression | None = None
    function: str | None = None
    position: str = ""
    instance: str | None = None


Frame = Mapping[str, Binding]
"""The parameters and locals of one enclosing function."""


@define(eq=False)
class Closure:
    """Names as the DSL's parser sees them behind its own scope. `frames` are the enclosing functions, innermost first.

    `definitions` gives the syntax of a module-level assignment, for values that only the DSL understands;
    `arguments` the values with which the file calls a function or class, by position or keyword; `construct` an
    object of a class, made with these.
    """

    module: Lookup
    evaluator: Evaluate
    frames: tuple[Frame, ...] = ()
    definitions: Callable[[str], syntax.Expression | None] = lambda _name: None
    arguments: Callable[[str], Mapping[str, Value]] = lambda _name: {}
    construct: Callable[[str], Value] = lambda name: Unknown(f"an object of {name}")
    _known: dict[str, Value] = field(factory=dict[str, Value])
    _busy: set[str] = field(factory=set[str])

    def lookup(self, name: str) -> Value:
        """The value of a name. `Unknown.defined` is False for a name that is defined nowhere."""
        if name in self._known:
            return self._known[name]
        if name in self._busy:
            return Unknown(f"`{name}` is defined by itself")
        self._busy.add(name)
        value = self._known[name] = self._find(name)
        self._busy.discard(name)
        return value

    def evaluate(self, node: syntax.Expression) -> Value:
        return self.evaluator(node, self.lookup)

    def definition(self, name: str) -> syntax.Expression | None:
        """The expression that a name is assigned, when there is one."""
        for frame in self.frames:
            if name in frame:
                return frame[name].value
        return self.definitions(name)

    def dsl_root(self, name: str) -> str | None:
        """The DSL path that a name stands for ("pl", "pl.FP32"). `pl` and `pld` are taken as such when undefined."""
        value = self.lookup(name)
        if isinstance(value, DslName):
            return value.path
        if name in _USUAL_ROOTS and isinstance(value, Unknown):
            return name
        return None

    def is_builtin(self, name: str) -> bool:
        return name in _BUILTINS

    def _find(self, name: str) -> Value:
        for position, frame in enumerate(self.frames):
            if name not in frame:
                continue
            binding = frame[name]
            given = self._given(name, binding)
            if not isinstance(given, Unknown):
                return given
            if binding.value is None:
                return Unknown(f"`{name}` is decided by the call of the enclosing function")
            outer = Closure(
                self.module, self.evaluator, self.frames[position:], self.definitions, self.arguments, self.construct
            )
            outer._busy.update(self._busy)  # a definition may not ask for the name that it defines
            value = outer.evaluate(binding.value)
            return Unknown(value.why) if isinstance(value, Unknown) else value
        return self.module(name)

    def _given(self, name: str, binding: Binding) -> Value:
        """What the calls in the file tell of a parameter."""
        if binding.instance is not None:
            return self.construct(binding.instance)
        unknown = Unknown(f"no call tells `{name}`")
        if binding.function is None:
            return unknown
        given = self.arguments(binding.function)
        return given.get(name, given.get(binding.position, unknown))
