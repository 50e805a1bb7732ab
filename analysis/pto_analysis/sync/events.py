"""Event ids for links, and what is given up when a pool runs out (sync.md 6).

Ids of one queue pair are shared by links whose flags are never up at the same place of the program: from the first
of their items to the last, in program order. Ids that a library op uses inside itself are left alone around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.sync.links import Barrier, Item, Link, Place, Schedule, Side
from pto_analysis.sync.model import event_limit
from pto_analysis.sync.outline import BlockNode, Node, Outline, Step, blocks_of
from pto_analysis.sync.plan import Pool, ShortageStep
from pto_analysis.sync.program import Pipe

Queues = tuple[Pipe, Pipe]


@frozen
class Shortage:
    """A step taken because a pool ran out: `link` changed, `competing` wanted flags of the pool at the same place."""

    link: Link
    step: ShortageStep
    wanted: int
    limit: int
    competing: tuple[Link, ...]


def emission(tree: Outline, schedule: Schedule) -> list[tuple[Place, Item]]:
    """All items in program order."""
    return list(_block_items(tree.root, schedule))


def _block_items(block: BlockNode, schedule: Schedule) -> Iterator[tuple[Place, Item]]:
    yield from _items("begin", block, schedule)
    for child in block.children:
        yield from _items("before", child, schedule)
        for inner in blocks_of(child):
            yield from _block_items(inner, schedule)
        yield from _items("after", child, schedule)
    yield from _items("end", block, schedule)


def _items(side: Side, node: Node | BlockNode, schedule: Schedule) -> Iterator[tuple[Place, Item]]:
    for item in schedule.at(side, node):
        yield (side, node), item


@frozen
class _Span:
    """A link and the stretch of items during which its flags may be up."""

    link: Link
    first: int
    last: int


def assign_events(tree: Outline, schedule: Schedule) -> tuple[tuple[Pool, ...], tuple[Shortage, ...]]:
    """Give every link its ids; where a pool is too small, degrade links until it fits."""
    shortages: list[Shortage] = []
    while True:
        pools = _pools(tree, schedule)
        crowds = [crowd for pool in pools.values() for crowd in pool.colour()]
        if not crowds:
            break
        touched: set[Link] = set()
        for crowd in crowds:
            shortages.extend(_degrade(schedule, crowd, touched))
    ordered = sorted(pools.items(), key=lambda entry: (entry[0][0].value, entry[0][1].value))
    return tuple(Pool(source, target, pool.most, pool.limit) for (source, target), pool in ordered), tuple(shortages)


def fits(tree: Outline, schedule: Schedule) -> bool:
    """Whether the ids suffice as the schedule is."""
    return not any(pool.colour() for pool in _pools(tree, schedule).values())


def _pools(tree: Outline, schedule: Schedule) -> dict[Queues, _Pool]:
    items = emission(tree, schedule)
    spans: dict[Link, list[int]] = {}
    for index, (_, (_, owner)) in enumerate(items):
        if isinstance(owner, Link):
            spans.setdefault(owner, []).append(index)
    pools: dict[Queues, _Pool] = {}
    for link, places in spans.items():
        pool = pools.setdefault((link.source, link.target), _Pool(event_limit(link.source, link.target)))
        pool.spans.append(_Span(link, min(places), max(places)))
    _block_hidden(tree, items, pools)
    return pools


@define
class _Pool:
    limit: int
    spans: list[_Span] = field(factory=list[_Span])
    hidden: list[tuple[int, int, int]] = field(factory=list[tuple[int, int, int]])
    most: int = 0

    def colour(self) -> list[tuple[_Span, ...]]:
        """Give out ids in program order, unused ones first; the crowd around each link that finds none."""
        active: list[_Span] = []
        used: set[int] = set()
        crowds: list[tuple[_Span, ...]] = []
        for span in sorted(self.spans, key=lambda one: (one.first, one.last)):
            active = [one for one in active if one.last > span.first]
            taken = {event for one in active for event in one.link.events}
            taken |= {event for low, high, count in self.hidden if _meet(span, low, high) for event in range(count)}
            free = [event for event in range(self.limit) if event not in taken]
            if len(free) < span.link.lanes:
                crowds.append((*active, span))
                continue
            active.append(span)
            free.sort(key=lambda event: (event in used, event))
            span.link.events = tuple(sorted(free[: span.link.lanes]))
            used.update(span.link.events)
            self.most = max(self.most, sum(one.link.lanes for one in active))
        return crowds


def _meet(span: _Span, low: int, high: int) -> bool:
    return span.first < high and low < span.last


def _block_hidden(tree: Outline, items: list[tuple[Place, Item]], pools: dict[Queues, _Pool]) -> None:
    """Ids inside library ops: blocked from the item before the op to the item behind it."""
    steps = [step for step in tree.steps if step.op.hidden and step.phase == 0]
    if not steps:
        return
    positions = [_position(place) for place, _ in items]
    for step in steps:
        last = max(one.begin for one in step.blocks[-1].children if isinstance(one, Step) and one.op is step.op)
        low = sum(1 for position in positions if position < step.begin - 1)
        high = len(positions) - sum(1 for position in positions if position > last + 1)
        for hidden in step.op.hidden:
            pool = pools.get((hidden.source, hidden.target))
            if pool is not None:
                pool.hidden.append((low - 1, high, hidden.count))


def _position(place: Place) -> int:
    side, node = place
    return node.begin if side in ("before", "begin") else node.end


# When a pool runs out


def _degrade(schedule: Schedule, crowd: tuple[_Span, ...], touched: set[Link]) -> list[Shortage]:
    """One step down: shorter lives, merged hand-overs, fewer lanes, and a full barrier at the end (sync.md 6.4).

    Links that were `touched` since ids were given out are left for the next try.
    """
    links = tuple(span.link for span in crowd)
    wanted, limit = sum(link.lanes for link in links), event_limit(links[0].source, links[0].target)
    free = [span for span in crowd if span.link not in touched]
    for step, attempt in _STEPS:
        changed = attempt(schedule, free)
        touched.update(changed)
        if changed:
            return [Shortage(changed[0], step, wanted, limit, links)]
    if len(free) < len(crowd):
        return []
    last = links[-1]
    touched.update(links)
    schedule.remove_link(last)
    schedule.add_barrier(Barrier(Pipe.ALL, last.wait_at, last.hazard, fallback=True))
    return [Shortage(last, "barrier", wanted, limit, links)]


def _merge(schedule: Schedule, crowd: list[_Span]) -> list[Link]:
    """Let the wait of one link do for the next: its set moves down to the next one's set."""
    plain = [span for span in crowd if span.link.loop is None]
    best: tuple[int, _Span, _Span] | None = None
    for one, other in pairwise(plain):
        apart = _block_of(one.link.set_at) is not _block_of(other.link.set_at)
        if apart or other.first >= min(one.last, other.last):
            continue
        gap = other.first - one.first
        if best is None or gap < best[0]:
            best = (gap, one, other)
    if best is None:
        return []
    _, one, other = best
    if one.last <= other.last:
        schedule.move(one.link, "set", other.link.set_at)
        schedule.remove_link(other.link)
        return [other.link, one.link]
    schedule.remove_link(one.link)
    return [one.link, other.link]


def _shrink(schedule: Schedule, crowd: list[_Span]) -> list[Link]:
    """One lane less for the widest link: its consumer waits for a more recent producer."""
    wide = [span.link for span in crowd if span.link.distance > 1]
    if not wide:
        return []
    link = max(wide, key=lambda one: one.lanes)
    schedule.remove_link(link)
    link.distance -= 1
    link.lanes -= 1
    schedule.add_link(link)
    return [link]


def _shorten(schedule: Schedule, crowd: list[_Span]) -> list[Link]:
    """Flags that wait around for their loop are raised just before it and lowered just behind it."""
    changed: list[Link] = []
    for span in crowd:
        link = span.link
        if link.loop is None or link.scope is None:
            continue
        if (link.entry_at, link.exit_at) != (("before", link.scope), ("after", link.scope)):
            schedule.move(link, "entry", ("before", link.scope))
            schedule.move(link, "exit", ("after", link.scope))
            changed.append(link)
        elif link.scope is not link.loop:
            schedule.remove_link(link)
            link.scope = link.loop
            link.entry_at, link.exit_at = ("before", link.loop), ("after", link.loop)
            schedule.add_link(link)
            changed.append(link)
    return changed


def _block_of(place: Place) -> BlockNode:
    _, node = place
    return node if isinstance(node, BlockNode) else node.block


_STEPS: tuple[tuple[ShortageStep, Callable[[Schedule, list[_Span]], list[Link]]], ...] = (
    ("shortened", _shorten),
    ("merged", _merge),
    ("shrunk", _shrink),
)
