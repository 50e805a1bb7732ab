"""How the stock assembler finds what to synchronise: a backward scan from every op (sync.md 5.3 to 5.5).

While it walks back it remembers which queues are already ordered (`done`) and which pairs it met the wait of
(`seen`). Only pairs between the same queues give coverage, loops promote nothing, and pairs keyed by a slot none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, field

from pto_analysis.sync.dependences import WHOLE, Hazard, Hazards, Precision, find_hazards
from pto_analysis.sync.links import Barrier, Link
from pto_analysis.sync.model import orders_itself
from pto_analysis.sync.outline import BarrierNode, BlockNode, ForkNode, LoopNode, Node, Outline, Step, common_block
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.stock_alias import StockAliases, needs_nothing

_KEYED_SPACES = frozenset({"vec", "mat"})


@define
class _Memory:
    """What one scan knows at its present position; `seen` in the order of meeting."""

    done: frozenset[Pipe] = frozenset()
    seen: dict[Link, None] = field(factory=dict[Link, None])


@define(eq=False)
class StockScan:
    """Links and barriers in the order of their discovery, at the ops themselves."""

    tree: Outline
    aliases: StockAliases
    links: list[Link] = field(factory=list[Link])
    barriers: list[Barrier] = field(factory=list[Barrier])
    before: dict[Node, list[Link | Barrier]] = field(factory=dict["Node", "list[Link | Barrier]"])
    after: dict[Node, list[Link]] = field(factory=dict["Node", "list[Link]"])
    _furthest: dict[Step, int] = field(factory=dict["Step", int])
    _asked: dict[tuple[Step, LoopNode | None], frozenset[Pipe]] = field(
        factory=dict["tuple[Step, LoopNode | None]", "frozenset[Pipe]"]
    )
    hazards: Hazards = field(init=False)
    _wanted: frozenset[Pipe] = frozenset()
    """Queues with a hazard against the op that is scanned for: once all are done, the rest cannot matter."""

    def run(self) -> None:
        found = self.hazards = self._hazards()
        for step, hazards in found.same.items():
            self._furthest[step] = min(_outermost(hazard.source, step) for hazard in hazards)
            self._asked[step, None] = frozenset(hazard.source.pipe for hazard in hazards)
        for loop, hazards in found.carried.items():
            for hazard in hazards:
                key = (hazard.target, loop)
                self._asked[key] = self._asked.get(key, frozenset()) | {hazard.source.pipe}
        self._block(self.tree.root)

    def _hazards(self) -> Hazards:
        """What the assembler takes for hazards, the newest for each op and queue."""
        apart = Precision(lambda first, second, _: self.aliases.disjoint_slots(first, second), WHOLE.distance, False)
        return find_hazards(self.tree, apart)

    def _block(self, block: BlockNode) -> None:
        for index, child in enumerate(block.children):
            if isinstance(child, Step):
                self._forward(child, block, index)
            elif isinstance(child, LoopNode):
                self._block(child.body)
                self._back_edge(child)
            elif isinstance(child, ForkNode):
                for arm in child.arms:
                    self._block(arm)

    def _forward(self, now: Step, block: BlockNode, index: int) -> None:
        """Scan back to the begin of the function, or to the oldest op that can matter."""
        limit = self._furthest.get(now)
        if limit is None:
            return
        memory = _Memory()
        self._wanted = self._asked[now, None]
        here = block
        while True:
            self._range(now, _backward(here, index), memory, None, limit)
            owner = here.owner
            if owner is None or owner.begin < limit:
                return
            here = owner.block
            index = here.children.index(owner)

    def _back_edge(self, loop: LoopNode) -> None:
        """Each op of the body against the body before it (again), then against the rest of the previous iteration."""
        for now in _steps(loop.body):
            self._wanted = self._asked.get((now, loop), frozenset())
            memory = _Memory()
            self._prefix(now, loop, memory)
            self._suffix(now, loop, memory)

    def _prefix(self, now: Step, loop: LoopNode, memory: _Memory) -> None:
        for block, node in _upward(now, loop):
            self._range(now, _backward(block, block.children.index(node)), memory, loop, loop.begin)

    def _suffix(self, now: Step, loop: LoopNode, memory: _Memory) -> None:
        """From the loop's end back to the op itself, which is looked at too."""
        path = _upward(now, loop)
        for block, node in reversed(path):
            at = block.children.index(node)
            self._range(now, _backward(block, len(block.children), at + 1), memory, loop, loop.begin)
        if not self._wanted <= memory.done:
            self._step(now, now, memory, loop)

    def _range(self, now: Step, nodes: Iterable[Node], memory: _Memory, loop: LoopNode | None, limit: int) -> None:
        """Walk back over the nodes, which come in that order."""
        for node in nodes:
            if node.end < limit or self._wanted <= memory.done:
                return
            if isinstance(node, Step):
                self._step(node, now, memory, loop)
            elif isinstance(node, BarrierNode):
                _absorb_barrier(node.pipe, now, memory)
            elif isinstance(node, LoopNode):
                inner = _Memory(memory.done, memory.seen)
                self._range(now, reversed(node.body.children), inner, loop, limit)
            else:
                self._fork(now, node, memory, loop, limit)

    def _fork(self, now: Step, node: ForkNode, memory: _Memory, loop: LoopNode | None, limit: int) -> None:
        done: list[frozenset[Pipe]] = []
        for arm in node.arms:
            inner, known = _Memory(memory.done, memory.seen), len(memory.seen)
            self._range(now, reversed(arm.children), inner, loop, limit)
            done.append(inner.done)
            while len(memory.seen) > known:
                memory.seen.popitem()
        memory.done = done[0] & done[1]

    def _step(self, front: Step, now: Step, memory: _Memory, loop: LoopNode | None) -> None:
        for link in reversed(self.after.get(front, [])):
            if link.source not in memory.done and link in memory.seen:
                memory.done |= {link.source}
        if front.pipe not in memory.done and (loop is not None or front.op is not now.op):
            self._pair(front, now, memory, loop)
        for item in reversed(self.before.get(front, [])) if front is not now else ():
            if isinstance(item, Barrier):
                _absorb_barrier(item.pipe, now, memory)
            elif item.lanes == 1 and (item.target is now.pipe or item.target in memory.done):
                memory.seen[item] = None

    def _pair(self, front: Step, now: Step, memory: _Memory, loop: LoopNode | None) -> None:
        if needs_nothing(front, now, orders_itself(now.pipe, self.tree.program.target)):
            return
        pairs = self.aliases.hazards(front, now)
        if loop is None:
            pairs = [pair for pair in pairs if not self.aliases.disjoint_slots(pair[1], pair[2])]
        if not pairs:
            return
        kind, early, late = pairs[0]
        hazard = Hazard(front, now, kind, early, late, front.begin, loop, 0 if loop is None else 1)
        memory.done |= {front.pipe}
        if front.pipe is now.pipe:
            if loop is None and now.pipe is Pipe.V and self.aliases.long_chain(pairs):
                return
            barrier = Barrier(now.pipe, ("before", now), hazard)
            self.barriers.append(barrier)
            here = self.before.setdefault(now, [])
            if not any(isinstance(one, Barrier) for one in here):
                here.append(barrier)
            return
        link = Link(front.pipe, now.pipe, hazard, ("after", front), ("before", now), loop, hazard.distance)
        _key(link, self.aliases)
        self.links.append(link)
        self.after.setdefault(front, []).append(link)
        self.before.setdefault(now, []).append(link)


def _key(link: Link, aliases: StockAliases) -> None:
    """One flag for each slot, where both sides name their slot without doubt (sync.md 5.9)."""
    hazard = link.hazard
    first, second = hazard.first.reach.slot, hazard.second.reach.slot
    if link.loop is None or first is None or second is None or first.ring != second.ring:
        return
    if hazard.first.reach.space not in _KEYED_SPACES:
        return
    sets, waits = _only_slot(hazard.source, link, aliases), _only_slot(hazard.target, link, aliases)
    if sets is None or waits is None:
        return
    link.lanes = first.ring.count
    link.keys = (sets, waits)


def _only_slot(step: Step, link: Link, aliases: StockAliases):
    ring = link.hazard.first.reach.slot
    found = {
        slot.index
        for touch in step.touches
        if touch.reach.slot is not None and ring is not None and touch.reach.slot.ring == ring.ring
        for slot in (aliases.slot_of(touch.handle),)
        if slot is not None
    }
    return next(iter(found)) if len(found) == 1 else None


def _backward(block: BlockNode, stop: int, start: int = 0) -> Iterator[Node]:
    """The children of a block from before `stop` back to `start`."""
    return (block.children[index] for index in range(stop - 1, start - 1, -1))


def _absorb_barrier(pipe: Pipe, now: Step, memory: _Memory) -> None:
    if pipe is now.pipe or pipe is Pipe.ALL:
        memory.done |= frozenset({now.pipe}) if pipe is now.pipe else frozenset(Pipe)


def _steps(block: BlockNode) -> list[Step]:
    found: list[Step] = []
    for child in block.children:
        if isinstance(child, Step):
            found.append(child)
        elif isinstance(child, LoopNode):
            found.extend(_steps(child.body))
        elif isinstance(child, ForkNode):
            for arm in child.arms:
                found.extend(_steps(arm))
    return found


def _upward(step: Step, loop: LoopNode) -> list[tuple[BlockNode, Node]]:
    """Blocks from the step's own up to the loop's body, each with its child on the way."""
    start = step.blocks.index(loop.body)
    return list(zip(step.blocks[start:], step.nodes[start:], strict=True))[::-1]


def _outermost(source: Step, target: Step) -> int:
    """Where the child of the common block begins that holds the source: a scan must not stop inside it."""
    _, node, _ = common_block(source, target)
    return node.begin
