"""A program with its plan woven in, line by line in program order: what every preview shows.

Loops come in three parts: what happens once before them (prologue), every round (steady state), once behind them
(epilogue).
"""

from __future__ import annotations

from typing import Literal

from pto_analysis.frozen import frozen
from pto_analysis.sync.plan import Anchor, Plan, SyncItem
from pto_analysis.sync.program import Block, Branch, Location, Loop, Manual, Op, SyncProgram

LineKind = Literal["op", "sync", "manual", "loop", "branch", "else", "end"]


@frozen
class Line:
    """One line. `depth` counts enclosing loops and branches; "loop" heads a loop, "end" closes what `node` names."""

    kind: LineKind
    depth: int
    where: Location
    op: Op | None = None
    phase: int = 0
    item: SyncItem | None = None
    manual: Manual | None = None
    node: Loop | Branch | None = None


def listing(program: SyncProgram, plan: Plan | None) -> tuple[Line, ...]:
    """All lines of a program. Without a plan: the program alone."""
    writer = _Writer(plan)
    writer.sync("begin", "", 0, program.where)
    writer.block(program.body, 0)
    writer.sync("end", "", 0, program.where)
    return tuple(writer.lines)


class _Writer:
    def __init__(self, plan: Plan | None) -> None:
        self.lines: list[Line] = []
        self._items: dict[Anchor, list[SyncItem]] = {}
        for item in plan.items if plan is not None else ():
            self._items.setdefault(item.anchor, []).append(item)

    def sync(
        self, side: Literal["before", "after", "begin", "end"], node: str, depth: int, where: Location, phase: int = 0
    ) -> None:
        for item in self._items.get(Anchor(side, node, phase), ()):
            self.lines.append(Line("sync", depth, where, item=item))

    def block(self, block: Block, depth: int) -> None:
        for statement in block:
            if isinstance(statement, Op):
                self._op(statement, depth)
            elif isinstance(statement, Manual):
                self.sync("before", statement.id, depth, statement.where)
                self.lines.append(Line("manual", depth, statement.where, manual=statement))
                self.sync("after", statement.id, depth, statement.where)
            elif isinstance(statement, (Loop, Branch)):
                self.sync("before", statement.id, depth, statement.where)
                self._nested(statement, depth)
                self.sync("after", statement.id, depth, statement.where)

    def _op(self, op: Op, depth: int) -> None:
        for number in range(len(op.phases)):
            self.sync("before", op.id, depth, op.where, number)
            self.lines.append(Line("op", depth, op.where, op=op, phase=number))
            self.sync("after", op.id, depth, op.where, number)

    def _nested(self, node: Loop | Branch, depth: int) -> None:
        if isinstance(node, Loop):
            self._part("loop", node, node.id, node.body, depth)
        else:
            self._part("branch", node, f"{node.id}/then", node.then, depth)
            if node.otherwise or self._has_items(f"{node.id}/else"):
                self._part("else", node, f"{node.id}/else", node.otherwise, depth)
        self.lines.append(Line("end", depth, node.where, node=node))

    def _part(self, kind: LineKind, node: Loop | Branch, side: str, block: Block, depth: int) -> None:
        start = len(self.lines)
        self.lines.append(Line(kind, depth, node.where, node=node))
        self.sync("begin", side, depth + 1, node.where)
        self.block(block, depth + 1)
        self.sync("end", side, depth + 1, node.where)
        if kind != "loop" and len(self.lines) == start + 1 and kind == "else":
            self.lines.pop()

    def _has_items(self, side: str) -> bool:
        return Anchor("begin", side) in self._items or Anchor("end", side) in self._items
