"""A loop that assembles a result tile piece by piece and returns it stores the pieces instead.

Facts: hw-native-sys/pypto, `convert_tensor_to_tile_ops` (returned assemble loops) and `optimize_orch_tensors`
(assemble loops that are stored afterwards), 2026-08-21.
"""

from __future__ import annotations

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Direction, Function
from pto_analysis.ir.stmt import Assign, Block, For, IterArg, Return, Stmt, Yield
from pto_analysis.passes.lowering.emit import because, make_call
from pto_analysis.passes.lowering.tree import reads

_WHY = "the loop stores its pieces, since the assembled tile is only returned"


@frozen
class StoredLoop:
    """`statements` with the loop rewritten; `result` is the tensor after it."""

    statements: list[Stmt]
    result: Var


def store_instead_of_assemble(statements: list[Stmt], result: Expr, out: Var) -> StoredLoop | None:
    """The rewrite when `result` is what such a loop yields, else None."""
    for position, stmt in enumerate(statements):
        if not isinstance(stmt, For) or len(stmt.return_vars) != 1 or stmt.return_vars[0] is not result:
            continue
        piece = _single_assemble(stmt, others_may_read=False)
        if piece is None:
            return None
        rewritten = [*statements]
        rewritten[position] = _storing(stmt, piece, out)
        _drop_unused_start(rewritten, stmt.iter_args[0].init)
        loop = rewritten[_position_of(rewritten, stmt.var)]
        assert isinstance(loop, For)
        return StoredLoop(rewritten, loop.return_vars[0])
    return None


def _position_of(statements: list[Stmt], var: Var) -> int:
    return next(at for at, stmt in enumerate(statements) if isinstance(stmt, For) and stmt.var is var)


def _single_assemble(loop: For, *, others_may_read: bool) -> Assign | None:
    """The one assembly into the carried tile, whose result is what the loop yields."""
    if len(loop.iter_args) != 1:
        return None
    carried = loop.iter_args[0].var
    found: Assign | None = None
    for stmt in loop.body:
        if _assembles_into(stmt, carried):
            if found is not None:
                return None
            assert isinstance(stmt, Assign)
            found = stmt
        elif not isinstance(stmt, Yield) and not others_may_read and carried in set(reads((stmt,))):
            return None
    end = walk.final_yield(loop.body)
    if found is None or end is None or len(end.values) != 1 or end.values[0] is not found.var:
        return None
    assert isinstance(found.value, Call)
    read_again = any(carried in set(arg.variables) for arg in found.value.args[1:])
    return None if read_again else found


def _assembles_into(stmt: Stmt, carried: Var) -> bool:
    value = stmt.value if isinstance(stmt, Assign) else None
    return isinstance(value, Call) and value.op == "tile.assemble" and value.args[0] is carried


def _storing(loop: For, piece: Assign, out: Var) -> For:
    assert isinstance(piece.value, Call)
    carried = evolve(loop.iter_args[0].var, type=out.type)
    _, source, offset = piece.value.args[:3]
    store = make_call("tile.store", (source, offset, carried), {}, because(piece.value.origin, _WHY))
    stored = evolve(piece.var, type=store.type)
    body: list[Stmt] = []
    for stmt in loop.body:
        if stmt is piece:
            body.append(Assign(stored, store, piece.origin))
        elif isinstance(stmt, Yield):
            body.append(evolve(stmt, values=(stored,)))
        else:
            body.append(stmt)
    result = evolve(loop.return_vars[0], type=out.type)
    return evolve(loop, iter_args=(IterArg(carried, out),), body=tuple(body), return_vars=(result,))


def _drop_unused_start(statements: list[Stmt], start: Expr) -> None:
    if not isinstance(start, Var) or start in set(reads(tuple(statements))):
        return
    statements[:] = [stmt for stmt in statements if not (isinstance(stmt, Assign) and stmt.var is start)]


def store_pieces(function: Function) -> Function:
    """The same for a function whose loop result is stored to an output parameter right before it is returned."""
    final = function.body[-1] if function.body else None
    if not isinstance(final, Return):
        return function
    outputs = {param.var for param in function.params if param.direction is Direction.OUT}
    body = function.body
    for value in final.values:
        body = _with_pieces(body, value, outputs)
    return function if body is function.body else evolve(function, body=body)


def _with_pieces(body: Block, value: Expr, outputs: set[Var]) -> Block:
    store = next((stmt for stmt in body if isinstance(stmt, Assign) and stmt.var is value), None)
    call = store.value if store is not None else None
    if not isinstance(call, Call) or call.op != "tile.store" or call.args[2] not in outputs:
        return body
    out = call.args[2]
    assert isinstance(out, Var)
    rest = [stmt for stmt in body if stmt is not store]
    rewritten = store_instead_of_assemble(rest, call.args[0], out)
    if rewritten is None:
        return body
    end = rewritten.statements[-1]
    assert isinstance(end, Return)
    values = tuple(rewritten.result if item is value else item for item in end.values)
    return (*rewritten.statements[:-1], evolve(end, values=values))
