"""From a schedule with event ids to a plan: items in program order with their lanes, dependences with their reasons."""

from __future__ import annotations

from attrs import define, field

from pto_analysis.arith.questions import Rotation
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.terms import Node as TermNode
from pto_analysis.arith.terms import Number, Symbol, Term, spelled
from pto_analysis.sync.dependences import Disproved, Hazard, Hazards
from pto_analysis.sync.events import Shortage, emission
from pto_analysis.sync.links import Barrier, Link, Place, Schedule
from pto_analysis.sync.model import orders_itself
from pto_analysis.sync.outline import BlockNode, LoopNode, Outline, Step, node_id
from pto_analysis.sync.plan import Anchor, Degradation, Dependence, Pair, Plan, Policy, Pool, SyncItem
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.slots import rotation_of

MANUAL = "the author set or waited for flags, so nothing is inserted"
SINGLE = "a single queue step needs no synchronisation"


def assemble(
    policy: Policy,
    tree: Outline,
    hazards: Hazards,
    schedule: Schedule,
    pools: tuple[Pool, ...],
    shortages: tuple[Shortage, ...],
) -> Plan:
    """The plan in its public form, with the tail barrier at the end."""
    writer = _Writer(tree)
    for place, (part, owner) in emission(tree, schedule):
        if isinstance(owner, Barrier):
            writer.barrier(place, owner)
        elif part in ("set", "wait"):
            writer.body(place, part == "set", owner)
        else:
            writer.boundary(place, part == "entry", owner)
    writer.tail()
    dependences = _dependences(tree, hazards, schedule, writer)
    pairs = tuple(_pair(link, name) for link, name in writer.pairs.items())
    degradations = tuple(_degradation(shortage, writer) for shortage in shortages)
    return Plan(policy, tuple(writer.items), pairs, dependences, pools, degradations)


def no_plan(policy: Policy, why: str) -> Plan:
    """Nothing is inserted at all."""
    return Plan(policy, (), (), (), (), (), why)


@define
class _Writer:
    tree: Outline
    items: list[SyncItem] = field(factory=list[SyncItem])
    pairs: dict[Link, str] = field(factory=dict[Link, str])
    barriers: dict[Barrier, str] = field(factory=dict[Barrier, str])
    waits: dict[Link, str] = field(factory=dict[Link, str])

    def _name(self) -> str:
        return f"sync{len(self.items)}"

    def pair(self, link: Link) -> str:
        return self.pairs.setdefault(link, f"pair{len(self.pairs)}")

    def barrier(self, place: Place, barrier: Barrier) -> None:
        self.barriers[barrier] = self._name()
        reason = _reason(self.tree, barrier.hazard)
        if barrier.fallback:
            reason = f"no event id is free for {reason}"
        self.items.append(
            SyncItem(self._name(), "barrier", barrier.pipe, barrier.pipe, _anchor(place), "body", reason=reason)
        )

    def body(self, place: Place, sets: bool, link: Link) -> None:
        lane, text = self.lane(link, link.distance if sets else 0)
        if not sets:
            self.waits[link] = self._name()
        self._add(place, "set" if sets else "wait", "body", link, lane, text)

    def boundary(self, place: Place, enters: bool, link: Link) -> None:
        """Entry sets or exit waits: one for each iteration whose flag is still to be set, or still up."""
        loop = link.loop
        assert loop is not None
        for turn in range(max(1, link.distance) if link.keys is None else link.lanes):
            lane, text = (None, None) if link.lanes == 1 else self.boundary_lane(link, loop, turn, enters)
            self._add(place, "set" if enters else "wait", "entry" if enters else "exit", link, lane, text)

    def _add(self, place: Place, kind: str, role: str, link: Link, lane: Term | None, text: str | None) -> None:
        self.items.append(
            SyncItem(
                self._name(),
                "set" if kind == "set" else "wait",
                link.source,
                link.target,
                _anchor(place),
                "entry" if role == "entry" else "exit" if role == "exit" else "body",
                self.pair(link),
                link.events,
                lane,
                text,
                link.loop.id if link.loop is not None else None,
                _reason(self.tree, link.hazard),
            )
        )

    def tail(self) -> None:
        self.items.append(
            SyncItem(
                self._name(), "barrier", Pipe.ALL, Pipe.ALL, Anchor("end", ""), "tail", reason="the kernel returns"
            )
        )

    def lane(self, link: Link, ahead: int) -> tuple[Term | None, str | None]:
        """The flag of the consumer's iteration that lies `ahead` iterations on."""
        loop = link.loop
        if loop is None or link.lanes == 1:
            return None, None
        if link.keys is not None:
            key = link.keys[0] if ahead else link.keys[1]
            return key, spelled(key)
        factor, constant = _keys(link, self.tree.scalars)
        offset = (constant + factor * ahead) % link.lanes
        term = _modulo(_sum(_times(loop.loop.iteration, factor), offset), link.lanes)
        return term, spelled(_modulo(_sum(_times(Symbol(_round_name(loop), None), factor), offset), link.lanes))

    def boundary_lane(self, link: Link, loop: LoopNode, turn: int, enters: bool) -> tuple[Term, str]:
        if link.keys is not None:
            return Number(turn, None), str(turn)
        factor, constant = _keys(link, self.tree.scalars)
        offset = (constant + factor * turn) % link.lanes
        if enters:
            return Number(offset, None), str(offset)
        term = _modulo(_sum(_times(loop.loop.trips, factor), offset), link.lanes)
        shown = _modulo(_sum(_times(Symbol("rounds", None), factor), offset), link.lanes)
        return term, spelled(shown)


def _round_name(loop: LoopNode) -> str:
    """The loop variable, where it counts rounds itself."""
    source = loop.loop
    start, step = source.start, source.step
    counts = isinstance(start, Number) and start.value == 0 and isinstance(step, Number) and step.value == 1
    return source.variable.name if counts and source.variable is not None else "round"


def _keys(link: Link, scalars: Scalars) -> tuple[int, int]:
    """Factor and constant of the consumer's lane: its slot where lanes are slots, else the iteration number."""
    loop, slot = link.loop, link.hazard.second.reach.slot
    if loop is None or slot is None or slot.ring.count != link.lanes:
        return 1, 0
    found: Rotation | None = rotation_of(slot, loop.id, loop.inner, scalars)
    return (1, 0) if found is None or found.invariants else (found.factor, found.constant)


def _times(symbol: Symbol, factor: int) -> Term:
    return symbol if factor == 1 else TermNode("mul", (symbol, Number(factor, None)), None)


def _sum(term: Term, offset: int) -> Term:
    return term if offset == 0 else TermNode("add", (term, Number(offset, None)), None)


def _modulo(term: Term, modulus: int) -> Term:
    return TermNode("floormod", (term, Number(modulus, None)), None)


def _anchor(place: Place) -> Anchor:
    side, node = place
    if isinstance(node, BlockNode):
        return Anchor(side, node.name)
    return Anchor(side, node_id(node), node.phase if isinstance(node, Step) else 0)


_VERBS = {
    "RAW": "reads what {0} writes",
    "WAR": "overwrites what {0} reads",
    "WAW": "overwrites what {0} writes",
    "RAR": "reads the accumulator that {0} reads on another queue",
}


def _reason(tree: Outline, hazard: Hazard) -> str:
    """The hazard in words."""
    carried = hazard.loop is not None
    earlier = f"the {hazard.source.op.name} of an earlier iteration" if carried else hazard.source.op.name
    root = tree.program.root(hazard.first.reach.region)
    place = f" in {root}" if root else ""
    return f"{hazard.target.op.name} {_VERBS[hazard.kind].format(earlier)}{place}"


def _pair(link: Link, name: str) -> Pair:
    hazard = link.hazard
    return Pair(
        name,
        link.source,
        link.target,
        hazard.source.op.id,
        hazard.target.op.id,
        link.lanes,
        link.loop.id if link.loop is not None else None,
        link.distance,
        hazard.kind,
        hazard.first.reach.region,
    )


def _degradation(shortage: Shortage, writer: _Writer) -> Degradation:
    link = shortage.link
    queues = f"{link.source.value}→{link.target.value}"
    did = {
        "merged": "two hand-overs were merged into one",
        "shrunk": "a consumer waits for a more recent producer",
        "shortened": "flags are lowered right behind their loop",
        "barrier": "a full barrier takes the place of a flag",
    }[shortage.step]
    names = tuple(dict.fromkeys(_reason(writer.tree, one.hazard) for one in shortage.competing))
    return Degradation(
        link.source,
        link.target,
        shortage.step,
        shortage.wanted,
        shortage.limit,
        writer.pairs.get(link, ""),
        names,
        f"{shortage.wanted} lanes needed on {queues}, {shortage.limit} exist: {did}",
    )


def _dependences(tree: Outline, hazards: Hazards, schedule: Schedule, writer: _Writer) -> tuple[Dependence, ...]:
    served: dict[Hazard, str] = {link.hazard: writer.waits.get(link, "") for link in schedule.links}
    served.update({barrier.hazard: writer.barriers[barrier] for barrier in schedule.barriers})
    found: list[Dependence] = []
    for step in tree.steps:
        found.extend(_dependence(tree, hazard, served) for hazard in hazards.same.get(step, ()))
    for one in hazards.carried.values():
        found.extend(_dependence(tree, hazard, served) for hazard in one)
    found.extend(_disproved(tree, dropped) for dropped in hazards.dropped)
    return tuple(found)


def _dependence(tree: Outline, hazard: Hazard, served: dict[Hazard, str]) -> Dependence:
    item = served.get(hazard)
    same = hazard.source.pipe is hazard.target.pipe
    reason = _reason(tree, hazard)
    if item is not None:
        status, why = "synchronised", reason
    elif same and orders_itself(hazard.target.pipe, tree.program.target):
        status, why = "queue-order", f"{reason}; {hazard.target.pipe.value} keeps its own order"
    else:
        status, why = "covered", f"{reason}; other hand-overs order it already"
    return Dependence(
        hazard.source.op.id,
        hazard.target.op.id,
        hazard.kind,
        hazard.first.reach.region,
        hazard.distance if hazard.known else None,
        status,  # pyright: ignore[reportArgumentType]
        why,
        hazard.source.phase,
        hazard.target.phase,
        hazard.loop.id if hazard.loop is not None else None,
        item,
    )


def _disproved(tree: Outline, dropped: Disproved) -> Dependence:
    return Dependence(
        dropped.source.op.id,
        dropped.target.op.id,
        dropped.kind,
        dropped.first.reach.region,
        0,
        "disproved",
        f"{dropped.source.op.name} and {dropped.target.op.name} touch different parts of "
        f"{tree.program.root(dropped.first.reach.region) or 'one tile'} in every iteration",
        dropped.source.phase,
        dropped.target.phase,
    )
