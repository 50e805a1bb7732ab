"""Cuts the products of one InCore function.

Facts: hw-native-sys/pypto, `auto_tile_matmul_l0` (2026-08-21), with the memory planner it has by default.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from attrs import define, field

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir import walk
from pto_analysis.ir.dtypes import BF16, FP16, FP32, DType
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Return, Scope, Stmt, While, Yield
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ir.walk import updated
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.l0.chips import CHIPS, Chip
from pto_analysis.passes.lowering.l0.grid import ToScratch, ToTensor, grid
from pto_analysis.passes.lowering.l0.kloop import Window, products
from pto_analysis.passes.lowering.l0.plan import Plan, plan_product, reloadable_biases, static_matrix
from pto_analysis.passes.lowering.l0.split_k import tile_split_k
from pto_analysis.passes.lowering.notes import LoweringNote
from pto_analysis.passes.lowering.tree import substitute, tuple_items
from pto_analysis.toolchain import Toolchain

STAGE = "before"
RINT = "rint"
_LEFT_WHOLE = "is too large for L0C, but its result is not stored at once: the compiler leaves it whole"


@frozen
class Tiled:
    function: Function
    notes: tuple[LoweringNote, ...] = ()


def tile_matmuls(function: Function, toolchain: Toolchain) -> Tiled:
    if not _multiplies(function.body):
        return Tiled(function)
    chip = CHIPS[toolchain.target]
    body = tile_split_k(function.body, chip)
    tiler = _Tiler(chip)
    return Tiled(evolve(function, body=tiler.block(body)), tuple(tiler.notes))


@frozen
class _Uses:
    """How often the statements of a block read a value, and how often as a matrix of a product."""

    reads: Mapping[Var, int]
    as_matrix: Mapping[Var, int]
    stores: Mapping[Var, Assign]
    casts: Mapping[Var, Assign]

    def only_matrices(self, var: Var) -> bool:
        return self.reads.get(var, 0) >= 1 and self.reads.get(var, 0) == self.as_matrix.get(var, 0)


_MATRICES = {"tile.matmul": (0, 1), "tile.matmul_bias": (0, 1), "tile.matmul_acc": (1, 2)}


def _uses(block: Block) -> _Uses:
    reads: Counter[Var] = Counter()
    as_matrix: Counter[Var] = Counter()
    stores: dict[Var, Assign] = {}
    casts: dict[Var, Assign] = {}
    for stmt in walk.statements(block):
        for operand in stmt.operands:
            reads.update(operand.variables)
            if isinstance(operand, Call):
                positions = _MATRICES.get(operand.op, ())
                as_matrix.update(arg for at in positions if isinstance(arg := operand.args[at], Var))
    for stmt in block:
        call = stmt.value if isinstance(stmt, Assign) else None
        source = call.args[0] if isinstance(call, Call) and call.args else None
        if not isinstance(stmt, Assign) or not isinstance(call, Call) or not isinstance(source, Var):
            continue
        if call.op == "tile.store" and len(call.args) == 3:
            stores.setdefault(source, stmt)
        elif call.op == "tile.cast":
            casts.setdefault(source, stmt)
    return _Uses(reads, as_matrix, stores, casts)


@define
class _Tiler:
    chip: Chip
    notes: list[LoweringNote] = field(factory=list[LoweringNote])
    values: dict[Var, Expr] = field(factory=dict[Var, Expr])

    def expression(self, expr: Expr) -> Expr:
        return substitute(expr, self.values)

    def block(self, block: Block) -> Block:
        if not _multiplies(block):
            return tuple(self.statement(stmt) for stmt in block)
        uses = _uses(block)
        return _BlockTiler(self, block, uses, reloadable_biases(block, uses.reads)).run()

    def statement(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, Assign):
            value = self.expression(stmt.value)
            return stmt if value is stmt.value else updated(stmt, value=value)
        if isinstance(stmt, Eval):
            value = self.expression(stmt.value)
            return updated(stmt, value=value) if isinstance(value, Call) else stmt
        if isinstance(stmt, (Yield, Return)):
            return updated(stmt, values=tuple(self.expression(value) for value in stmt.values))
        if isinstance(stmt, If):
            then, orelse = self.block(stmt.then), self.block(stmt.orelse)
            return updated(stmt, condition=self.expression(stmt.condition), then=then, orelse=orelse)
        if isinstance(stmt, (For, While)):
            carried = tuple(updated(item, init=self.expression(item.init)) for item in stmt.iter_args)
            return updated(stmt, iter_args=carried, body=self.block(stmt.body))
        if isinstance(stmt, Scope):
            return updated(stmt, body=self.block(stmt.body))
        return stmt


def _multiplies(block: Block) -> bool:
    return any(call.op in _MATRICES for stmt in walk.statements(block) if (call := _call(stmt)) is not None)


def _call(stmt: Stmt) -> Call | None:
    value = stmt.value if isinstance(stmt, (Assign, Eval)) else None
    return value if isinstance(value, Call) else None


@define
class _BlockTiler:
    """One block: a product that is stored at once is cut where its store stands, any other where it stands itself."""

    owner: _Tiler
    block: Block
    uses: _Uses
    biases: dict[Var, Assign]
    result: list[Stmt] = field(factory=list[Stmt])
    pending: dict[Assign, Plan] = field(factory=dict[Assign, Plan])
    dropped: set[Var] = field(factory=set[Var])

    def run(self) -> Block:
        for stmt in self.block:
            self._statement(stmt)
        return tuple(stmt for stmt in self.result if not (isinstance(stmt, Assign) and stmt.var in self.dropped))

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign) and stmt in self.pending:
            self._stored_grid(stmt, self.pending[stmt])
            return
        if isinstance(stmt, Assign) and stmt.var in self.dropped:
            return
        now = self.owner.statement(stmt) if isinstance(stmt, Assign) else stmt
        if isinstance(stmt, Assign) and isinstance(now, Assign):
            if self._folded_cast(stmt, now):
                return
            plan = plan_product(now, self.owner.chip, self._current_biases())
            if plan is not None and self._cut(stmt, plan):
                return
            self.result.append(now)
            return
        self.result.append(self.owner.statement(stmt))

    def _current_biases(self) -> dict[Var, Assign]:
        """The loads of biases with the tensors as they are called by now."""
        result: dict[Var, Assign] = {}
        for var, load in self.biases.items():
            now = self.owner.statement(load)
            assert isinstance(now, Assign)
            result[var] = now
        return result

    def _cut(self, stmt: Assign, plan: Plan) -> bool:
        emit = Emitter(plan.assign.value.origin, None)
        if not plan.cuts_result:
            self.owner.values[stmt.var] = products(emit, plan, Window(plan.tile.m, plan.tile.n), plan.name)
            self.result += emit.statements
            return True
        return self._to_scratch(stmt, plan, emit) or self._at_store(stmt, plan)

    def _to_scratch(self, stmt: Assign, plan: Plan, emit: Emitter) -> bool:
        """Kept in L1 when products are all that reads it, perhaps after a cast that the hardware does on the way."""
        target, dtype = stmt.var, plan.dtype
        cast = self.uses.casts.get(stmt.var)
        if cast is not None and self.uses.reads.get(stmt.var) == 1 and self.uses.only_matrices(cast.var):
            wanted = _on_the_way(cast, plan.dtype)
            if wanted is not None:
                target, dtype = cast.var, wanted
        chip, problem = self.owner.chip, plan.problem
        fits = problem.m * problem.n * (dtype.bits // 8) <= chip.mat
        narrow = not chip.low_precision_scratch or dtype in (BF16, FP16)
        if plan.start is not None or plan.stages_left or not self.uses.only_matrices(target) or not (fits and narrow):
            return False
        if plan.tile.regime != "output":
            again = plan_product(plan.assign, chip, self._current_biases(), output_only=True)
            plan = again if again is not None and again.cuts_result else plan
        scratch = grid(emit, plan, ToScratch((problem.m, problem.n), dtype, f"{plan.name}_mat"))
        self.result += emit.statements
        self.owner.values[target] = scratch
        if target is not stmt.var:
            self.owner.values[stmt.var] = scratch
            self.dropped.add(target)
        self._forget_bias(plan)
        return True

    def _at_store(self, stmt: Assign, plan: Plan) -> bool:
        store = self.uses.stores.get(stmt.var)
        call = _call(store) if store is not None else None
        offsets = tuple_items(call.args[1]) if call is not None else None
        single = store is not None and self.uses.reads.get(stmt.var) == 1
        plain = plan.start is None and not plan.stages_left and offsets is not None and len(offsets) == 2
        if not single or not plain or store is None or call is None or not isinstance(call.args[2], Var):
            self.owner.notes.append(LoweringNote("unknown", STAGE, _op(plan), _LEFT_WHOLE, stmt.origin))
            return False
        self.pending[store] = plan
        self._forget_bias(plan)
        return True

    def _forget_bias(self, plan: Plan) -> None:
        if plan.bias_load is not None and plan.tile.n != plan.problem.n:
            self.dropped.add(plan.bias_load.var)

    def _stored_grid(self, store: Assign, plan: Plan) -> None:
        call = self.owner.expression(store.value)
        assert isinstance(call, Call)
        offsets = tuple_items(call.args[1])
        assert offsets is not None
        assert isinstance(call.args[2], Var)
        emit = Emitter(plan.assign.value.origin, None)
        placement = ToTensor(offsets[0], offsets[1], call.args[2], call.attrs)
        self.owner.values[store.var] = grid(emit, plan, placement)
        self.result += emit.statements

    def _folded_cast(self, stmt: Assign, cast: Assign) -> bool:
        """A cast between two products is done while the accumulator is written to L1."""
        call = cast.value
        source = call.args[0] if isinstance(call, Call) and call.op == "tile.cast" else None
        if not isinstance(source, Var) or not isinstance(source.type, TileType):
            return False
        shape = static_matrix(source.type, (Space.ACC,))
        wanted = _on_the_way(cast, source.type.dtype)
        if shape is None or wanted is None or not self.uses.only_matrices(stmt.var):
            return False
        rows = -(-shape[0] // self.owner.chip.acc_row_alignment(source.type.dtype)) * self.owner.chip.acc_row_alignment(
            source.type.dtype
        )
        if rows * shape[1] * source.type.dtype.bits // 8 > self.owner.chip.acc:
            return False
        emit = Emitter(cast.value.origin, "the cast is done while the accumulator is written to L1")
        placement = ToScratch(shape, wanted, f"{source.name}_mat")
        self.owner.values[stmt.var] = placement.place(emit, source, (0, 0), placement.start(emit), 0)
        self.result += emit.statements
        return True


def _op(plan: Plan) -> str:
    call = plan.assign.value
    return call.op if isinstance(call, Call) else ""


def _on_the_way(cast: Assign, source: DType) -> DType | None:
    """The dtype of a cast that the way out of the accumulator can do: FP32 to BF16 or FP16, ties to even."""
    call = cast.value
    assert isinstance(call, Call)
    wanted = call.attrs.get("target_type")
    mode = call.attrs.get("mode")
    if source != FP32 or mode != RINT or not isinstance(wanted, DType) or wanted not in (BF16, FP16):
        return None
    return wanted
