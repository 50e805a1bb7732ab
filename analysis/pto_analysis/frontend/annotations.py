"""Type annotations of parameters, locals and results (DSL section b)."""

from __future__ import annotations

from pto_analysis.frontend.constants import missing_in
from pto_analysis.frontend.dimensions import read_extents, static_int
from pto_analysis.frontend.enums import dsl_constant, space_named
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.memrefs import read_memref
from pto_analysis.frontend.names import dsl_constant_path, last_name
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.shapes import dtype_attribute
from pto_analysis.frontend.tile_views import read_tensor_view, read_tile_view
from pto_analysis.frontend.values import constant_of, is_unknown
from pto_analysis.frozen import evolve
from pto_analysis.ir.dtypes import TASK_ID, DType
from pto_analysis.ir.function import Direction
from pto_analysis.ir.types import (
    ArrayType,
    MemRef,
    ScalarType,
    Shape,
    Space,
    TensorType,
    TensorView,
    TileType,
    TileView,
    TupleType,
    Type,
    UnknownType,
)
from pto_analysis.source import syntax
from pto_analysis.suggest import near_match

_DIRECTIONS = {"Out": Direction.OUT, "InOut": Direction.INOUT}
_SHAPED = frozenset({"Tensor", "Tile", "DistributedTensor"})
_TYPES = ("Tensor", "Tile", "Scalar", "Array", "Tuple", "Out", "InOut")
_HANDLES = frozenset(
    {
        "Ptr", "MemRefType", "UnknownType", "WindowBufferType", "CommCtxType", "CommCtx",
        "PrefetchAsyncContextType", "PrefetchAsyncContext", "AsyncEventType", "AsyncEvent",
        "AsyncSessionType", "AsyncSession",
    }
)  # fmt: skip
_LAYOUTS = frozenset({"ND", "NZ", "MX_A_ZZ", "MX_B_NN"})


def read_parameter_type(reading: Reading, node: syntax.Expression) -> tuple[Type, Direction]:
    """The type and direction that a parameter's annotation says."""
    direction = Direction.IN
    if isinstance(node, syntax.Subscript):
        wrapper = last_name(node.value)
        if wrapper in _DIRECTIONS and len(node.items) == 1:
            direction, node = _DIRECTIONS[wrapper], node.items[0]
    type_ = read_type(reading, node)
    if isinstance(type_, TupleType):
        _refuse(reading, node, "a parameter cannot be a tuple")
    if direction is Direction.INOUT and isinstance(type_, ScalarType):
        _refuse(reading, node, "a scalar parameter cannot be InOut")
    return type_, direction


def read_type(reading: Reading, node: syntax.Expression) -> Type:
    """The type that an annotation says; unknown, with an issue, when it says none."""
    if isinstance(node, syntax.Subscript):
        return _subscripted(reading, node)
    if isinstance(node, syntax.Call):
        return _called(reading, node)
    if isinstance(node, syntax.Constant):
        return UnknownType("a string annotation" if isinstance(node.value, str) else "no type")
    if isinstance(node, syntax.Sequence):
        return _refuse(reading, node, "this is not a type of the DSL")
    name = last_name(node)
    if name in _SHAPED:
        return UnknownType(f"a bare pl.{name}: shape and dtype come from the call")
    if name == "TaskId":
        return ScalarType(TASK_ID)
    if name in _HANDLES:
        return UnknownType(f"{name} handle")
    dtype = read_dtype(reading, node)
    if dtype is not None:
        return ScalarType(dtype)
    return UnknownType("an annotation that is not a DSL type")


def read_dtype(reading: Reading, node: syntax.Expression) -> DType | None:
    """A dtype written as `pl.FP32`, `FP32`, or held in a Python name; None when it is not known."""
    path = dsl_constant_path(reading, node)
    if path is not None:
        value = dsl_constant(path)
    else:
        value = dtype_attribute(reading, node) or constant_of(reading.closure.evaluate(node))
    return value if isinstance(value, DType) else None


def _subscripted(reading: Reading, node: syntax.Subscript) -> Type:
    name = last_name(node.value)
    if name == "Scalar":
        dtype = read_dtype(reading, node.items[0])
        return ScalarType(dtype) if dtype is not None else _unknown_dtype(reading, node.items[0])
    if name == "Array" and len(node.items) == 2:
        length, dtype = static_int(reading, node.items[0]), read_dtype(reading, node.items[1])
        return UnknownType("array") if length is None or dtype is None else ArrayType(length, dtype)
    if name in ("Tuple", "tuple"):
        return TupleType(tuple(read_type(reading, item) for item in node.items))
    if name in _SHAPED:
        return _shaped(reading, name, node, node.items)
    if name in _DIRECTIONS:
        return read_type(reading, node.items[0])
    return _unknown_type(reading, node.value)


def _called(reading: Reading, node: syntax.Call) -> Type:
    name = last_name(node.func)
    items = tuple(argument.value for argument in node.args if not argument.star)
    if name in _SHAPED and len(items) >= 2:
        return _shaped(reading, name, node, items)
    if name == "Scalar" and items:
        dtype = read_dtype(reading, items[0])
        return ScalarType(dtype) if dtype is not None else _unknown_dtype(reading, items[0])
    if name in ("Tuple", "tuple"):
        return TupleType(tuple(read_type(reading, item) for item in items))
    return UnknownType("an annotation that is computed")


def _shaped(reading: Reading, name: str, node: syntax.Expression, items: tuple[syntax.Expression, ...]) -> Type:
    if len(items) < 2:
        return _refuse(reading, node, f"pl.{name} needs a shape and a dtype")
    shape = read_extents(reading, items[0])
    dtype = read_dtype(reading, items[1])
    if shape is None:
        return UnknownType("the annotated shape is not known")
    if dtype is None:
        return _unknown_dtype(reading, items[1])
    if name == "Tile":
        return _tile(reading, shape, dtype, items[2:])
    return _tensor(reading, shape, dtype, items[2:], distributed=name == "DistributedTensor")


def _tile(reading: Reading, shape: Shape, dtype: DType, extras: tuple[syntax.Expression, ...]) -> Type:
    space: Space | None = None
    memref: MemRef | None = None
    view_node: syntax.Expression | None = None
    memref_node: syntax.Expression | None = None
    for node in extras:
        found = read_space(reading, node)
        if found is not None:
            space = found
        elif last_name(node.func if isinstance(node, syntax.Call) else node) == "TileView":
            view_node = node
        else:
            memref, memref_node = read_memref(reading, node), node
            missing = missing_in(reading, node)
            if missing is not None:
                return _refuse(reading, node, missing.message, *missing.near)
            if memref is None:
                return _refuse(reading, node, "a tile annotation takes a memory space, a MemRef and a TileView")
    if memref_node is not None and space is None:
        _refuse(reading, memref_node, "a tile annotation with a MemRef must name the memory space too")
    view: TileView | None = None
    if view_node is not None:
        view = read_tile_view(reading, view_node, shape, space)
    if memref is not None:
        memref = evolve(memref, space=space)
    return TileType(shape, dtype, space, view, memref)


def _tensor(
    reading: Reading, shape: Shape, dtype: DType, extras: tuple[syntax.Expression, ...], *, distributed: bool
) -> Type:
    view: TensorView | None = None
    memref: MemRef | None = None
    for node in extras:
        if isinstance(node, syntax.Constant):
            continue
        layout = last_name(node)
        if layout == "DN":
            return _refuse(
                reading, node, "DN is no annotation shorthand; write pl.TensorView(stride=…, layout=pl.TensorLayout.DN)"
            )
        if layout in _LAYOUTS:
            view = None if layout == "ND" else TensorView(layout=layout)
            continue
        memref_here = read_memref(reading, node)
        if memref_here is not None:
            memref = memref_here
            continue
        view = read_tensor_view(reading, node) or view
    return TensorType(shape, dtype, view, memref, distributed)


def read_space(reading: Reading, node: syntax.Expression) -> Space | None:
    path = dsl_constant_path(reading, node)
    if path is not None:
        value = dsl_constant(path)
        return value if isinstance(value, Space) else None
    if isinstance(node, syntax.Name):
        value = constant_of(reading.closure.lookup(node.name)) if node.name not in reading.scope else None
        return value if isinstance(value, Space) else space_named(node.name)
    if isinstance(node, syntax.Attribute):
        value = constant_of(reading.closure.evaluate(node))
        return value if isinstance(value, Space) else None
    return None


def _unknown_type(reading: Reading, node: syntax.Expression) -> UnknownType:
    path = dsl_constant_path(reading, node)
    near = None if path is None else near_match(path, _TYPES)
    if near is None:
        return _refuse(reading, node, "this is not a type of the DSL")
    return _refuse(reading, node, f"the DSL has no type `{path}`, did you mean `pl.{near}`?", near)


def _unknown_dtype(reading: Reading, node: syntax.Expression) -> UnknownType:
    value = reading.closure.evaluate(node)
    if is_unknown(value):
        return reading.unknown("dtype", "the annotated dtype is not known", reading.origin(node))
    missing = missing_in(reading, node)
    if missing is None:
        return _refuse(reading, node, "this is not a dtype")
    return _refuse(reading, node, missing.message, *missing.near)


def _refuse(reading: Reading, node: syntax.Expression, message: str, *near: str) -> UnknownType:
    """Refuse an annotation; `near` are the paths in the DSL that were most likely meant."""
    path = dsl_constant_path(reading, node)
    return reading.refuse(IssueKind.ANNOTATION, message, reading.origin(node), wrong=path, suggestions=near)
