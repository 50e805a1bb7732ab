"""Which tiles the compiler gives the same memory: larger buffers first, each to the first place that is free for it.

What counts is when values live and what their ops allow, not shape or dtype. Copies of pipelined bodies, which the
compiler keeps apart, and the spaces' sizes are not looked at. Origin: hw-native-sys/pypto 2026-08-21,
`memory_reuse_pass.cpp` (IdentifyReuseOpportunities).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, TupleItem, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ops import get
from pto_analysis.ops.sizes import allocation_bytes
from pto_analysis.sync.kernel.lifetimes import Lifetime, Lifetimes, lifetimes_of

Place = tuple[Space, int]
"""A piece of memory that some buffers share: its space, and its number there."""


def pack(function: Function, base: Callable[[Var], Var]) -> dict[Var, Place]:
    """The place of every buffer; `base` names the buffer of a value, before any two share memory."""
    lifetimes = lifetimes_of(function)
    buffers = _buffers(lifetimes, base)
    apart = _kept_apart(function, base)
    found: dict[Var, Place] = {}
    for space in Space:
        own = sorted((each for each in buffers if each.space is space), key=lambda each: (-each.size, each.life.first))
        packing = _Packing(lifetimes, apart)
        for buffer in own:
            found[buffer.base] = (space, packing.add(buffer))
    return found


@frozen(eq=False)
class _Buffer:
    """All values in one buffer. `is_declared`: its author named it, and nothing else comes there."""

    base: Var
    members: tuple[Var, ...]
    life: Lifetime
    space: Space
    size: int
    is_declared: bool


def _buffers(lifetimes: Lifetimes, base: Callable[[Var], Var]) -> list[_Buffer]:
    groups: dict[Var, list[Var]] = {}
    for var in lifetimes.of:
        groups.setdefault(base(var), []).append(var)
    return [_buffer(home, members, lifetimes) for home, members in groups.items()]


def _buffer(home: Var, members: list[Var], lifetimes: Lifetimes) -> _Buffer:
    kind = members[0].type
    assert isinstance(kind, TileType)
    lives = [lifetimes.of[var] for var in members]
    life = Lifetime(min(each.first for each in lives), max(each.last for each in lives))
    declared = kind.memref is not None and kind.memref.base is not None
    return _Buffer(
        home, tuple(members), life, kind.space or Space.VEC, allocation_bytes(kind) or 0, is_declared=declared
    )


def _kept_apart(function: Function, base: Callable[[Var], Var]) -> dict[Var, set[Var]]:
    """By buffer, those that it must not share memory with: what an op still reads while it writes its result."""
    found: dict[Var, set[Var]] = {}
    of_tuple: dict[Var, list[Var]] = {}
    for stmt in walk.statements(function.body):
        if not isinstance(stmt, Assign):
            continue
        if isinstance(stmt.value, Call):
            read = _still_read(stmt.value, stmt.var)
            of_tuple[stmt.var] = read
        elif isinstance(stmt.value, TupleItem) and isinstance(stmt.value.value, Var):
            read = of_tuple.get(stmt.value.value, [])
        else:
            continue
        if isinstance(stmt.var.type, TileType):
            for var in read:
                found.setdefault(base(stmt.var), set()).add(base(var))
                found.setdefault(base(var), set()).add(base(stmt.var))
    return found


def _still_read(call: Call, result: Var) -> list[Var]:
    spec = get(call.op)
    if spec is None:
        return []
    tiles = {index: arg for index, arg in enumerate(call.args) if isinstance(arg, Var)}
    if not spec.inplace_safe:
        return [arg for arg in tiles.values() if isinstance(arg.type, TileType)]
    found = [tiles[index] for index in spec.forbid_output_alias if index in tiles]
    return [*found, tiles[0]] if call.op == "tile.cast" and 0 in tiles and _widens(tiles[0], result) else found


def _widens(source: Var, result: Var) -> bool:
    one, other = source.type, result.type
    return isinstance(one, TileType) and isinstance(other, TileType) and other.dtype.bits > one.dtype.bits


@define
class _Row:
    """The buffers in one place, by when they begin; none of them lives longer than `longest`."""

    members: list[tuple[int, int, _Buffer]] = field(factory=list["tuple[int, int, _Buffer]"])
    longest: int = 0
    is_closed: bool = False

    def meeting(self, life: Lifetime) -> Iterable[_Buffer]:
        at = bisect_left(self.members, (life.last,)) - 1
        while at >= 0 and self.members[at][0] + self.longest > life.first:
            if self.members[at][2].life.meets(life):
                yield self.members[at][2]
            at -= 1


@define
class _Packing:
    """First fit in one space."""

    lifetimes: Lifetimes
    apart: dict[Var, set[Var]]
    rows: list[_Row] = field(factory=list[_Row])
    places: dict[Var, int] = field(factory=dict[Var, int])

    def add(self, buffer: _Buffer) -> int:
        """The number of the place that it comes to."""
        taken = {self.places[other] for other in self.apart.get(buffer.base, ()) if other in self.places}
        number = len(self.rows)
        if not buffer.is_declared:
            fitting = (at for at, row in enumerate(self.rows) if at not in taken and self._fits(buffer, row))
            number = next(fitting, number)
        if number == len(self.rows):
            self.rows.append(_Row(is_closed=buffer.is_declared))
        row = self.rows[number]
        insort(row.members, (buffer.life.first, len(self.places), buffer), key=lambda member: member[:2])
        row.longest = max(row.longest, buffer.life.last - buffer.life.first)
        self.places[buffer.base] = number
        return number

    def _fits(self, buffer: _Buffer, row: _Row) -> bool:
        return not row.is_closed and not any(self._clash(buffer, other) for other in row.meeting(buffer.life))

    def _clash(self, one: _Buffer, other: _Buffer) -> bool:
        """Whether two buffers that live at one time hold more than the values of two arms of one branch."""
        related = False
        for left in one.members:
            for right in other.members:
                families = self.lifetimes.families
                if families.get(left, frozenset()) & families.get(right, frozenset()):
                    related = True
                elif self.lifetimes.of[left].meets(self.lifetimes.of[right]):
                    return True
        return not related
