"""Who touched which bytes last: the index that keeps dependence analysis close to linear.

For each address line, kind of access and queue, the newest access of every byte is kept; older ones on the same queue
never matter, because a set, a wait or a barrier orders whole prefixes of a queue. Slots chosen at run time are kept
beside the bytes, one entry for each spelling of the index.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Literal, NamedTuple

from attrs import define, field

from pto_analysis.sync.accesses import Reach
from pto_analysis.sync.outline import Step, Touch
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.slots import Line

Mode = Literal["read", "write", "load"]
"""`load` is a write by a tload on MTE2: two of them need no order (sync.md 1.2)."""

Key = tuple[Pipe, Mode]


class Entry(NamedTuple):
    """An access that was made: `rank` is its place in program order, seen from the log that holds it."""

    rank: int
    step: Step
    touch: Touch


def mode_of(step: Step, touch: Touch) -> Mode:
    if not touch.write:
        return "read"
    return "load" if step.op.name == "tload" and step.pipe is Pipe.MTE2 else "write"


@define
class ByteMap:
    """The newest entry of each byte: disjoint pieces in address order."""

    starts: list[int] = field(factory=list[int])
    ends: list[int] = field(factory=list[int])
    entries: list[Entry] = field(factory=list[Entry])

    def put(self, low: int, high: int, entry: Entry) -> None:
        first = bisect_right(self.ends, low)
        last = bisect_left(self.starts, high)
        starts, ends, entries = [low], [high], [entry]
        if first < last:
            if self.starts[first] < low:
                starts.insert(0, self.starts[first])
                ends.insert(0, low)
                entries.insert(0, self.entries[first])
            if self.ends[last - 1] > high:
                starts.append(high)
                ends.append(self.ends[last - 1])
                entries.append(self.entries[last - 1])
        self.starts[first:last] = starts
        self.ends[first:last] = ends
        self.entries[first:last] = entries

    def over(self, low: int, high: int) -> Iterator[Entry]:
        """Entries of the pieces that overlap [low, high)."""
        return iter(self.entries[bisect_right(self.ends, low) : bisect_left(self.starts, high)])


@define
class LineLog:
    """Accesses on one address line."""

    maps: dict[Key, ByteMap] = field(factory=dict[Key, ByteMap])
    slots: dict[tuple[object, ...], Entry] = field(factory=dict["tuple[object, ...]", Entry])
    newest: dict[Key, Entry] = field(factory=dict[Key, Entry])

    def add(self, key: Key, entry: Entry) -> None:
        self.newest[key] = entry
        reach = entry.touch.reach
        if _loose(reach):
            self.slots[(*key, reach.slot, reach.offset, reach.extent)] = entry
            return
        byte_map = self.maps.setdefault(key, ByteMap())
        for low, high in reach.segments:
            byte_map.put(low, high, entry)

    def over(self, reach: Reach) -> Iterator[tuple[Key, Entry]]:
        """Entries whose bytes may overlap the reach."""
        for key, byte_map in self.maps.items():
            for low, high in reach.segments:
                for entry in byte_map.over(low, high):
                    yield key, entry
        for slot_key, entry in self.slots.items():
            if _overlap(entry.touch.reach, reach):
                yield (entry.step.pipe, slot_key[1]), entry  # pyright: ignore[reportReturnType]


def _loose(reach: Reach) -> bool:
    """Whether the bytes are a bound only: the access is kept by its index, not by its bytes."""
    if reach.offset is not None:
        return True
    return reach.slot is not None and reach.start is None


def _overlap(left: Reach, right: Reach) -> bool:
    return any(
        low < other_high and other_low < high for low, high in left.segments for other_low, other_high in right.segments
    )


def line_of(reach: Reach) -> Line:
    """The address line that a reach is kept on; pointers to anywhere have one of their own."""
    return ("anywhere", reach.space) if reach.anywhere else reach.line


_UNORDERED: dict[str, tuple[str, ...]] = {
    "anywhere": ("anywhere", "region", "absolute", "symbolic"),
    "symbolic": ("anywhere", "symbolic", "absolute"),
    "absolute": ("anywhere", "symbolic"),
    "region": ("anywhere",),
}
"""For each kind of line the kinds of other lines of its space that may share bytes with it: pointers to anywhere, and
where one starts at a run-time address."""


@define
class LinesBySpace:
    """Address lines by their space and kind."""

    lines: dict[tuple[str, str], list[Line]] = field(factory=dict["tuple[str, str]", "list[Line]"])

    def add(self, space: str, line: Line) -> None:
        self.lines.setdefault((space, line[0]), []).append(line)

    def beside(self, reach: Reach) -> Iterator[Line]:
        """Lines other than the reach's own that may share bytes with it, whatever the bytes."""
        own = line_of(reach)
        for kind in _UNORDERED[own[0]]:
            for line in self.lines.get((reach.space, kind), ()):
                if reach.anywhere or line != own:
                    yield line


@define
class AccessLog:
    """Accesses of one block, by address line. `entries` are kept in order, to be handed to the enclosing block."""

    lines: dict[Line, LineLog] = field(factory=dict[Line, LineLog])
    spaces: LinesBySpace = field(factory=LinesBySpace)
    entries: list[Entry] = field(factory=list[Entry])

    def add(self, entry: Entry) -> None:
        self.entries.append(entry)
        reach = entry.touch.reach
        line = line_of(reach)
        log = self.lines.get(line)
        if log is None:
            log = self.lines[line] = LineLog()
            self.spaces.add(reach.space, line)
        log.add((entry.step.pipe, mode_of(entry.step, entry.touch)), entry)

    def over(self, reach: Reach) -> Iterator[tuple[Key, Entry]]:
        """Entries that may share bytes with the reach (sync.md 4.3)."""
        own = self.lines.get(reach.line) if not reach.anywhere else None
        if own is not None:
            yield from own.over(reach)
        for line in self.spaces.beside(reach):
            yield from self.lines[line].newest.items()


def may_meet(one: Reach, other: Reach) -> bool:
    """Whether two reaches of one space on different lines may share bytes."""
    return line_of(other)[0] in _UNORDERED[line_of(one)[0]]
