"""The machine: queues, event pools and what one queue keeps in order by itself (sync.md 1).

Facts stand in tables; the numbers are those of the assembler (PTOAS, August 2026) for A2/A3 and A5.
"""

from __future__ import annotations

from pto_analysis.sync.program import Core, Pipe, Target

QUEUES: tuple[Pipe, ...] = (Pipe.S, Pipe.V, Pipe.M, Pipe.MTE1, Pipe.MTE2, Pipe.MTE3, Pipe.FIX)
"""Every hardware queue, in the order of the assembler's pipe codes."""

CORE_QUEUES: dict[Core, tuple[Pipe, ...]] = {
    "cube": (Pipe.S, Pipe.MTE2, Pipe.MTE1, Pipe.M, Pipe.FIX, Pipe.MTE3),
    "vector": (Pipe.S, Pipe.MTE2, Pipe.V, Pipe.MTE3),
}
"""Queues of each core, in the order in which data usually flows through them (sync.md 1.1)."""

SELF_ORDERING: dict[Target, frozenset[Pipe]] = {
    "a2a3": frozenset({Pipe.S}),
    "a5": frozenset({Pipe.S, Pipe.V}),
}
"""Queues whose ops complete in issue order: a hazard inside one needs no barrier (sync.md 1.2)."""

EVENT_IDS = 8
"""Event ids of one (source, target) pair of queues (sync.md 1.3)."""

SMALLER_POOLS: dict[tuple[Pipe, Pipe], int] = {(Pipe.V, Pipe.S): 7, (Pipe.S, Pipe.V): 7}
"""Pairs of which the compiler keeps an id back."""


def event_limit(source: Pipe, target: Pipe) -> int:
    """How many event ids the planner may use between two queues."""
    return SMALLER_POOLS.get((source, target), EVENT_IDS)


def orders_itself(pipe: Pipe, target: Target) -> bool:
    """Whether two ops of that queue never overlap."""
    return pipe in SELF_ORDERING[target]
