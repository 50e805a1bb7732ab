"""Canonical paths of the DSL's modules and names, whatever an import calls them."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.source.builtin_calls import call_builtin
from pto_analysis.source.values import DslName, DynVar, Unknown, Value

_LANGUAGE = "pypto.language"
_DISTRIBUTED = "pypto.language.distributed"
_DTYPES = "DataType"


def dsl_module(dotted: str) -> DslName | None:
    """The module `pypto…` as a value; None for modules of others."""
    head, _, rest = dotted.partition(".")
    if head != "pypto":
        return None
    found = DslName("pypto")
    for name in rest.split(".") if rest else ():
        found = dsl_attribute(found, name)
    return found


def dsl_attribute(owner: DslName, name: str) -> DslName:
    """`owner.name`: `pypto.language` is "pl", its `distributed` is "pld", and `DataType.FP32` is "pl.FP32"."""
    if owner.path.rpartition(".")[2] == _DTYPES:
        return DslName(f"pl.{name}")
    joined = f"{owner.path}.{name}"
    return DslName({_LANGUAGE: "pl", _DISTRIBUTED: "pld", "pl.distributed": "pld"}.get(joined, joined))


def call_dsl(function: DslName, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """A call of a name of the DSL outside of kernels."""
    if function.path == "pl.dynamic" and len(args) == 1 and isinstance(args[0], str):
        return DynVar(args[0])
    if function.path == "pl.const" and args:
        return args[0]
    if function.path in ("pl.min", "pl.max"):
        return call_builtin(function.path[3:], args, keywords)
    return Unknown(f"call of {function.path}")
