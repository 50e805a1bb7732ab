"""Pairs of ops that a queue keeps in order by itself although its ops may overlap: facts of the machine."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.sync.items import ByteRange, OpItem
from pto_analysis.sync.program import Pipe


def is_long_chain(first: OpItem, second: OpItem) -> bool:
    """Whether the vector unit itself keeps the second op behind the first: sync.md 5.6. Only within one iteration."""
    for (one, mine), (other, theirs) in zip(first.context, second.context, strict=False):
        if one == other and mine != theirs:
            return False
        if one != other:
            break
    flows = False
    for early in first.elements:
        for late in second.elements:
            if "read" == early.mode == late.mode or not _overlap(early.ranges, late.ranges):
                continue
            if early.handle != late.handle or not (early.long and late.long):
                return False
            flows = flows or (early.mode == "write" and late.mode == "read")
    return flows


def _overlap(first: Sequence[ByteRange], second: Sequence[ByteRange]) -> bool:
    return any(one.overlap(other) is not None for one in first for other in second)


def are_loads(first: OpItem, second: OpItem) -> bool:
    """Two `tload` on MTE2 never conflict, even when they write the same bytes: sync.md 1.2."""
    return first.op == second.op == "tload" and first.pipe is second.pipe is Pipe.MTE2
