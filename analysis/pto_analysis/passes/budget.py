"""How many bytes of each on-chip buffer a kernel needs at its worst point, whatever the memory planner does.

A lower bound: values that live at the same time need different bytes, everything else may share. Views and in-place
results live in their operand's buffer, a loop-carried value in one buffer with its initializer and its yield, and a
result may take the buffer of an operand that dies there where the op allows it. So "too much" is a proof; "enough"
is not, as the planner may share less (reference: DSL sections i.1 and i.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, Stmt, While
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ir.walk import final_yield, statements
from pto_analysis.ops import get
from pto_analysis.ops.sizes import allocation_bytes
from pto_analysis.source.span import Origin


@frozen(eq=False)
class Buffer:
    """One allocation: the variable that made it, and its size. `size` is None for symbolic extents."""

    var: Var
    space: Space
    size: int | None
    origin: Origin | None


@frozen
class Usage:
    """The worst point of one space: `needed` bytes for the `live` buffers, largest first, at `origin`.

    `unsized` counts buffers of symbolic size, which are not in the sum.
    """

    space: Space
    needed: int
    live: tuple[Buffer, ...]
    origin: Origin | None
    unsized: int = 0


def budget(function: Function, target: str, statement: int | None = None) -> tuple[Usage, ...]:
    """The usage of every space in which the function has tiles; it must be in SSA form, with its spaces decided.

    With the number of a statement of the source, only the points inside that statement count.
    """
    buffers = _buffers(function, target)
    sweep = _Sweep(buffers, statement)
    sweep.block(function.body, _Live(buffers))
    present = {buffer.space for buffer in buffers.values()}
    return tuple(_usage(space, buffers, sweep) for space in Space if space in present)


def _usage(space: Space, buffers: dict[Var, Buffer], sweep: _Sweep) -> Usage:
    needed, origin, live = sweep.worst.get(space, (0, None, ()))
    ordered = sorted(live, key=lambda buffer: -(buffer.size or 0))
    unsized = {id(buffer) for buffer in buffers.values() if buffer.space is space and buffer.size is None}
    return Usage(space, needed, tuple(ordered), origin, len(unsized))


def _buffers(function: Function, target: str) -> dict[Var, Buffer]:
    """The buffer of every tile."""
    groups = _Groups()
    groups.block(function.body)
    members: dict[Var, list[Var]] = {}
    for var in groups.tiles:
        members.setdefault(groups.root(var), []).append(var)
    found: dict[Var, Buffer] = {}
    for names in members.values():
        buffer = _buffer(names, groups.tiles[names[0]], target)
        if buffer is not None:
            found.update(dict.fromkeys(names, buffer))
    return found


def _buffer(names: list[Var], origin: Origin | None, target: str) -> Buffer | None:
    """None for a tile whose space nobody decided. The largest of the names counts."""
    types = [name.type for name in names if isinstance(name.type, TileType)]
    space = next((kind.space for kind in types if kind.space is not None), None)
    if space is None or space is Space.DDR:
        return None
    sizes = [size for kind in types if (size := allocation_bytes(kind, target)) is not None]
    return Buffer(names[0], space, max(sizes, default=None), origin)


@define
class _Groups:
    """Which tiles are names of one buffer."""

    tiles: dict[Var, Origin | None] = field(factory=dict[Var, "Origin | None"])
    parents: dict[Var, Var] = field(factory=dict[Var, Var])

    def block(self, block: Block) -> None:
        for stmt in statements(block):
            for var in stmt.definitions:
                if isinstance(var.type, TileType):
                    self.tiles.setdefault(var, stmt.origin)
            self._statement(stmt)

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign):
            self._join(stmt.var, _shared_operand(stmt.value))
        elif isinstance(stmt, (For, While)):
            carried = [arg.var for arg in stmt.iter_args]
            for arg in stmt.iter_args:
                self._join(arg.var, arg.init)
            self._join_all(carried, stmt.return_vars)
            self._join_all(carried, _yielded(stmt.body))
        elif isinstance(stmt, If):
            self._join_all(stmt.return_vars, _yielded(stmt.then))
            self._join_all(stmt.return_vars, _yielded(stmt.orelse))

    def _join_all(self, names: Iterable[Var], values: Iterable[Expr]) -> None:
        for name, value in zip(names, values, strict=False):
            self._join(name, value)

    def _join(self, var: Var, other: Expr | None) -> None:
        if isinstance(other, Var) and isinstance(var.type, TileType) and isinstance(other.type, TileType):
            mine, theirs = self.root(var), self.root(other)
            if mine is not theirs:
                self.parents[mine] = theirs

    def root(self, var: Var) -> Var:
        while var in self.parents:
            var = self.parents[var]
        return var


def _shared_operand(value: Expr) -> Expr | None:
    """The operand whose buffer a value lives in."""
    if isinstance(value, Var):
        return value
    spec = get(value.op) if isinstance(value, Call) else None
    if spec is None or spec.storage.operand is None or spec.storage.relation not in ("view", "reuse"):
        return None
    assert isinstance(value, Call)
    return value.args[spec.storage.operand] if spec.storage.operand < len(value.args) else None


def _yielded(block: Block) -> tuple[Expr, ...]:
    last = final_yield(block)
    return () if last is None else last.values


@define(eq=False)
class _Live:
    """The tiles that are alive at a point, and their bytes by space."""

    buffers: dict[Var, Buffer]
    names: set[Var] = field(factory=set[Var])
    counts: Counter[Buffer] = field(factory=Counter[Buffer])
    totals: dict[Space, int] = field(factory=dict[Space, int])

    def copy(self) -> _Live:
        return _Live(self.buffers, set(self.names), Counter(self.counts), dict(self.totals))

    def add(self, var: Var) -> None:
        buffer = self.buffers.get(var)
        if buffer is None or var in self.names:
            return
        self.names.add(var)
        self.counts[buffer] += 1
        if self.counts[buffer] == 1:
            self.totals[buffer.space] = self.totals.get(buffer.space, 0) + (buffer.size or 0)

    def remove(self, var: Var) -> None:
        buffer = self.buffers.get(var)
        if buffer is None or var not in self.names:
            return
        self.names.remove(var)
        self.counts[buffer] -= 1
        if not self.counts[buffer]:
            del self.counts[buffer]
            self.totals[buffer.space] -= buffer.size or 0

    def of(self, space: Space) -> tuple[Buffer, ...]:
        return tuple(buffer for buffer in self.counts if buffer.space is space)


@define
class _Sweep:
    """One walk backward over the statements. Of two equal points the earlier one counts.

    `statement` is the one of the source whose points are measured; None for all.
    """

    buffers: dict[Var, Buffer]
    statement: int | None
    worst: dict[Space, tuple[int, Origin | None, tuple[Buffer, ...]]] = field(
        factory=dict[Space, "tuple[int, Origin | None, tuple[Buffer, ...]]"]
    )

    def block(self, block: Block, live: _Live) -> None:
        for stmt in reversed(block):
            self._statement(stmt, live)

    def _statement(self, stmt: Stmt, live: _Live) -> None:
        if isinstance(stmt, (For, While)):
            self._loop(stmt, live)
        elif isinstance(stmt, If):
            self._if(stmt, live)
        elif isinstance(stmt, Scope):
            self.block(stmt.body, live)
        elif isinstance(stmt, Assign):
            self._assign(stmt, live)
        for operand in stmt.operands:
            for var in operand.variables:
                live.add(var)
        self._measure(live, stmt.origin)

    def _assign(self, stmt: Assign, live: _Live) -> None:
        live.add(stmt.var)
        for operand in _kept_apart(stmt.value):
            live.add(operand)
        self._measure(live, stmt.origin)
        live.remove(stmt.var)

    def _loop(self, stmt: For | While, live: _Live) -> None:
        """What the body takes from outside lives through the whole loop."""
        for var in stmt.return_vars:
            live.remove(var)
        for var in _taken_from_outside(stmt.body):
            live.add(var)
        self.block(stmt.body, live)
        for arg in stmt.iter_args:
            live.remove(arg.var)

    def _if(self, stmt: If, live: _Live) -> None:
        """Only one arm runs, so neither adds to the other."""
        for var in stmt.return_vars:
            live.remove(var)
        other = live.copy()
        self.block(stmt.orelse, other)
        self.block(stmt.then, live)
        for var in other.names:
            live.add(var)

    def _measure(self, live: _Live, origin: Origin | None) -> None:
        if self.statement is not None and (origin is None or origin.statement != self.statement):
            return
        for space, total in live.totals.items():
            if total and total >= self.worst.get(space, (0,))[0]:
                self.worst[space] = (total, origin, live.of(space))


def _kept_apart(value: Expr) -> Iterable[Var]:
    """The operands whose buffers the result cannot take, even if they die here."""
    spec = get(value.op) if isinstance(value, Call) else None
    if spec is None or not isinstance(value, Call):
        return ()
    return [
        var
        for position, arg in enumerate(value.args)
        if not spec.inplace_safe or position in spec.forbid_output_alias
        for var in arg.variables
    ]


def _taken_from_outside(body: Block) -> list[Var]:
    """The tiles that a loop body reads and does not define."""
    inside = list(statements(body))
    defined = {var for stmt in inside for var in stmt.definitions}
    read = (var for stmt in inside for operand in stmt.operands for var in operand.variables)
    return [var for var in dict.fromkeys(read) if isinstance(var.type, TileType) and var not in defined]
