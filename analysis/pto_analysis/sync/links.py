"""Sync items under construction: links between queues, barriers, and the places where their halves stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, Union

from attrs import define, field

from pto_analysis.arith.terms import Term
from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.dependences import Hazard
from pto_analysis.sync.outline import BlockNode, ForkNode, LoopNode, Node
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.summaries import Summaries

Side = Literal["before", "after", "begin", "end"]
Place = tuple[Side, Union[Node, BlockNode]]
"""Before or after a node, or at the begin or end of a block."""

Half = Literal["set", "wait", "entry", "exit"]


@define(eq=False)
class Link:
    """A hand-over from one queue to another.

    Without a loop: set after `set_at`, wait before `wait_at`, in one block. With one: the wait of iteration
    u + distance meets the set of iteration u; the first waits meet `entry` sets, the last sets meet `exit` waits.
    `lanes` is how many flags that takes. `scope` is the node around which entry and exit stand: the loop itself, or an
    outer one through which the flag circulates.
    """

    source: Pipe
    target: Pipe
    hazard: Hazard
    set_at: Place
    wait_at: Place
    loop: LoopNode | None = None
    distance: int = 0
    lanes: int = 1
    entry_at: Place | None = None
    exit_at: Place | None = None
    scope: LoopNode | ForkNode | None = None
    events: tuple[int, ...] = ()
    keys: tuple[Term, Term] | None = None
    """Lanes of the set and of the wait, where they are slots of their own: then every lane is raised at the entry."""

    @property
    def circulates(self) -> bool:
        """One flag that is up between iterations, whatever loops lie around."""
        return self.loop is not None and self.lanes == 1


@frozen(eq=False)
class Barrier:
    """`pipe_barrier` on one queue, or on all of them. `hazard` is why; `fallback` when event ids ran out."""

    pipe: Pipe
    at: Place
    hazard: Hazard
    fallback: bool = False


Item = tuple[Literal["set", "wait", "entry", "exit", "barrier"], Union[Link, Barrier]]


@define(eq=False)
class Schedule:
    """Which items stand where.

    At one place a queue first lowers what it can (entry sets), then waits, then sets; exit waits come last, so that
    nothing is held back for them.
    """

    places: dict[Place, dict[Item, None]] = field(factory=dict["Place", "dict[Item, None]"])
    links: dict[Link, None] = field(factory=dict["Link", None])
    barriers: dict[Barrier, None] = field(factory=dict["Barrier", None])
    _carried: dict[LoopNode, dict[Link, None]] = field(factory=dict["LoopNode", "dict[Link, None]"])
    summaries: Summaries = field(factory=Summaries)
    _versions: dict[LoopNode | ForkNode, int] = field(factory=dict["LoopNode | ForkNode", int])

    def copy(self) -> tuple[Schedule, Mapping[Link, Link]]:
        """The same items, to be changed apart from these, and what has become of each link; what is known of loops
        holds for both."""
        own: dict[Link, Link] = {link: evolve(link) for link in self.links}
        places: dict[Place, dict[Item, None]] = {}
        for place, items in self.places.items():
            places[place] = {(part, one if isinstance(one, Barrier) else own[one]): None for part, one in items}
        carried = {loop: {own[link]: None for link in links} for loop, links in self._carried.items()}
        links: dict[Link, None] = dict.fromkeys(own.values())
        return Schedule(places, links, dict(self.barriers), carried, self.summaries.copy(), dict(self._versions)), own

    def at(self, side: Side, node: Node | BlockNode) -> Iterable[Item]:
        """The items of a place in their order."""
        return self.places.get((side, node), _NOTHING)

    def carried_by(self, loop: LoopNode) -> tuple[Link, ...]:
        """Links whose flags are up from one round of the loop to the next."""
        return tuple(self._carried.get(loop, ()))

    def version(self, node: LoopNode | ForkNode) -> int:
        """A number that changes with the items inside a node."""
        return self._versions.get(node, 0)

    def _touch(self, place: Place) -> None:
        """What stands at the place has changed."""
        where = place[1]
        block = where if isinstance(where, BlockNode) else where.block
        while block.owner is not None:
            self._versions[block.owner] = self.version(block.owner) + 1
            block = block.owner.block

    def add_link(self, link: Link) -> None:
        self.links[link] = None
        for loop in _carriers(link):
            self._carried.setdefault(loop, {})[link] = None
        self._put(link.set_at, ("set", link))
        self._put(link.wait_at, ("wait", link))
        if link.entry_at is not None and link.exit_at is not None:
            self._put(link.entry_at, ("entry", link))
            self._put(link.exit_at, ("exit", link))

    def remove_link(self, link: Link) -> None:
        del self.links[link]
        for loop in _carriers(link):
            del self._carried[loop][link]
        self._take(link.set_at, ("set", link))
        self._take(link.wait_at, ("wait", link))
        if link.entry_at is not None and link.exit_at is not None:
            self._take(link.entry_at, ("entry", link))
            self._take(link.exit_at, ("exit", link))

    def move(self, link: Link, half: Half, place: Place) -> None:
        """Put one half of a link, or its boundary, elsewhere."""
        old = {"set": link.set_at, "wait": link.wait_at, "entry": link.entry_at, "exit": link.exit_at}[half]
        if old is not None:
            self._take(old, (half, link))
        if half == "set":
            link.set_at = place
        elif half == "wait":
            link.wait_at = place
        elif half == "entry":
            link.entry_at = place
        else:
            link.exit_at = place
        self._put(place, (half, link))

    def add_barrier(self, barrier: Barrier) -> None:
        self.barriers[barrier] = None
        self._put(barrier.at, ("barrier", barrier))

    def remove_barrier(self, barrier: Barrier) -> None:
        del self.barriers[barrier]
        self._take(barrier.at, ("barrier", barrier))

    def add(self, owner: Link | Barrier) -> None:
        if isinstance(owner, Link):
            self.add_link(owner)
        else:
            self.add_barrier(owner)

    def remove(self, owner: Link | Barrier) -> None:
        if isinstance(owner, Link):
            self.remove_link(owner)
        else:
            self.remove_barrier(owner)

    def __contains__(self, owner: Link | Barrier) -> bool:
        return owner in self.links or owner in self.barriers

    def _take(self, place: Place, item: Item) -> None:
        self._touch(place)
        del self.places[place][item]

    def _put(self, place: Place, item: Item) -> None:
        self._touch(place)
        items = self.places.setdefault(place, {})
        is_last = not items or _turn(next(reversed(items))) <= _turn(item)
        items[item] = None
        if not is_last:
            self.places[place] = dict.fromkeys(sorted(items, key=_turn))


def _carriers(link: Link) -> tuple[LoopNode, ...]:
    """The loop of the link, and every outer loop through which a circulating flag stays up."""
    if link.loop is None:
        return ()
    outer = link.loop.block.loops if link.circulates else ()
    return (*outer, link.loop)


def _turn(item: Item) -> int:
    return _TURNS[item[0]]


_TURNS: dict[str, int] = {"entry": 0, "wait": 1, "barrier": 2, "set": 3, "exit": 4}
_NOTHING: tuple[Item, ...] = ()
