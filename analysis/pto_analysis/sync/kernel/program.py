"""A kernel as sync programs: its statements walked in order, once for each core."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pto_analysis.arith.terms import INDEX_BITS, Symbol, Term
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Scope, Stmt, While
from pto_analysis.ir.types import TensorType, TileType
from pto_analysis.ops import get
from pto_analysis.source.span import Origin, Span
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.kernel.buffers import Buffers
from pto_analysis.sync.kernel.carries import carried, merged
from pto_analysis.sync.kernel.cores import cores_of, cores_of_call
from pto_analysis.sync.kernel.naming import first_named
from pto_analysis.sync.kernel.operations import Operations
from pto_analysis.sync.kernel.scalars import KernelScalars, bits_of, is_scalar
from pto_analysis.sync.kernel.storage import Storage
from pto_analysis.sync.kernel.unused import unused_on
from pto_analysis.sync.program import (
    Branch,
    Core,
    HandleCarry,
    HandleMerge,
    Location,
    Loop,
    ScalarCarry,
    ScalarMerge,
    SyncProgram,
    Target,
)

NO_ADDRESSES = "buffers have no addresses yet: where the memory planner reuses one, more waits may be needed"
TWO_CORES = "the kernel runs on a cube and a vector core; tiles go from one to the other by tpush and tpop"

_ONCE = frozenset({"spmd", "split_aiv"})
"""Loops whose rounds run on different cores: one core sees one round."""

_SUFFIXES: dict[Core, str] = {"cube": "_aic", "vector": "_aiv"}


@frozen(eq=False)
class Kernel:
    """A function in SSA form whose tiles all have a memory; `locate` gives the place of its nodes in the file."""

    function: Function
    qualname: str
    locate: Callable[[Origin], Span]


def programs_of(kernel: Kernel, target: Target) -> tuple[SyncProgram, ...]:
    """One program for each core, the cube core's first; a mixed kernel's are named `<name>_aic` and `<name>_aiv`."""
    cores = cores_of(kernel.function)
    return tuple(_Lowering(kernel, core, target, mixed=len(cores) > 1).run() for core in cores)


class _Lowering:
    """One kernel on one core."""

    def __init__(self, kernel: Kernel, core: Core, target: Target, *, mixed: bool) -> None:
        suffix = _SUFFIXES[core] if mixed else ""
        self._kernel = kernel
        self._core: Core = core
        self._mixed = mixed
        self._builder = ProgramBuilder(kernel.function.name + suffix, core, target, kernel.qualname + suffix)
        self._storage = Storage(kernel.function)
        self._names = first_named(kernel.function)
        self._scalars = KernelScalars()
        self._buffers = Buffers(self._builder, self._storage, self._scalars)
        self._operations = Operations(self._builder, self._buffers, core, target)
        self._unused = unused_on(kernel.function, core) if mixed else frozenset[Var]()

    def run(self) -> SyncProgram:
        function = self._kernel.function
        self._at(function.origin)
        for param in function.params:
            if isinstance(param.var.type, TensorType):
                self._buffers.argument(param.var)
            elif is_scalar(param.var):
                symbol = self._scalars.symbol(param.var)
                self._builder.argument(symbol.name, bits_of(param.var))
        self._own_buffers(function.body)
        self._block(function.body)
        self._at(function.origin)
        return self._builder.build((NO_ADDRESSES, *((TWO_CORES,) if self._mixed else ())))

    def _own_buffers(self, body: Block) -> None:
        """Every buffer that some operation makes, bound before the body so that loops may carry it."""
        for stmt in walk.statements(body):
            if not isinstance(stmt, Assign) or not isinstance(stmt.var.type, TileType):
                continue
            if not self._storage.is_view(stmt.var) and not isinstance(stmt.value, Var):
                self._at(stmt.origin)
                self._buffers.own(stmt.var)

    def _at(self, origin: Origin | None) -> None:
        if origin is not None:
            self._builder.where = Location(partial(self._kernel.locate, origin))

    def _block(self, block: Block) -> None:
        popped = len(self._operations.pending)
        for stmt in block:
            self._statement(stmt)
        self._operations.give_back(popped)

    def _statement(self, stmt: Stmt) -> None:
        self._at(stmt.origin)
        if isinstance(stmt, Assign):
            self._assign(stmt.var, stmt.value)
        elif isinstance(stmt, Eval):
            if isinstance(stmt.value, Call):
                self._call(stmt.value, None)
        elif isinstance(stmt, For):
            self._for(stmt)
        elif isinstance(stmt, While):
            self._while(stmt)
        elif isinstance(stmt, If):
            self._if(stmt)
        elif isinstance(stmt, Scope):
            self._block(stmt.body)

    def _assign(self, var: Var, value: Expr) -> None:
        if isinstance(value, Call):
            self._call(value, var)
        if is_scalar(var):
            term = self._scalars.term(value)
            self._builder.define(term, self._scalars.symbol(var).name, bits_of(var))
        elif isinstance(value, Var):
            handle = self._buffers.handle(value)
            if handle is not None:
                self._buffers.name(var, handle)

    def _call(self, call: Call, result: Var | None) -> None:
        self._at(call.origin)
        spec = get(call.op)
        if spec is not None and spec.viewed_operand is not None and result is not None:
            self._view(call, result)
            return
        cores = cores_of_call(call)
        if (cores and self._core not in cores) or (result is not None and result in self._unused):
            return
        if result is not None:
            self._buffers.settle(result)
        if call.op == "tile.matmul_acc" and len(call.args) > 3 and constant_int(call.args[3]) is None:
            self._predicated(call, result)
            return
        self._operations.add(call, result)

    def _view(self, call: Call, result: Var) -> None:
        if call.op != "tile.assemble":
            self._buffers.view(result, call)
            return
        cores = cores_of_call(call)
        if not cores or self._core in cores:
            self._operations.add(call, result)
        handle = self._buffers.handle(call.args[0])
        if handle is not None:
            self._buffers.name(result, handle)

    def _predicated(self, call: Call, result: Var | None) -> None:
        """A first step that overwrites the accumulator, and later ones that add to it."""
        accumulate = Call(call.op, call.args[:3], call.attrs, call.type, call.origin)
        fresh = Call("tile.matmul", call.args[1:3], call.attrs, call.type, call.origin)
        target = result if result is not None else call.args[0]
        identity, where = self._builder.fresh("if"), self._builder.where
        with self._builder.collect() as then:
            self._operations.add(fresh, target if isinstance(target, Var) else None)
        with self._builder.collect() as otherwise:
            self._operations.add(accumulate, result)
        condition = self._scalars.term(call.args[3])
        self._builder.add(Branch(identity, condition, tuple(then), tuple(otherwise), where=where))

    def _for(self, loop: For) -> None:
        where = self._builder.where
        if loop.kind in _ONCE:
            self._builder.define(None, self._scalars.symbol(loop.var).name)
            self._block(loop.body)
            return
        bounds = [self._bound(bound) for bound in (loop.start, loop.stop, loop.step)]
        opened = self._open_handles(loop)
        initials = self._initials(loop)
        with self._builder.collect() as body:
            self._block(loop.body)
            scalars = self._scalar_carries(loop, initials)
            self._copy_back(loop)
        carries = self._close_handles(opened)
        identity = self._builder.fresh("loop")
        variable = self._scalars.symbol(loop.var)
        start, stop, step = bounds
        self._builder.append_loop(
            Loop(identity, "for", tuple(body), variable, start, stop, step, None, scalars, carries, where)
        )

    def _copy_back(self, loop: For) -> None:
        """Copies what the round yields into the buffers that the loop started in, where it has not been made there."""
        for var, _, value, _ in carried(loop):
            if isinstance(value, Var) and self._storage.is_copied(var):
                self._at(self._names.get(value, loop.origin))
                self._operations.copy(value, var)

    def _bound(self, bound: Expr) -> Term:
        term = self._scalars.term(bound)
        return term if term is not None and term.bits == INDEX_BITS else self._builder.define(None)

    def _while(self, loop: While) -> None:
        """Round and condition as `sync.program.Loop` wants them: the body stands in a branch of its own."""
        where = self._builder.where
        opened = self._open_handles(loop)
        initials = self._initials(loop)
        condition = self._scalars.term(loop.condition)
        with self._builder.collect() as body:
            test = self._builder.define(condition, bits=1)
            identity = self._builder.fresh("if")
            with self._builder.collect() as then:
                self._block(loop.body)
            scalars = [self._through(carry) for carry in self._scalar_carries(loop, initials)]
            tiles = [self._handed_through(carry) for carry in self._close_handles(opened)]
            scalar_merges = tuple(merge for merge, _ in scalars)
            tile_merges = tuple(merge for merge, _ in tiles)
            self._builder.add(Branch(identity, test, tuple(then), (), scalar_merges, tile_merges, where))
        self._builder.append_loop(
            Loop(
                self._builder.fresh("loop"),
                "while",
                tuple(body),
                condition=test,
                scalars=tuple(carry for _, carry in scalars),
                handles=tuple(carry for _, carry in tiles),
                where=where,
            )
        )

    def _through(self, carry: ScalarCarry) -> tuple[ScalarMerge, ScalarCarry]:
        """A carry whose last round leaves its value alone."""
        merge = ScalarMerge(Symbol(self._scalars.unique("carry"), carry.symbol.bits), carry.next, carry.symbol)
        return merge, ScalarCarry(carry.symbol, carry.initial, merge.result, carry.result)

    def _handed_through(self, carry: HandleCarry) -> tuple[HandleMerge, HandleCarry]:
        merge = HandleMerge(self._scalars.unique("carry"), carry.next, carry.handle)
        return merge, HandleCarry(carry.handle, carry.initial, merge.result, carry.result)

    def _initials(self, loop: For | While) -> dict[Var, Term]:
        """What the carried scalars are worth before the loop, defined there where only run time knows it."""
        return {
            var: self._sized(init, self._scalars.symbol(var)) for var, init, _, _ in carried(loop) if is_scalar(var)
        }

    def _sized(self, value: Expr | None, like: Symbol) -> Term:
        term = self._scalars.term(value) if value is not None else None
        return term if term is not None and term.bits == like.bits else self._builder.define(None, bits=like.bits)

    def _scalar_carries(self, loop: For | While, initials: dict[Var, Term]) -> tuple[ScalarCarry, ...]:
        """Called at the end of the body."""
        found: list[ScalarCarry] = []
        for var, _, value, result in carried(loop):
            if var in initials:
                symbol = self._scalars.symbol(var)
                name = self._scalars.symbol(result) if result is not None else None
                found.append(ScalarCarry(symbol, initials[var], self._sized(value, symbol), name))
        return tuple(found)

    def _open_handles(self, loop: For | While) -> list[tuple[Var, str, str, Expr, Var | None]]:
        """The carries that may be in several buffers: (iter arg, its handle, handle of the init, value, result)."""
        found: list[tuple[Var, str, str, Expr, Var | None]] = []
        for var, init, value, result in carried(loop):
            if not isinstance(var.type, (TileType, TensorType)) or value is None:
                continue
            initial = self._buffers.handle(init)
            if initial is None or self._storage.same(var, value) or self._storage.is_copied(var):
                if initial is not None:
                    self._buffers.name(var, initial)
                    self._name_result(result, initial)
                continue
            handle = self._scalars.unique(var.name)
            self._buffers.name(var, handle)
            found.append((var, handle, initial, value, result))
        return found

    def _name_result(self, result: Var | None, handle: str) -> None:
        if result is not None:
            self._buffers.name(result, handle)

    def _close_handles(self, opened: list[tuple[Var, str, str, Expr, Var | None]]) -> tuple[HandleCarry, ...]:
        """Called behind the body, when the handles of the yielded values are known."""
        found: list[HandleCarry] = []
        for _, handle, initial, value, result in opened:
            following = self._buffers.handle(value) or handle
            name = self._scalars.unique(result.name) if result is not None else None
            if result is not None and name is not None:
                self._buffers.name(result, name)
            found.append(HandleCarry(handle, initial, following, name))
        return tuple(found)

    def _if(self, stmt: If) -> None:
        where = self._builder.where
        condition = self._scalars.term(stmt.condition)
        identity = self._builder.fresh("if")
        with self._builder.collect() as then:
            self._block(stmt.then)
        with self._builder.collect() as otherwise:
            self._block(stmt.orelse)
            self._copy_at_merge(stmt)
        scalars, handles = self._merges(stmt)
        if not then and not otherwise and not handles and not scalars:
            return
        test = condition if condition is not None and condition.bits == 1 else None
        self._builder.where = where
        self._builder.add(Branch(identity, test, tuple(then), tuple(otherwise), scalars, handles, where))

    def _copy_at_merge(self, stmt: If) -> None:
        """Copies the second arm's values into the buffers of the first arm's, where they are not made there."""
        for result, _, value in merged(stmt):
            if isinstance(value, Var) and self._storage.is_copied(result):
                self._at(self._names.get(value, stmt.origin))
                self._operations.copy(value, result)

    def _merges(self, stmt: If) -> tuple[tuple[ScalarMerge, ...], tuple[HandleMerge, ...]]:
        scalars: list[ScalarMerge] = []
        handles: list[HandleMerge] = []
        for result, then, otherwise in merged(stmt):
            if is_scalar(result):
                symbol = self._scalars.symbol(result)
                terms = [self._scalars.term(value) for value in (then, otherwise)]
                left, right = terms
                if left is None or right is None or not left.bits == right.bits == symbol.bits:
                    self._builder.define(None, symbol.name, symbol.bits)
                else:
                    scalars.append(ScalarMerge(symbol, left, right))
                continue
            first, second = self._buffers.handle(then), self._buffers.handle(otherwise)
            if first is None or second is None:
                continue
            if first == second or self._storage.is_copied(result):
                self._buffers.name(result, first)
                continue
            handle = self._scalars.unique(result.name)
            self._buffers.name(result, handle)
            handles.append(HandleMerge(handle, first, second))
        return tuple(scalars), tuple(handles)
