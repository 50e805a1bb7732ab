"""Copies and rearrangements that need more than a new name."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Call, Expr, Var, type_of
from pto_analysis.ir.stmt import For, IterArg, Stmt, Yield
from pto_analysis.ir.types import Dim, ScalarType, Shape, Space, TensorType, TileType
from pto_analysis.passes.lowering.convert.elementwise import NOT_A_TILE, Result
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.passes.lowering.tree import index, index_tuple
from pto_analysis.passes.lowering.windows import combine, valid_shape

OnePage = Callable[[Emitter, Expr, Var], Call]
"""Stores one page: an emitter, its offsets, the target."""


def transpose(emit: Emitter, call: Call) -> Result:
    """The valid shape of the tensor form has no tile form; scratch comes with the flattening."""
    return emit.call("tile.transpose", *call.args[:3])


def fillpad(emit: Emitter, call: Call) -> Result:
    """`fillpad` and `fillpad_expand`; a tensor in global memory is loaded first."""
    name = call.op.partition(".")[2]
    source = type_of(call.args[0])
    if isinstance(source, TileType):
        return emit.call(f"tile.{name}", *call.args, attrs=call.attrs)
    if not isinstance(source, TensorType):
        return NOT_A_TILE
    zeros = (0,) * len(source.shape)
    why = "the compiler loads what is padded"
    load = emit.load(call.args[0], zeros, source.shape, valid_shape(source), Space.VEC, why=why)
    loaded = emit.name(f"{name}_src", load)
    return emit.call(f"tile.{name}", loaded, *call.args[1:], attrs=call.attrs)


def merge_sort(emit: Emitter, call: Call) -> Result:
    """Two to four sorted lists; the scratch tile holds all of them side by side."""
    kinds = [type_of(arg) for arg in call.args]
    tiles = [kind for kind in kinds if isinstance(kind, TileType)]
    if len(tiles) != len(kinds) or not tiles:
        return NOT_A_TILE
    columns: Dim = reduce(lambda total, dim: combine("+", total, dim), (tile.shape[-1] for tile in tiles))
    shape: Shape = (*tiles[0].shape[:-1], columns)
    scratch = emit.create("mrgsort2_tmp", shape, tiles[0].dtype, why="the merge needs a scratch tile")
    return emit.call("tile.mrgsort_format2", *call.args, scratch, attrs=call.attrs)


@frozen
class _Clone:
    source: Expr
    target: Expr
    from_type: TensorType
    to_type: TensorType


def expand_clone(emit: Emitter, call: Call) -> Result:
    """A rank-3 tensor repeated along one axis of extent 1, tile by tile into the target tensor."""
    from_type, to_type = type_of(call.args[0]), type_of(call.args[1])
    if not isinstance(from_type, TensorType) or not isinstance(to_type, TensorType):
        return Refused("both operands must be tensors in global memory", "unknown")
    if len(from_type.shape) != 3 or len(to_type.shape) != 3:
        return Refused("only rank 3 can be cloned")
    clone = _Clone(call.args[0], call.args[1], from_type, to_type)
    axes = [axis for axis in range(3) if from_type.shape[axis] != to_type.shape[axis]]
    if len(axes) > 1 or any(from_type.shape[axis] != 1 for axis in axes):
        return Refused("at most one axis, of extent 1, can be repeated")
    if not axes:
        return emit.call("tile.store", _whole(emit, clone), index_tuple((0, 0, 0)), clone.target)
    return (_along_first, _along_middle, _along_last)[axes[0]](emit, clone)


def _whole(emit: Emitter, clone: _Clone) -> Var:
    kind = clone.from_type
    why = "the compiler loads what is repeated"
    load = emit.load(clone.source, (0, 0, 0), kind.shape, valid_shape(kind), Space.VEC, why=why)
    return emit.name("expand_clone_input", load)


def _along_first(emit: Emitter, clone: _Clone) -> Expr:
    tile = _whole(emit, clone)

    def one_page(inner: Emitter, offsets: Expr, carried: Var) -> Call:
        return inner.call("tile.store", tile, offsets, carried)

    return _page_loop(emit, clone, 0, one_page)


def _along_middle(emit: Emitter, clone: _Clone) -> Expr:
    row: Shape = (1, 1, valid_shape(clone.from_type)[2])
    page: Shape = (1, clone.to_type.shape[1], clone.to_type.shape[2])

    def one_page(inner: Emitter, offsets: Expr, carried: Var) -> Call:
        attrs = {"target_memory": Space.VEC}
        window = index_tuple(row)
        why = "the compiler loads what is repeated"
        load = inner.bind(
            "expand_clone_d1_input", "tile.load", clone.source, offsets, window, window, attrs=attrs, why=why
        )
        shell = inner.create("expand_clone_d1_target", page, clone.from_type.dtype, why="one page of the result")
        filled = inner.bind("expand_clone_d1_col", "tile.col_expand", shell, load)
        return inner.call("tile.store", filled, offsets, carried)

    return _page_loop(emit, clone, 1, one_page)


def _along_last(emit: Emitter, clone: _Clone) -> Expr:
    tile = _whole(emit, clone)
    shape = clone.to_type.shape
    shell = emit.create("expand_clone_d2_target", shape, clone.from_type.dtype, why="the whole result")
    filled = emit.bind("expand_clone_d2_row", "tile.row_expand", shell, tile)
    return emit.call("tile.store", filled, index_tuple((0, 0, 0)), clone.target)


def _page_loop(emit: Emitter, clone: _Clone, axis: int, one_page: OnePage) -> Expr:
    """A loop over the leading axis that stores one page a turn into the carried target."""
    var = Var("i", ScalarType(INDEX))
    carried = Var("expand_clone_acc", clone.to_type)
    result = Var(f"expand_clone_d{axis}_result", clone.to_type)
    inner = Emitter(emit.origin, emit.reason)
    store = one_page(inner, index_tuple((var, 0, 0)), carried)
    stored = inner.name(f"expand_clone_d{axis}_store", store)
    body: tuple[Stmt, ...] = (*inner.statements, Yield((stored,), emit.origin))
    count = clone.to_type.shape[0]
    stop = index(count) if isinstance(count, int) else count
    emit.statements.append(
        For("range", var, index(0), stop, index(1), body, (IterArg(carried, clone.target),), (result,), {}, emit.origin)
    )
    return result
