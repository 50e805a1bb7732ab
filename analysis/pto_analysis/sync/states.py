"""What is unfinished at one place of a program, as `coverage` follows it."""

from __future__ import annotations

from functools import reduce

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.sync.instances import NOTHING, NUMBER, QUEUE_COUNT, between
from pto_analysis.sync.links import Link
from pto_analysis.sync.outline import BlockNode, Node
from pto_analysis.sync.program import Pipe


@frozen
class Token:
    """What was unfinished when a flag was set; the steps issued from number `since` on are so as well."""

    bits: int
    since: int

    def seen(self, now: int) -> int:
        """What may be unfinished for who waits before step `now`."""
        return self.bits if now <= self.since else self.bits | between(self.since, now)


@define
class State:
    """What each queue may find unfinished before step `now`, and what flags carry; followed from step `start` on."""

    start: int
    now: int
    pending: list[int]
    tokens: dict[Link, Token] = field(factory=dict["Link", Token])

    def copy(self) -> State:
        return State(self.start, self.now, self.pending, dict(self.tokens))

    def join(self, pipe: Pipe, unfinished: int) -> None:
        """The queue has waited; the scalar unit holds all later issue back (sync.md 7.8 c)."""
        if pipe is Pipe.S:
            self.pending = [bits & unfinished for bits in self.pending]
            return
        number = NUMBER[pipe]
        self.pending = [*self.pending[:number], self.pending[number] & unfinished, *self.pending[number + 1 :]]


def fresh_state(node: Node | BlockNode) -> State:
    """Before a node, with everything before it complete: what remains to ask is about the node itself."""
    return State(node.first, node.first, [NOTHING] * QUEUE_COUNT)


def either(one: list[int], other: list[int]) -> list[int]:
    """What may be unfinished where two paths meet."""
    return [first | second for first, second in zip(one, other, strict=True)]


def any_of(sets: list[int]) -> int:
    """What any of the sets holds."""
    return reduce(lambda one, other: one | other, sets)


def join(states: list[State], state: State) -> None:
    """Behind a block that was followed several times. A flag that is up behind it is so each time."""
    state.now = states[0].now
    state.pending = reduce(either, [one.pending for one in states])
    state.tokens = {
        link: token
        if all(one.tokens[link] is token for one in states)
        else Token(any_of([one.tokens[link].seen(state.now) for one in states]), state.now)
        for link, token in states[0].tokens.items()
        if all(link in one.tokens for one in states)
    }


@frozen
class Back:
    """What the rounds of a loop so far leave for later ones: unfinished steps, and what flags carry."""

    pending: list[int]
    tokens: dict[Link, int]


NO_BACK = Back([NOTHING] * QUEUE_COUNT, {})
"""Before the first round."""

NOTHING_LEFT = Back([NOTHING] * QUEUE_COUNT, {})
"""What rounds that have not been followed yet leave."""


@frozen
class Entry:
    """What the first round of a loop finds unfinished, and what the flags of the loop carry then."""

    pending: list[int]
    tokens: dict[Link, int]
    is_first: bool = True

    def passed(self) -> Entry:
        """What later rounds know of it: the lanes of flags, which they may still come to."""
        tokens = {link: NOTHING if link.circulates else bits for link, bits in self.tokens.items()}
        return Entry([NOTHING] * QUEUE_COUNT, tokens, is_first=False)

    def joined(self, pending: list[int]) -> Entry:
        """With what earlier rounds leave unfinished."""
        return Entry(either(self.pending, pending), self.tokens, self.is_first)
