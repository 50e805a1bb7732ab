"""Names of SSA versions: `x__ssa_v0`, `x__iter_v1`, `x__rv_v2`, `x__phi_v3`, `i__idx_v0` (reference: DSL section g)."""

from __future__ import annotations

import re
from typing import Literal

from pto_analysis.ir.expr import Var

Role = Literal["ssa", "iter", "rv", "phi", "idx"]

_VERSIONED = re.compile(r"(?P<base>.+?)__(?:ssa|iter|rv|phi|idx)_v\d+")


_MADE = re.compile(r"t__tmp_v\d+|(?:.+__.+|matmul_\d+)_l0_\w+")
"""Operands of an operation that stood inside another one, and what L0 tiling makes."""

_LOWERED = re.compile(r"__(?:tile|tmp)(?:_[a-z]+)*$")
"""What lowering puts behind the name of a tensor when it becomes a tile."""


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


def base_name(name: str) -> str:
    """The source name behind a version name; any other name is its own base."""
    match = _VERSIONED.fullmatch(name)
    return match["base"] if match else name
