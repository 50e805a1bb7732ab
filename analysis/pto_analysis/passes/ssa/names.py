"""Names of SSA versions: `x__ssa_v0`, `x__iter_v1`, `x__rv_v2`, `x__phi_v3`, `i__idx_v0` (reference: DSL section g)."""

from __future__ import annotations

import re
from typing import Literal

from pto_analysis.ir.expr import Var

Role = Literal["ssa", "iter", "rv", "phi", "idx"]

_VERSIONED = re.compile(r"(?P<base>.+?)__(?:ssa|iter|rv|phi|idx)_v\d+")


_UNNAMED = "t__tmp_v"
"""The start of the name of an operand that stands inside another operation."""

_MADE = re.compile(rf"{_UNNAMED}\d+\w*|(?:.+__.+|matmul_\d+)_l0_\w+")
"""Operands that stand inside other operations, and what L0 tiling makes."""

_LOWERED = re.compile(r"__(?:tile|tmp)(?:_[a-z]+)*(?:_(?:Vec|Mat|Left|Right|Acc|Bias|LeftScale|RightScale))?$")
"""What lowering puts behind the name of a tensor when it becomes a tile, and when the tile is moved."""


_INLINED = re.compile(r"_inline\d+(?:__|$)")


class Versions:
    """Counts the versions of each source variable, over all roles."""

    def __init__(self) -> None:
        self._next: dict[Var, int] = {}

    def name(self, var: Var, role: Role) -> str:
        """The next name of `var`. A name that already has a version loses it first."""
        number = self._next.get(var, 0)
        self._next[var] = number + 1
        return f"{base_name(var.name)}__{role}_v{number}"


def source_name(name: str) -> str:
    """What the author calls the value, without what SSA conversion and lowering added; "" where it has no name."""
    if _MADE.fullmatch(name):
        return ""
    version = _VERSIONED.match(name)
    return _LOWERED.sub("", version["base"] if version else name)


def is_inlined(var: Var) -> bool:
    """Whether the variable is one of an inline function, as lowering calls them."""
    return _INLINED.search(var.name) is not None


def unnamed(number: int) -> str:
    """The name of an operand that has none in the source."""
    return f"{_UNNAMED}{number}"


def is_unnamed(name: str) -> bool:
    """Whether the value is an operand that stands inside another operation, or what became of one."""
    return name.startswith(_UNNAMED)


def base_name(name: str) -> str:
    """The source name behind a version name; any other name is its own base."""
    match = _VERSIONED.fullmatch(name)
    return match["base"] if match else name
