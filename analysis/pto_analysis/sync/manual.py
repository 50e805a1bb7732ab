"""Flags that the author sets and waits for: balanced on every path? The facts behind PTO503 (sync.md 6.6, B.7).

A structural check over branches and loops, one flag at a time. Races and the order of queues are the checker's part
(`sync.verify` with an empty plan).
"""

from __future__ import annotations

from typing import Literal

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.sync.model import event_limit
from pto_analysis.sync.program import Block, Branch, Location, Loop, Manual, Op, Pipe, SyncProgram, statements

Key = tuple[Pipe, Pipe, int]

ManualFaultKind = Literal["double-set", "hang", "unbalanced-branch", "unbalanced-loop", "leftover", "pool", "idle"]


@frozen
class ManualFault:
    """One thing wrong with a flag. `statement` is the id of the set, wait, branch or loop; `related` its partner."""

    kind: ManualFaultKind
    key: Key
    statement: str
    where: Location
    message: str
    related: tuple[Location, ...] = ()


def check_manual_flags(program: SyncProgram) -> tuple[ManualFault, ...]:
    """Faults of the manual flags, in program order. Flags with a run-time id are left alone."""
    walker = _Walker()
    end = walker.block(program.body, {})
    for key, item in end.items():
        walker.report("leftover", key, item.id, item.where, f"{_spelled(key)} is still up when the kernel returns")
    walker.faults.extend(_idle_pairs(program))
    return tuple(walker.faults)


Up = dict[Key, Manual]
"""The flags that are up, each with the set that raised it."""


@define
class _Walker:
    faults: list[ManualFault] = field(factory=list[ManualFault])

    def report(
        self,
        kind: ManualFaultKind,
        key: Key,
        statement: str,
        where: Location,
        message: str,
        related: tuple[Location, ...] = (),
    ) -> None:
        self.faults.append(ManualFault(kind, key, statement, where, message, related))

    def block(self, block: Block, up: Up) -> Up:
        for statement in block:
            if isinstance(statement, Manual):
                self.manual(statement, up)
            elif isinstance(statement, Branch):
                up = self.branch(statement, up)
            elif isinstance(statement, Loop):
                up = self.loop(statement, up)
        return up

    def manual(self, item: Manual, up: Up) -> None:
        key = _key(item)
        if key is None:
            return
        if item.kind == "wait":
            if up.pop(key, None) is None:
                self.report("hang", key, item.id, item.where, f"nothing has set {_spelled(key)} before this wait")
            return
        if key[2] >= event_limit(key[0], key[1]):
            limit = event_limit(key[0], key[1])
            self.report("pool", key, item.id, item.where, f"{_spelled(key)}: this queue pair has {limit} event ids")
        earlier = up.get(key)
        if earlier is not None:
            message = f"{_spelled(key)} is set again before anything waited for it"
            self.report("double-set", key, item.id, item.where, message, (earlier.where,))
        up[key] = item

    def branch(self, branch: Branch, up: Up) -> Up:
        then, otherwise = self.block(branch.then, dict(up)), self.block(branch.otherwise, dict(up))
        for key in sorted(then.keys() ^ otherwise.keys(), key=_spelled):
            item = then.get(key) or otherwise[key]
            side = "then" if key in then else "else"
            message = f"{_spelled(key)} is up behind the {side} part only: one path loses or lacks a flag"
            self.report("unbalanced-branch", key, branch.id, branch.where, message, (item.where,))
        return {key: item for key, item in then.items() if key in otherwise}

    def loop(self, loop: Loop, up: Up) -> Up:
        """A round must leave the flags as it found them; the first round that does not is told, once."""
        after = self.block(loop.body, dict(up))
        for key in sorted(after.keys() ^ up.keys(), key=_spelled):
            item = after.get(key) or up[key]
            verb = "raises" if key in after else "lowers"
            message = f"each round {verb} {_spelled(key)} without its other half"
            self.report("unbalanced-loop", key, loop.id, loop.where, message, (item.where,))
        return {key: after.get(key, item) for key, item in up.items()}


def _idle_pairs(program: SyncProgram) -> list[ManualFault]:
    """Waits whose flag was set before its queue had anything to do: they wait for nothing."""
    started: set[Pipe] = set()
    busy: dict[Key, bool] = {}
    waits: dict[Key, list[Manual]] = {}
    for statement in statements(program.body):
        if isinstance(statement, Op):
            started.update(phase.pipe for phase in statement.phases)
        elif isinstance(statement, Manual) and _key(statement) is not None:
            key = _key(statement)
            assert key is not None
            if statement.kind == "set":
                busy[key] = busy.get(key, False) or key[0] in started
            else:
                waits.setdefault(key, []).append(statement)
    return [
        ManualFault("idle", key, item.id, item.where, f"{_spelled(key)} waits for nothing: its queue has not started")
        for key, items in waits.items()
        if busy.get(key) is False
        for item in items
    ]


def _key(item: Manual) -> Key | None:
    if item.kind == "barrier" or not isinstance(item.event, int):
        return None
    return item.source, item.target, item.event


def _spelled(key: Key) -> str:
    return f"flag {key[0].value}→{key[1].value} #{key[2]}"
