"""Which earlier ops of a trace share bytes with an op, and how.

Every region is cut at the ends of all ranges of the trace; for each piece and queue only the newest accesses matter,
because order holds for whole queue prefixes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.sync.items import ByteRange, Item, OpItem
from pto_analysis.sync.program import Pipe

ConflictKind = Literal["RAW", "WAR", "WAW", "RAR"]
_WORDS = {
    "RAW": "which writes what it reads",
    "WAR": "which reads what it overwrites",
    "WAW": "which writes the same bytes",
    "RAR": "which reads the same accumulator on another queue",
}


@frozen
class _Access:
    """One access of a piece, linked to the one before it on the same queue."""

    at: int
    index: int
    op: OpItem
    before: _Access | None


@frozen
class Conflict:
    """An earlier op that must be complete first: its item number, queue and number in the queue, and what is shared."""

    at: int
    queue: int
    index: int
    earlier: OpItem
    kind: ConflictKind
    shared: ByteRange
    before: _Access | None = field(default=None, repr=False)

    def older(self, op: OpItem) -> Conflict | None:
        """The same conflict with the access before the newest one, on the same queue."""
        access = _not_of(self.before, op)
        if access is None:
            return None
        return Conflict(access.at, self.queue, access.index, access.op, self.kind, self.shared, access.before)

    def spelled(self) -> str:
        place = f"{self.shared.region}[{self.shared.low}, {self.shared.high})"
        return f"{_WORDS[self.kind]}: {place}"


class _Piece:
    """The newest accesses of a run of bytes that no range of the trace splits, per queue.

    Loads by `tload` are kept apart from other writes: two of them on MTE2 never conflict (sync.md 1.2).
    """

    __slots__ = ("high", "loads", "low", "readers", "writers")

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high
        self.readers: dict[int, _Access] = {}
        self.writers: dict[int, _Access] = {}
        self.loads: dict[int, _Access] = {}


class ConflictIndex:
    """Accesses so far, by region and piece."""

    def __init__(self, items: Sequence[Item]) -> None:
        cuts: dict[tuple[str, str], set[int]] = {}
        for item in items:
            if isinstance(item, OpItem):
                for one in (*item.reads, *item.writes):
                    cuts.setdefault((one.space, one.region), set()).update((one.low, one.high))
        self._cuts = {region: sorted(found) for region, found in cuts.items()}
        self._pieces = {
            region: [_Piece(low, high) for low, high in pairwise(found)] for region, found in self._cuts.items()
        }

    def add(self, at: int, op: OpItem, queue: int, index: int) -> None:
        """Note the accesses of `op`, the `index`-th of its queue."""
        for one in op.reads:
            for piece in self._covered(one):
                piece.readers[queue] = _Access(at, index, op, piece.readers.get(queue))
        for one in op.writes:
            for piece in self._covered(one):
                kept = piece.loads if _is_load(op) else piece.writers
                kept[queue] = _Access(at, index, op, kept.get(queue))

    def of(self, op: OpItem) -> Iterator[Conflict]:
        """For each piece and queue the newest earlier op in conflict with `op`."""
        for one in op.reads:
            for piece in self._covered(one):
                yield from self._found(piece.writers, "RAW", op, piece, one)
                yield from self._found(piece.loads, "RAW", op, piece, one)
                if one.space == "acc":
                    yield from self._other_queues(piece, op, one)
        for one in op.writes:
            for piece in self._covered(one):
                yield from self._found(piece.readers, "WAR", op, piece, one)
                yield from self._found(piece.writers, "WAW", op, piece, one)
                if not _is_load(op):
                    yield from self._found(piece.loads, "WAW", op, piece, one)

    def _covered(self, one: ByteRange) -> list[_Piece]:
        region = (one.space, one.region)
        cuts = self._cuts[region]
        return self._pieces[region][bisect_left(cuts, one.low) : bisect_left(cuts, one.high)]

    def _found(
        self, accesses: dict[int, _Access], kind: ConflictKind, op: OpItem, piece: _Piece, one: ByteRange
    ) -> Iterator[Conflict]:
        shared = ByteRange(one.space, one.region, piece.low, piece.high)
        for queue, access in accesses.items():
            newest = _not_of(access, op)
            if newest is not None:
                yield Conflict(newest.at, queue, newest.index, newest.op, kind, shared, newest.before)

    def _other_queues(self, piece: _Piece, op: OpItem, one: ByteRange) -> Iterator[Conflict]:
        others = {queue: access for queue, access in piece.readers.items() if access.op.pipe is not op.pipe}
        yield from self._found(others, "RAR", op, piece, one)


def _not_of(access: _Access | None, op: OpItem) -> _Access | None:
    """The newest access that is not another phase of the same op: phases are ordered inside the library."""
    while access is not None and access.op.instance == op.instance and op.phases > 1:
        access = access.before
    return access


def _is_load(op: OpItem) -> bool:
    return op.op == "tload" and op.pipe is Pipe.MTE2
