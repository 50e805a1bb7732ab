"""Finds the op that a DSL spelling means, by name and by the kinds of its arguments (reference: DSL section e)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Literal, Union, cast

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import FP32, INT32, DType
from pto_analysis.ir.expr import is_expression, type_of
from pto_analysis.ir.types import Atomic, ScalarType, TensorType, TileType, Type, UnknownType
from pto_analysis.ops.binding import Bound, assign_arguments, bind
from pto_analysis.ops.deduction.site import RefusedError, kind_name, refuse
from pto_analysis.ops.forms import FORMS
from pto_analysis.ops.signature import parameters
from pto_analysis.ops.spec import OpSpec, Refusal
from pto_analysis.ops.table import get, table
from pto_analysis.ops.table.spellings import (
    ALIASES,
    DISTRIBUTED_SHORT,
    NAMESPACED,
    PROMOTED_SYSTEM,
    PROMOTED_TENSOR,
    PROMOTED_TILE,
    SCALAR_OPERATORS,
    SYSTEM_TILE_OPS,
    UNIFIED,
    Dispatch,
)

LANGUAGE = ("yield_", "cond", "const", "dynamic", "submit", "spmd_submit", "no_dep", "static_assert", "static_print")
"""What the DSL has besides operations, loops and scopes, and calls like one."""

Kind = Literal["tile", "tensor", "scalar", "other", "unknown"]


@frozen
class ScalarCall:
    """A call that is scalar arithmetic, not an op: `pl.max(a, b)`, `pl.add(1, n)`, `pl.cast(n, pl.INT32)`.

    `operator` is an operator of `ir.expr.Binary`, or "cast" with the target dtype in `arguments[1]`.
    """

    operator: str
    arguments: tuple[object, ...]


Resolved = Union[Bound, ScalarCall, Refusal]


def resolve(spelling: str, positional: Sequence[object], keywords: Mapping[str, object]) -> Resolved:
    """Resolves and binds a call.

    `spelling` is the dotted name without the module alias: "add", "tile.slice", "system.bar_all", for the
    distributed module "pld.tile.remote_load". An operand of unknown type counts as whatever the others are.
    """
    try:
        return _resolved(spelling, positional, keywords)
    except RefusedError as refused:
        return refused.refusal


def candidates(spelling: str) -> tuple[OpSpec, ...]:
    """Every op the spelling may mean, for hover and completion."""
    dispatch = UNIFIED.get(spelling) or NAMESPACED.get(spelling)
    if dispatch is not None:
        names = (dispatch.tile, dispatch.tensor, dispatch.tile_scalar, dispatch.tensor_scalar)
        expanded = [name for each in names if each for name in (FORMS[each].ops if each in FORMS else (each,))]
        return tuple(spec for spec in (get(name) for name in dict.fromkeys(expanded)) if spec is not None)
    qualified = _qualified(spelling)
    if qualified in FORMS:
        return tuple(spec for spec in (get(name) for name in FORMS[qualified].ops) if spec is not None)
    spec = _named(qualified)
    return (spec,) if spec is not None else ()


def shown(spelling: str) -> str:
    """The spelling as an author writes it, with its module: "pl.add", "pld.window"."""
    return spelling if spelling.startswith("pld.") else f"pl.{spelling}"


def is_known(spelling: str) -> bool:
    """Whether the spelling names an op or a scalar operator."""
    short = spelling.rpartition(".")[2]
    scalar = short in SCALAR_OPERATORS and spelling in (short, f"tile.{short}")
    return scalar or bool(candidates(spelling))


def nearest(spelling: str, count: int = 3) -> tuple[str, ...]:
    """Known spellings that look most like an unknown one; first those that have its name in another namespace."""
    namespace, _, short = spelling.rpartition(".")
    known = (*_spellings(), *LANGUAGE)
    namesakes = [each for each in known if each.rpartition(".")[2] == short]
    if namespace:
        alike = get_close_matches(spelling, known, count, 0.75)
    else:
        alike = get_close_matches(short, [each for each in known if "." not in each], count, 0.6)
    return tuple(dict.fromkeys((*namesakes, *alike)))[:count]


def signature_of(spelling: str) -> str | None:
    """The signature text a call is checked against: names, order, defaults."""
    dispatch = UNIFIED.get(spelling) or NAMESPACED.get(spelling)
    if dispatch is not None:
        return dispatch.params
    qualified = _qualified(spelling)
    if qualified in FORMS:
        return FORMS[qualified].params
    spec = _named(qualified)
    return spec.signature if spec is not None else None


@lru_cache(maxsize=1)
def _spellings() -> tuple[str, ...]:
    """Every spelling, for did-you-mean and completion."""
    inside = [spec.spelling.removeprefix("pl.") for spec in table().values()]
    top = [*UNIFIED, *sorted(PROMOTED_TILE | PROMOTED_TENSOR | PROMOTED_SYSTEM), *SCALAR_OPERATORS]
    return tuple(dict.fromkeys([*top, *inside, *NAMESPACED, *ALIASES, *FORMS, *DISTRIBUTED_SHORT]))


def spellings() -> tuple[str, ...]:
    """Every spelling that `resolve` knows."""
    return _spellings()


def _resolved(spelling: str, positional: Sequence[object], keywords: Mapping[str, object]) -> Resolved:
    short = spelling.rpartition(".")[2]
    if short in SCALAR_OPERATORS and spelling in (short, f"tile.{short}"):
        values = assign_arguments(f"{shown(spelling)}", "lhs, rhs", positional, keywords)
        return ScalarCall(SCALAR_OPERATORS[short], (values["lhs"], values["rhs"]))
    dispatch = UNIFIED.get(spelling) or NAMESPACED.get(spelling)
    if dispatch is not None:
        return _dispatched(
            spelling, dispatch, assign_arguments(f"{shown(spelling)}", dispatch.params, positional, keywords)
        )
    qualified = _qualified(spelling)
    if qualified in FORMS:
        return _formed(qualified, assign_arguments(f"{shown(spelling)}", FORMS[qualified].params, positional, keywords))
    spec = _named(qualified)
    if spec is None:
        near = nearest(spelling)
        hint = f", did you mean {shown(near[0])}?" if near else ""
        return Refusal("unknown-op", f"there is no op {shown(spelling)}{hint}", suggestions=near)
    return bind(spec, positional, keywords)


def _qualified(spelling: str) -> str:
    """The spelling with its namespace: "load" is "tile.load", "system.tpush_to_aiv" is "tile.tpush_to_aiv"."""
    if spelling in DISTRIBUTED_SHORT:
        return DISTRIBUTED_SHORT[spelling]
    namespace, _, short = spelling.rpartition(".")
    if not namespace:
        for names, module in ((PROMOTED_TILE, "tile"), (PROMOTED_TENSOR, "tensor"), (PROMOTED_SYSTEM, "system")):
            if short in names:
                namespace = module
    if namespace == "system" and short in SYSTEM_TILE_OPS:
        namespace = "tile"
    qualified = f"{namespace}.{short}" if namespace else short
    return ALIASES.get(qualified, qualified)


@lru_cache(maxsize=1)
def _by_spelling() -> dict[str, OpSpec]:
    return {spec.spelling.removeprefix("pl."): spec for spec in table().values()}


def _named(qualified: str) -> OpSpec | None:
    """An op by the spelling inside its namespace; top-level names that are not promoted name nothing."""
    return _by_spelling().get(qualified) if "." in qualified else None


def _formed(name: str, values: Mapping[str, object]) -> Resolved:
    target, arguments = FORMS[name].choose(values)
    return _bind_named(target, arguments)


def _bind_named(target: str, values: Mapping[str, object]) -> Resolved:
    """Binds to an op by its IR name."""
    spec = get(target)
    if spec is None:
        return Refusal("unknown-op", f"there is no op {target}")
    rest = next((p.name for p in parameters(spec.signature) if p.passing == "rest"), None)
    if rest is None:
        return bind(spec, (), values)
    keywords = {key: value for key, value in values.items() if key != rest}
    return bind(spec, cast("tuple[object, ...]", values.get(rest, ())), keywords)


def _dispatched(spelling: str, dispatch: Dispatch, values: dict[str, object]) -> Resolved:
    names = [p.name for p in parameters(dispatch.params)]
    kinds: list[Kind] = [kind_of(values.get(name)) for name in names[: dispatch.same]]
    if dispatch.scalar and all(kind == "scalar" for kind in kinds):
        return _scalar_call(spelling, dispatch, [values.get(name) for name in names])
    level = _level(spelling, dispatch, kinds, [values.get(name) for name in names])
    if not any(kind in ("tile", "tensor") for kind in kinds):
        level = _likely_level(dispatch, values)
    target = dispatch.tile if level == "tile" else dispatch.tensor
    if dispatch.same == 2 or spelling in NAMESPACED:
        second = kind_of(values.get(names[1])) if len(names) > 1 else "other"
        scalar_form = dispatch.tile_scalar if level == "tile" else dispatch.tensor_scalar
        if second == "scalar" and scalar_form:
            target = scalar_form
    _check_level(spelling, dispatch, level, values)
    arguments = _renamed(target, names, values)
    return _formed(target, arguments) if target in FORMS else _bind_named(target, arguments)


def _scalar_call(spelling: str, dispatch: Dispatch, arguments: list[object]) -> Resolved:
    operator = dispatch.scalar
    if operator != "cast":
        return ScalarCall(operator, tuple(arguments[:2]))
    if arguments[2] not in (None, "round", 2):
        return Refusal("attribute", f"{shown(spelling)}: a scalar is cast without a mode", keyword="mode")
    return ScalarCall(operator, tuple(arguments[:2]))


def _level(spelling: str, dispatch: Dispatch, kinds: Sequence[Kind], arguments: Sequence[object]) -> Kind:
    """Whether the call is on tiles or on tensors; refuses mixtures and operands that are neither."""
    first = kinds[0]
    known: list[Kind] = [kind for kind in kinds if kind in ("tile", "tensor")]
    if len(set(known)) > 1 and spelling not in NAMESPACED:
        refuse("operand-kind", f"{shown(spelling)} cannot mix a tensor and a tile: load or slice the tensor first")
    if first in ("scalar", "other"):
        described = _describe(arguments[0])
        refuse("operand-kind", f"{shown(spelling)} needs a tile or a tensor first, not {described}")
    level: Kind = known[0] if known else "tile"
    if not dispatch.tensor:
        level = "tile"
    elif not dispatch.tile:
        level = "tensor"
    scalar_form = dispatch.tile_scalar if level == "tile" else dispatch.tensor_scalar
    for position, kind in enumerate(kinds[1:], 1):
        if kind == "other" or (kind == "scalar" and not (position == 1 and scalar_form)):
            described = _describe(arguments[position])
            refuse("operand-kind", f"{shown(spelling)} needs a {level} as operand {position}, not {described}")
    return level


def _likely_level(dispatch: Dispatch, values: Mapping[str, object]) -> Kind:
    """For operands of unknown kind: the level that accepts the given parameters."""
    if not dispatch.tensor or not dispatch.tile:
        return "tile" if dispatch.tile else "tensor"
    given = {name for name, value in values.items() if value not in (None, False)}
    lacks_scratch = not set(dispatch.needs.split()) <= given or (dispatch.tile in FORMS and "tmp" not in given)
    return "tensor" if lacks_scratch or given & set(dispatch.only_tensor.split()) else "tile"


def _check_level(spelling: str, dispatch: Dispatch, level: Kind, values: dict[str, object]) -> None:
    """Parameters that only the other level has must not be given; required scratch must be."""
    refused = dispatch.only_tensor if level == "tile" else dispatch.only_tile
    for name in refused.split():
        if name == "out_dtype":
            _check_accumulator(spelling, values)
            continue
        value = values.pop(name, None)
        if value not in (None, False) and not _is_default_atomic(value):
            refuse("keyword", f"{shown(spelling)}: '{name}' is not for {level}s", keyword=name)
    for name in dispatch.needs.split() if level == "tile" else ():
        if values.get(name) is None:
            refuse("arity", f"{shown(spelling)} needs a scratch tile '{name}' for tiles", keyword=name)


def _check_accumulator(spelling: str, values: dict[str, object]) -> None:
    """The matrix unit fixes the dtype of a tile product; `out_dtype` may only repeat it."""
    wanted, lhs = values.pop("out_dtype", None), values.get("lhs")
    type_ = type_of(lhs) if is_expression(lhs) else None
    if not isinstance(wanted, DType) or not isinstance(type_, TileType):
        return
    fixed = FP32 if type_.dtype.is_float else INT32
    if wanted != fixed:
        message = (
            f"{shown(spelling)}: the product of tiles is {fixed}, not {wanted}; cast it or let the store narrow it"
        )
        refuse("attribute", message, keyword="out_dtype")


def _is_default_atomic(value: object) -> bool:
    return value is Atomic.NONE


def _renamed(target: str, names: Sequence[str], values: Mapping[str, object]) -> dict[str, object]:
    """The arguments under the names of the target's own parameters: by name where it has it, else by position."""
    signature = FORMS[target].params if target in FORMS else _signature(target)
    params = parameters(signature)
    own = {p.name for p in params}
    renamed: dict[str, object] = {}
    for position, name in enumerate(names):
        if name not in values:
            continue
        if name in own:
            renamed[name] = values[name]
        elif position < len(params):
            renamed.setdefault(params[position].name, values[name])
        elif values[name] not in (None, False):
            refuse("keyword", f"{target} has no '{name}'", keyword=name)
    return renamed


def _signature(target: str) -> str:
    spec = get(target)
    return spec.signature if spec is not None else ""


def kind_of(value: object) -> Kind:
    """What an argument is to the dispatch. Plain numbers and INDEX arithmetic are scalars."""
    if isinstance(value, bool) or value is None:
        return "other"
    if isinstance(value, (int, float)):
        return "scalar"
    if not is_expression(value):
        return "other"
    return _kind_of_type(type_of(value))


def _kind_of_type(type_: Type) -> Kind:
    if isinstance(type_, TileType):
        return "tile"
    if isinstance(type_, TensorType):
        return "tensor"
    if isinstance(type_, ScalarType):
        return "scalar"
    return "unknown" if isinstance(type_, UnknownType) else "other"


def _describe(value: object) -> str:
    return kind_name(type_of(value)) if is_expression(value) else type(value).__name__
