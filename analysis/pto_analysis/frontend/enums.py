"""Enum members and dtypes of the DSL as values of the IR."""

from __future__ import annotations

import re

from pto_analysis.frozen import frozen
from pto_analysis.ir.dispatch import Level, Role, ScopeMode, SplitMode
from pto_analysis.ir.dtypes import DTYPES
from pto_analysis.ir.function import FunctionKind
from pto_analysis.ir.types import Atomic, Compact, Layout, Pad, Space
from pto_analysis.suggest import near_match

_FAMILIES: dict[str, dict[str, object]] = {
    "Mem": {space.value: space for space in Space},
    "MemorySpace": {space.value: space for space in Space},
    "PadValue": {pad.value: pad for pad in Pad},
    "TileLayout": {layout.value: layout for layout in Layout},
    "CompactMode": {compact.value: compact for compact in Compact},
    "FunctionType": {kind.value: kind for kind in FunctionKind},
    "Level": {level.value: level for level in Level},
    "Role": {role.value: role for role in Role},
    "SplitMode": {mode.value: mode for mode in SplitMode},
    "ScopeMode": {mode.value: mode for mode in ScopeMode},
    "AtomicType": {atomic.value: atomic for atomic in Atomic},
    "MaskPattern": {"P0101": 1, "P1010": 2, "P0001": 3, "P0010": 4, "P0100": 5, "P1000": 6, "P1111": 7},
}
_DTYPE_LIKE = re.compile(r"(?:FP|BF|HF|B?FLOAT|U?INT)\d+\w*|FLOAT|HALF", re.IGNORECASE)
_OTHERWISE_CALLED = {"float": "FP32", "half": "FP16", "float16": "FP16", "float32": "FP32", "bfloat16": "BF16"}
"""Dtypes by the names that other languages have for them."""
_WORDS = frozenset({"TensorLayout", "ForKind", "ArgDirection", "CoreType", "ReduceOp"})
_TENSOR_LAYOUTS = frozenset({"ND", "DN", "NZ", "MX_A_ZZ", "MX_B_NN"})


def dsl_constant(path: str) -> object | None:
    """The value of a DSL name without its module (`FP32`, `Mem.Vec`, `SplitMode.UP_DOWN`), None when it is no constant.

    Enums that the IR has no class for are their member's name.
    """
    family, _, member = path.rpartition(".")
    family = family.rpartition(".")[2]
    if not family:
        return DTYPES.get(member) or _bare(member)
    if family in _FAMILIES:
        return _FAMILIES[family].get(member)
    if family in _WORDS:
        return member
    return None


def families() -> tuple[str, ...]:
    """The enums that have members here."""
    return (*_FAMILIES, "TensorLayout")


def members(family: str) -> tuple[str, ...]:
    """What an author may write behind `pl.<family>.`, or the dtypes for ""."""
    if not family:
        return tuple(DTYPES)
    if family == "TensorLayout":
        return tuple(sorted(_TENSOR_LAYOUTS))
    return tuple(name for name, value in _FAMILIES.get(family, {}).items() if value is not Space.SCALAR_LOCAL)


@frozen
class Missing:
    """A dtype or enum member that the DSL does not have, and the paths (`Mem.Vec`) that were most likely meant."""

    message: str
    near: tuple[str, ...] = ()


def missing_constant(path: str) -> Missing | None:
    """What is wrong with a DSL name without its module (`FP33`, `Mem.Vect`); None where it may be right."""
    family, _, member = path.rpartition(".")
    if not family:
        looks_like_one = _DTYPE_LIKE.fullmatch(member) is not None or member.upper() in DTYPES
        is_missing = looks_like_one and member not in DTYPES
        return _missing(f"`pl.{path}` is not a dtype", "", member) if is_missing else None
    if family not in _FAMILIES:
        return _missing_family(family, member)
    return None if member in _FAMILIES[family] else _missing(f"pl.{family} has no `{member}`", family, member)


def _missing_family(family: str, member: str) -> Missing | None:
    """What is wrong with the enum of a member that another enum has; None where it may be right."""
    near = None if family in _WORDS else near_match(family, (name for name in _FAMILIES if member in members(name)))
    if near is None:
        return None
    return Missing(f"there is no pl.{family}, did you mean `pl.{near}.{member}`?", (f"{near}.{member}",))


def _missing(message: str, family: str, member: str) -> Missing:
    near = _OTHERWISE_CALLED.get(member.casefold()) or near_match(member, members(family))
    if near is None:
        return Missing(message)
    path = f"{family}.{near}" if family else near
    return Missing(f"{message}, did you mean `pl.{path}`?", (path,))


def _bare(member: str) -> object | None:
    if member in _TENSOR_LAYOUTS:
        return member
    return None


def space_named(name: str) -> Space | None:
    """`Vec` as a space; annotations may name spaces without their enum."""
    found = _FAMILIES["Mem"].get(name)
    return found if isinstance(found, Space) else None
