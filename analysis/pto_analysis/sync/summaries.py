"""What a loop does to what was unfinished before it, remembered, so that who plans around it need not follow it again.

Inside a loop, steps from outside are all alike as long as the same queues and flags hold them: no item looks at one of
them alone. So they are sorted into *classes*, by their own queue and by what holds them; one step stands for its class,
and the loop is followed for the classes that are new. How long this stays true `Schedule.version` tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import define, field

from pto_analysis.arith.linear import Linear
from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.cases import Case, Cases
from pto_analysis.sync.instances import NOTHING
from pto_analysis.sync.needs import Needs
from pto_analysis.sync.outline import ForkNode, LoopNode, Node, blocks_of

FEWEST_STEPS = 12
"""A smaller loop is followed as fast as it is looked up."""

Kind = tuple[int, int]
"""A class: the number of its queue, and bit by bit which of the inputs hold it."""

Holders = Sequence[int]
"""What each queue finds unfinished, then what each flag carries."""

Known = tuple[tuple[Linear, bool], ...]
"""The conditions in a loop that are decided around it, and how."""


@frozen
class Passage:
    """What becomes of a class: the outputs that hold it, bit by bit, the rows of needs of the steps that find it
    unfinished, and all that these ask for."""

    held: int
    finds: int
    needs: int


@define(eq=False)
class Summary:
    """One loop under one schedule. `own` is what its own steps leave in each output, `open` what they leave open among
    themselves."""

    version: int
    own: tuple[int, ...]
    open: Mapping[int, int]
    passages: dict[Kind, Passage] = field(factory=dict[Kind, Passage])


@define(eq=False)
class Summaries:
    """The summaries of the loops of a program, and the conditions that decide inside each.

    `runs` counts the times that the program, or a part of it, was followed from its begin.
    """

    runs: int = 0
    of: dict[tuple[LoopNode, Known], Summary] = field(factory=dict["tuple[LoopNode, Known]", Summary])
    _seen: dict[LoopNode, tuple[int, int]] = field(factory=dict["LoopNode", "tuple[int, int]"])
    _conditions: dict[LoopNode, tuple[Linear, ...]] = field(factory=dict["LoopNode", "tuple[Linear, ...]"])

    def copy(self) -> Summaries:
        return evolve(self, of=dict(self.of), seen=dict(self._seen))

    def comes_again(self, node: LoopNode, version: int) -> bool:
        """Whether an earlier run came to the loop as it is now: one that is followed once is not worth remembering."""
        last, run = self._seen.setdefault(node, (version, self.runs))
        if last != version:
            self._seen[node] = (version, self.runs)
        return last == version and run != self.runs

    def known(self, node: LoopNode, needs: Needs, outside: Case) -> Known:
        """What is decided around a loop of the conditions inside it."""
        if not outside:
            return ()
        if node not in self._conditions:
            self._conditions[node] = tuple(dict.fromkeys((*_conditions(node, needs.cases), *_choices(node, needs))))
        return tuple((each, outside[each]) for each in self._conditions[node] if each in outside)


def _choices(node: LoopNode, needs: Needs) -> Iterator[Linear]:
    """The conditions that choose what steps inside the loop touch."""
    for order in range(node.first, node.stop):
        for row in needs.more.get(order, ()):
            yield from (condition for condition, _ in needs.rows[row].guard)


def _conditions(node: Node, cases: Cases) -> Iterator[Linear]:
    if isinstance(node, (LoopNode, ForkNode)):
        condition = cases.conditions.get(node)
        if condition is not None:
            yield condition
        if isinstance(node, LoopNode) and node in cases.rounds:
            yield from cases.rounds[node].conditions()
        for block in blocks_of(node):
            yield from (each for case in cases.of.get(block, ()) for each in case)
            for child in block.children:
                yield from _conditions(child, cases)


def classes(holders: Holders, queues: Sequence[int]) -> Iterator[tuple[Kind, int]]:
    """The classes of all steps that are held somewhere, with their steps."""
    marks: dict[int, int] = {}
    everything = NOTHING
    for index, bits in enumerate(holders):
        if bits:
            marks[bits] = marks.get(bits, NOTHING) | 1 << index
            everything |= bits
    for number, queue in enumerate(queues):
        parts = [(NOTHING, everything & queue)]
        if not parts[0][1]:
            continue
        for bits, mark in marks.items():
            parts = list(_split(parts, bits, mark))
        yield from (((number, mask), part) for mask, part in parts)


def _split(parts: Iterable[tuple[int, int]], bits: int, mark: int) -> Iterator[tuple[int, int]]:
    for mask, part in parts:
        inside = part & bits
        if inside == part:
            yield mask | mark, part
        elif not inside:
            yield mask, part
        else:
            yield mask | mark, inside
            yield mask, part ^ inside


def ones(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, from the lowest."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
