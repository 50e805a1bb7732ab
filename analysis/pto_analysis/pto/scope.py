"""What the lowering knows while it walks over a function: the names seen so far and the program under construction."""

from __future__ import annotations

from typing import cast, get_args

from attrs import field

from pto_analysis.arith.terms import INDEX_BITS, Number, Symbol, Term, number
from pto_analysis.frozen import frozen
from pto_analysis.pto.syntax import Complaint, Name, Operation, Use
from pto_analysis.pto.types import (
    MemRefType,
    MultiTileType,
    PointerType,
    ScalarType,
    TileType,
    Type,
    ViewType,
    element_bits,
)
from pto_analysis.source.span import Span
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.op_call import Operand
from pto_analysis.sync.program import Core, Location, Region, Space, TileShape, View, Whole

_SPACES = frozenset(cast("tuple[str, ...]", get_args(Space)))


@frozen
class Handle:
    """A tile, view or pointer. `strides` (elements) are known for views of a pointer, `elements` its element type."""

    name: str
    space: Space
    shape: TileShape | None = None
    elements: str = ""
    strides: tuple[Term, ...] | None = None

    @property
    def element_bytes(self) -> int | None:
        bits = element_bits(self.elements)
        return None if bits is None else max(1, bits // 8)

    def operand(self) -> Operand:
        return Operand(self.name, self.space, self.shape, self.elements)


@frozen
class Opaque:
    """A value that is neither an integer nor a buffer (a float, a queue handle), or one that was never defined."""

    type: Type | None = None


Known = Term | Handle | Opaque


class Scope:
    """SSA names → what they are. MLIR lets sibling regions reuse a name; the program's names are unique."""

    def __init__(self, builder: ProgramBuilder, core: Core, *, sections: frozenset[str] = frozenset()) -> None:
        self.builder = builder
        self.core: Core = core
        self.other_sections = sections
        self.values: dict[str, Known] = {}
        self.pointers_as_numbers: dict[str, Handle] = {}
        self.complaints: list[Complaint] = []
        self.notes: dict[str, None] = {}
        self._taken: dict[str, int] = {}

    # Names

    def unique(self, name: str) -> str:
        """The name without its `%`, numbered when it was taken before."""
        plain = name.lstrip("%")
        count = self._taken.get(plain, 0)
        self._taken[plain] = count + 1
        return plain if count == 0 else f"{plain}.{count}"

    def known(self, use: Use) -> Known:
        """What a use names; an undefined name is complained about once."""
        found = self.values.get(use.name)
        if found is None:
            self.complain("syntax", f"'{use.name}' is not defined", use.span)
            found = self.values[use.name] = Opaque(use.type)
        return found

    def term(self, use: Use) -> Term | None:
        """The integer a use names, None when it names something else."""
        found = self.known(use)
        return None if isinstance(found, (Handle, Opaque)) else found

    def handle(self, use: Use) -> Handle | None:
        """The buffer a use names, None when it names something else."""
        found = self.known(use)
        return found if isinstance(found, Handle) else None

    def operand(self, use: Use) -> Operand:
        handle = self.handle(use)
        if handle is not None:
            return handle.operand()
        return Operand(dtype=use.type.name if isinstance(use.type, ScalarType) else "")

    # Definitions

    def define(self, name: Name, value: Term | None, kind: Type | None = None) -> None:
        """An integer result. `value` None: only run time knows it. A plain number needs no symbol."""
        if isinstance(value, Number):
            self.values[name.text] = value
            return
        bits = value.bits if value is not None else integer_bits(kind or name.type)
        self.values[name.text] = self.builder.define(value, self.unique(name.text), bits)

    def define_unknown(self, operation: Operation) -> None:
        """Every result of an operation whose value is not followed."""
        for result in operation.results:
            kind = result.type
            if isinstance(kind, ScalarType) and kind.is_integer:
                self.define(result, None)
            elif is_buffer(kind):
                self.declare(result, kind)
            else:
                self.values[result.text] = Opaque(kind)

    def bind(self, name: Name, view: View, like: Handle, **changes: object) -> Handle:
        """A result that names bytes of another handle."""
        shape, elements = shape_of(name.type), element_name(name.type)
        handle = Handle(
            self.builder.bind(view, shape or None, self.unique(name.text)),
            like.space,
            shape or (like.shape if not isinstance(name.type, (ViewType, MemRefType)) else None),
            elements or like.elements,
            cast("tuple[Term, ...] | None", changes.get("strides")),
        )
        self.values[name.text] = handle
        return handle

    def declare(self, name: Name, kind: Type | None, base: int | Term | None = None) -> Handle:
        """A buffer of its own: an argument, an allocation, a result of an op that nobody knows."""
        unique = self.unique(name.text)
        space, shape = space_of(kind), shape_of(kind)
        region = _region(unique, space, kind, shape, base, self.builder.where)
        self.builder.region(region)
        strides = dense_strides(kind) if isinstance(kind, (ViewType, MemRefType)) and space == "gm" else None
        handle = Handle(self.builder.bind(Whole(unique), shape, unique), space, shape, element_name(kind), strides)
        self.values[name.text] = handle
        return handle

    def complain(self, kind: str, message: str, span: Span) -> None:
        self.complaints.append(Complaint(kind, message, span))  # pyright: ignore[reportArgumentType]


def _region(
    name: str, space: Space, kind: Type | None, shape: TileShape | None, base: int | Term | None, where: Location
) -> Region:
    if isinstance(kind, MultiTileType) and shape is not None:
        stride = slot_stride(space, shape)
        size = stride * (kind.count - 1) + shape.bytes
        return Region(name, space, name, base, size, shape, kind.count, stride, where=where)
    size = shape.bytes if shape is not None else None
    if isinstance(kind, (ViewType, MemRefType)):
        size = view_bytes(kind)
    start = 0 if space == "gm" and base is None else base
    return Region(name, space, name, start, size, shape, where=where)


_SLOT_ALIGNMENT = {"left": 512, "right": 512, "acc": 512}


def slot_stride(space: Space, shape: TileShape) -> int:
    """Distance of slots in bytes: slots of the L0 spaces are aligned (sync.md 7.2, 8.2 case 37)."""
    unit = _SLOT_ALIGNMENT.get(space, 1)
    return -(-shape.bytes // unit) * unit


def integer_bits(kind: Type | None) -> int:
    """Register width of an integer type; 64 when it is not known."""
    if not isinstance(kind, ScalarType) or kind.name == "index":
        return INDEX_BITS
    digits = kind.name.lstrip("sui")
    return int(digits) if digits.isdigit() and 0 < int(digits) <= 64 else INDEX_BITS


def is_buffer(kind: Type | None) -> bool:
    return isinstance(kind, (TileType, MultiTileType, PointerType, ViewType, MemRefType))


def space_of(kind: Type | None) -> Space:
    name = "gm"
    if isinstance(kind, MultiTileType):
        name = kind.tile.space
    elif isinstance(kind, (TileType, PointerType, MemRefType)):
        name = kind.space
    return cast("Space", name) if name in _SPACES else "gm"


def element_name(kind: Type | None) -> str:
    if isinstance(kind, MultiTileType):
        return kind.tile.dtype
    if isinstance(kind, PointerType):
        return kind.element
    return kind.dtype if isinstance(kind, (TileType, ViewType, MemRefType)) else ""


def shape_of(kind: Type | None) -> TileShape | None:
    """The geometry of a tile type (of one slot for a multi tile, of a rank 2 memref in on-chip memory)."""
    if isinstance(kind, MultiTileType):
        kind = kind.tile
    if isinstance(kind, MemRefType):
        return _memref_shape(kind)
    if not isinstance(kind, TileType) or kind.rows is None or kind.cols is None or kind.element_bytes is None:
        return None
    return TileShape(
        kind.rows,
        kind.cols,
        kind.element_bytes * 8,
        "col_major" if kind.blayout == "col_major" else "row_major",
        kind.is_boxed,
        kind.compact == 2,
        kind.valid_rows,
        kind.valid_cols,
    )


def _memref_shape(kind: MemRefType) -> TileShape | None:
    bits = element_bits(kind.dtype)
    if kind.space == "gm" or bits is None or len(kind.dims) == 0 or any(dim is None for dim in kind.dims):
        return None
    rows = 1
    for dim in kind.dims[:-1]:
        rows *= dim or 1
    return TileShape(rows, kind.dims[-1] or 1, max(8, bits))


def view_bytes(kind: ViewType | MemRefType) -> int | None:
    """Size of a view whose dims are all known."""
    return ViewType(kind.dims, kind.dtype).bytes


def dense_strides(kind: ViewType | MemRefType) -> tuple[Term, ...] | None:
    """Strides, in elements, of a dense row-major view; None when a size is not known."""
    strides: list[Term] = []
    step = 1
    for dim in reversed(kind.dims):
        strides.append(number(step))
        if dim is None:
            return None
        step *= dim
    return tuple(reversed(strides))


@frozen
class Yielded:
    """What a region hands out at its end."""

    values: tuple[Known, ...] = ()
    condition: Term | None = None
    spans: tuple[Span, ...] = field(default=())


def as_symbol(known: Known) -> Symbol | None:
    return known if isinstance(known, Symbol) else None
