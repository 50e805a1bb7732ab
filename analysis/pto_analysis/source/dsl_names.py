"""Canonical paths of the DSL's modules and names, whatever an import calls them."""

from __future__ import annotations

from pto_analysis.source.values import DslName

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
