"""How types, values and expressions are spelled in the DSL. Statements and functions are printed by `ir.printer`."""

from __future__ import annotations

import json
import keyword
from collections.abc import Callable, Mapping
from enum import Enum
from typing import cast

from pto_analysis.ir.dtypes import BOOL, FP32, INDEX, DType
from pto_analysis.ir.expr import Binary, Call, Cast, Const, Expr, Invoke, Opaque, Tuple, TupleItem, Unary, Var
from pto_analysis.ir.function import FunctionKind
from pto_analysis.ir.types import (
    ArrayType,
    Atomic,
    Compact,
    Dim,
    Layout,
    MemRef,
    Pad,
    ScalarType,
    Shape,
    Space,
    TensorType,
    TensorView,
    TileType,
    TileView,
    TupleType,
    Type,
)
from pto_analysis.ir.views import effective_view, implicit_view

NameOf = Callable[[Var], str]
"""The printed name of a variable."""


def own_name(var: Var) -> str:
    return var.name


_ENUM_PREFIX: Mapping[type[Enum], str] = {
    Space: "pl.Mem",
    Layout: "pl.TileLayout",
    Pad: "pl.PadValue",
    Compact: "pl.CompactMode",
    Atomic: "pl.AtomicType",
    FunctionKind: "pl.FunctionType",
}

_EXPRESSIONS = (Var, Const, Unary, Binary, Cast, Tuple, TupleItem, Call, Invoke, Opaque)

_NAMESPACES = frozenset({"tile", "tensor", "system", "array", "prefetch"})


def value_text(value: object, name_of: NameOf = own_name) -> str:
    """An attribute's value: an enum member, dtype, number, string, expression or tuple of these."""
    if isinstance(value, Enum):
        return f"{_ENUM_PREFIX.get(type(value), f'pl.{type(value).__name__}')}.{value.value}"
    if isinstance(value, DType):
        return f"pl.{value.name}"
    if isinstance(value, _EXPRESSIONS):
        return expression_text(value, name_of)
    if isinstance(value, (tuple, list)):
        items = cast("tuple[object, ...]", value)
        return f"[{', '.join(value_text(item, name_of) for item in items)}]"
    if isinstance(value, Mapping):
        pairs = cast("Mapping[object, object]", value)
        return "{" + ", ".join(f"{key!r}: {value_text(item, name_of)}" for key, item in pairs.items()) + "}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return _float_text(value) if isinstance(value, float) else repr(value)


def attribute_texts(attrs: Mapping[str, object], name_of: NameOf = own_name) -> list[str]:
    """Keyword arguments; what is None was not given."""
    return [f"{key}={_attribute_text(key, value, name_of)}" for key, value in attrs.items() if value is not None]


def _attribute_text(key: str, value: object, name_of: NameOf) -> str:
    if key == "layout" and isinstance(value, str):
        return f"pl.TensorLayout.{value}"
    return value_text(value, name_of)


def _float_text(value: float) -> str:
    """Infinities are written as literals that overflow: the DSL has no name for them."""
    return {"inf": "1e999", "-inf": "-1e999"}.get(repr(value), repr(value))


# Expressions


_PRECEDENCE = {
    "or": 1, "and": 2, "not": 3, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "|": 5, "^": 6, "&": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "//": 10, "%": 10, "neg": 11, "~": 11,
}  # fmt: skip
_COMPARISON = 4
_ATOM = 99


def expression_text(expr: Expr, name_of: NameOf = own_name) -> str:
    """The expression in the compiler's spelling: `pl.tile.*` calls, typed literals where a bare one would change."""
    return _Spelling(name_of).text(expr)


def dim_text(dim: Dim, name_of: NameOf = own_name) -> str:
    return str(dim) if isinstance(dim, int) else expression_text(dim, name_of)


def constant_text(value: float, dtype: DType, *, typed: bool = False) -> str:
    """A literal; `pl.const(…)` unless its dtype is the one that a bare literal has (INDEX, FP32, BOOL)."""
    if isinstance(value, bool) and dtype == BOOL:
        return str(value)
    text = _float_text(float(value)) if dtype.is_float else str(value)
    bare = dtype in (INDEX, FP32) and not typed
    return text if bare else f"pl.const({text}, pl.{dtype.name})"


class _Spelling:
    """Prints expressions with the names of one function."""

    def __init__(self, name_of: NameOf) -> None:
        self.name_of = name_of

    def text(self, expr: Expr, *, typed: bool = False) -> str:
        if isinstance(expr, Var):
            return self.name_of(expr)
        if isinstance(expr, Const):
            return constant_text(expr.value, expr.dtype, typed=typed)
        if isinstance(expr, Binary):
            return self._binary(expr, typed=typed or _is_literal_tree(expr))
        if isinstance(expr, Unary):
            return self._unary(expr)
        if isinstance(expr, Cast):
            return f"pl.cast({self.text(expr.operand)}, pl.{expr.dtype.name})"
        if isinstance(expr, Tuple):
            return f"[{', '.join(map(self.text, expr.items))}]"
        if isinstance(expr, TupleItem):
            return f"{self.text(expr.value)}[{expr.index}]"
        if isinstance(expr, Opaque):
            return f"pl.not_in_dsl({', '.join([repr(expr.what), *map(self.text, expr.operands)])})"
        return self._call(expr)

    def _binary(self, expr: Binary, *, typed: bool) -> str:
        if expr.op in ("min", "max"):
            return f"pl.{expr.op}({self.text(expr.left, typed=typed)}, {self.text(expr.right, typed=typed)})"
        own = _PRECEDENCE[expr.op]
        left = self._wrapped(expr.left, own + (own == _COMPARISON), typed=typed)
        right = self._wrapped(expr.right, own + 1, typed=typed)
        return f"{left} {expr.op} {right}"

    def _unary(self, expr: Unary) -> str:
        if expr.op == "not":
            return f"not {self._wrapped(expr.operand, _PRECEDENCE['not'], typed=False)}"
        # A minus before a bare literal would be read back as a negative literal.
        return f"{expr.op}{self._wrapped(expr.operand, _PRECEDENCE['neg'], typed=True)}"

    def _wrapped(self, expr: Expr, least: int, *, typed: bool) -> str:
        text = self.text(expr, typed=typed)
        return text if _precedence(expr) >= least else f"({text})"

    def _call(self, expr: Call | Invoke) -> str:
        if isinstance(expr, Invoke):
            head, keywords = expr.callee, {}
        else:
            head, keywords = spelled(expr.op), _keyword_operands(expr)
        parts = [self.text(arg) for index, arg in enumerate(expr.args) if index not in keywords]
        parts += attribute_texts(expr.attrs, self.name_of)
        parts += [f"{name}={self._keyword_value(name, expr.args[index])}" for index, name in keywords.items()]
        return f"{head}({', '.join(parts)})"

    def _keyword_value(self, name: str, expr: Expr) -> str:
        """A fill value is a bare number: its dtype is an argument of its own."""
        return value_text(expr.value) if name == "value" and isinstance(expr, Const) else self.text(expr)


def spelled(op: str) -> str:
    """The DSL spelling of an operation: `tile.and` is `pl.tile.and_`."""
    namespace, _, name = op.partition(".")
    if namespace not in _NAMESPACES:
        return op
    return f"pl.{namespace}.{name}_" if keyword.iskeyword(name) else f"pl.{namespace}.{name}"


_KEYWORD_OPERANDS: Mapping[str, Mapping[int, str]] = {
    "tile.gather_row": {5: "valid_shape"},
    "tensor.gather_row": {5: "valid_shape"},
    "tile.full": {1: "value"},
    "tensor.full": {1: "value"},
    "tile.reinterpret_view": {1: "shape"},
    "tensor.reinterpret_view": {1: "shape"},
    "system.syncall": {0: "gm_workspace", 1: "used_cores"},
}
"""Operands that the DSL takes by keyword, or that follow an attribute in its signature, by their place in the IR."""


def _keyword_operands(call: Call) -> dict[int, str]:
    names = _KEYWORD_OPERANDS.get(call.op, {})
    if call.op == "tile.mgather":
        names = {2: "scratch", 3: "valid_shape"} if call.attrs.get("coalesce") else {2: "valid_shape"}
    return {index: name for index, name in names.items() if index < len(call.args)}


def _precedence(expr: Expr) -> int:
    if isinstance(expr, Binary):
        return _PRECEDENCE.get(expr.op, _ATOM)
    if isinstance(expr, Unary):
        return _PRECEDENCE["not" if expr.op == "not" else "neg"]
    return _ATOM


def _is_literal_tree(expr: Expr) -> bool:
    """Whether the expression would be folded to one literal when read back."""
    pending = [expr]
    while pending:
        item = pending.pop()
        if isinstance(item, Binary):
            pending += [item.left, item.right]
        elif not isinstance(item, Const):
            return False
    return True


# Types


def type_text(type_: Type, name_of: NameOf = own_name) -> str:
    """The annotation of a type. A tile's view is written only where it differs from the implicit one."""
    if isinstance(type_, TileType):
        return f"pl.Tile[{', '.join(_tile_parts(type_, name_of))}]"
    if isinstance(type_, TensorType):
        head = "pld.DistributedTensor" if type_.distributed else "pl.Tensor"
        return f"{head}[{', '.join(_tensor_parts(type_, name_of))}]"
    if isinstance(type_, ScalarType):
        return "pl.TaskId" if type_.dtype.name == "TASK_ID" else f"pl.Scalar[pl.{type_.dtype.name}]"
    if isinstance(type_, ArrayType):
        return f"pl.Array[{dim_text(type_.length, name_of)}, pl.{type_.dtype.name}]"
    if isinstance(type_, TupleType):
        return f"pl.Tuple[{', '.join(type_text(item, name_of) for item in type_.items) or '()'}]"
    return "pl.UnknownType"


def shape_text(shape: Shape, name_of: NameOf = own_name) -> str:
    return f"[{', '.join(dim_text(dim, name_of) for dim in shape)}]"


def _tile_parts(tile: TileType, name_of: NameOf) -> list[str]:
    parts = [shape_text(tile.shape, name_of), f"pl.{tile.dtype.name}"]
    if tile.memref is not None:
        parts.append(memref_text(tile.memref, name_of))
    if tile.space is not None:
        parts.append(value_text(tile.space))
    view, implicit = effective_view(tile), implicit_view(tile.shape, tile.space)
    if view != implicit:
        parts.append(_tile_view_text(view, implicit, name_of))
    return parts


def _tile_view_text(view: TileView, implicit: TileView, name_of: NameOf) -> str:
    fields: list[str] = []
    if view.valid_shape is not None:
        fields.append(f"valid_shape={shape_text(view.valid_shape, name_of)}")
    if view.stride is not None:
        fields.append(f"stride={shape_text(view.stride, name_of)}")
    if view.start_offset is not None:
        fields.append(f"start_offset={dim_text(view.start_offset, name_of)}")
    for field in ("blayout", "slayout", "fractal", "pad", "compact"):
        value: object = getattr(view, field)
        if value != getattr(implicit, field):
            fields.append(f"{field}={value_text(value)}")
    return f"pl.TileView({', '.join(fields)})"


def memref_text(memref: MemRef, name_of: NameOf = own_name) -> str:
    """`pl.MemRef("name", slots=N)[k]` as declared by an author, `pl.MemRef("name", offset, size)` once placed."""
    parts = [] if memref.base is None else [f'"{memref.base}"']
    if memref.base is None and memref.space is not None and memref.byte_offset is not None:
        parts.append(value_text(memref.space))
    if memref.byte_offset is not None:
        parts.append(_offset_text(memref.byte_offset, name_of))
    if memref.size is not None:
        parts.append(dim_text(memref.size, name_of))
    if memref.slots is not None and memref.slots > 1:
        parts.append(f"slots={memref.slots}")
    slot = "" if memref.slot is None else f"[{dim_text(memref.slot, name_of)}]"
    return f"pl.MemRef({', '.join(parts)}){slot}"


def _offset_text(offset: Dim, name_of: NameOf) -> str:
    return f"pl.const({offset}, pl.INT64)" if isinstance(offset, int) else dim_text(offset, name_of)


def _tensor_parts(tensor: TensorType, name_of: NameOf) -> list[str]:
    parts = [shape_text(tensor.shape, name_of), f"pl.{tensor.dtype.name}"]
    if tensor.view is not None:
        parts.append(_tensor_view_text(tensor.view, name_of))
    if tensor.memref is not None:
        parts.append(memref_text(tensor.memref, name_of))
    return parts


def _tensor_view_text(view: TensorView, name_of: NameOf) -> str:
    fields: list[str] = []
    if view.stride is not None:
        fields.append(f"stride={shape_text(view.stride, name_of)}")
    if view.layout != "ND" or view.stride is not None:
        fields.append(f"layout=pl.TensorLayout.{view.layout}")
    if view.valid_shape is not None:
        fields.append(f"valid_shape={shape_text(view.valid_shape, name_of)}")
    if view.pad is not Pad.NULL:
        fields.append(f"pad={value_text(view.pad)}")
    return f"pl.TensorView({', '.join(fields)})"
