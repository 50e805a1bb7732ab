"""A fault told as a schedule: what a machine may do that the author did not mean."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.sync.checker import Fault, Verdict
from pto_analysis.sync.items import BarrierItem, ByteRange, Item, OpItem, SetItem, WaitItem

_MOST_STEPS = 40


def describe_fault(verdict: Verdict, fault: Fault) -> tuple[str, ...]:
    """Lines for a terminal: what happens, item by item, and what goes wrong at the end."""
    if fault.kind == "race" and fault.other is not None:
        return _race(verdict, fault, fault.other)
    around = _around(verdict.items, fault.at)
    return (f"{fault.kind} at item {fault.at}: {fault.message}", *around)


def _race(verdict: Verdict, fault: Fault, other: int) -> tuple[str, ...]:
    """Everything that must happen first, then the late op starts while the early one still runs."""
    items, late = verdict.items, fault.at
    must = [at for at in range(late) if _before(verdict, at, late)]
    first, second = items[other], items[late]
    assert isinstance(first, OpItem)
    assert isinstance(second, OpItem)
    lines = [f"race: {_name(second)} does not wait for {_name(first)}"]
    if len(must) > _MOST_STEPS:
        lines.append(f"  … {len(must) - _MOST_STEPS} earlier items are complete")
    lines.extend(f"  {_step(items[at])}" for at in must[-_MOST_STEPS:])
    lines.append(f"  {first.pipe.value:<5} {_name(first)} starts")
    lines.append(f"  {second.pipe.value:<5} {_name(second)} starts, nothing holds it back")
    if fault.conflict is not None:
        lines.append(f"  both touch {spelled_range(fault.conflict.shared)}: {fault.conflict.kind}")
    return tuple(lines)


def _before(verdict: Verdict, at: int, late: int) -> bool:
    item = verdict.items[at]
    if isinstance(item, OpItem):
        return verdict.ordered(at, late)
    return isinstance(item, (WaitItem, BarrierItem)) and item_pipe(item) is item_pipe(verdict.items[late])


def item_pipe(item: Item) -> object:
    if isinstance(item, (OpItem, BarrierItem)):
        return item.pipe
    return item.source if isinstance(item, SetItem) else item.target


def spelled_range(one: ByteRange) -> str:
    """`vec[0, 256)`, with the region's own name where it has one."""
    name = one.region if one.region == one.space else f"{one.space}:{one.region}"
    return f"{name}[{one.low}, {one.high})"


def _name(op: OpItem) -> str:
    rounds = "".join(f", round {number} of {loop}" for loop, number in op.context[-1:])
    return f"{op.op} (line {op.line}{rounds})"


def _step(item: Item) -> str:
    if isinstance(item, OpItem):
        return f"{item.pipe.value:<5} {_name(item)} is complete"
    return spelled_item(item)


def spelled_item(item: Item) -> str:
    """One item in one line: the queue it stands in, then what it is."""
    if isinstance(item, OpItem):
        return f"{item.pipe.value:<5} {_name(item)}"
    if isinstance(item, BarrierItem):
        return f"{item.pipe.value:<5} barrier"
    pair = f"{item.source.value}→{item.target.value} #{item.event}"
    if isinstance(item, SetItem):
        return f"{item.source.value:<5} set {pair}"
    return f"{item.target.value:<5} wait {pair}"


def _around(items: Sequence[Item], at: int) -> list[str]:
    first, last = max(0, at - 8), min(len(items), at + 3)
    return [
        f"{'→' if number == at else ' '} {number:>4} {spelled_item(items[number])}" for number in range(first, last)
    ]
