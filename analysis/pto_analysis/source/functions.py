"""Small helper functions called with constants: their bodies read statement by statement, never run.

Assignments, `if`, `for` over known items, `while` and `return` are followed, within a budget of steps. Where a branch
cannot be decided, what both ways have in common is kept; anything else makes the result unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import cast

from attrs import define, field

from pto_analysis.frozen import evolve
from pto_analysis.source.builtin_calls import sequence_of
from pto_analysis.source.constants import Lookup, World, arguments_of, evaluate, unpack
from pto_analysis.source.from_ast import operator_name, syntax_of
from pto_analysis.source.operators import binary
from pto_analysis.source.parameters import bind_arguments, is_generator
from pto_analysis.source.values import (
    ClassRef,
    External,
    FunctionRef,
    HostTensor,
    Instance,
    LocalFunction,
    Unknown,
    Value,
    in_common,
    truth,
)

MAX_STEPS = 2_000
"""Statements that one call may take."""

_RUNS_ON = object()
_BREAK = object()
_CONTINUE = object()
_RAISES = Unknown("the call raises")

Initialiser = Callable[[Instance, tuple[Value, ...], Mapping[str, Value]], Value]
"""An `__init__` on an instance: the instance as it leaves it."""


@define(eq=False)
class _Frame:
    """One call: its names so far, and the steps it has left."""

    outer: Lookup
    world: World
    names: dict[str, Value]
    owner: FunctionRef | None
    above: Initialiser | None = None
    """What `super().__init__` is."""
    steps: int = field(default=MAX_STEPS)

    def lookup(self, name: str) -> Value:
        return self.names[name] if name in self.names else self.outer(name)

    def value(self, node: ast.expr) -> Value:
        return evaluate(syntax_of(node), self.lookup, self.world)

    def keep_common(self, one: _Frame, other: _Frame) -> None:
        """The names as two ways leave them, unknown where they differ."""
        undecided = Unknown("depends on a branch that cannot be decided")
        for name in (*one.names, *other.names):
            values = (one.names.get(name, undecided), other.names.get(name, undecided))
            self.names[name] = in_common(*values)


def call_function(
    function: ast.FunctionDef,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    outer: Lookup,
    world: World,
    ref: FunctionRef | None = None,
) -> Value:
    """What a function returns; `outer` looks up the names of its module. `ref` names what is defined inside."""
    result = _finished(function, args, keywords, outer, world, ref)
    return result if isinstance(result, Unknown) else result[0]


def call_initialiser(
    function: ast.FunctionDef,
    instance: Instance,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    outer: Lookup,
    world: World,
    above: Initialiser | None = None,
) -> Value:
    """The instance as `__init__` leaves it; `above` is the one that `super().__init__` means."""
    result = _finished(function, (instance, *args), keywords, outer, world, above=above)
    if isinstance(result, Unknown):
        return result
    first = function.args.args[0].arg if function.args.args else ""
    return result[1].names.get(first, instance)


def _finished(
    function: ast.FunctionDef,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    outer: Lookup,
    world: World,
    ref: FunctionRef | None = None,
    above: Initialiser | None = None,
) -> tuple[Value, _Frame] | Unknown:
    names = bind_arguments(function.args, args, keywords, lambda node: evaluate(syntax_of(node), outer, world))
    if isinstance(names, Unknown):
        return names
    if is_generator(function):
        return Unknown("call of a generator")
    frame = _Frame(outer, world, names, ref, above)
    try:
        result = _run(frame, function.body)
    except RecursionError:
        return Unknown("nested too deep")
    if result is _RUNS_ON:
        return None, frame
    return result if isinstance(result, Unknown) else (cast("Value", result), frame)


def _run(frame: _Frame, body: list[ast.stmt]) -> object:
    """What running a body gives: a returned value, an Unknown, or how it went on."""
    for position, node in enumerate(body):
        frame.steps -= 1
        if frame.steps < 0:
            return Unknown("takes too many steps")
        if isinstance(node, ast.If) and truth(frame.value(node.test)) is None:
            return _run_both(frame, node, body[position + 1 :])
        rule = _STATEMENTS.get(type(node))
        if rule is None:
            return Unknown(f"{type(node).__name__.lower()} statement in a function")
        outcome = rule(frame, node)
        if outcome is not _RUNS_ON:
            return outcome
    return _RUNS_ON


def _run_both(frame: _Frame, node: ast.If, rest: list[ast.stmt]) -> object:
    """A branch that cannot be decided, with what follows it: what both ways have in common."""
    share = frame.steps // 2
    ways = [(evolve(frame, names=dict(frame.names), steps=share), arm) for arm in (node.body, node.orelse)]
    outcomes = [_run(way, [*arm, *rest]) for way, arm in ways]
    frame.steps -= sum(share - way.steps for way, _ in ways)
    going_on = [index for index, outcome in enumerate(outcomes) if outcome is not _RAISES]
    if len(going_on) == 1:
        frame.names = ways[going_on[0]][0].names
        return outcomes[going_on[0]]
    frame.keep_common(ways[0][0], ways[1][0])
    one, other = outcomes
    if one is other:
        return one
    flow = (_RUNS_ON, _BREAK, _CONTINUE)
    if any(outcome is each for outcome in outcomes for each in flow):
        return Unknown("a branch that depends on something unknown")
    return in_common(cast("Value", one), cast("Value", other))


def _return(frame: _Frame, node: ast.Return) -> object:
    return None if node.value is None else frame.value(node.value)


def _assign(frame: _Frame, node: ast.Assign) -> object:
    value = frame.value(node.value)
    for target in node.targets:
        problem = _store(frame, target, value)
        if problem is not None:
            return problem
    return _RUNS_ON


def _annotated(frame: _Frame, node: ast.AnnAssign) -> object:
    if node.value is None:
        return _RUNS_ON
    return _store(frame, node.target, frame.value(node.value)) or _RUNS_ON


def _augmented(frame: _Frame, node: ast.AugAssign) -> object:
    value = binary(operator_name(node.op), frame.value(node.target), frame.value(node.value))
    return _store(frame, node.target, value) or _RUNS_ON


def _store(frame: _Frame, target: ast.expr, value: Value) -> Unknown | None:
    if isinstance(target, ast.Attribute):
        return _store_attribute(frame, target, value)
    if isinstance(target, (ast.Tuple, ast.List)):
        return _store_each(frame, target.elts, value)
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
        return None if _is_outside(frame, target.value) else Unknown("assigns a slice")
    names = unpack(syntax_of(target), value)
    if isinstance(names, Unknown):
        return names
    frame.names.update(names)
    return None


def _store_attribute(frame: _Frame, target: ast.Attribute, value: Value) -> Unknown | None:
    """`self.m = m`, `self.config.rtol = r`; an attribute of something that is not known anyway changes nothing."""
    owner = frame.value(target.value)
    if isinstance(owner, Instance):
        return _store(frame, target.value, evolve(owner, fields={**owner.fields, target.attr: value}))
    if isinstance(owner, Unknown) and isinstance(target.value, ast.Attribute):
        return None
    return Unknown("assigns an attribute")


def _store_each(frame: _Frame, targets: list[ast.expr], value: Value) -> Unknown | None:
    """`self.m, self.n = m, n`: each target by itself, as far as the values are known."""
    if any(isinstance(target, ast.Starred) for target in targets):
        return Unknown("assigns to a starred name")
    items = sequence_of(value)
    if isinstance(items, Unknown) or len(items) != len(targets):
        items = [Unknown("unpacks another number of values")] * len(targets)
    for target, item in zip(targets, items, strict=True):
        problem = _store(frame, target, item)
        if problem is not None:
            return problem
    return None


def _is_outside(frame: _Frame, node: ast.expr) -> bool:
    """Whether an expression is an attribute of a module (`sys.argv`), whose change does not matter here."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in frame.names


def _if(frame: _Frame, node: ast.If) -> object:
    """A branch that `_run` found to be decided."""
    return _run(frame, node.body if truth(frame.value(node.test)) else node.orelse)


def _for(frame: _Frame, node: ast.For) -> object:
    items = sequence_of(frame.value(node.iter))
    if isinstance(items, Unknown):
        return items
    for item in items:
        problem = _store(frame, node.target, item)
        outcome = problem or _run(frame, node.body)
        if outcome is _BREAK:
            return _RUNS_ON
        if outcome is not _RUNS_ON and outcome is not _CONTINUE:
            return outcome
    return _run(frame, node.orelse)


def _while(frame: _Frame, node: ast.While) -> object:
    while True:
        decided = truth(frame.value(node.test))
        frame.steps -= 1
        if decided is None or frame.steps < 0:
            return Unknown("a loop that cannot be followed")
        if not decided:
            return _run(frame, node.orelse)
        outcome = _run(frame, node.body)
        if outcome is _BREAK:
            return _RUNS_ON
        if outcome is not _RUNS_ON and outcome is not _CONTINUE:
            return outcome


def _expression(frame: _Frame, node: ast.Expr) -> object:
    """A docstring, `super().__init__(…)`, a call for its effect elsewhere, or `name.append(item)` on a local list."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return _RUNS_ON
    owner = call.func.value
    if isinstance(owner, ast.Call) and call.func.attr == "__init__":
        _initialise_above(frame, call)
        return _RUNS_ON
    if not isinstance(owner, ast.Name) or owner.id not in frame.names:
        return _RUNS_ON
    items = frame.names[owner.id]
    if isinstance(items, (External, HostTensor)):
        return _RUNS_ON
    if call.func.attr in ("append", "extend") and isinstance(items, list) and len(call.args) == 1:
        added = frame.value(call.args[0])
        more = [added] if call.func.attr == "append" else sequence_of(added)
        frame.names[owner.id] = more if isinstance(more, Unknown) else [*items, *more]
    else:
        frame.names[owner.id] = Unknown("changed in place")
    return _RUNS_ON


def _initialise_above(frame: _Frame, call: ast.Call) -> None:
    """`super().__init__(…)`; where that cannot be followed, the fields it sets stay unknown."""
    first = next(iter(frame.names), "")
    instance = frame.names.get(first)
    if frame.above is None or not isinstance(instance, Instance):
        return
    args = arguments_of(syntax_of(call), frame.lookup, frame.world)
    made = args if isinstance(args, Unknown) else frame.above(instance, *args)
    if isinstance(made, Instance):
        frame.names[first] = made


def _import(frame: _Frame, node: ast.Import | ast.ImportFrom) -> object:
    """What a function imports for itself is not looked for in the workspace."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            frame.names[alias.asname or alias.name] = External(f"{module}.{alias.name}")
        else:
            top = alias.name.partition(".")[0]
            frame.names[alias.asname or top] = External(alias.name if alias.asname else top)
    return _RUNS_ON


def _define(frame: _Frame, node: ast.FunctionDef | ast.ClassDef) -> object:
    if isinstance(node, ast.FunctionDef) and not node.decorator_list:
        frame.names[node.name] = LocalFunction(
            node.name, lambda args, keywords: _call_local(frame, node, args, keywords)
        )
        return _RUNS_ON
    if frame.owner is None:
        return Unknown("a definition inside of a method")
    kind = ClassRef if isinstance(node, ast.ClassDef) else FunctionRef
    frame.names[node.name] = kind(frame.owner.path, f"{frame.owner.name}.{node.name}", node.lineno - 1)
    return _RUNS_ON


def _call_local(frame: _Frame, node: ast.FunctionDef, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """A call of a function that `frame` defined, on its budget of steps."""
    names = bind_arguments(node.args, args, keywords, frame.value)
    if isinstance(names, Unknown):
        return names
    if is_generator(node):
        return Unknown("call of a generator")
    inner = _Frame(frame.lookup, frame.world, names, None, steps=frame.steps)
    before = inner.steps
    result = _run(inner, node.body)
    frame.steps -= before - inner.steps + 1
    return None if result is _RUNS_ON else cast("Value", result)


def _raise(_: _Frame, __: ast.Raise) -> object:
    return _RAISES


def _pass(_: _Frame, __: ast.stmt) -> object:
    return _RUNS_ON


def _break(_: _Frame, __: ast.Break) -> object:
    return _BREAK


def _continue(_: _Frame, __: ast.Continue) -> object:
    return _CONTINUE


_STATEMENTS: dict[type[ast.stmt], Callable[..., object]] = {
    ast.Return: _return,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.Expr: _expression,
    ast.FunctionDef: _define,
    ast.ClassDef: _define,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Raise: _raise,
    ast.Pass: _pass,
    ast.Assert: _pass,
    ast.Break: _break,
    ast.Continue: _continue,
}
