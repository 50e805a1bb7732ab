"""Arguments of a call of a Python function, bound to its parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache

from pto_analysis.source.values import Unknown, Value


@lru_cache(maxsize=1024)
def is_generator(function: ast.FunctionDef) -> bool:
    """Whether a call gives an iterator and not a result."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))


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
