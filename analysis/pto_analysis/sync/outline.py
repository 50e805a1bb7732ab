"""The program as the planner sees it: queue steps, loops and forks with positions in program order.

A step is one phase of an op. Every node knows its block and its enclosing loops, so that two steps find their common
block and the children of it that hold them: that is where the two halves of a pair are placed (sync.md 7.7).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Union

from attrs import define, field

from pto_analysis.arith.scalars import Scalars
from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.accesses import Reach, Reaches, contradict, resolve_handles
from pto_analysis.sync.program import Block, Branch, Loop, Manual, Op, Phase, Pipe, SyncProgram


@frozen
class Touch:
    """One place that a step may read or write, and the handle by which it does."""

    reach: Reach
    write: bool
    handle: str
    scratch: bool = False


@define(eq=False, repr=False)
class BlockNode:
    """Statements in a row. `owner` is the loop or fork it belongs to, None for the function; `name` is its anchor.

    The steps inside it, and inside any node, are numbered from `first` to before `stop`.
    """

    owner: LoopNode | ForkNode | None
    name: str
    loops: tuple[LoopNode, ...]
    begin: int
    first: int
    end: int = 0
    stop: int = 0
    children: list[Node] = field(factory=list["Node"])

    @property
    def level(self) -> int:
        return len(self.loops)


@define(eq=False, repr=False)
class Step:
    """One phase of an op on its queue. `order` is its number among the steps of the program, from 0; `blocks` and
    `nodes` lead down to it: nodes[i] lies in blocks[i]."""

    begin: int
    order: int
    op: Op
    phase: int
    pipe: Pipe
    touches: tuple[Touch, ...]
    blocks: tuple[BlockNode, ...]
    nodes: tuple[Node, ...] = ()

    @property
    def end(self) -> int:
        return self.begin

    @property
    def first(self) -> int:
        return self.order

    @property
    def stop(self) -> int:
        return self.order + 1

    @property
    def block(self) -> BlockNode:
        return self.blocks[-1]

    @property
    def loops(self) -> tuple[LoopNode, ...]:
        return self.blocks[-1].loops


@define(eq=False, repr=False)
class BarrierNode:
    """A barrier that the author wrote."""

    begin: int
    pipe: Pipe
    id: str
    block: BlockNode
    first: int

    @property
    def end(self) -> int:
        return self.begin

    @property
    def stop(self) -> int:
        return self.first


@define(eq=False, repr=False)
class LoopNode:
    """A loop. `least` and `most` bound its trips; `inner` are the ids of loops nested in it."""

    begin: int
    loop: Loop
    block: BlockNode
    first: int
    least: int = 0
    most: int | None = None
    end: int = 0
    stop: int = 0
    inner: frozenset[str] = frozenset()
    body: BlockNode = field(init=False)

    @property
    def id(self) -> str:
        return self.loop.id


@define(eq=False, repr=False)
class ForkNode:
    begin: int
    branch: Branch
    block: BlockNode
    first: int
    end: int = 0
    stop: int = 0
    inner: frozenset[str] = frozenset()
    arms: tuple[BlockNode, ...] = ()

    @property
    def id(self) -> str:
        return self.branch.id


Node = Union[Step, BarrierNode, LoopNode, ForkNode]


@frozen
class Outline:
    """The tree, its steps in program order, and the facts it was made with."""

    program: SyncProgram
    scalars: Scalars
    root: BlockNode
    steps: tuple[Step, ...]
    reaches: dict[str, Reaches]


def as_proved(reach: Reach) -> Reach | None:
    """What a handle reaches, as far as it can be proved; None: no run does."""
    return None if contradict(reach.when) else reach


def outline(
    program: SyncProgram, scalars: Scalars, body: Block, seen: Callable[[Reach], Reach | None] = as_proved
) -> Outline:
    """Number the program's body, or what of it is looked at, and attach what each step touches as it is seen."""
    resolved = resolve_handles(evolve(program, body=body), scalars)
    reaches = {
        name: tuple(reach for reach in map(seen, found) if reach is not None) for name, found in resolved.items()
    }
    builder = _Builder(scalars, reaches)
    root = BlockNode(None, "", (), 0, 0)
    builder.fill(root, body, (), ())
    return Outline(program, scalars, root, tuple(builder.steps), builder.reaches)


@define
class _Builder:
    scalars: Scalars
    reaches: dict[str, Reaches]
    steps: list[Step] = field(factory=list[Step])
    position: int = 0

    def _next(self) -> int:
        self.position += 1
        return self.position

    def fill(
        self, block: BlockNode, statements: Block, blocks: tuple[BlockNode, ...], nodes: tuple[Node, ...]
    ) -> frozenset[str]:
        """Add the statements to the block; gives the ids of all loops inside."""
        path = (*blocks, block)
        inner: frozenset[str] = frozenset()
        for statement in statements:
            if isinstance(statement, Op):
                self.op(block, statement, path, nodes)
            elif isinstance(statement, Loop):
                inner |= self.loop(block, statement, path, nodes)
            elif isinstance(statement, Branch):
                inner |= self.fork(block, statement, path, nodes)
            elif isinstance(statement, Manual) and statement.kind == "barrier":
                block.children.append(BarrierNode(self._next(), statement.source, statement.id, block, len(self.steps)))
        block.end, block.stop = self._next(), len(self.steps)
        return inner

    def op(self, block: BlockNode, op: Op, path: tuple[BlockNode, ...], nodes: tuple[Node, ...]) -> None:
        for number, phase in enumerate(op.phases):
            step = Step(self._next(), len(self.steps), op, number, phase.pipe, self.touches(phase), path)
            step.nodes = (*nodes, step)
            block.children.append(step)
            self.steps.append(step)

    def touches(self, phase: Phase) -> tuple[Touch, ...]:
        found = [Touch(reach, False, name) for name in phase.reads for reach in self.reaches.get(name, ())]
        for name in phase.scratch:
            for reach in self.reaches.get(name, ()):
                found.extend((Touch(reach, False, name, True), Touch(reach, True, name, True)))
        found.extend(Touch(reach, True, name) for name in phase.writes for reach in self.reaches.get(name, ()))
        return tuple(dict.fromkeys(found))

    def loop(
        self, block: BlockNode, loop: Loop, path: tuple[BlockNode, ...], nodes: tuple[Node, ...]
    ) -> frozenset[str]:
        node = LoopNode(self._next(), loop, block, len(self.steps))
        node.least, node.most = trips(loop, self.scalars)
        node.body = BlockNode(node, loop.id, (*block.loops, node), node.begin, node.first)
        block.children.append(node)
        node.inner = self.fill(node.body, loop.body, path, (*nodes, node))
        node.end, node.stop = self._next(), len(self.steps)
        return node.inner | {loop.id}

    def fork(
        self, block: BlockNode, branch: Branch, path: tuple[BlockNode, ...], nodes: tuple[Node, ...]
    ) -> frozenset[str]:
        node = ForkNode(self._next(), branch, block, len(self.steps))
        block.children.append(node)
        inner: frozenset[str] = frozenset()
        arms: list[BlockNode] = []
        for side, statements in (("then", branch.then), ("else", branch.otherwise)):
            arm = BlockNode(node, f"{branch.id}/{side}", block.loops, self._next(), len(self.steps))
            inner |= self.fill(arm, statements, path, (*nodes, node))
            arms.append(arm)
        node.arms = tuple(arms)
        node.inner = inner
        node.end, node.stop = self._next(), len(self.steps)
        return inner


def trips(loop: Loop, scalars: Scalars) -> tuple[int, int | None]:
    """Least and most rounds, as far as the bounds tell."""
    if loop.kind == "while" and loop.condition is not None and scalars.linear(loop.condition).single == 0:
        return 1, 1
    if loop.kind == "while" or loop.start is None or loop.stop is None or loop.step is None:
        return (1 if loop.kind == "while" else 0), None
    start, stop, step = (scalars.signed(scalars.linear(bound)) for bound in (loop.start, loop.stop, loop.step))
    if step.single is None or step.single <= 0:
        return 0, None
    least, most = 0, None
    if start.upper is not None and stop.lower is not None:
        least = max(0, -((start.upper - stop.lower) // step.single))
    if start.lower is not None and stop.upper is not None:
        most = max(0, -((start.lower - stop.upper) // step.single))
    return least, most


def common_block(first: Step, second: Step) -> tuple[BlockNode, Node, Node]:
    """The innermost block that holds both steps, and its children that hold the first and the second."""
    depth = 0
    for one, other in zip(first.blocks, second.blocks, strict=False):
        if one is not other:
            break
        depth += 1
    return first.blocks[depth - 1], first.nodes[depth - 1], second.nodes[depth - 1]


def child_in(block: BlockNode, step: Step) -> Node:
    """The child of `block` that holds the step."""
    return step.nodes[step.blocks.index(block)]


def rank_in(block: BlockNode, step: Step) -> int:
    """Where the step lies as seen from a block around it: at the end of the outermost loop between the two, if any."""
    inner = step.nodes[step.blocks.index(block) :]
    return next((node.end for node in inner if isinstance(node, LoopNode)), step.begin)


def blocks_of(node: Node) -> tuple[BlockNode, ...]:
    """The blocks inside a compound node."""
    if isinstance(node, LoopNode):
        return (node.body,)
    return node.arms if isinstance(node, ForkNode) else ()


def node_id(node: Node) -> str:
    return node.op.id if isinstance(node, Step) else node.id
