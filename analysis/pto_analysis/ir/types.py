"""Types of IR values: tiles in on-chip buffers, tensors in global memory, scalars, tuples.

Every type has `symbols`: its extents and offsets that are expressions.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Union

from attrs import field

from pto_analysis.frozen import QuickEnum, frozen
from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.remembered import remembered

if TYPE_CHECKING:
    from pto_analysis.ir.expr import Expr

Dim = Union[int, "Expr"]
"""An extent or offset in elements: a known number, or a scalar expression that only run time decides."""

Shape = tuple[Dim, ...]


class Space(QuickEnum):
    """Where a tile lives. The value is the DSL spelling (`pl.Mem.<value>`)."""

    DDR = "DDR"
    VEC = "Vec"
    MAT = "Mat"
    LEFT = "Left"
    RIGHT = "Right"
    ACC = "Acc"
    BIAS = "Bias"
    SCALAR_LOCAL = "ScalarLocal"
    LEFT_SCALE = "LeftScale"
    RIGHT_SCALE = "RightScale"


class Layout(QuickEnum):
    """Order of a tile's blocks (`blayout`) or of the elements in one box (`slayout`)."""

    NONE_BOX = "none_box"
    ROW_MAJOR = "row_major"
    COL_MAJOR = "col_major"


class Pad(QuickEnum):
    NULL = "null"
    ZERO = "zero"
    MAX = "max"
    MIN = "min"


class Compact(QuickEnum):
    NULL = "null"
    NORMAL = "normal"


class Atomic(QuickEnum):
    """How a store combines with what is there. The value is the DSL spelling (`pl.AtomicType.<value>`)."""

    NONE = "None_"
    ADD = "Add"


@frozen(cache_hash=True)
class TileView:
    """Layout of a tile (reference: DSL section f.4). `valid_shape`, `stride` and `start_offset` are None by default.

    `fractal` is the box size in bytes (512, 1024 for L0C, 32 for scales).
    """

    blayout: Layout = Layout.ROW_MAJOR
    slayout: Layout = Layout.NONE_BOX
    fractal: int = 512
    valid_shape: Shape | None = None
    pad: Pad = Pad.NULL
    compact: Compact = Compact.NULL
    stride: Shape | None = None
    start_offset: Dim | None = None


@frozen
class MemRef:
    """A place in an on-chip buffer.

    `base` names the allocation (None for an anonymous one). `byte_offset` is None when not written; a
    negative number is the planning sentinel: not placed yet, the root is aligned. `slots` and `slot`
    describe a rotating buffer declared by the author (`pl.MemRef("ring", slots=3)[i % 3]`).
    `spelling` keeps the source arguments for the printer.
    """

    base: str | None = None
    byte_offset: Dim | None = None
    size: Dim | None = None
    slots: int | None = None
    slot: Dim | None = None
    space: Space | None = None


def _symbols(dims: Iterable[Dim | None]) -> tuple[Expr, ...]:
    return tuple(dim for dim in dims if dim is not None and not isinstance(dim, int))


def _memref_dims(memref: MemRef | None) -> tuple[Dim | None, ...]:
    return () if memref is None else (memref.byte_offset, memref.size, memref.slot)


@frozen(cache_hash=True, slots=False)
class TileType:
    """A tile. `view` None means the implicit view of (`space`, `shape`); `space` None: not decided yet."""

    shape: Shape
    dtype: DType
    space: Space | None = None
    view: TileView | None = None
    memref: MemRef | None = None

    @remembered
    def symbols(self) -> tuple[Expr, ...]:
        view = self.view
        seen = () if view is None else (*(view.valid_shape or ()), *(view.stride or ()), view.start_offset)
        return _symbols((*self.shape, *seen, *_memref_dims(self.memref)))


@frozen(cache_hash=True)
class TensorView:
    stride: Shape | None = None
    layout: str = "ND"
    valid_shape: Shape | None = None
    pad: Pad = Pad.NULL


@frozen(cache_hash=True, slots=False)
class TensorType:
    """A tensor in global memory. `view` None means dense row-major (ND)."""

    shape: Shape
    dtype: DType
    view: TensorView | None = None
    memref: MemRef | None = None
    distributed: bool = False

    @remembered
    def symbols(self) -> tuple[Expr, ...]:
        view = self.view
        seen = () if view is None else (*(view.valid_shape or ()), *(view.stride or ()))
        return _symbols((*self.shape, *seen, *_memref_dims(self.memref)))


@frozen
class ScalarType:
    dtype: DType
    symbols: ClassVar[tuple[Expr, ...]] = ()


@frozen
class ArrayType:
    """`pl.Array[N, dtype]`: a scalar array local to the core."""

    length: Dim
    dtype: DType

    @property
    def symbols(self) -> tuple[Expr, ...]:
        return _symbols((self.length,))


@frozen(slots=False)
class TupleType:
    items: tuple[Type, ...]

    @remembered
    def symbols(self) -> tuple[Expr, ...]:
        return tuple(symbol for item in self.items for symbol in item.symbols)


@frozen
class UnknownType:
    """The analysis does not know. `why` is shown by `--statistics`, never as a finding."""

    why: str = field(default="", eq=False)
    symbols: ClassVar[tuple[Expr, ...]] = ()


Type = Union[TileType, TensorType, ScalarType, ArrayType, TupleType, UnknownType]


scalar_type = cache(ScalarType)
"""The one scalar type of a dtype."""
