"""Scalar writes that amount to filling a tensor become tile fills, so that all traffic goes one way.

Facts: hw-native-sys/pypto, `convert_tensor_to_tile_ops`, staged scalar updates and constant fill loops (2026-08-21).
"""

from __future__ import annotations

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Binary, Call, Const, Var, type_of
from pto_analysis.ir.function import Param
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Return, Scope, Stmt, While
from pto_analysis.ir.types import Dim, TensorType
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.tree import base_name, index_tuple, integer, substitute, tuple_items

VECTOR_BITS = 256


def fill_by_tiles(body: Block, params: tuple[Param, ...]) -> Block:
    return _fill_loops(_stage_writes(body, {param.var for param in params}))


@frozen
class _Staging:
    """`target = assemble(parameter, full(…), 0)`: `full` may take the writes meant for `target`."""

    position: int
    target: Var
    full: Var


def _stage_writes(body: Block, params: set[Var]) -> Block:
    """`full` then `assemble` then scalar writes: the writes go to the tile, the assembly comes last."""
    if len(body) < 3 or not isinstance(body[-1], Return):
        return body
    found = [staging for position in range(1, len(body) - 1) if (staging := _staging(body, position, params))]
    accepted = [staging for staging in found if _only_written(body, staging)]
    if not accepted:
        return body
    mapping = {staging.target: staging.full for staging in accepted}
    moved = {staging.position for staging in accepted}
    kept = tuple(_redirected(stmt, mapping) for position, stmt in enumerate(body[:-1]) if position not in moved)
    return (*kept, *(body[position] for position in sorted(moved)), body[-1])


def _staging(body: Block, position: int, params: set[Var]) -> _Staging | None:
    full, assembly = body[position - 1], body[position]
    if not isinstance(full, Assign) or not isinstance(assembly, Assign):
        return None
    made, placed = full.value, assembly.value
    if not isinstance(made, Call) or made.op != "tensor.full":
        return None
    if not isinstance(placed, Call) or placed.op != "tensor.assemble" or placed.args[1] is not full.var:
        return None
    into = type_of(placed.args[0])
    offsets = tuple_items(placed.args[2])
    same = isinstance(into, TensorType) and into == full.var.type == assembly.var.type and into.view is None
    if placed.args[0] not in params or not same or offsets is None or any(offset != 0 for offset in offsets):
        return None
    return _Staging(position, assembly.var, full.var)


def _only_written(body: Block, staging: _Staging) -> bool:
    writes = 0
    for stmt in walk.statements(body):
        if stmt in (body[staging.position - 1], body[staging.position]):
            continue
        if isinstance(stmt, Return):
            continue
        for operand in stmt.operands:
            if isinstance(operand, Call) and operand.op == "tensor.write" and operand.args[0] is staging.target:
                writes += 1
                operand = evolve(operand, args=operand.args[1:])
            if {staging.target, staging.full} & set(operand.variables):
                return False
    return writes > 0


def _redirected(stmt: Stmt, mapping: dict[Var, Var]) -> Stmt:
    if isinstance(stmt, If):
        then = tuple(_redirected(inner, mapping) for inner in stmt.then)
        return evolve(stmt, then=then, orelse=tuple(_redirected(inner, mapping) for inner in stmt.orelse))
    if isinstance(stmt, (For, While, Scope)):
        return evolve(stmt, body=tuple(_redirected(inner, mapping) for inner in stmt.body))
    if isinstance(stmt, Eval) and isinstance(stmt.value, Call) and stmt.value.op == "tensor.write":
        return evolve(stmt, value=substitute(stmt.value, mapping))  # pyright: ignore[reportArgumentType]
    return stmt


def _fill_loops(body: Block) -> Block:
    return tuple(new for stmt in body for new in _filled(stmt))


def _filled(stmt: Stmt) -> Block:
    if isinstance(stmt, If):
        return (evolve(stmt, then=_fill_loops(stmt.then), orelse=_fill_loops(stmt.orelse)),)
    if isinstance(stmt, (While, Scope)):
        return (evolve(stmt, body=_fill_loops(stmt.body)),)
    if isinstance(stmt, For):
        inner = evolve(stmt, body=_fill_loops(stmt.body))
        return _as_fill(inner) or (inner,)
    return (stmt,)


def _as_fill(loop: For) -> Block | None:
    """A loop that writes one number to every element of a contiguous run, as `full` and `assemble`."""
    count = integer(loop.stop)
    plain = loop.kind == "range" and not loop.iter_args and not loop.attrs
    if not plain or integer(loop.start) != 0 or integer(loop.step) != 1 or not count or count < 1 or not loop.body:
        return None
    emit = Emitter(loop.origin, "the loop fills a run of elements with one number")
    first: Call | None = None
    for stmt in loop.body:
        write = stmt.value if isinstance(stmt, Eval) else None
        if not isinstance(write, Call) or write.op != "tensor.write" or not isinstance(write.args[2], Const):
            return None
        if first is not None and not _same_run(first, write):
            return None
        first = first or write
        if not _emit_fill(emit, write, loop.var, count):
            return None
    return tuple(emit.statements)


def _same_run(first: Call, other: Call) -> bool:
    kinds = (type_of(first.args[0]), type_of(other.args[0]))
    dense = all(isinstance(kind, TensorType) and kind.view is None for kind in kinds)
    return dense and kinds[0] == kinds[1] and first.args[1] == other.args[1]


def _emit_fill(emit: Emitter, write: Call, turn: Var, count: int) -> bool:
    target, value = write.args[0], write.args[2]
    kind, places = type_of(target), tuple_items(write.args[1])
    if not isinstance(kind, TensorType) or places is None or len(places) != len(kind.shape):
        return False
    offsets = [_without(place, turn) for place in places]
    varying = [axis for axis, place in enumerate(places) if _reads(place, turn)]
    if len(varying) != 1 or None in offsets or count * kind.dtype.bits % VECTOR_BITS:
        return False
    axis = varying[0]
    if any(kind.shape[later] != 1 or offsets[later] != 0 for later in range(axis + 1, len(places))):
        return False
    shape = tuple(count if position == axis else 1 for position in range(len(places)))
    name = base_name(target.name if isinstance(target, Var) else turn.name)
    attrs = {"dtype": kind.dtype}
    row = emit.bind(f"{name}__scalar_fill_storage", "tensor.full", index_tuple((1, count)), value, attrs=attrs)
    shaped = emit.bind(f"{name}__scalar_fill", "tensor.reshape", row, index_tuple(shape))
    start = index_tuple(tuple(offset for offset in offsets if offset is not None))
    emit.statements.append(Eval(emit.call("tensor.assemble", target, shaped, start), emit.origin))
    return True


def _reads(place: Dim, turn: Var) -> bool:
    return not isinstance(place, int) and turn in set(place.variables)


def _without(place: Dim, turn: Var) -> Dim | None:
    """The index at the first turn; None when it does not move one element a turn."""
    if not _reads(place, turn):
        return place
    if place is turn:
        return 0
    if isinstance(place, Binary) and place.op == "+":
        for one, other in ((place.left, place.right), (place.right, place.left)):
            if one is turn and not _reads(other, turn):
                return other if integer(other) is None else integer(other)
    return None
