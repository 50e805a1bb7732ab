"""The type of a call's result, or why the compiler refuses the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache

from attrs import field

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import Call, Expr, Invoke, Opaque, TupleItem, Var, type_of
from pto_analysis.ir.types import ScalarType, Space, TensorType, TensorView, TileType, TupleType, Type, UnknownType
from pto_analysis.ops.deduction.checks import run_check
from pto_analysis.ops.deduction.elements import result_dtype
from pto_analysis.ops.deduction.extents import result_extents
from pto_analysis.ops.deduction.layouts import result_layout
from pto_analysis.ops.deduction.rule_text import parse_rule
from pto_analysis.ops.deduction.site import RefusedError, Site, UndecidedError
from pto_analysis.ops.deduction.whole import whole_type
from pto_analysis.ops.dims import format_dim
from pto_analysis.ops.spec import OpSpec, Refusal
from pto_analysis.ops.table import get
from pto_analysis.ops.views import tensor_type, tile_type, valid_shape, with_space


def deduce(op: str, args: Sequence[Expr], attrs: Mapping[str, object]) -> Type | Refusal:
    """Types one call of the IR op `op`.

    An operand whose type is unknown makes the result unknown (or the operand it is written into, when that one is
    known), never a refusal. So does an op that is not in the table.
    """
    spec = get(op)
    return UnknownType(f"op {op}") if spec is None else deduce_row(spec, args, attrs)


def deduce_as_written(op: str, args: Sequence[Expr], attrs: Mapping[str, object]) -> Type:
    """The type of a call that was refused for its bounds: its window as it is written, valid as far as there is
    something. Unknown where more is wrong."""
    spec = get(op)
    type_ = _deduced(Site(spec, args, attrs, overlooks_bounds=True)) if spec is not None else None
    return UnknownType(f"op {op}") if type_ is None or isinstance(type_, Refusal) else type_


def deduce_row(spec: OpSpec, args: Sequence[Expr], attrs: Mapping[str, object]) -> Type | Refusal:
    """Types one call of the op that a row describes."""
    site = Site(spec, args, attrs)
    question = _question(site)
    return _deduced(site) if question is None else _remembered(question)


@frozen
class _Question:
    """A call to type, equal to every other that gets the same answer."""

    spec: str
    operands: tuple[object, ...]
    attrs: tuple[object, ...]
    site: Site = field(eq=False)


_SIMPLE = (bool, int, float, str, Enum, DType, type(None))


def _question(site: Site) -> _Question | None:
    """What the answer depends on: of tiles and tensors only the type. None where the operands are more than that."""
    args, attrs = site.args, site.attrs
    if len(set(map(id, args))) < len(args) or not all(isinstance(value, _SIMPLE) for value in attrs.values()):
        return None
    operands: list[object] = []
    for arg in args:
        kind = arg.type if isinstance(arg, (Var, Call, TupleItem, Invoke, Opaque)) else None
        if isinstance(kind, UnknownType):
            return None
        operands.append(kind if isinstance(kind, (TileType, TensorType)) else arg)
    named = tuple((name, type(value), value) for name, value in attrs.items())
    return _Question(site.spec.name, tuple(operands), named, site)


@lru_cache(maxsize=4096)
def _remembered(question: _Question) -> Type | Refusal:
    """More than half of all calls were typed before: kernels repeat them, and so do the stages of the lowering."""
    return _deduced(question.site)


def _deduced(site: Site) -> Type | Refusal:
    spec, args = site.spec, site.args
    try:
        return _finished(site, _built(site))
    except RefusedError as refused:
        return refused.refusal if _is_certain(site, refused.refusal) else _fallback(spec, args)
    except UndecidedError:
        return _fallback(spec, args)


_MEASURED = ("shape", "valid-region", "out-of-bounds")


def _is_certain(site: Site, refusal: Refusal) -> bool:
    """A refusal over extents counts only when every extent of the call is understood."""
    return refusal.kind not in _MEASURED or site.is_understood()


def _built(site: Site) -> Type:
    typing = site.spec.typing
    _check_valid_ranks(site)
    for check in typing.checks:
        run_check(site, check)
    if typing.whole is not None:
        return whole_type(site, typing.whole)
    match typing.kind:
        case "tile":
            return _tile(site)
        case "tensor":
            return _tensor(site)
        case "scalar":
            return ScalarType(result_dtype(site, typing.dtype))
        case "unknown":
            return UnknownType(site.op)


def _check_valid_ranks(site: Site) -> None:
    """An annotation may give a valid shape of another rank than the shape; no op takes such an operand."""
    for operand, arg in enumerate(site.args):
        type_ = type_of(arg)
        if isinstance(type_, (TileType, TensorType)) and len(valid_shape(type_)) != len(type_.shape):
            message = (
                f"operand {operand} has {len(type_.shape)} axes, but its valid shape has {len(valid_shape(type_))}"
            )
            site.refuse("valid-region", message, operand)


def _tile(site: Site) -> TileType:
    typing = site.spec.typing
    dtype = result_dtype(site, typing.dtype)
    shape = result_extents(site, typing.shape)
    valid = shape if typing.valid == "full" else result_extents(site, typing.valid)
    view = evolve(result_layout(site, typing.layout, shape), valid_shape=valid)
    return tile_type(shape, dtype, view)


def _tensor(site: Site) -> TensorType:
    typing = site.spec.typing
    dtype = result_dtype(site, typing.dtype)
    shape = result_extents(site, typing.shape)
    valid = shape if typing.valid == "full" else result_extents(site, typing.valid)
    return tensor_type(shape, dtype, TensorView(valid_shape=valid))


def _finished(site: Site, type_: Type) -> Type:
    """The result in its memory space, after the conditions that hold for every type."""
    if isinstance(type_, TupleType):
        return TupleType(tuple(_finished(site, item) for item in type_.items))
    if isinstance(type_, (TileType, TensorType)):
        _check_packed(site, type_)
    if not isinstance(type_, TileType) or type_.space is not None:
        return type_
    space = _result_space(site)
    return type_ if space is None else with_space(type_, space)


def _check_packed(site: Site, type_: TileType | TensorType) -> None:
    """Two FP4 elements share a byte, so rows must hold an even number of them."""
    if type_.dtype.name != "FP4" or not type_.shape:
        return
    last = type_.shape[-1]
    if isinstance(last, int) and (last <= 0 or last % 2):
        site.refuse("shape", f"FP4 needs an even last extent, got {format_dim(last)}")


def _result_space(site: Site) -> Space | None:
    """`Vec`, `attr(k)`, `attr(k,Vec)`, `inherit`, `inherit(Vec)` or nothing."""
    text = site.spec.space
    if not text:
        return None
    rule = parse_rule(text)
    words = rule.words()
    if rule.name == "inherit":
        return _first_tile_space(site) or (Space(words[0]) if words else None)
    if rule.name != "attr":
        return Space(text)
    named = site.attr(words[0], Space)
    if named is not None:
        return named
    return Space(words[1]) if len(words) > 1 else _first_tile_space(site)


def _first_tile_space(site: Site) -> Space | None:
    for arg in site.args:
        type_ = type_of(arg)
        if isinstance(type_, TileType) and type_.space is not None:
            return type_.space
    return None


def _fallback(spec: OpSpec, args: Sequence[Expr]) -> Type:
    """A result that is written into an operand keeps that operand's type."""
    reused = spec.reused_operand
    if reused is not None and reused < len(args):
        return type_of(args[reused])
    return UnknownType(f"an operand of {spec.name}")
