"""Flattens the tiles of one InCore function.

Facts: hw-native-sys/pypto, `flatten_tile_nd_to_2d` (2026-08-21).
"""

from __future__ import annotations

from attrs import define

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.expr import Call, Expr, Invoke, Opaque, Tuple, Var, type_of
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, Stmt
from pto_analysis.ir.types import Layout, Shape, Space, TensorType, TileType, Type
from pto_analysis.ir.views import effective_view, implicit_view
from pto_analysis.ir.walk import statements, updated
from pto_analysis.passes.lowering.emit import Emitter, because, make_call
from pto_analysis.passes.lowering.nd import batch, transpose
from pto_analysis.passes.lowering.nd.packing import column_packed
from pto_analysis.passes.lowering.nd.shapes import collapsed_view, is_nd, is_static, merged, row_of
from pto_analysis.passes.lowering.nd.uses import BatchUses, batch_uses, peelable
from pto_analysis.passes.lowering.notes import LoweringNote, Refused
from pto_analysis.passes.lowering.retyping import Retyping
from pto_analysis.passes.lowering.tree import call_of, index_tuple, tuple_items
from pto_analysis.passes.lowering.windows import collapses, known
from pto_analysis.toolchain import Toolchain

STAGE = "before"
_TWO_AXES = "tiles have two axes"


@frozen
class Flattened:
    function: Function
    notes: tuple[LoweringNote, ...] = ()


def flatten_tiles(function: Function, toolchain: Toolchain) -> Flattened:
    """The function with two-dimensional tiles only; what cannot be flattened stays and is noted."""
    if not any(is_nd(param.var.type) for param in function.params) and not any(
        map(_concerned, statements(function.body))
    ):
        return Flattened(function)
    flattener = _Flattener(column_packed(function.body, toolchain))
    body = flattener.block(function.body)
    return Flattened(evolve(function, body=body), tuple(flattener.notes))


def _concerned(stmt: Stmt) -> bool:
    """Whether there may be something to flatten: a tile of more axes, a product of pages, a store into more axes."""
    if any(is_nd(var.type) for var in stmt.definitions):
        return True
    call = call_of(stmt)
    if call is None:
        return False
    if call.op != "tile.store":
        return call.op in _BY_PAGES
    into = type_of(call.args[2]) if len(call.args) > 2 else None
    return not isinstance(into, TensorType) or len(into.shape) > 2 or into != call.type


_BY_PAGES = frozenset({"tile.batch_matmul", "tile.batch_matmul_acc", "tile.transpose"})


@define
class _Flattener(Retyping):
    columns_packed: frozenset[Var]

    def block(self, block: Block) -> Block:
        uses = batch_uses(block)
        result: list[Stmt] = []
        skip = False
        for position, stmt in enumerate(block):
            if skip:
                skip = False
                continue
            after = block[position + 1] if position + 1 < len(block) else None
            if isinstance(stmt, Assign) and isinstance(stmt.value, Call):
                new, skip = self._operation(stmt, stmt.value, uses, after)
                result += new
            else:
                result += self.statement(stmt)
        return tuple(result)

    def assign(self, stmt: Assign) -> Block:
        value = self.expression(stmt.value)
        return (updated(stmt, var=self.define(stmt.var, type_of(value)), value=value),)

    def evaluate(self, stmt: Eval) -> Block:
        value = self.expression(stmt.value)
        if isinstance(value, Call) and value.op == "tile.store":
            emit = Emitter(value.origin)
            store = self._store_call(emit, value, type_of(_first_argument(stmt.value)))
            return (*emit.statements, Eval(store, stmt.origin))
        return (updated(stmt, value=value),) if isinstance(value, (Call, Invoke, Opaque)) else (stmt,)

    # Operations. Each returns its statements, and whether the next statement is already in them.

    def _operation(self, stmt: Assign, call: Call, uses: BatchUses, after: Stmt | None) -> tuple[Block, bool]:
        if stmt.var in uses.dropped:
            return (), False
        refusal = _refusal(call)
        if refusal is not None:
            self.notes.append(refusal.note(STAGE, call))
        if call.op == "tile.batch_matmul":
            return self._product(stmt, call, uses, after)
        new = self._simple(stmt, call, uses)
        return new, False

    def _simple(self, stmt: Assign, call: Call, uses: BatchUses) -> Block:
        now = self.expression(call)
        assert isinstance(now, Call)
        emit = Emitter(call.origin)
        if call.op == "tile.load" and is_nd(call.type) and is_static(call.type):
            return self._bound(stmt, emit, self._load(emit, stmt, now))
        if call.op == "tile.store":
            if isinstance(call.args[0], Var) and call.args[0] in self.columns_packed:
                return self._store_columns(stmt, emit, now, call.args[0])
            return self._bound(stmt, emit, self._store_call(emit, now, type_of(call.args[0])))
        if call.op in ("tile.create", "tile.full") and is_nd(call.type) and is_static(call.type):
            return self._bound(stmt, emit, self._shaped(stmt, now))
        if call.op == "tile.batch_matmul_acc":
            return self._accumulation(stmt, call, uses)
        if stmt.var in uses.only and (call.op == "tile.transpose" or peelable(call)):
            return ()
        if call.op == "tile.transpose":
            return self._transpose(stmt, call, now)
        if call.op == "tile.assemble" and is_nd(type_of(call.args[0])):
            return self._bound(stmt, emit, self._assembled(call, now))
        if now is call:
            return (stmt,)
        rebuilt = make_call(now.op, now.args, now.attrs, now.origin) if now.op.startswith("tile.") else now
        return self._bound(stmt, emit, rebuilt)

    def _bound(self, stmt: Assign, emit: Emitter, value: Call) -> Block:
        var = self.define(stmt.var, value.type)
        return (*emit.statements, Assign(var, value, stmt.origin))

    def _load(self, emit: Emitter, stmt: Assign, call: Call) -> Call:
        """A load keeps the window of its tensor; only into L1 the window itself must have two axes."""
        kind = call.type
        assert isinstance(kind, TileType)
        shape = merged(kind.shape)
        view = effective_view(kind)
        valid = None if view.valid_shape is None else merged(view.valid_shape)
        flat_view = evolve(view, valid_shape=valid)
        flat = evolve(kind, shape=shape, view=None if flat_view == implicit_view(shape, kind.space) else flat_view)
        natural = kind.space is Space.MAT and (view.blayout, view.slayout) == (Layout.COL_MAJOR, Layout.ROW_MAJOR)
        tensor = type_of(call.args[0])
        if not natural or not isinstance(tensor, TensorType) or len(tensor.shape) != len(kind.shape):
            return evolve(call, type=flat)
        windows = [tuple_items(arg) for arg in call.args[1:4]]
        offsets, size = windows[0], windows[1]
        reach = windows[2] if len(windows) > 2 else size
        if offsets is None or size is None or reach is None:
            return evolve(call, type=flat)
        if not collapses(reach, tensor.shape):
            why = "the window is not one run of rows of its tensor"
            self.notes.append(_not_one_run(why, reach, tensor.shape).note(STAGE, call))
        why = "a load into L1 reads a tensor of two axes"
        source = emit.name(f"{stmt.var.name}_view2d", collapsed_view(call.args[0], because(call.origin, why)))
        start = index_tuple((row_of(offsets, tensor.shape), offsets[-1]))
        args = (source, start, index_tuple(merged(size)), index_tuple(merged(reach)))
        return evolve(call, args=args, type=flat)

    def _store_call(self, emit: Emitter, call: Call, before: Type) -> Call:
        """`before` is the tile as it was: its shape says what part of the tensor is written."""
        source, offsets, target, *rest = call.args
        if is_nd(type_of(source)) and is_static(type_of(source)):
            kind = type_of(source)
            assert isinstance(kind, TileType)
            source = emit.bind("flat_tile", "tile.reshape", source, index_tuple(merged(kind.shape)), why=_TWO_AXES)
        into = type_of(target)
        if isinstance(before, TileType) and isinstance(into, TensorType) and len(into.shape) > 2 and not rest:
            rest = [index_tuple((1,) * (len(into.shape) - len(before.shape)) + before.shape)]
        return evolve(call, args=(source, offsets, target, *rest), type=into)

    def _store_columns(self, stmt: Assign, emit: Emitter, call: Call, source: Var) -> Block:
        kind = source.type
        assert isinstance(kind, TileType)
        self.values[stmt.var] = batch.store_columns(emit, call, call.args[0], kind)
        return tuple(emit.statements)

    def _shaped(self, stmt: Assign, call: Call) -> Call:
        kind = call.type
        assert isinstance(kind, TileType)
        shape = merged(kind.shape)
        if stmt.var in self.columns_packed:
            batch_extent, rows, columns = kind.shape[-3], kind.shape[-2], kind.shape[-1]
            assert isinstance(batch_extent, int)
            assert isinstance(columns, int)
            shape = (rows, batch_extent * columns)
        return make_call(call.op, (index_tuple(shape), *call.args[1:]), call.attrs, call.origin)

    def _assembled(self, call: Call, now: Call) -> Call:
        target, offsets = type_of(call.args[0]), tuple_items(now.args[2])
        assert isinstance(target, TileType)
        if offsets is None or len(offsets) != len(target.shape):
            return now
        start = index_tuple((row_of(offsets, target.shape), offsets[-1]))
        return make_call(now.op, (*now.args[:2], start), now.attrs, now.origin)

    def _transpose(self, stmt: Assign, call: Call, now: Call) -> Block:
        emit = Emitter(call.origin)
        if is_nd(type_of(call.args[0])):
            pages = transpose.transpose_pages(emit, call, now.args[0], stmt.var.name)
            if isinstance(pages, Refused):
                self.notes.append(pages.note(STAGE, call))
                return (evolve(stmt, value=now),)
            self.values[stmt.var] = pages
            return tuple(emit.statements)
        if len(call.args) > 3:
            return self._bound(stmt, emit, make_call(now.op, now.args, now.attrs, now.origin))
        single = transpose.transpose_2d(emit, call, now.args[0])
        if isinstance(single, Refused):
            self.notes.append(single.note(STAGE, call))
            return (evolve(stmt, value=now),)
        return self._bound(stmt, emit, single)

    def _product(self, stmt: Assign, call: Call, uses: BatchUses, after: Stmt | None) -> tuple[Block, bool]:
        job = batch.job_of(stmt, uses.definitions, self.values)
        if isinstance(job, Refused) or not isinstance(call.type, TileType):
            note = job if isinstance(job, Refused) else Refused("its type is not known", "unknown")
            self.notes.append(note.note(STAGE, call))
            return (evolve(stmt, value=self.expression(call)),), False
        store = batch.following_store(after, stmt.var, job, self.values)
        emit = Emitter(call.origin)
        packed = stmt.var in self.columns_packed
        result = batch.lower_product(emit, job, call.type, store, columns_packed=packed)
        self.values[store.assign.var if store is not None else stmt.var] = result
        return tuple(emit.statements), store is not None

    def _accumulation(self, stmt: Assign, call: Call, uses: BatchUses) -> Block:
        job = batch.job_of(stmt, uses.definitions, self.values)
        emit = Emitter(call.origin)
        accumulator = self.expression(call.args[0])
        packed = isinstance(call.args[0], Var) and call.args[0] in self.columns_packed
        result = job if isinstance(job, Refused) else batch.lower_accumulation(
            emit, job, accumulator, columns_packed=packed
        )  # fmt: skip
        if isinstance(result, Refused):
            self.notes.append(result.note(STAGE, call))
            return (evolve(stmt, value=self.expression(call)),)
        self.values[stmt.var] = result
        return tuple(emit.statements)


def _first_argument(value: Call | Invoke | Opaque) -> Expr:
    return value.operands[0] if isinstance(value, Opaque) else value.args[0]


def _refusal(call: Call) -> Refused | None:
    """Forms of more than two axes that the compiler does not flatten."""
    if not is_nd(call.type) and not any(is_nd(type_of(arg)) for arg in call.args if not isinstance(arg, Tuple)):
        return None
    kinds = [type_of(arg) for arg in call.args] + [call.type]
    if any(is_nd(kind) and not is_static(kind) for kind in kinds):
        return Refused("a tile of more than two axes needs extents that are known", "unknown")
    if call.op in ("tile.read", "tile.write", "tile.slice") and is_nd(kinds[0]):
        return Refused("is not there for tiles of more than two axes")
    if call.op == "tile.assemble" and is_nd(kinds[0]):
        source, target = kinds[1], kinds[0]
        assert isinstance(target, TileType)
        if not isinstance(source, TileType) or len(source.shape) != len(target.shape):
            return Refused("source and target need the same number of axes")
        if not collapses(source.shape, target.shape):
            return _not_one_run("what is written is not one run of rows of its target", source.shape, target.shape)
    return None


def _not_one_run(why: str, window: Shape, whole: Shape) -> Refused:
    """Two extents that are not both numbers may still be equal."""
    return Refused(why, "refused" if known(window) and known(whole) else "unknown")
