"""The `ptoas` policy: what the stock assembler inserts today, with what it does not see (sync.md 5).

Shares program, outline and event pools with the precise policy, but neither its hazards nor its placement.
"""

from __future__ import annotations

from pto_analysis.arith.scalars import Scalars
from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.assembly import SINGLE, assemble, no_plan
from pto_analysis.sync.dependences import Hazards
from pto_analysis.sync.events import Shortage, assign_events
from pto_analysis.sync.links import Barrier, Link, Schedule
from pto_analysis.sync.outline import BlockNode, Outline, child_in, common_block, outline
from pto_analysis.sync.plan import Plan, Pool
from pto_analysis.sync.program import Pipe, SyncProgram
from pto_analysis.sync.stock_alias import StockAliases, as_seen
from pto_analysis.sync.stock_scan import StockScan

_KEEPS_ALL = frozenset({"tgather", "tgatherb", "tscatter", "mgather", "mscatter"})
"""Where one of these stands in the function, the assembler removes nothing (sync.md 5.8)."""


@frozen
class StockSolution:
    """What the assembler takes for hazards, and its pairs and barriers with event ids as far as they suffice."""

    tree: Outline
    aliases: StockAliases
    hazards: Hazards
    schedule: Schedule
    pools: tuple[Pool, ...]
    shortages: tuple[Shortage, ...]

    def plan(self) -> Plan:
        """The plan in its public form."""
        if len(self.tree.steps) < 2:
            return no_plan("ptoas", SINGLE)
        return assemble("ptoas", self.tree, self.hazards, self.schedule, self.pools, self.shortages)


def place_like_stock(program: SyncProgram, scalars: Scalars) -> StockSolution:
    """Predict where the assembler puts its pairs and barriers."""
    tree = outline(program, scalars, program.body, as_seen)
    scan = StockScan(tree, StockAliases.of(tree.program))
    scan.run()
    schedule = Schedule()
    for link in _kept(tree, [_moved(tree, link) for link in scan.links]):
        schedule.add_link(link)
    for barrier in _distinct(scan.barriers):
        schedule.add_barrier(barrier)
    pools, shortages = assign_events(tree, schedule)
    return StockSolution(tree, scan.aliases, scan.hazards, schedule, pools, shortages)


def _distinct(barriers: list[Barrier]) -> list[Barrier]:
    """Equal barriers before one op are emitted once."""
    return list({(barrier.pipe, barrier.at): barrier for barrier in reversed(barriers)}.values())[::-1]


def _moved(tree: Outline, link: Link) -> Link:
    """Both halves out of branches and loops that the other half is not in; flags of loops last all function long."""
    hazard = link.hazard
    if link.loop is None:
        _, source, target = common_block(hazard.source, hazard.target)
        return evolve(link, set_at=("after", source), wait_at=("before", target))
    body = link.loop.body
    source, target = child_in(body, hazard.source), child_in(body, hazard.target)
    return evolve(
        link,
        set_at=("after", source),
        wait_at=("before", target),
        entry_at=("begin", tree.root),
        exit_at=("end", tree.root),
        scope=link.loop,
    )


def _kept(tree: Outline, links: list[Link]) -> list[Link]:
    """Without the pairs that another pair between the same queues makes unnecessary (sync.md 5.8)."""
    if any(step.op.name in _KEEPS_ALL for step in tree.steps):
        return links
    groups: dict[tuple[Pipe, Pipe, BlockNode], list[Link]] = {}
    for link in links:
        groups.setdefault((link.source, link.target, _block(link)), []).append(link)
    left = {link for group in groups.values() for link in _tightest(group)}
    return [link for link in links if link in left]


def _tightest(group: list[Link]) -> list[Link]:
    """Pairs of one block that no other pair of it lies inside; a pair of a loop reaches around the loop's end."""
    plain = [link for link in group if link.loop is None]
    last_set = max((_span(link)[0] for link in plain), default=-1)
    first_wait = min((_span(link)[1] for link in plain), default=1 << 62)
    tagged = [
        link for link in group if link.loop is not None and last_set < _span(link)[0] and first_wait > _span(link)[1]
    ]
    return [*_skyline(plain), *_skyline(tagged)]


def _skyline(links: list[Link]) -> list[Link]:
    """Later sets first: a pair stays when it waits before all pairs set later; pairs keyed by slots cover no flags."""
    kept: list[Link] = []
    nearest = nearest_flag = 1 << 62
    for link in sorted(links, key=lambda one: (-_span(one)[0], _span(one)[1])):
        wait = _span(link)[1]
        if wait < (nearest_flag if link.keys is None else nearest):
            kept.append(link)
            nearest = min(nearest, wait)
            nearest_flag = min(nearest_flag, wait) if link.keys is None else nearest_flag
    return kept


def _span(link: Link) -> tuple[int, int]:
    return link.set_at[1].end, link.wait_at[1].begin


def _block(link: Link) -> BlockNode:
    node = link.set_at[1]
    return node if isinstance(node, BlockNode) else node.block
