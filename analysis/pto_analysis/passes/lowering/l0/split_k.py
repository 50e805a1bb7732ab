"""A sum over K that the author wrote as a pipelined loop is cut outside that loop: each tile runs through all of K.

Facts: hw-native-sys/pypto, `auto_tile_matmul_l0` (canonical split-K form), 2026-08-21.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.stmt import Assign, Block, For, If, IterArg, Scope, Stmt, While, Yield
from pto_analysis.ir.types import Space, TileType
from pto_analysis.passes.lowering.emit import Emitter, make_call
from pto_analysis.passes.lowering.l0.chips import Chip
from pto_analysis.passes.lowering.l0.grid import ToTensor
from pto_analysis.passes.lowering.l0.kloop import accumulator
from pto_analysis.passes.lowering.l0.plan import Plan, box, plan_product, static_matrix
from pto_analysis.passes.lowering.tree import index_tuple, is_scalar, substitute, tuple_items, with_values
from pto_analysis.passes.lowering.windows import combine


@frozen
class SplitK:
    """`init`, then `loop`, then `store`: the parts of the form."""

    init: Assign
    loop: For
    store: Assign
    left: Assign
    right: Assign
    product: Assign
    choice: If


def tile_split_k(body: Block, chip: Chip) -> Block:
    if not any(isinstance(stmt, For) and stmt.kind == "pipeline" for stmt in walk.statements(body)):
        return body
    reads: Counter[Var] = Counter()
    for stmt in walk.statements(body):
        for operand in stmt.operands:
            reads.update(operand.variables)
    return _block(body, chip, reads)


def _block(block: Block, chip: Chip, reads: Mapping[Var, int]) -> Block:
    result: list[Stmt] = []
    values: dict[Var, Expr] = {}
    position = 0
    while position < len(block):
        match = _match(block[position : position + 3], reads)
        cut = _cut(match, chip, values) if match is not None else None
        if match is not None and cut is not None:
            statements, final = cut
            result += statements
            values[match.store.var] = final
            position += 3
            continue
        result.append(_nested(_substituted(block[position], values), chip, reads))
        position += 1
    return tuple(result)


def _nested(stmt: Stmt, chip: Chip, reads: Mapping[Var, int]) -> Stmt:
    if isinstance(stmt, If):
        return evolve(stmt, then=_block(stmt.then, chip, reads), orelse=_block(stmt.orelse, chip, reads))
    if isinstance(stmt, (For, While, Scope)):
        return evolve(stmt, body=_block(stmt.body, chip, reads))
    return stmt


def _substituted(stmt: Stmt, values: Mapping[Var, Expr]) -> Stmt:
    return with_values(stmt, values) if values else stmt


def _match(block: Block, reads: Mapping[Var, int]) -> SplitK | None:
    if len(block) < 3:
        return None
    init, loop, store = block
    if not isinstance(init, Assign) or not isinstance(loop, For) or not isinstance(store, Assign):
        return None
    if loop.kind != "pipeline" or len(loop.iter_args) != 1 or len(loop.return_vars) != 1:
        return None
    made, stored = init.value, store.value
    if not isinstance(made, Call) or made.op != "tile.create" or loop.iter_args[0].init is not init.var:
        return None
    if not isinstance(stored, Call) or stored.op != "tile.store" or len(stored.args) != 3:
        return None
    if stored.args[0] is not loop.return_vars[0] or not isinstance(stored.args[2], Var):
        return None
    if reads.get(init.var) != 1 or reads.get(loop.return_vars[0]) != 1 or len(loop.body) < 2:
        return None
    return _match_body(init, loop, store)


def _match_body(init: Assign, loop: For, store: Assign) -> SplitK | None:
    choice, end = loop.body[-2], loop.body[-1]
    if not isinstance(choice, If) or not isinstance(end, Yield) or len(choice.return_vars) != 1:
        return None
    if len(end.values) != 1 or end.values[0] is not choice.return_vars[0]:
        return None
    branches = [_single_product(branch) for branch in (choice.then, choice.orelse)]
    fresh = [product for product in branches if product is not None and _op(product) == "tile.matmul"]
    added = [product for product in branches if product is not None and _op(product) == "tile.matmul_acc"]
    if len(fresh) != 1 or len(added) != 1:
        return None
    first, later = fresh[0].value, added[0].value
    assert isinstance(first, Call)
    assert isinstance(later, Call)
    if later.args[0] is not loop.iter_args[0].var or any(
        a is not b for a, b in zip(first.args, later.args[1:], strict=False)
    ):
        return None
    loads = _operand_loads(loop.body[:-2], first)
    if loads is None or not _covers(init, loads, first):
        return None
    return SplitK(init, loop, store, loads[0], loads[1], fresh[0], choice)


def _single_product(branch: Block) -> Assign | None:
    if len(branch) != 2:
        return None
    product, end = branch
    if not isinstance(product, Assign) or not isinstance(end, Yield) or end.values != (product.var,):
        return None
    return product


def _op(stmt: Assign) -> str:
    return stmt.value.op if isinstance(stmt.value, Call) else ""


def _operand_loads(block: Block, product: Call) -> tuple[Assign, Assign] | None:
    """The loads of both matrices, when nothing else in the loop is more than a scalar."""
    left, right = product.args[:2]
    if left is right:
        return None
    found: dict[object, Assign] = {}
    for stmt in block:
        if not isinstance(stmt, Assign):
            return None
        if stmt.var is left or stmt.var is right:
            found[stmt.var] = stmt
        elif isinstance(stmt.value, Call) or not is_scalar(stmt.var.type):
            return None
    if left not in found or right not in found:
        return None
    loads = found[left], found[right]
    return loads if all(_is_plain_load(load) for load in loads) else None


def _is_plain_load(load: Assign) -> bool:
    """A load of a whole rectangle into L1."""
    call = load.value
    if not isinstance(call, Call) or call.op != "tile.load" or len(call.args) != 4:
        return False
    shape = static_matrix(load.var.type, (Space.MAT,))
    windows = [tuple_items(arg) for arg in call.args[1:]]
    return shape is not None and windows[0] is not None and windows[1] == windows[2] == shape


def _covers(init: Assign, loads: tuple[Assign, Assign], product: Call) -> bool:
    left, right = (static_matrix(load.var.type, (Space.MAT,)) for load in loads)
    kind = init.var.type
    if left is None or right is None or left[1] != right[0] or not isinstance(kind, TileType):
        return False
    return len(product.args) == 2 and kind.shape == (left[0], right[1])


def _cut(match: SplitK, chip: Chip, values: Mapping[Var, Expr]) -> tuple[list[Stmt], Var] | None:
    boxes = [box(load.var.type) for load in (match.left, match.right)]
    if boxes[0] is None or boxes[1] is None:
        return None
    padding = (boxes[0][0], boxes[1][1])
    plan = plan_product(match.product, chip, {}, boxes=padding, output_only=True)
    if plan is None or not plan.cuts_result:
        return None
    store = substitute(match.store.value, values)
    assert isinstance(store, Call)
    offsets = tuple_items(store.args[1])
    target = store.args[2]
    if offsets is None or len(offsets) != 2 or not isinstance(target, Var):
        return None
    placement = ToTensor(offsets[0], offsets[1], target, store.attrs)
    emit = Emitter(match.loop.origin, "one tile of a sum over K whose result is too large for L0C")
    chain, step = placement.start(emit), 0
    for column in range(0, plan.problem.n, plan.tile.n):
        for row in range(0, plan.problem.m, plan.tile.m):
            piece = _piece(emit, match, plan, values, (row, column), padding, step)
            chain = placement.place(emit, piece, (row, column), chain, step)
            step += 1
    return emit.statements, chain


def _piece(
    emit: Emitter,
    match: SplitK,
    plan: Plan,
    values: Mapping[Var, Expr],
    place: tuple[int, int],
    padding: tuple[int, int],
    step: int,
) -> Var:
    """The author's loop again, for one tile of the result."""
    valid = min(plan.tile.m, plan.problem.m - place[0]), min(plan.tile.n, plan.problem.n - place[1])
    shape = _up(valid[0], padding[0]), _up(valid[1], padding[1])
    start = accumulator(emit, shape, valid, plan, f"{match.init.var.name}_mn{step}")
    retiler = _Retiler(match, dict(values), place, shape, valid, f"_mn{step}")
    loop = retiler.loop(start)
    emit.statements.append(loop)
    return loop.return_vars[0]


def _up(value: int, step: int) -> int:
    return -(-value // step) * step


@frozen
class _Retiler:
    match: SplitK
    values: dict[Var, Expr]
    place: tuple[int, int]
    shape: tuple[int, int]
    valid: tuple[int, int]
    suffix: str

    def loop(self, start: Var) -> For:
        loop = self.match.loop
        carried = self._fresh(loop.iter_args[0].var, start.type)
        turn = self._fresh(loop.var, loop.var.type)
        body = tuple(self._statement(stmt) for stmt in loop.body)
        result = self._fresh(loop.return_vars[0], start.type)
        bounds = (substitute(bound, self.values) for bound in (loop.start, loop.stop, loop.step))
        first, stop, step = bounds
        return evolve(
            loop, var=turn, start=first, stop=stop, step=step, iter_args=(IterArg(carried, start),), body=body,
            return_vars=(result,),
        )  # fmt: skip

    def _fresh(self, var: Var, kind: object) -> Var:
        new = evolve(var, name=var.name + self.suffix, type=kind)
        self.values[var] = new
        return new

    def _statement(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, Assign):
            return self._assign(stmt)
        if isinstance(stmt, Yield):
            return evolve(stmt, values=tuple(substitute(value, self.values) for value in stmt.values))
        if isinstance(stmt, If):
            condition = substitute(stmt.condition, self.values)
            then = tuple(self._statement(inner) for inner in stmt.then)
            orelse = tuple(self._statement(inner) for inner in stmt.orelse)
            kind = self.values[self.match.loop.iter_args[0].var]
            assert isinstance(kind, Var)
            results = tuple(self._fresh(result, kind.type) for result in stmt.return_vars)
            return evolve(stmt, condition=condition, then=then, orelse=orelse, return_vars=results)
        return stmt

    def _assign(self, stmt: Assign) -> Assign:
        value = substitute(stmt.value, self.values)
        if isinstance(value, Call):
            args = self._window(stmt, value)
            value = make_call(value.op, args, value.attrs, value.origin)
            return evolve(stmt, var=self._fresh(stmt.var, value.type), value=value)
        return evolve(stmt, var=self._fresh(stmt.var, stmt.var.type), value=value)

    def _window(self, stmt: Assign, call: Call) -> tuple[Expr, ...]:
        """The operands of a load narrowed to this tile; those of anything else as they are."""
        axis = 0 if stmt is self.match.left else 1 if stmt is self.match.right else None
        if axis is None or len(call.args) < 3:
            return call.args
        tensor, *window = call.args
        offsets, shape = tuple_items(window[0]), tuple_items(window[1])
        if offsets is None or shape is None:
            return call.args
        moved, size, reach = list(offsets), list(shape), list(shape)
        moved[axis] = combine("+", moved[axis], self.place[axis])
        size[axis], reach[axis] = self.shape[axis], self.valid[axis]
        return (tensor, index_tuple(tuple(moved)), index_tuple(tuple(size)), index_tuple(tuple(reach)))
