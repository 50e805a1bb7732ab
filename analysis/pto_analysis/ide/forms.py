"""How completion, signature help and hover show what loops, scopes and decorators take."""

from __future__ import annotations

from pto_analysis.frontend.enums import members
from pto_analysis.ops.docs import parameter_label
from pto_analysis.ops.signature import Param
from pto_analysis.ops.structure import FORMS

_FAMILIES = {
    "space": "Mem",
    "layout": "TileLayout",
    "tensor_layout": "TensorLayout",
    "pad": "PadValue",
    "atomic": "AtomicType",
    "level": "Level",
    "role": "Role",
    "split_mode": "SplitMode",
    "scope_mode": "ScopeMode",
    "function_type": "FunctionType",
}


def values_of(param: Param) -> tuple[str, ...]:
    """What a parameter may be, without the module: `Level.CORE_GROUP`, `FP32`. Empty where it is no enum or dtype."""
    if param.base_kind == "dtype":
        return members("")
    family = _FAMILIES.get(param.base_kind)
    return tuple(f"{family}.{member}" for member in members(family)) if family is not None else ()


def form_label(spelling: str) -> str:
    """`pl.at(level: pl.Level, *, …)`"""
    parts: list[str] = []
    for param in FORMS[spelling].parameters:
        if param.passing == "keyword" and "*" not in parts:
            parts.append("*")
        parts.append(form_parameter_label(param))
    return f"pl.{spelling}({', '.join(parts)})"


def form_parameter_label(param: Param) -> str:
    family = _FAMILIES.get(param.base_kind)
    if family is None:
        star = "*" if param.passing == "rest" else ""
        return star + parameter_label(param)
    default = f" = pl.{family}.{param.default}" if param.default is not None else ""
    return f"{param.name}: pl.{family}{default}"
