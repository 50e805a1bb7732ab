"""The happens-before checker against a model that builds the whole order as a graph (sync.md 7.8, letter by letter)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.sync.checker import Rules, check
from pto_analysis.sync.items import BarrierItem, ByteRange, Item, OpItem, SetItem, WaitItem
from pto_analysis.sync.program import Hidden, Pipe
from pto_analysis.sync.schedule import describe_fault

V, MTE2, MTE3, S, ALL = Pipe.V, Pipe.MTE2, Pipe.MTE3, Pipe.S, Pipe.ALL
PIPES = (V, MTE2, MTE3, S)


def op(pipe: Pipe, reads: str = "", writes: str = "", name: str = "op") -> OpItem:
    """An op on one-byte cells named by letters."""
    return OpItem(name, pipe, tuple(map(cell, reads)), tuple(map(cell, writes)))


def cell(letter: str) -> ByteRange:
    at = ord(letter) - ord("a")
    return ByteRange("vec", "vec", at, at + 1)


@st.composite
def traces(draw: st.DrawFn) -> list[Item]:
    """Random items; waits mostly follow a set of the same flag, so that many traces are token safe."""
    items: list[Item] = []
    raised: list[tuple[Pipe, Pipe, int]] = []
    for _ in range(draw(st.integers(1, 14))):
        kind = draw(st.sampled_from(["op", "op", "op", "set", "wait", "barrier"]))
        if kind == "op":
            letters = st.text("abc", max_size=2)
            items.append(op(draw(st.sampled_from(PIPES)), draw(letters), draw(letters)))
        elif kind == "set":
            key = (draw(st.sampled_from(PIPES)), draw(st.sampled_from(PIPES)), draw(st.integers(0, 1)))
            if key[0] is not key[1] and key not in raised:
                raised.append(key)
                items.append(SetItem(*key))
        elif kind == "wait" and raised:
            items.append(WaitItem(*raised.pop(draw(st.integers(0, len(raised) - 1)))))
        elif kind == "barrier":
            items.append(BarrierItem(draw(st.sampled_from((*PIPES, ALL)))))
    return [*items, *(WaitItem(*key) for key in raised)]


class Graph:
    """Start and completion of every item as nodes, the rules (a) to (g) as edges, order as reachability."""

    def __init__(self, items: list[Item], self_ordering: set[Pipe]) -> None:
        self.items = items
        self.edges: dict[tuple[str, int], set[tuple[str, int]]] = {}
        sets: dict[tuple[Pipe, Pipe, int], list[int]] = {}
        waits: dict[tuple[Pipe, Pipe, int], int] = {}
        for at, item in enumerate(items):
            self.edge(("start", at), ("done", at))
            if isinstance(item, SetItem):
                sets.setdefault((item.source, item.target, item.event), []).append(at)
            if isinstance(item, WaitItem):
                key = (item.source, item.target, item.event)
                self.edge(("done", sets[key][waits.get(key, 0)]), ("start", at))
                waits[key] = waits.get(key, 0) + 1
            for before in range(at):
                self._pair(before, at, self_ordering)

    def edge(self, first: tuple[str, int], second: tuple[str, int]) -> None:
        self.edges.setdefault(first, set()).add(second)

    def _pair(self, before: int, at: int, self_ordering: set[Pipe]) -> None:
        one, other = self.items[before], self.items[at]
        same = bool(queues(one) & queues(other))
        # A set waits for the queue before it and holds nothing behind it back.
        if same and not isinstance(one, SetItem):
            self.edge(("start", before), ("start", at))
        drains = isinstance(other, (SetItem, BarrierItem)) and same
        holds = isinstance(one, (WaitItem, BarrierItem)) and same
        in_order = isinstance(one, OpItem) and same and one.pipe in self_ordering
        scalar = (isinstance(one, OpItem) and one.pipe is S) or (isinstance(one, WaitItem) and one.target is S)
        if drains or holds or in_order or scalar:
            self.edge(("done", before), ("start", at))

    def ordered(self, first: int, second: int) -> bool:
        pending, seen = [("done", first)], {("done", first)}
        while pending:
            node = pending.pop()
            if node == ("start", second):
                return True
            fresh = self.edges.get(node, set()) - seen
            seen |= fresh
            pending.extend(fresh)
        return False


def queues(item: Item) -> set[Pipe]:
    if isinstance(item, BarrierItem):
        return set(Pipe) if item.pipe is ALL else {item.pipe}
    if isinstance(item, OpItem):
        return {item.pipe}
    return {item.source if isinstance(item, SetItem) else item.target}


def conflicts(first: OpItem, second: OpItem) -> bool:
    shares = [
        one.overlap(other) is not None
        for mine, theirs in ((first.writes, second.writes), (first.writes, second.reads), (first.reads, second.writes))
        for one in mine
        for other in theirs
    ]
    return any(shares)


@settings(max_examples=300, deadline=None)
@given(traces(), st.sampled_from(["a2a3", "a5"]))
def test_order_and_races_are_those_of_the_graph(items: list[Item], target: str) -> None:
    rules = Rules("a5" if target == "a5" else "a2a3", long_chains=False)
    verdict = check(items, rules, most=100)
    graph = Graph(items, {S, V} if target == "a5" else {S})
    ops = [at for at, item in enumerate(items) if isinstance(item, OpItem)]
    raced = False
    for second in ops:
        for first in ops:
            if first < second:
                assert verdict.ordered(first, second) == graph.ordered(first, second), (first, second)
                one, other = items[first], items[second]
                assert isinstance(one, OpItem)
                assert isinstance(other, OpItem)
                raced = raced or (conflicts(one, other) and not graph.ordered(first, second))
    assert raced == any(fault.kind == "race" for fault in verdict.faults)


SET, WAIT = SetItem(MTE2, V, 0), WaitItem(MTE2, V, 0)
LOAD, ADD = op(MTE2, writes="a", name="tload"), op(V, "a", "a", "tadds")
MATRIX = ByteRange("acc", "acc", 0, 4)

FAULTS = [
    ("a pair orders", [LOAD, SET, WAIT, ADD], None),
    ("nothing orders", [LOAD, ADD], "race"),
    ("set too early", [SET, LOAD, WAIT, ADD], "race"),
    ("wait too late", [LOAD, SET, ADD, WAIT], "race"),
    ("two loads of one tile", [LOAD, LOAD, SET, WAIT, ADD], None),
    ("load and other writer", [LOAD, op(MTE2, writes="a", name="tpop")], "race"),
    ("same queue", [ADD, ADD], "race"),
    ("same queue, barrier", [LOAD, SET, WAIT, ADD, BarrierItem(V), ADD], None),
    ("barrier of all", [LOAD, BarrierItem(ALL), ADD], None),
    ("wait without set", [WAIT, ADD], "hang"),
    ("set twice", [SET, SET, WAIT, WAIT], "double set"),
    ("flag left up", [LOAD, SET], "leftover"),
    ("ninth id", [SetItem(MTE2, V, 8), WaitItem(MTE2, V, 8)], "pool"),
    ("eighth id of V and S", [SetItem(V, S, 7), WaitItem(V, S, 7)], "pool"),
    ("eighth id of MTE2 and V", [SetItem(MTE2, V, 7), WaitItem(MTE2, V, 7)], None),
    ("scalar waits for all", [LOAD, SetItem(MTE2, S, 0), WaitItem(MTE2, S, 0), ADD], None),
    (
        "accumulator read on two queues",
        [OpItem("tmatmul", Pipe.M, (MATRIX,)), OpItem("tstore", Pipe.FIX, (MATRIX,))],
        "race",
    ),
    (
        "hidden id is up",
        [SetItem(MTE2, MTE3, 0), OpItem("comm.tput", MTE2, hidden=(Hidden(MTE2, MTE3, 1),)), WaitItem(MTE2, MTE3, 0)],
        "hidden id",
    ),
]


@pytest.mark.parametrize(("items", "kind"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS])
def test_first_fault(items: list[Item], kind: str | None) -> None:
    verdict = check(items)
    assert [fault.kind for fault in verdict.faults] == ([kind] if kind else [])
    for fault in verdict.faults:
        assert describe_fault(verdict, fault)


def test_phases_of_one_op_are_ordered_inside_and_nothing_else_is_lost() -> None:
    first = OpItem("tgather", V, writes=(cell("t"),), instance=1, phase=0, phases=2)
    second = OpItem("tgather", S, reads=(cell("t"),), writes=(cell("d"),), instance=1, phase=1, phases=2)
    assert check([first, second]).ok
    assert not check([op(V, writes="t"), op(S, "t"), first, second]).ok


def test_schedule_names_both_ops_and_the_bytes() -> None:
    verdict = check([LOAD, ADD])
    text = "\n".join(describe_fault(verdict, verdict.faults[0]))
    assert "tadds" in text
    assert "tload" in text
    assert "vec[0, 1)" in text


def test_thousands_of_items() -> None:
    items = [item for _ in range(1500) for item in (LOAD, SET, WAIT, ADD, SetItem(V, MTE2, 1), WaitItem(V, MTE2, 1))]
    assert check(items, Rules(long_chains=False)).ok
