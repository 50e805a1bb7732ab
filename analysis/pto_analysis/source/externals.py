"""What is known about modules that are not in the workspace: the standard library's constants and pure functions.

Programs are read as if they were imported plainly: without arguments on the command line and without
environment variables, so that `os.environ.get(name, default)` is the default.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from pto_analysis.frozen import evolve
from pto_analysis.source import host_tensors
from pto_analysis.source.modules import Imported
from pto_analysis.source.operators import guarded, opaque
from pto_analysis.source.values import External, Instance, Unknown, Value

_CONSTANTS: dict[str, Value] = {
    "math.pi": math.pi,
    "math.e": math.e,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "sys.argv": [""],
    "sys.maxsize": 2**63 - 1,
    "typing.TYPE_CHECKING": Unknown("true for type checkers only"),
}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"math.{name}": getattr(math, name)
    for name in ("ceil", "floor", "sqrt", "log", "log2", "log10", "exp", "gcd", "lcm", "prod", "isqrt", "trunc", "pow")
}

_ENVIRONMENT = frozenset({"os.environ.get", "os.getenv"})


def _parameters(args: tuple[Value, ...]) -> Value:
    """`pytest.param(…)`, as the value or values that it holds."""
    return args if len(args) != 1 else args[0]


def _module_or_skip(args: tuple[Value, ...]) -> Value:
    return External(args[0]) if isinstance(args[0], str) else Unknown("a module by a name that is not known")


_TESTING: dict[str, Callable[[tuple[Value, ...]], Value]] = {
    "pytest.param": _parameters,
    "pytest.importorskip": _module_or_skip,
}


def external_attribute(owner: External, name: str) -> Value:
    """`owner.name`."""
    path = f"{owner.path}.{name}"
    return _CONSTANTS[path] if path in _CONSTANTS else External(path)


def external_name(path: str) -> Value:
    """A name imported from outside of the workspace, by its full path."""
    return _CONSTANTS[path] if path in _CONSTANTS else External(path)


def call_external(function: External, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """A call of a name from outside of the workspace."""
    if function.path in ("dataclasses.replace", "copy.replace"):
        return _replace(args, keywords)
    if function.path in _TESTING and args:
        return _TESTING[function.path](args)
    if function.path in _ENVIRONMENT:
        return args[1] if len(args) > 1 else keywords.get("default")
    if host_tensors.is_host_call(function.path):
        return guarded(host_tensors.make, function.path, args, keywords)
    if function.path not in _FUNCTIONS:
        return Unknown(f"call of {function.path}")
    missing = next((unknown for unknown in map(opaque, args) if unknown is not None), None)
    return missing if missing is not None else guarded(_FUNCTIONS[function.path], *args)


def _replace(args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    if len(args) != 1 or not isinstance(args[0], Instance):
        return Unknown("replace of something that is no known dataclass instance")
    strange = set(keywords) - set(args[0].fields)
    return Unknown(f"no field {min(strange)}") if strange else evolve(args[0], fields={**args[0].fields, **keywords})


def imported_from_outside(imported: Imported) -> Value:
    """What a name stands for that is imported from no module of the workspace."""
    if imported.level:
        return Unknown(f"module {'.' * imported.level}{imported.module} is not found")
    return external_name(imported.module if imported.name is None else f"{imported.module}.{imported.name}")
