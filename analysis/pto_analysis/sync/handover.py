"""What goes from core to core between the two programs of a mixed kernel: pushes on one core, pops on the other.

Flags never cross cores: these queues do (sync.md 1.1, 2.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frozen import frozen
from pto_analysis.sync.program import Op, SyncProgram, operations

_WAYS = (("tpush_to_aiv", "tpop_from_aic"), ("tpush_to_aic", "tpop_from_aiv"))
_ENDINGS = ("_aic", "_aiv")


@frozen
class HandOver:
    """Everything that goes one way between two cores: the pushes of `source` and the pops of `target`, in order."""

    source: SyncProgram
    target: SyncProgram
    pushes: tuple[Op, ...]
    pops: tuple[Op, ...]


def hand_overs(programs: Sequence[SyncProgram]) -> tuple[HandOver, ...]:
    """The hand-overs between the programs of one kernel (`<name>_aic` and `<name>_aiv`)."""
    found: list[HandOver] = []
    for source in programs:
        for target in programs:
            if source.core == target.core or kernel_name(source) != kernel_name(target):
                continue
            for push, pop in _WAYS:
                pushes, pops = _named(source, push), _named(target, pop)
                if pushes and pops:
                    found.append(HandOver(source, target, pushes, pops))
    return tuple(found)


def kernel_name(program: SyncProgram) -> str:
    """The name of the kernel that a program is one core's part of."""
    ending = next((ending for ending in _ENDINGS if program.name.endswith(ending)), "")
    return program.name.removesuffix(ending)


def _named(program: SyncProgram, name: str) -> tuple[Op, ...]:
    return tuple(op for op in operations(program) if op.name == name)
