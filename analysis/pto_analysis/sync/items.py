"""The items of a trace: one run of a program, unrolled, in program order (contract section 2, `--trace`).

Checker and interpreter see nothing but these. Byte ranges are half-open and lie inside a named region; regions of
different names never overlap, so tiles with addresses share one region per space.
"""

from __future__ import annotations

from typing import Literal, Union

from pto_analysis.frozen import frozen
from pto_analysis.sync.program import NOWHERE, Hidden, Location, Pipe, Space

UNBOUNDED = 1 << 62
"""End of a region of unknown size."""

Mode = Literal["read", "write", "scratch"]

Iteration = tuple[str, int]
"""A loop's id and the number of its round."""


@frozen
class ByteRange:
    """Bytes [`low`, `high`) of a region."""

    space: Space
    region: str
    low: int
    high: int

    def overlap(self, other: ByteRange) -> tuple[int, int] | None:
        """The common bytes, None when there are none."""
        if self.region != other.region or self.space != other.space:
            return None
        low, high = max(self.low, other.low), min(self.high, other.high)
        return (low, high) if low < high else None


@frozen
class Element:
    """One operand of an op: the SSA handle it was written with and the bytes it names.

    `long`: the vector unit streams over the whole of it without a gap, long enough for its own pipeline to keep order
    when the next op uses the same handle (sync.md 5.6).
    """

    handle: str
    mode: Mode
    ranges: tuple[ByteRange, ...]
    long: bool = False


@frozen
class OpItem:
    """One queue's part of one operation. The phases of one macro op share `instance`.

    `elements` tell the operands of `reads` and `writes` apart; a trace from outside has none.
    """

    op: str
    pipe: Pipe
    reads: tuple[ByteRange, ...] = ()
    writes: tuple[ByteRange, ...] = ()
    node: str = ""
    instance: int = 0
    phase: int = 0
    phases: int = 1
    context: tuple[Iteration, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    elements: tuple[Element, ...] = ()
    where: Location = NOWHERE

    @property
    def line(self) -> int:
        """1-based, in the file that was read."""
        return self.where.span.line + 1


@frozen
class SetItem:
    source: Pipe
    target: Pipe
    event: int
    node: str = ""


@frozen
class WaitItem:
    source: Pipe
    target: Pipe
    event: int
    node: str = ""


@frozen
class BarrierItem:
    pipe: Pipe
    node: str = ""


Item = Union[OpItem, SetItem, WaitItem, BarrierItem]


@frozen
class Trace:
    """`problems` tells why the run is no run of a legal program (a slot that does not exist) or was cut short.

    `warnings` name views that reach over the edge of their tile: they are taken as all of it.
    """

    items: tuple[Item, ...]
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def ops(self) -> tuple[OpItem, ...]:
        return tuple(item for item in self.items if isinstance(item, OpItem))


def item_json(item: Item) -> dict[str, object]:
    """One item in the form of the contract. A macro op adds `phase` and the event ids it uses inside."""
    if isinstance(item, BarrierItem):
        return {"item": "barrier", "pipe": item.pipe.value}
    if not isinstance(item, OpItem):
        kind = "set" if isinstance(item, SetItem) else "wait"
        return {"item": kind, "src_pipe": item.source.value, "dst_pipe": item.target.value, "event": item.event}
    found: dict[str, object] = {
        "item": "op",
        "op": item.op,
        "pipe": item.pipe.value,
        "line": item.line,
        "reads": [_range_json(one) for one in item.reads],
        "writes": [_range_json(one) for one in item.writes],
    }
    if item.phases > 1:
        found["phase"] = item.phase
        found["hidden"] = [[one.source.value, one.target.value, one.count] for one in item.hidden]
    return found


def _range_json(one: ByteRange) -> list[object]:
    return [one.space, one.region, one.low, one.high]


def trace_json(trace: Trace) -> dict[str, object]:
    """The whole trace: schema `pto-sync-trace/1`."""
    return {"schema": "pto-sync-trace/1", "items": [item_json(item) for item in trace.items]}
