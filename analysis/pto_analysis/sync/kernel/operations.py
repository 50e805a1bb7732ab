"""Calls of the tile IR as queued operations: the assembler's op, its operands, the bytes of global memory it moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr, Opaque, Tuple, Var, type_of
from pto_analysis.ir.types import Dim, TensorType, TileType
from pto_analysis.ops import get
from pto_analysis.ops.signature import operand_names
from pto_analysis.ops.spec import OpSpec
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.kernel.buffers import Buffers, space_of, tile_shape
from pto_analysis.sync.kernel.cores import POPS, PUSHES, crosses
from pto_analysis.sync.lowering import lower_op
from pto_analysis.sync.op_call import Call as QueuedCall
from pto_analysis.sync.op_call import Operand
from pto_analysis.sync.program import Core, Location, Op, Pipe, Region, Target, Whole

_BARRIERS = {"system.bar_v": Pipe.V, "system.bar_m": Pipe.M, "system.bar_all": Pipe.ALL}

_FLAGS: dict[str, Literal["set", "wait"]] = {"system.sync_src": "set", "system.sync_dst": "wait"}
_PIPES = {pipe.value: pipe for pipe in Pipe}

_LAZY = ("col_expand",)
"""Families that cannot read a window: the assembler text gets a copy of it onto itself first (seed 000)."""


@frozen(eq=False)
class Operations:
    """Adds the ops of one core to a program."""

    builder: ProgramBuilder
    buffers: Buffers
    core: Core
    target: Target
    pending: list[tuple[QueuedCall, Location]] = field(factory=list[tuple[QueuedCall, Location]])
    """Popped tiles that are still to be freed, where their block ends."""
    materialised: set[Var] = field(factory=set[Var])
    """Windows that have been copied onto themselves."""

    def add(self, call: Call, result: Var | None) -> None:
        """The ops that a call becomes; none for renamings, scalars and what is not queued."""
        spec = get(call.op)
        if call.op in _BARRIERS:
            self.builder.manual("barrier", _BARRIERS[call.op])
        elif call.op in _FLAGS and self._flag(call):
            return
        elif spec is None or not spec.pto:
            self._unlisted(call, result)
        elif crosses(call) is not None:
            self._hand_over(call, result)
        elif call.op == "tile.assemble":
            self._assemble(call)
        else:
            self._materialise(call, spec)
            self._queue(QueuedCall(spec.pto, *self._operands(call, spec, result)))

    def _flag(self, call: Call) -> bool:
        """A set or wait of the author; False where its queues are not known."""
        source, target = (_pipe(call.attrs.get(name)) for name in ("set_pipe", "wait_pipe"))
        if source is None or target is None:
            return False
        event = call.attrs.get("event_id")
        self.builder.manual(_FLAGS[call.op], source, target, event if isinstance(event, int) else None)
        return True

    def _queue(self, call: QueuedCall) -> None:
        found = lower_op(call, self.target)
        if found.phases:
            identity = self.builder.fresh("op")
            self.builder.add(Op(identity, call.name, found.phases, self.builder.where, found.hidden, found.unknown))

    def _operands(
        self, call: Call, spec: OpSpec, result: Var | None
    ) -> tuple[tuple[Operand, ...], tuple[Operand, ...], tuple[Operand, ...], tuple[Operand, ...]]:
        """ins, outs, extra, tmp."""
        names = operand_names(spec.signature)
        written = {index for index, effect in spec.effects.items() if effect in ("W", "cond")}
        ins: list[Operand] = []
        tmp: list[Operand] = []
        outs: list[Operand] = []
        for index, arg in enumerate(call.args):
            name = names[index] if index < len(names) else names[-1] if names else ""
            operand = self._argument(call, arg, name)
            if index in written and isinstance(arg, Var):
                outs.append(operand)
            elif name.startswith("tmp") and operand.handle is not None:
                tmp.append(operand)
            elif operand.handle is not None or not isinstance(arg, Tuple):
                ins.append(operand)
        if not outs:
            outs = [self._result(call, spec, result)]
        if call.op == "tile.ci" and self.target == "a2a3":
            tmp.append(self._scratch(result))
        return tuple(ins), tuple(outs), (), tuple(tmp)

    def _argument(self, call: Call, arg: Expr, name: str) -> Operand:
        """A tensor that is loaded or stored is the window that the call names; everything else the whole operand."""
        if not isinstance(arg, Var) or not isinstance(arg.type, TensorType):
            return self.buffers.operand(arg)
        args = list(call.args)
        if call.op == "tile.load" and len(args) > 2:
            handle = self.buffers.transfer(arg, args[1], _extents(args[2]))
        elif call.op == "tile.store" and name == "output_tensor":
            stored = type_of(args[0])
            shape = stored.shape if isinstance(stored, TileType) else ()
            handle = self.buffers.transfer(arg, args[1], _extents(args[3]) if len(args) > 3 else shape)
        else:
            handle = self.buffers.handle(arg)
        return Operand(handle, "gm")

    def _result(self, call: Call, spec: OpSpec, result: Var | None) -> Operand:
        shared = spec.reused_operand
        if shared is not None and shared < len(call.args):
            return self.buffers.operand(call.args[shared])
        return self.buffers.operand(result) if result is not None else Operand()

    def _scratch(self, result: Var | None) -> Operand:
        """The scratch tile that the compiler gives an op by itself."""
        tile = result.type if result is not None and isinstance(result.type, TileType) else None
        name = self.builder.fresh("scratch")
        shape = tile_shape(tile) if tile is not None else None
        size = shape.bytes if shape is not None else None
        self.builder.region(Region(name, "vec", name, None, size, shape, where=self.builder.where))
        self.builder.bind(Whole(name), shape, name)
        return Operand(name, "vec", shape)

    def _materialise(self, call: Call, spec: OpSpec) -> None:
        """Copies onto themselves of the windows that the op cannot read where they are, at the first such op."""
        if not any(family in spec.families for family in _LAZY):
            return
        for arg in call.args:
            if isinstance(arg, Var) and self.buffers.is_window(arg) and arg not in self.materialised:
                self.materialised.add(arg)
                operand = self.buffers.operand(arg)
                self._queue(QueuedCall("textract", (operand,), (operand,)))

    def _assemble(self, call: Call) -> None:
        """One tile put into a window of another."""
        target, source = call.args[0], call.args[1]
        offsets = call.args[2] if len(call.args) > 2 else Tuple(())
        window = self.buffers.part(target, offsets, source)
        whole = self.buffers.operand(target)
        if window is None:
            return
        place = Operand(window, whole.space, whole.shape, whole.dtype)
        taken = self.buffers.operand(source)
        name = "tinsert" if taken.space == "acc" else "tmov"
        self._queue(QueuedCall(name, (taken,), (place,)))

    def copy(self, source: Expr, target: Expr) -> None:
        """A whole tile copied into another one of its shape."""
        self._queue(QueuedCall("tmov", (self.buffers.operand(source),), (self.buffers.operand(target),)))

    def _hand_over(self, call: Call, result: Var | None) -> None:
        """The half of a move between cores that this core does."""
        ways = crosses(call)
        if ways is None:
            return
        if ways[0] == self.core:
            self._queue(QueuedCall(PUSHES[self.core], (self.buffers.operand(call.args[0]),)))
        elif result is not None:
            taken = self.buffers.operand(result)
            pop, free = POPS[self.core]
            self._queue(QueuedCall(pop, (), (taken,)))
            self.pending.append((QueuedCall(free, (taken,)), self.builder.where))

    def give_back(self, since: int) -> None:
        """Frees the entries of the queue that were popped since `pending` had that length."""
        for call, where in self.pending[since:]:
            self.builder.where = where
            self._queue(call)
        del self.pending[since:]

    def _unlisted(self, call: Call, result: Var | None) -> None:
        """Reads and writes of single elements of a tensor; every other op without a mnemonic touches no queue."""
        if call.op == "tensor.read":
            self._queue(QueuedCall("load_scalar", (self.buffers.operand(call.args[0]),)))
        elif call.op == "tensor.write":
            self._queue(QueuedCall("store_scalar", (), (self.buffers.operand(call.args[0]),)))
        elif call.op.startswith("tile.") and result is not None and isinstance(result.type, TileType):
            tiles = tuple(self.buffers.operand(arg) for arg in call.args if isinstance(arg, Var))
            if space_of(result.type) == "vec":
                self._queue(QueuedCall(f"t{call.op.removeprefix('tile.')}", tiles, (self.buffers.operand(result),)))


def _extents(shape: Expr) -> Sequence[Dim]:
    return tuple(_dims(shape))


def _dims(shape: Expr) -> Iterator[Dim]:
    if isinstance(shape, Tuple):
        yield from shape.items


def _pipe(value: object) -> Pipe | None:
    """The queue that `pl.PipeType.MTE2` names."""
    if not isinstance(value, Opaque):
        return None
    return _PIPES.get(value.what.rpartition(" ")[2])
