"""How an argument becomes an IR attribute, by the kind of its parameter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NoReturn, cast

from pto_analysis.ir.dtypes import DTYPES, DType
from pto_analysis.ir.expr import (
    Tuple,
)
from pto_analysis.ir.types import Atomic, Layout, Pad, Space
from pto_analysis.ops.deduction.site import refuse
from pto_analysis.ops.signature import Param

CAST_MODES = ("none", "rint", "round", "floor", "ceil", "trunc", "odd")


COMPARE_MODES = ("eq", "ne", "lt", "le", "gt", "ge")


COALESCE_MODES = ("row", "elem")


TENSOR_LAYOUTS = ("ND", "DN", "NZ", "MX_A_ZZ", "MX_B_NN")


OUT_OF_BOUNDS_MODES = ("undefined", "clamp", "wrap", "zero")


def _bad_attribute(param: Param, value: object, wanted: str) -> NoReturn:
    refuse("attribute", f"'{param.name}' must be {wanted}, not {value!r}", keyword=param.name)


def _dtype_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, DType):
        return value
    if isinstance(value, str) and value in DTYPES:
        return DTYPES[value]
    _bad_attribute(param, value, "a dtype")


def _space_attribute(param: Param, value: object, given: bool) -> object:
    if isinstance(value, Space):
        return value
    if isinstance(value, str) and not given:
        return Space(value)
    _bad_attribute(param, value, "a memory space")


def _layout_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, Layout):
        return value
    _bad_attribute(param, value, "a TileLayout")


def _pad_attribute(param: Param, value: object, given: bool) -> object:
    if isinstance(value, str) and not given:
        return Pad(value)
    if isinstance(value, Pad):
        return value
    if value == 0 and not isinstance(value, bool):
        return Pad.ZERO
    if isinstance(value, float) and math.isinf(value):
        return Pad.MAX if value > 0 else Pad.MIN
    _bad_attribute(param, value, "a PadValue, 0 or an infinity")


def _bool_attribute(param: Param, value: object, given: bool) -> object:
    if isinstance(value, str) and not given:
        return value == "True"
    if isinstance(value, bool):
        return value
    _bad_attribute(param, value, "True or False")


def _int_attribute(param: Param, value: object, given: bool) -> object:
    if isinstance(value, str) and not given:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    _bad_attribute(param, value, "an integer")


def _str_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, str):
        return value
    _bad_attribute(param, value, "a string")


def _choice(param: Param, value: object, choices: Sequence[str]) -> int:
    """The number of a mode given by name or number."""
    if isinstance(value, str) and value in choices:
        return choices.index(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(choices):
        return value
    _bad_attribute(param, value, " or ".join(choices))


def _cast_mode(param: Param, value: object, given: bool) -> object:
    del given
    return CAST_MODES[_choice(param, value, CAST_MODES)]


def _cmp_mode(param: Param, value: object, given: bool) -> object:
    del given
    return _choice(param, value, COMPARE_MODES)


def _coalesce(param: Param, value: object, given: bool) -> object:
    del given
    return _choice(param, value, COALESCE_MODES)


def _gather_oob(param: Param, value: object, given: bool) -> object:
    del given
    return _choice(param, value, OUT_OF_BOUNDS_MODES)


def _atomic(param: Param, value: object, given: bool) -> object:
    if isinstance(value, Atomic):
        return value
    if isinstance(value, str) and not given:
        return Atomic(value)
    if value in (0, 1):
        return Atomic.ADD if value else Atomic.NONE
    _bad_attribute(param, value, "an AtomicType")


def _tensor_layout(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, str) and value in TENSOR_LAYOUTS:
        return value
    _bad_attribute(param, value, "a TensorLayout")


def _number_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    _bad_attribute(param, value, "a number")


def _shape_attribute(param: Param, value: object, given: bool) -> object:
    del given
    if isinstance(value, Tuple):
        return value.items
    if not isinstance(value, (list, tuple)):
        _bad_attribute(param, value, "a list of extents")
    return tuple(cast("Sequence[object]", value))


def _any_attribute(param: Param, value: object, given: bool) -> object:
    del param, given
    return value


ATTRIBUTES: dict[str, Callable[[Param, object, bool], object]] = {
    "dtype": _dtype_attribute,
    "space": _space_attribute,
    "layout": _layout_attribute,
    "pad": _pad_attribute,
    "bool": _bool_attribute,
    "int": _int_attribute,
    "dim": _int_attribute,
    "str": _str_attribute,
    "cast_mode": _cast_mode,
    "cmp_mode": _cmp_mode,
    "coalesce": _coalesce,
    "gather_oob": _gather_oob,
    "atomic": _atomic,
    "shape": _shape_attribute,
    "tensor_layout": _tensor_layout,
    "number": _number_attribute,
    "any": _any_attribute,
}
