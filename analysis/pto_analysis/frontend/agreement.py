"""An annotation against the type of the value: what must agree, and which side decides (DSL section b.2)."""

from __future__ import annotations

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import evolve
from pto_analysis.ir.dtypes import INDEX, DType
from pto_analysis.ir.expr import Call, Expr
from pto_analysis.ir.types import ArrayType, ScalarType, TensorType, TileType, TupleType, Type, UnknownType
from pto_analysis.source.span import Origin

_KINDS: dict[type, str] = {
    TileType: "Tile",
    TensorType: "Tensor",
    ScalarType: "Scalar",
    ArrayType: "Array",
    TupleType: "Tuple",
}
_FLATTENED = frozenset({"tile.load", "tile.create"})


def agreed_type(reading: Reading, name: str, annotated: Type, value: Expr, inferred: Type, origin: Origin) -> Type:
    """The type of `name: annotated = value`. Contradictions are recorded; then the value decides.

    Of a tile the annotated space, view and MemRef override the inferred ones. A scalar's annotation replaces
    INDEX only.
    """
    if isinstance(annotated, UnknownType):
        return inferred
    if isinstance(inferred, UnknownType):
        return annotated
    problem = contradiction(annotated, inferred, _may_flatten(annotated, value, inferred))
    if problem is not None:
        reading.refuse(
            IssueKind.ANNOTATION_MISMATCH, f"`{name}` is annotated with {problem}", origin, name=name,
            annotated=annotated, inferred=inferred,
        )  # fmt: skip
        return inferred
    if isinstance(annotated, TileType) and isinstance(inferred, TileType):
        return _tile(annotated, inferred)
    if isinstance(annotated, TensorType) and isinstance(inferred, TensorType):
        view = annotated.view if annotated.view is not None else inferred.view
        return evolve(inferred, view=view, memref=annotated.memref or inferred.memref)
    if isinstance(annotated, ScalarType) and isinstance(inferred, ScalarType) and inferred.dtype == INDEX:
        return annotated
    return inferred


def contradiction(annotated: Type, inferred: Type, may_flatten: bool = False) -> str | None:
    """What an annotation says against the value's type, as the end of a sentence; None when they agree."""
    if type(annotated) is not type(inferred):
        return f"{_kind(annotated)}, but its value is a {_kind(inferred)}"
    if isinstance(annotated, (TileType, TensorType, ScalarType, ArrayType)):
        assert isinstance(inferred, (TileType, TensorType, ScalarType, ArrayType))
        if not _same_dtype(annotated.dtype, inferred.dtype):
            return f"dtype {annotated.dtype}, but its value is {inferred.dtype}"
    if may_flatten or not isinstance(annotated, (TileType, TensorType)):
        return None
    assert isinstance(inferred, (TileType, TensorType))
    if len(annotated.shape) != len(inferred.shape):
        return f"rank {len(annotated.shape)}, but its value has rank {len(inferred.shape)}"
    for axis, (wanted, found) in enumerate(zip(annotated.shape, inferred.shape, strict=True)):
        a, b = constant_int(wanted), constant_int(found)
        if a is not None and b is not None and a != b:
            return f"extent {a} on axis {axis}, but its value has {b}"
    return None


def _tile(annotated: TileType, inferred: TileType) -> TileType:
    view = annotated.view
    if view is None and len(annotated.shape) == len(inferred.shape):
        view = inferred.view
    space = annotated.space if annotated.space is not None else inferred.space
    return TileType(annotated.shape, annotated.dtype, space, view, annotated.memref)


def _may_flatten(annotated: Type, value: Expr, inferred: Type) -> bool:
    """Printed IR annotates loads and creates of rank > 2 with the flattened shape."""
    return (
        isinstance(value, Call)
        and value.op in _FLATTENED
        and isinstance(annotated, TileType)
        and isinstance(inferred, TileType)
        and len(annotated.shape) <= 2 < len(inferred.shape)
    )


def _same_dtype(annotated: DType, inferred: DType) -> bool:
    if annotated == inferred:
        return True
    return INDEX in (annotated, inferred) and annotated.is_int and inferred.is_int


def _kind(type_: Type) -> str:
    return _KINDS.get(type(type_), "value")
