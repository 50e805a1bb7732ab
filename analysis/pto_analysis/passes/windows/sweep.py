"""The forward sweep that finds each variable's window and checks every accumulation (seed: Acc accumulator windows).

An edge is recorded only when both ends provably have the same extent, so that the shape on the operand is still
the extent of the bytes it names. The loop's back edge is checked, never recorded: a variable cannot name two
windows, and the map stays free of cycles.
"""

from __future__ import annotations

from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Scope, Stmt, While
from pto_analysis.ir.types import TileType, Type
from pto_analysis.ir.walk import final_yield
from pto_analysis.ops.spec import OpSpec
from pto_analysis.ops.table import get
from pto_analysis.passes.canonicalize.collect import Constants, index_sum, slice_operands, value_origin
from pto_analysis.passes.windows.accumulator import AccumulatorWindow, accumulator_window
from pto_analysis.passes.windows.model import Accumulation, Step, StridedAccumulator, Window, WindowMap, same_window
from pto_analysis.source.span import Origin


def map_windows(function: Function) -> WindowMap:
    """The windows of a function in SSA form; empty for functions that are not InCore."""
    if not function.kind.is_incore:
        return WindowMap()
    sweep = _Sweep()
    sweep.block(function.body)
    return WindowMap(sweep.windows, tuple(sweep.rejected), tuple(sweep.accumulations))


class _Written:
    """Where a carried variable is accumulated into: the op and its place."""

    def __init__(self, op: str, origin: Origin | None) -> None:
        self.op = op
        self.origin = origin


class _Sweep:
    """`sources[v]` is the variable that `v` is another name of, `roots[v]` the first of them all; `accumulated` are
    the variables that a MAD writes through."""

    def __init__(self) -> None:
        self.constants = Constants()
        self.windows: dict[Var, Window] = {}
        self.sources: dict[Var, Var] = {}
        self.roots: dict[Var, Var] = {}
        self.accumulated: dict[Var, _Written] = {}
        self.rejected: list[StridedAccumulator] = []
        self.accumulations: list[Accumulation] = []

    def block(self, block: Block) -> None:
        for stmt in block:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign):
            self.assign(stmt)
        elif isinstance(stmt, Eval):
            self.check(stmt.value, value_origin(stmt))
        elif isinstance(stmt, (For, While)):
            self.loop(stmt)
        elif isinstance(stmt, If):
            self.branch(stmt)
        elif isinstance(stmt, Scope):
            self.block(stmt.body)

    # Edges

    def assign(self, stmt: Assign) -> None:
        self.constants.define(stmt.var, stmt.value)
        value = stmt.value
        if isinstance(value, Var):
            self.inherit(stmt.var, value, "alias", stmt.origin)
        elif isinstance(value, Call) and value.op == "tile.slice":
            self.slice(stmt)
        elif isinstance(value, Call):
            self.check(value, value_origin(stmt))
            self.result(stmt, value)

    def slice(self, stmt: Assign) -> None:
        """The seed of a window; a slice of a window adds its offset. Any form counts, valid_shape included."""
        parts = slice_operands(stmt, self.constants)
        if parts is None:
            return
        source, row, col = parts
        outer = self.windows.get(source)
        if outer is None:
            self.windows[stmt.var] = Window(stmt.var, source, row, col, "slice", value_origin(stmt))
            return
        row, col = index_sum(outer.row, row), index_sum(outer.col, col)
        self.windows[stmt.var] = Window(stmt.var, outer.base, row, col, "slice", value_origin(stmt), outer)

    def result(self, stmt: Assign, call: Call) -> None:
        """An op whose result lands in a source operand's storage."""
        spec = get(call.op)
        operand = None if spec is None else _shared_operand(spec)
        if spec is None or operand is None or operand >= len(call.args):
            return
        source = call.args[operand]
        step: Step = "view" if spec.reused_operand is None else "in-place"
        if isinstance(source, Var):
            self.inherit(stmt.var, source, step, value_origin(stmt), call.op)

    def inherit(self, var: Var, source: Var, step: Step, origin: Origin | None, op: str | None = None) -> None:
        """`var` is another name of what `source` names, if their extents provably agree."""
        if not same_extent(var.type, source.type):
            return
        self.sources[var] = source
        self.roots[var] = self.roots.get(source, source)
        window = self.windows.get(source)
        if window is not None:
            self.windows[var] = Window(var, window.base, window.row, window.col, step, origin, window, op)

    # Control flow

    def loop(self, loop: For | While) -> None:
        for arg in loop.iter_args:
            if isinstance(arg.init, Var):
                self.inherit(arg.var, arg.init, "iter-arg", loop.origin)
        self.block(loop.body)
        yielded = final_yield(loop.body)
        if yielded is None:
            return
        for position, (arg, value) in enumerate(zip(loop.iter_args, yielded.values, strict=False)):
            if not isinstance(value, Var):
                continue
            self.back_edge(loop, position, value, yielded.origin)
            if position < len(loop.return_vars) and isinstance(arg.init, Var) and self.is_same(arg.init, value):
                self.inherit(loop.return_vars[position], arg.init, "loop-result", loop.origin)

    def branch(self, stmt: If) -> None:
        self.block(stmt.then)
        self.block(stmt.orelse)
        then, orelse = final_yield(stmt.then), final_yield(stmt.orelse)
        if then is None or orelse is None:
            return
        for var, left, right in zip(stmt.return_vars, then.values, orelse.values, strict=False):
            if isinstance(left, Var) and isinstance(right, Var) and self.is_same(left, right):
                self.inherit(var, left, "branch-result", stmt.origin)

    def is_same(self, left: Var, right: Var) -> bool:
        """Whether both provably name one window of one extent, or the same whole tile."""
        if left is right:
            return True
        a, b = self.windows.get(left), self.windows.get(right)
        if a is not None and b is not None:
            return same_window(a, b) and same_extent(left.type, right.type)
        return a is b and self.roots.get(left, left) is self.roots.get(right, right)

    # Checks

    def check(self, value: Expr, origin: Origin | None) -> None:
        """The operand that an op accumulates into must not be a strided window."""
        spec = get(value.op) if isinstance(value, Call) else None
        if not isinstance(value, Call) or spec is None or spec.reused_operand is None:
            return
        position = spec.reused_operand
        operand = value.args[position] if position < len(value.args) else None
        if not isinstance(operand, Var):
            return
        self.mark(operand, _Written(value.op, origin))
        window = self.windows.get(operand)
        if window is None:
            return
        extent = accumulator_window(window.base.type, operand.type, window.row, window.col)
        if extent is None:
            return
        self.accumulations.append(Accumulation(value.op, operand, window, extent, origin))
        if extent.is_strided:
            self.rejected.append(
                StridedAccumulator("PTO201", value.op, operand, window, extent, origin, position=position)
            )

    def mark(self, var: Var, accumulation: _Written) -> None:
        """Every name of the accumulator is accumulated into."""
        while var not in self.accumulated:
            self.accumulated[var] = accumulation
            if var not in self.sources:
                return
            var = self.sources[var]

    def back_edge(self, loop: For | While, position: int, value: Var, origin: Origin | None) -> None:
        """From the second iteration on, the body accumulates into what the yield names."""
        arg = loop.iter_args[position]
        accumulation, window = self.accumulated.get(arg.var), self.windows.get(value)
        if accumulation is None or window is None or not self.repeats(loop):
            return
        first = self.windows.get(arg.var)
        if first is not None and strided_extent(first, arg.var.type) is not None:
            return
        extent = strided_extent(window, arg.var.type)
        if extent is not None:
            self.rejected.append(
                StridedAccumulator(
                    "PTO202",
                    accumulation.op,
                    value,
                    window,
                    extent,
                    origin,
                    accumulation.origin,
                    loop.origin,
                    arg.var,
                    position,
                )
            )

    def repeats(self, loop: For | While) -> bool:
        """Whether the loop provably runs more than once: literal bounds with `start + step < stop`."""
        if isinstance(loop, While):
            return False
        bounds = [constant_int(self.constants.resolve(bound)) for bound in (loop.start, loop.stop, loop.step)]
        start, stop, step = bounds
        return start is not None and stop is not None and step is not None and step > 0 and start + step < stop


def strided_extent(window: Window, view: Type) -> AccumulatorWindow | None:
    """The window as an operand of type `view` sees it, if the MAD provably cannot write it."""
    extent = accumulator_window(window.base.type, view, window.row, window.col)
    return extent if extent is not None and extent.is_strided else None


def same_extent(left: Type, right: Type) -> bool:
    """Provably the same rank, dtype and constant dimensions."""
    if not isinstance(left, TileType) or not isinstance(right, TileType):
        return False
    if left.dtype != right.dtype or len(left.shape) != len(right.shape):
        return False
    pairs = [(constant_int(a), constant_int(b)) for a, b in zip(left.shape, right.shape, strict=True)]
    return all(a is not None and a == b for a, b in pairs)


def _shared_operand(spec: OpSpec) -> int | None:
    """The operand in whose storage the result lies: written in place, or a view that is safe in place."""
    if spec.reused_operand is not None:
        return spec.reused_operand
    return spec.viewed_operand if spec.inplace_safe else None
