"""Which parameters of a converted function are written, and which only written.

Facts: hw-native-sys/pypto, `convert_tensor_to_tile_ops`, its last step (2026-08-21).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, field

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Direction, Function
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, Stmt, While
from pto_analysis.ir.types import Atomic, TensorType
from pto_analysis.ops import OpSpec, get
from pto_analysis.passes.lowering.notes import LoweringNote
from pto_analysis.passes.lowering.tree import calls
from pto_analysis.source.span import Origin

STAGE = "lowered"
_MIXED = "one function writes this tensor by stores and by single elements, and nothing orders the two"

Params = frozenset[Var]
_NONE: Params = frozenset()


@frozen
class Directed:
    function: Function
    notes: tuple[LoweringNote, ...] = ()


def with_directions(function: Function) -> Directed:
    """The function with `In` parameters that it writes as `Out`, those it also reads as `InOut`."""
    tensors = [param.var for param in function.params if isinstance(param.var.type, TensorType)]
    uses = _Uses({var: frozenset((var,)) for var in tensors})
    uses.block(function.body)
    params = tuple(
        evolve(param, direction=Direction.INOUT if param.var in uses.read else Direction.OUT)
        if param.direction is Direction.IN and param.var in uses.written
        else param
        for param in function.params
    )
    mixed = [var for var in tensors if var in uses.by_dma and var in uses.by_element]
    notes = tuple(LoweringNote("refused", STAGE, "tensor.write", _MIXED, uses.by_element[var]) for var in mixed)
    return Directed(evolve(function, params=params), notes)


@define
class _Uses:
    """What happens to each parameter, through all of its names. `by_dma` and `by_element` say where first."""

    names: dict[Var, Params]
    read: set[Var] = field(factory=set[Var])
    written: set[Var] = field(factory=set[Var])
    by_dma: dict[Var, Origin | None] = field(factory=dict[Var, "Origin | None"])
    by_element: dict[Var, Origin | None] = field(factory=dict[Var, "Origin | None"])

    def block(self, block: Block) -> None:
        for stmt in block:
            self._statement(stmt)

    def _statement(self, stmt: Stmt) -> None:
        for operand in stmt.operands:
            for call in calls(operand):
                self._access(call)
        if isinstance(stmt, Assign):
            self._define(stmt.var, self._origins(stmt.value))
        elif isinstance(stmt, (For, While)):
            self._loop(stmt)
        elif isinstance(stmt, If):
            self.block(stmt.then)
            self.block(stmt.orelse)
            ends = [end for end in (walk.final_yield(stmt.then), walk.final_yield(stmt.orelse)) if end is not None]
            self._merge(stmt.return_vars, [end.values for end in ends])
        elif isinstance(stmt, Scope):
            self.block(stmt.body)

    def _loop(self, loop: For | While) -> None:
        """Once more where what is carried turns out to be another parameter from the second turn on."""
        carried = tuple(item.var for item in loop.iter_args)
        incoming: list[Sequence[Expr]] = [tuple(item.init for item in loop.iter_args)]
        self._merge(carried, incoming)
        self.block(loop.body)
        end = walk.final_yield(loop.body)
        if end is not None:
            before = [self.names.get(var) for var in carried]
            incoming.append(end.values)
            self._merge(carried, incoming)
            if [self.names.get(var) for var in carried] != before:
                self.block(loop.body)
        self._merge(loop.return_vars, incoming)

    def _merge(self, results: Sequence[Var], ways: Iterable[Sequence[Expr]]) -> None:
        for values in ways:
            for result, value in zip(results, values, strict=False):
                self._define(result, self.names.get(result, _NONE) | self._origins(value))

    def _define(self, var: Var, origins: Params) -> None:
        if origins:
            self.names[var] = origins

    def _origins(self, value: Expr) -> Params:
        """The parameters that a tensor value is another name of."""
        if isinstance(value, Var):
            return self.names.get(value, _NONE)
        if isinstance(value, Call) and isinstance(value.type, TensorType):
            spec = get(value.op)
            shared = spec.shared_operand if spec is not None else None
            if shared is not None and shared < len(value.args):
                return self._origins(value.args[shared])
        return _NONE

    def _access(self, call: Call) -> None:
        spec = get(call.op)
        for position, arg in enumerate(call.args):
            params = self._origins(arg)
            if not params:
                continue
            if spec is None or _reads(spec, call, position):
                self.read |= params
            if spec is not None and position in spec.effects:
                self.written |= params
                self._remember(spec.writes_through, params, call.origin)

    def _remember(self, through: str, params: Params, origin: Origin | None) -> None:
        first = {"dma": self.by_dma, "scalar": self.by_element}.get(through)
        if first is not None:
            for param in params:
                first.setdefault(param, origin)


def _reads(spec: OpSpec, call: Call, operand: int) -> bool:
    effect = spec.effects.get(operand)
    if effect is None:
        return spec.access != "none" and spec.viewed_operand != operand
    return effect == "RW" or (effect == "cond" and call.attrs.get("atomic") not in (None, Atomic.NONE))
