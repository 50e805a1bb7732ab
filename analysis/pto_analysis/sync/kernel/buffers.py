"""The buffers of a kernel as regions, and its values as handles of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from pto_analysis.arith.terms import Term, node, number
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Call, Expr, Tuple, Var
from pto_analysis.ir.types import Dim, Layout, MemRef, Space, TensorType, TileType
from pto_analysis.ops.views import effective_view
from pto_analysis.passes.ssa.names import source_name
from pto_analysis.sync import program as sync
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.kernel.scalars import KernelScalars
from pto_analysis.sync.kernel.storage import Storage
from pto_analysis.sync.op_call import Operand
from pto_analysis.sync.program import Alias, Region, TileShape, Whole, Window

SPACES: dict[Space, sync.Space] = {
    Space.VEC: "vec",
    Space.MAT: "mat",
    Space.LEFT: "left",
    Space.RIGHT: "right",
    Space.ACC: "acc",
    Space.BIAS: "bias",
    Space.LEFT_SCALE: "scaling",
    Space.RIGHT_SCALE: "scaling",
}
"""Tiles without a memory yet count as Vec, which is what the compiler chooses by default."""

_ELEMENTS = {"FP8E8M0": "f8E8M0", "FP16": "f16", "BF16": "bf16", "FP32": "f32"}


class Buffers:
    """Handles by variable. Whole buffers are bound once, before the body; windows where they are defined."""

    def __init__(self, builder: ProgramBuilder, storage: Storage, scalars: KernelScalars) -> None:
        self._builder = builder
        self._storage = storage
        self._scalars = scalars
        self._handles: dict[Var, str] = {}
        self._regions: dict[str | None, str] = {}

    def argument(self, var: Var) -> None:
        """A tensor parameter: an address line of its own."""
        assert isinstance(var.type, TensorType)
        size = _bytes(var.type)
        self._handles[var] = self._builder.tensor(self._scalars.unique(var.name), size, source_name(var.name))

    def own(self, var: Var) -> None:
        """A tile that is not part of another one, bound where the program begins."""
        home = self._storage.home(var)
        if home in self._handles or not isinstance(home.type, TileType):
            return
        shape = tile_shape(home.type)
        memref = home.type.memref
        if memref is not None and memref.base is not None:
            self._declare(memref, shape, home.type)
            return
        name = self._scalars.unique(home.name)
        self._region(name, source_name(home.name), home.type, shape, 1)
        self._handles[home] = name

    def settle(self, var: Var) -> None:
        """A tile in a buffer that the author declared is about to be made: the slot is chosen here."""
        home = self._storage.home(var)
        memref = home.type.memref if isinstance(home.type, TileType) else None
        if memref is None or memref.base not in self._regions:
            return
        name = self._regions[memref.base]
        index = self._scalars.term(memref.slot) if memref.slot is not None else None
        self._handles[home] = self._builder.slot(name, index) if index is not None else name

    def handle(self, value: Expr) -> str | None:
        """The handle of a tile or tensor; None for scalars and what was not understood."""
        if not isinstance(value, Var):
            return None
        return self._handles.get(value) or self._handles.get(self._storage.home(value))

    def name(self, var: Var, handle: str) -> None:
        """From here on `var` is this handle."""
        self._handles[var] = handle

    def fresh(self, var: Var) -> str:
        """A new handle for a value that may be in several places."""
        return self._scalars.unique(var.name)

    def is_window(self, var: Var) -> bool:
        """Whether a tile is a part of another one, or another name for it."""
        return self._storage.is_view(var)

    def operand(self, value: Expr) -> Operand:
        """How the op tables see an operand."""
        handle = self.handle(value)
        if handle is None or not isinstance(value, Var):
            return Operand()
        if isinstance(value.type, TileType):
            element = _ELEMENTS.get(value.type.dtype.name, value.type.dtype.name)
            return Operand(handle, space_of(value.type), tile_shape(value.type), element)
        return Operand(handle, "gm")

    def view(self, var: Var, call: Call) -> None:
        """A slice, reshape or another renaming of its first operand."""
        source = self.handle(call.args[0]) if call.args else None
        if source is None:
            return
        shape = tile_shape(var.type) if isinstance(var.type, TileType) else None
        window = self._window(call, source) if call.op == "tile.slice" else None
        self._handles[var] = self._builder.bind(window or Alias(source), shape, self._scalars.unique(var.name))

    def part(self, target: Expr, offsets: Expr, like: Expr) -> str | None:
        """The window of a tile that another tile is put into."""
        source = self.handle(target)
        if source is None or not isinstance(like, Var) or not isinstance(like.type, TileType):
            return source
        window = _window(self._scalars, source, offsets, like.type.shape)
        return self._builder.bind(window, tile_shape(like.type)) if window is not None else source

    def transfer(self, tensor: Expr, offsets: Expr, shape: Sequence[Dim]) -> str | None:
        """The bytes of a tensor that a load or store touches, as a range from its first to its last element."""
        source = self.handle(tensor)
        if source is None or not isinstance(tensor, Var) or not isinstance(tensor.type, TensorType):
            return source
        found = _range(self._scalars, tensor.type, offsets, shape)
        return self._builder.bytes(source, *found) if found is not None else source

    def _window(self, call: Call, source: str) -> Window | None:
        tile = call.args[0]
        if len(call.args) < 3 or not isinstance(tile, Var) or not isinstance(tile.type, TileType):
            return None
        extents = call.args[1]
        if not isinstance(extents, Tuple) or len(tile.type.shape) != 2:
            return None
        return _window(self._scalars, source, call.args[2], extents.items)

    def _declare(self, memref: MemRef, shape: TileShape | None, tile: TileType) -> None:
        """One region for all tiles of a declared buffer."""
        base = str(memref.base)
        if base not in self._regions:
            self._regions[base] = self._scalars.unique(base)
            self._region(self._regions[base], base, tile, shape, memref.slots or 1, memref)

    def _region(
        self, name: str, root: str, tile: TileType, shape: TileShape | None, slots: int, memref: MemRef | None = None
    ) -> None:
        offset = constant_int(memref.byte_offset) if memref is not None else None
        base = offset if offset is not None and offset >= 0 else None
        size = shape.bytes * slots if shape is not None else None
        stride = shape.bytes if shape is not None and slots > 1 else 0
        where = self._builder.where
        self._builder.region(Region(name, space_of(tile), root, base, size, shape, slots, stride, where=where))
        self._builder.bind(Whole(name), shape, name)


def space_of(tile: TileType) -> sync.Space:
    return SPACES.get(tile.space or Space.VEC, "vec")


def tile_shape(tile: TileType) -> TileShape | None:
    """The geometry of a tile, leading axes folded into rows; None when extents are symbolic."""
    extents = [constant_int(dim) for dim in tile.shape]
    known = [extent for extent in extents if extent is not None]
    if len(known) != len(extents) or not known:
        return None
    view = effective_view(tile)
    major = "col_major" if view.blayout is Layout.COL_MAJOR else "row_major"
    boxed = view.slayout is not Layout.NONE_BOX
    return TileShape(prod(known[:-1]), known[-1], tile.dtype.storage_bits, major, boxed)


def _bytes(tensor: TensorType) -> int | None:
    extents = [constant_int(dim) for dim in tensor.shape]
    known = [extent for extent in extents if extent is not None]
    return (prod(known) * tensor.dtype.storage_bits + 7) // 8 if len(known) == len(extents) else None


def _window(scalars: KernelScalars, source: str, offsets: Expr, shape: Sequence[Dim]) -> Window | None:
    places = offsets.items if isinstance(offsets, Tuple) else ()
    extents = [constant_int(dim) for dim in shape]
    terms = [scalars.term(place) for place in places]
    if len(terms) != 2 or len(extents) != 2:
        return None
    row, col = terms
    rows, cols = extents
    if row is None or col is None or rows is None or cols is None:
        return None
    return Window(source, row, col, rows, cols)


def _range(scalars: KernelScalars, tensor: TensorType, offsets: Expr, shape: Sequence[Dim]) -> tuple[Term, int] | None:
    """Offset and extent in bytes of a window of a dense tensor."""
    places = offsets.items if isinstance(offsets, Tuple) else ()
    strides = _strides(tensor)
    extents = [constant_int(dim) for dim in shape]
    if strides is None or len(places) != len(strides) or len(extents) > len(strides):
        return None
    padded = [1] * (len(strides) - len(extents)) + [extent or 0 for extent in extents]
    if 0 in padded:
        return None
    width = tensor.dtype.storage_bits // 8
    if width == 0:
        return None
    offset: Term = number(0)
    for place, stride in zip(places, strides, strict=True):
        term = scalars.term(place)
        if term is None:
            return None
        offset = node("add", offset, node("mul", term, number(stride * width)))
    last = sum((extent - 1) * stride for extent, stride in zip(padded, strides, strict=True))
    return offset, (last + 1) * width


def _strides(tensor: TensorType) -> list[int] | None:
    """Elements from one index to the next of every axis of a dense row-major tensor."""
    if tensor.view is not None and (tensor.view.stride is not None or tensor.view.layout != "ND"):
        return None
    strides = [1]
    for dim in reversed(tensor.shape[1:]):
        extent = constant_int(dim)
        if extent is None:
            return None
        strides.append(strides[-1] * extent)
    return strides[::-1]
