"""Which bytes each op may touch, for all runs at once (sync.md 4).

A handle may name several places (select, branches, loop carries): its *reaches*. Loop-carried handles are followed to
a fixpoint, so that handles which swap places every iteration are seen at both. Everything that is not understood
reaches the whole buffer.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import define, field

from pto_analysis.arith.linear import Linear
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.terms import Term
from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.program import (
    Alias,
    Bind,
    Block,
    Branch,
    Bytes,
    Choice,
    Loop,
    Region,
    Slot,
    Space,
    SyncProgram,
    TileShape,
    Whole,
    Window,
)
from pto_analysis.sync.slots import Line, SlotAccess, multi_buffer_slot, narrowed, row_slot, slot_bounds

ENDLESS = 1 << 62
"""End of a region of unknown size."""

_MOST_REACHES = 16
_MOST_CONDITIONS = 4
_MOST_ROUNDS = 3
_MOST_SEGMENTS = 4096


Guard = tuple[tuple[Linear, bool], ...]
"""Conditions by their normal form, and how they must come out."""


@frozen
class Reach:
    """One place that a handle may name: byte segments on an address line, and the slot they are, if they are one.

    `exact` is false where the segments are only a bound. `start` is the byte where the view begins when every run
    begins there. `offset` is the first byte of a view into a global argument, `extent` its length. `when`: under which
    conditions the handle names this place.
    """

    region: str
    space: Space
    line: Line
    segments: tuple[tuple[int, int], ...]
    start: int | None = None
    slot: SlotAccess | None = None
    anywhere: bool = False
    symbolic: bool = False
    offset: Linear | None = None
    extent: int = 0
    when: Guard = ()


Reaches = tuple[Reach, ...]


def region_line(region: Region, scalars: Scalars) -> tuple[Line, int, bool]:
    """The address line of a region, where it starts there, and whether its base is a run-time value."""
    if region.space == "gm" or region.base is None:
        return ("region", region.id), 0, False
    if isinstance(region.base, int):
        return ("absolute", region.space), region.base, False
    form = scalars.linear(region.base)
    if form.single is not None:
        return ("absolute", region.space), form.single, False
    return ("symbolic", form), 0, True


def resolve_handles(program: SyncProgram, scalars: Scalars) -> dict[str, Reaches]:
    """The reaches of every handle of the program."""
    resolver = _Resolver(program, scalars)
    resolver.block(program.body, 0)
    return resolver.reaches


@define
class _Resolver:
    program: SyncProgram
    scalars: Scalars
    reaches: dict[str, Reaches] = field(factory=dict[str, Reaches])
    shapes: dict[str, TileShape | None] = field(factory=dict[str, "TileShape | None"])

    def block(self, block: Block, depth: int) -> None:
        for statement in block:
            if isinstance(statement, Bind):
                self.shapes[statement.handle] = statement.shape or self._inherited_shape(statement)
                self.reaches[statement.handle] = _limited(self.view(statement))
            elif isinstance(statement, Loop):
                self.loop(statement, depth)
            elif isinstance(statement, Branch):
                self.block(statement.then, depth)
                self.block(statement.otherwise, depth)
                for merge in statement.handles:
                    self.shapes[merge.result] = self.shapes.get(merge.then)
                    self.reaches[merge.result] = _limited(self.chosen(statement.condition, merge.then, merge.otherwise))

    def of(self, handle: str) -> Reaches:
        return self.reaches.get(handle, ())

    def chosen(self, condition: Term | None, then: str, otherwise: str) -> Reaches:
        """What either of two handles reaches, each place where the condition comes out so."""
        form = None if condition is None else self.scalars.linear(condition)
        if form is None or form.single is not None:
            return (*self.of(then), *self.of(otherwise))
        return (
            *(_guarded(reach, form, True) for reach in self.of(then)),
            *(_guarded(reach, form, False) for reach in self.of(otherwise)),
        )

    def loop(self, loop: Loop, depth: int) -> None:
        """A carried handle reaches what it starts with and what any iteration leaves behind."""
        varying = frozenset(one.id for one in _nested(loop.body)) | {loop.id}
        for carry in loop.handles:
            self.shapes[carry.handle] = self.shapes.get(carry.initial)
            self.reaches[carry.handle] = self.of(carry.initial)
        rounds = _MOST_ROUNDS if depth < _MOST_ROUNDS else 1
        for turn in range(rounds if loop.handles else 1):
            self.block(loop.body, depth + bool(loop.handles))
            if not self._grow(loop, varying, widen=turn == rounds - 1):
                break
        else:
            if loop.handles:
                self.block(loop.body, depth + 1)
                self._grow(loop, varying, widen=True)
        for carry in loop.handles:
            if carry.result is not None:
                self.shapes[carry.result] = self.shapes.get(carry.initial)
                self.reaches[carry.result] = self.of(carry.handle)

    def _grow(self, loop: Loop, varying: frozenset[str], *, widen: bool) -> bool:
        """Add what the iteration leaves behind; whether any carried handle reaches more than before."""
        grown = False
        for carry in loop.handles:
            arriving = tuple(_forgotten(reach, varying, self.scalars) for reach in self.of(carry.next))
            joined = _limited((*self.of(carry.handle), *arriving))
            if joined == self.of(carry.handle):
                continue
            grown = True
            self.reaches[carry.handle] = self._widened(joined) if widen else joined
        return grown

    def _widened(self, reaches: Reaches) -> Reaches:
        regions = dict.fromkeys(reach.region for reach in reaches)
        return tuple(self._whole(self.program.regions[name]) for name in regions)

    def _inherited_shape(self, bind: Bind) -> TileShape | None:
        view = bind.view
        if isinstance(view, Whole):
            return self.program.regions[view.region].shape
        if isinstance(view, Choice):
            return self.shapes.get(view.then)
        return self.shapes.get(view.source)

    def view(self, bind: Bind) -> Reaches:
        view = bind.view
        if isinstance(view, Whole):
            return (self._whole(self.program.regions[view.region]),)
        if isinstance(view, Choice):
            return self.chosen(view.condition, view.then, view.otherwise)
        sources = self.of(view.source)
        if isinstance(view, Alias):
            return sources
        if isinstance(view, Slot):
            return tuple(self._slot(reach, view.index) for reach in sources)
        if isinstance(view, Bytes):
            return tuple(self._bytes(reach, view) for reach in sources)
        return tuple(self._window(reach, view, self.shapes.get(view.source), len(sources)) for reach in sources)

    def _whole(self, region: Region) -> Reach:
        line, origin, symbolic = region_line(region, self.scalars)
        size = ENDLESS if region.size is None else region.size
        return Reach(region.id, region.space, line, ((origin, origin + size),), origin, None, region.anywhere, symbolic)

    def _slot(self, source: Reach, index: Term) -> Reach:
        region = self.program.regions[source.region]
        if source.start is None or region.shape is None:
            return source
        slot = multi_buffer_slot(region, source.line, source.start, self.scalars.linear(index))
        return source if slot is None else self._slotted(source, slot)

    def _slotted(self, source: Reach, slot: SlotAccess) -> Reach:
        """The slot's bytes: exact for one slot, else the span of the slots that the index may name."""
        low, high = slot_bounds(slot, self.scalars)
        origin, stride = slot.ring.origin, slot.ring.stride
        span = (origin + low * stride + slot.low, origin + high * stride + slot.high)
        if low == high:
            return evolve(source, segments=(span,), start=span[0], slot=None)
        return evolve(source, segments=(span,), start=None, slot=slot)

    def _window(self, source: Reach, view: Window, shape: TileShape | None, sources: int) -> Reach:
        row, col = self.scalars.linear(view.row), self.scalars.linear(view.col)
        if shape is None or shape.boxed or source.anywhere:
            return evolve(source, start=None, slot=source.slot)
        lines = _line_segments(shape, row.single, col.single, view.rows, view.cols)
        if source.slot is not None:
            if lines is None or source.slot.high - source.slot.low != shape.bytes:
                return source
            return self._slotted(source, narrowed(source.slot, lines[0][0], lines[-1][1]))
        if source.start is None or _covered(source) != shape.bytes:
            return evolve(source, start=None)
        if lines is not None:
            start = source.start
            segments = tuple((start + low, start + high) for low, high in lines)
            return evolve(source, segments=segments, start=segments[0][0])
        slot = self._rows(source, view, shape, row, col) if sources == 1 else None
        return evolve(source, start=None) if slot is None else self._slotted(source, slot)

    def _rows(self, source: Reach, view: Window, shape: TileShape, row: Linear, col: Linear) -> SlotAccess | None:
        """A run-time window of whole lines as a slot."""
        start, major = source.start, shape.major == "row_major"
        along, across = (row, col) if major else (col, row)
        width, full = (view.cols, shape.cols) if major else (view.rows, shape.rows)
        if start is None or across.single != 0 or width != full:
            return None
        return row_slot(shape, source.line, start, along, view.rows if major else view.cols, self.scalars)

    def _bytes(self, source: Reach, view: Bytes) -> Reach:
        offset = self.scalars.linear(view.offset)
        if source.start is None or view.extent is None:
            return self._after(source, offset)
        if offset.single is None:
            form = offset if source.start == 0 and self.scalars.fits_unsigned(offset) else None
            return evolve(source, start=None, offset=form, extent=view.extent)
        start = source.start + offset.single
        return evolve(source, segments=((start, start + view.extent),), start=start)

    def _after(self, source: Reach, offset: Linear) -> Reach:
        """A pointer moved by a number of bytes: how far its target extends stays unknown."""
        if source.start is None or offset.single is None:
            return evolve(source, start=None, offset=None)
        return evolve(source, start=source.start + offset.single)


def _covered(reach: Reach) -> int:
    low, high = reach.segments[0]
    return high - low if len(reach.segments) == 1 else -1


def _line_segments(
    shape: TileShape, row: int | None, col: int | None, rows: int, cols: int
) -> tuple[tuple[int, int], ...] | None:
    """Byte segments of a window with constant offsets, relative to the tile; None when it is not such a window."""
    if row is None or col is None or row < 0 or col < 0 or rows <= 0 or cols <= 0:
        return None
    if row + rows > shape.rows or col + cols > shape.cols:
        return None
    major = shape.major == "row_major"
    first, lines, left, width = (row, rows, col, cols) if major else (col, cols, row, rows)
    step, total = shape.line_bytes, shape.cols if major else shape.rows
    low = first * step + left * shape.bits // 8
    length = -(-width * shape.bits // 8)
    if width == total and not shape.row_plus_one:
        return ((low, low + lines * step),)
    if lines > _MOST_SEGMENTS:
        return ((low, low + (lines - 1) * step + length),)
    return tuple((low + line * step, low + line * step + length) for line in range(lines))


def _forgotten(reach: Reach, varying: frozenset[str], scalars: Scalars) -> Reach:
    """What a reach is after its iteration ended: an index of that iteration names an unknown slot now."""
    slot, offset = reach.slot, reach.offset
    if slot is not None and scalars.loops_of(slot.index) & varying:
        slot = None
    if offset is not None and scalars.loops_of(offset) & varying:
        offset = None
    when = tuple(literal for literal in reach.when if not scalars.loops_of(literal[0]) & varying)
    return evolve(reach, slot=slot, offset=offset, when=when)


def _guarded(reach: Reach, condition: Linear, outcome: bool) -> Reach:
    """The reach where a condition comes out so as well; beyond a few conditions they are not told."""
    literal = condition, outcome
    return reach if literal in reach.when else evolve(reach, when=(*reach.when, literal)[:_MOST_CONDITIONS])


def contradict(guard: Guard) -> bool:
    """Whether one condition would have to come out both ways."""
    return any((condition, not outcome) in guard for condition, outcome in guard)


def _nested(block: Block) -> list[Loop]:
    found: list[Loop] = []
    pending = list(block)
    while pending:
        statement = pending.pop()
        if isinstance(statement, Loop):
            found.append(statement)
            pending.extend(statement.body)
        elif isinstance(statement, Branch):
            pending.extend((*statement.then, *statement.otherwise))
    return found


def _limited(reaches: Reaches) -> Reaches:
    """Without repeats; very many places are given up for one that may be anywhere in the space."""
    unique = _merged(dict.fromkeys(reaches))
    if len(unique) <= _MOST_REACHES:
        return unique
    by_space = {reach.space: reach for reach in unique}
    return tuple(
        evolve(reach, line=("anywhere", reach.space), segments=((0, ENDLESS),), start=None, slot=None, anywhere=True)
        for reach in by_space.values()
    )


def _merged(reaches: Iterable[Reach]) -> Reaches:
    """Places that come up under several conditions once, under what these have in common."""
    if not any(reach.when for reach in reaches):
        return tuple(reaches)
    guards: dict[Reach, Guard] = {}
    for reach in reaches:
        place = evolve(reach, when=())
        known = guards.get(place, reach.when)
        guards[place] = tuple(literal for literal in known if literal in reach.when)
    return tuple(evolve(place, when=guard) for place, guard in guards.items())
