"""Small helper functions called with constants: their bodies read statement by statement, never run.

Assignments, `if`, `for` over known items, `while` and `return` are followed, within a budget of steps;
anything else, or a branch that cannot be decided, makes the result unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import cast

from attrs import define, evolve, field

from pto_analysis.source.builtin_calls import sequence_of
from pto_analysis.source.constants import Lookup, World, evaluate, unpack
from pto_analysis.source.from_ast import operator_name, syntax_of
from pto_analysis.source.operators import binary
from pto_analysis.source.values import ClassRef, FunctionRef, Instance, Unknown, Value, truth

MAX_STEPS = 2_000
"""Statements that one call may take."""

_RUNS_ON = object()
_BREAK = object()
_CONTINUE = object()


@define(eq=False)
class _Frame:
    """One call: its names so far, and the steps it has left."""

    outer: Lookup
    world: World
    names: dict[str, Value]
    owner: FunctionRef | None
    steps: int = field(default=MAX_STEPS)

    def lookup(self, name: str) -> Value:
        return self.names[name] if name in self.names else self.outer(name)

    def value(self, node: ast.expr) -> Value:
        return evaluate(syntax_of(node), self.lookup, self.world)


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
) -> Value:
    """The instance as `__init__` leaves it."""
    result = _finished(function, (instance, *args), keywords, outer, world)
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
) -> tuple[Value, _Frame] | Unknown:
    names = bind_arguments(function.args, args, keywords, lambda node: evaluate(syntax_of(node), outer, world))
    if isinstance(names, Unknown):
        return names
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function)):
        return Unknown("call of a generator")
    frame = _Frame(outer, world, names, ref)
    try:
        result = _run(frame, function.body)
    except RecursionError:
        return Unknown("nested too deep")
    if result is _RUNS_ON:
        return None, frame
    return result if isinstance(result, Unknown) else (cast("Value", result), frame)


def bind_arguments(
    parameters: ast.arguments,
    args: tuple[Value, ...],
    keywords: Mapping[str, Value],
    default_value: Callable[[ast.expr], Value],
) -> dict[str, Value] | Unknown:
    """The parameters' values; Unknown when the call does not fit."""
    positional = [each.arg for each in (*parameters.posonlyargs, *parameters.args)]
    names: dict[str, Value] = dict(zip(positional, args, strict=False))
    if len(args) > len(positional) and parameters.vararg is None:
        return Unknown("too many arguments")
    if parameters.vararg is not None:
        names[parameters.vararg.arg] = args[len(positional) :]
    allowed = {*positional, *(each.arg for each in parameters.kwonlyargs)}
    extra: dict[Value, Value] = {key: value for key, value in keywords.items() if key not in allowed}
    if extra and parameters.kwarg is None:
        return Unknown("no parameter of that name")
    names.update((key, value) for key, value in keywords.items() if key in allowed)
    if parameters.kwarg is not None:
        names[parameters.kwarg.arg] = extra
    with_default = positional[len(positional) - len(parameters.defaults) :]
    defaults = [*zip(with_default, parameters.defaults, strict=True)]
    defaults += [
        (each.arg, node)
        for each, node in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        if node is not None
    ]
    for name, node in defaults:
        if name not in names:
            names[name] = default_value(node)
    missing = next((name for name in sorted(allowed) if name not in names), None)
    return names if missing is None else Unknown(f"no argument for {missing}")


def _run(frame: _Frame, body: list[ast.stmt]) -> object:
    """What running a body gives: a returned value, an Unknown, or how it went on."""
    for node in body:
        frame.steps -= 1
        if frame.steps < 0:
            return Unknown("takes too many steps")
        rule = _STATEMENTS.get(type(node))
        if rule is None:
            return Unknown(f"{type(node).__name__.lower()} statement in a function")
        outcome = rule(frame, node)
        if outcome is not _RUNS_ON:
            return outcome
    return _RUNS_ON


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
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        owner = frame.lookup(target.value.id)
        if isinstance(owner, Instance):
            frame.names[target.value.id] = evolve(owner, fields={**owner.fields, target.attr: value})
            return None
        return Unknown("assigns an attribute")
    if isinstance(target, (ast.Tuple, ast.List)):
        return _store_each(frame, target.elts, value)
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
        return None if _is_outside(frame, target.value) else Unknown("assigns a slice")
    names = unpack(syntax_of(target), value)
    if isinstance(names, Unknown):
        return names
    frame.names.update(names)
    return None


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
    decided = truth(frame.value(node.test))
    if decided is None:
        return Unknown("a branch that depends on something unknown")
    return _run(frame, node.body if decided else node.orelse)


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
    """A docstring, a call for its effect elsewhere, or `name.append(item)` on a local list."""
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return _RUNS_ON
    owner = call.func.value
    if not isinstance(owner, ast.Name) or owner.id not in frame.names:
        return _RUNS_ON
    items = frame.names[owner.id]
    if call.func.attr in ("append", "extend") and isinstance(items, list) and len(call.args) == 1:
        added = frame.value(call.args[0])
        more = [added] if call.func.attr == "append" else sequence_of(added)
        frame.names[owner.id] = more if isinstance(more, Unknown) else [*items, *more]
    else:
        frame.names[owner.id] = Unknown("changed in place")
    return _RUNS_ON


def _define(frame: _Frame, node: ast.FunctionDef | ast.ClassDef) -> object:
    if frame.owner is None:
        return Unknown("a definition inside of a method")
    kind = ClassRef if isinstance(node, ast.ClassDef) else FunctionRef
    frame.names[node.name] = kind(frame.owner.path, f"{frame.owner.name}.{node.name}", node.lineno - 1)
    return _RUNS_ON


def _raise(_: _Frame, __: ast.Raise) -> object:
    return Unknown("the call raises")


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
    ast.Raise: _raise,
    ast.Pass: _pass,
    ast.Assert: _pass,
    ast.Break: _break,
    ast.Continue: _continue,
}
