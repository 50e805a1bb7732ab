"""Reading and writing windows: what is a transfer when the tensor is in global memory and a view when it is a tile."""

from __future__ import annotations

from pto_analysis.ir.expr import Call, Expr, type_of
from pto_analysis.ir.types import Dim, Shape, Space, TensorType, TileType
from pto_analysis.passes.lowering.convert.elementwise import NOT_A_TILE, Converter, Result
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import index_tuple, tuple_items
from pto_analysis.passes.lowering.windows import available

_LOADED = "the compiler loads this window"


def slice_window(emit: Emitter, call: Call) -> Result:
    """A window of a tensor in global memory is loaded, one of a tile is a view."""
    source = type_of(call.args[0])
    if isinstance(source, TileType):
        attrs = {key: value for key, value in call.attrs.items() if key == "pad_value" and value is not None}
        return emit.call("tile.slice", *call.args, attrs=attrs)
    if not isinstance(source, TensorType):
        return NOT_A_TILE
    return load_window(emit, call, source, Space.VEC, "slice_load")


def load_window(emit: Emitter, call: Call, source: TensorType, space: Space, full_rank_name: str) -> Result:
    """The load of the window that `tensor.slice` names; axes that an index dropped are reshaped away."""
    tensor, *window = call.args
    shape, offsets, requested = (tuple_items(item) for item in (*window, None, None, None)[:3])
    if shape is None or offsets is None:
        return Refused("the window is not written out", "unknown")
    dropped = dropped_axes(call.args)
    if len(dropped) >= len(shape):
        return Refused("a window without axes has no tile form")
    valid = available(source, shape, offsets, requested or None, clamped=bool(call.attrs.get("clamp")))
    why = _LOADED if space is Space.VEC else "the compiler loads this operand of a matmul into L1"
    load = emit.load(tensor, offsets, shape, valid, space, why=why)
    if not dropped:
        return load
    loaded = emit.name(full_rank_name, load)
    kept: Shape = tuple(dim for axis, dim in enumerate(shape) if axis not in dropped)
    return emit.call("tile.reshape", loaded, index_tuple(kept), why="an index drops its axis")


def dropped_axes(args: tuple[Expr, ...]) -> tuple[Dim, ...]:
    """The axes that an integer index took away."""
    dropped = tuple_items(args[4]) if len(args) > 4 else None
    return dropped or ()


def assemble(emit: Emitter, call: Call) -> Result:
    """A tile written into a tensor is stored, into a tile it is assembled in place."""
    target, source, offset = call.args[:3]
    into, what = type_of(target), type_of(source)
    atomic = call.attrs.get("atomic")
    adds = bool(atomic) and getattr(atomic, "value", atomic) not in (0, "None_", "none")
    if isinstance(what, TileType) and isinstance(into, TensorType):
        why = "the compiler stores this result"
        return emit.call("tile.store", source, offset, target, attrs={"atomic": atomic} if adds else {}, why=why)
    if adds:
        return Refused("an atomic write needs a tile as its source and global memory as its target")
    if isinstance(what, TileType) and isinstance(into, TileType):
        return emit.call("tile.assemble", target, source, offset, why="the write goes to a tile on chip")
    if isinstance(into, TileType) and isinstance(what, TensorType):
        zeros = (0,) * len(what.shape)
        load = emit.load(source, zeros, what.shape, None, Space.VEC, why="the compiler loads what is written")
        return emit.call("tile.assemble", target, emit.name("assemble_src", load), offset)
    if isinstance(into, TensorType) and isinstance(what, TensorType):
        return emit.call("tensor.assemble", *call.args, attrs=call.attrs)
    return NOT_A_TILE


def by_first_operand(tensor_op: str, tile_op: str) -> Converter:
    """The scalar channel for a tensor in global memory, the tile form for a tile."""

    def convert(emit: Emitter, call: Call) -> Result:
        source = type_of(call.args[0])
        if isinstance(source, (TensorType, TileType)):
            chosen = tile_op if isinstance(source, TileType) else tensor_op
            return emit.call(chosen, *call.args, attrs=call.attrs)
        return NOT_A_TILE

    return convert


def create(emit: Emitter, call: Call) -> Result:
    attrs = {"dtype": call.attrs.get("dtype"), "target_memory": Space.VEC}
    return emit.call("tile.create", call.args[0], attrs=attrs, why="inside a kernel a new tensor is a tile on chip")


def create_l1(emit: Emitter, call: Call) -> Result:
    attrs = {
        "dtype": call.attrs.get("dtype"),
        "target_memory": Space.MAT,
        "transpose": bool(call.attrs.get("transpose")),
    }
    return emit.call("tile.create", call.args[0], attrs=attrs)
