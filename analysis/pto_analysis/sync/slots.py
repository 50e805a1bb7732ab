"""Rotating-slot accesses: one slot of a ring of equal slots, chosen by an index (sync.md 7.2, PTOAS #1587).

A ring is a multi-buffer, or a dense tile seen as rows. The descriptor is extra knowledge: whether two accesses may
alias at all is decided by their byte ranges, a ring only adds proofs about two indices.
"""

from __future__ import annotations

from pto_analysis.arith.linear import Linear, constant_form
from pto_analysis.arith.questions import Distance, Relation, Rotation, relate_slots, rotate, slot_distance
from pto_analysis.arith.ranges import Range
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.simplify import simplify
from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.program import Region, TileShape

Line = tuple[str, object]
"""An address line: the absolute addresses of a space, one symbolic base, or the bytes of one unplaced region."""


@frozen
class Ring:
    """`count` slots of `size` bytes, `stride` bytes apart, the first at `origin` on its address line."""

    line: Line
    origin: int
    stride: int
    count: int
    size: int


@frozen
class SlotAccess:
    """Slot `index` of `ring`, of which the bytes [low, high) are touched."""

    ring: Ring
    index: Linear
    low: int
    high: int

    @property
    def span(self) -> tuple[int, int]:
        """The bytes that any slot may touch."""
        return self.ring.origin + self.low, self.ring.origin + (self.ring.count - 1) * self.ring.stride + self.high


def multi_buffer_slot(region: Region, line: Line, origin: int, index: Linear) -> SlotAccess | None:
    """`multi_tile_get region[index]`; the index is in range by contract."""
    if region.slots < 2 or region.shape is None:
        return None
    ring = Ring(line, origin, region.slot_stride, region.slots, region.shape.bytes)
    return SlotAccess(ring, index, 0, region.shape.bytes)


def row_slot(
    shape: TileShape, line: Line, origin: int, first: Linear, lines: int, scalars: Scalars
) -> SlotAccess | None:
    """`lines` whole rows (columns, when column-major) of a dense tile at `origin`, starting at line `first`.

    A slot only when `first` is proved to be a multiple of `lines` inside the tile.
    """
    total = shape.rows if shape.major == "row_major" else shape.cols
    if shape.boxed or shape.row_plus_one or lines <= 0 or total % lines or (shape.line_bytes * 8) % shape.bits:
        return None
    count = total // lines
    index = _divided(first, lines, scalars)
    if index is None or not scalars.unsigned(index).within(0, count - 1):
        return None
    size = lines * shape.line_bytes
    return SlotAccess(Ring(line, origin, size, count, size), index, 0, size)


def _divided(form: Linear, divisor: int, scalars: Scalars) -> Linear | None:
    if divisor == 1:
        return form
    parts = [factor for _, factor in form.terms] + [form.constant]
    if any(part % divisor for part in parts):
        return None
    return simplify(scalars, "udiv", (form, constant_form(divisor, form.bits)), form.bits, form.bits)


def narrowed(slot: SlotAccess, low: int, high: int) -> SlotAccess:
    """The bytes [low, high) of what the access touches now."""
    return evolve(slot, low=slot.low + low, high=min(slot.low + high, slot.high))


def slot_bounds(slot: SlotAccess, scalars: Scalars) -> tuple[int, int]:
    """First and last slot that the index may name."""
    values: Range = scalars.unsigned(slot.index)
    last = slot.ring.count - 1
    low = 0 if values.lower is None else min(max(values.lower, 0), last)
    high = last if values.upper is None else min(values.upper, last)
    return low, max(low, high)


def relation(left: SlotAccess, right: SlotAccess, scalars: Scalars) -> Relation:
    """How two accesses of one ring relate in one iteration; "unknown" for different rings."""
    if left.ring != right.ring:
        return "unknown"
    if left.low >= right.high or right.low >= left.high:
        return "disjoint"
    return relate_slots(left.index, right.index, left.ring.count, scalars)


def carried_distance(
    source: SlotAccess, target: SlotAccess, loop: str, inside: frozenset[str], scalars: Scalars
) -> Distance | None:
    """After how many iterations of `loop` the source's slot is touched again by the target; None when unknown.

    `inside` are the loops nested in `loop`: what changes there is another value in another iteration.
    """
    if source.ring != target.ring:
        return None
    if source.low >= target.high or target.low >= source.high:
        return Distance(0, never=True)
    first = _rotation(source, loop, inside, scalars)
    second = _rotation(target, loop, inside, scalars)
    return None if first is None or second is None else slot_distance(first, second, 1)


def _rotation(slot: SlotAccess, loop: str, inside: frozenset[str], scalars: Scalars) -> Rotation | None:
    found = rotate(slot.index, loop, slot.ring.count, scalars)
    if found is None or any(scalars.atom_loops(atom) & inside for atom, _ in found.invariants):
        return None
    return found


def rotation_of(slot: SlotAccess, loop: str, inside: frozenset[str], scalars: Scalars) -> Rotation | None:
    """The slot's rotation through `loop`, when it visits every slot in turn."""
    found = _rotation(slot, loop, inside, scalars)
    return found if found is not None and found.visits_all else None
