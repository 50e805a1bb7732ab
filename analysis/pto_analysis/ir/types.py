"""Types of IR values: tiles in on-chip buffers, tensors in global memory, scalars, tuples."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Union

from attrs import field, frozen

from pto_analysis.ir.dtypes import DType

if TYPE_CHECKING:
    from pto_analysis.ir.expr import Expr

Dim = Union[int, "Expr"]
"""An extent or offset in elements: a known number, or a scalar expression that only run time decides."""

Shape = tuple[Dim, ...]


class Space(Enum):
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


class Layout(Enum):
    """Order of a tile's blocks (`blayout`) or of the elements in one box (`slayout`)."""

    NONE_BOX = "none_box"
    ROW_MAJOR = "row_major"
    COL_MAJOR = "col_major"


class Pad(Enum):
    NULL = "null"
    ZERO = "zero"
    MAX = "max"
    MIN = "min"


class Compact(Enum):
    NULL = "null"
    NORMAL = "normal"


class Atomic(Enum):
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


@frozen(cache_hash=True)
class TileType:
    """A tile. `view` None means the implicit view of (`space`, `shape`); `space` None: not decided yet."""

    shape: Shape
    dtype: DType
    space: Space | None = None
    view: TileView | None = None
    memref: MemRef | None = None


@frozen(cache_hash=True)
class TensorView:
    stride: Shape | None = None
    layout: str = "ND"
    valid_shape: Shape | None = None
    pad: Pad = Pad.NULL


@frozen(cache_hash=True)
class TensorType:
    """A tensor in global memory. `view` None means dense row-major (ND)."""

    shape: Shape
    dtype: DType
    view: TensorView | None = None
    memref: MemRef | None = None
    distributed: bool = False


@frozen
class ScalarType:
    dtype: DType


@frozen
class ArrayType:
    """`pl.Array[N, dtype]`: a scalar array local to the core."""

    length: Dim
    dtype: DType


@frozen
class TupleType:
    items: tuple[Type, ...]


@frozen
class UnknownType:
    """The analysis does not know. `why` is shown by `--statistics`, never as a finding."""

    why: str = field(default="", eq=False)


Type = Union[TileType, TensorType, ScalarType, ArrayType, TupleType, UnknownType]
