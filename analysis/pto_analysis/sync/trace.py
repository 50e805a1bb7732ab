"""One run of a program under a plan, unrolled: sync.md 7.8, contract section 2 (`--trace`).

Scalars are computed as the machine computes them (registers wrap at their width). What only run time knows (a
loaded scalar, a branch on it) is decided by an `Oracle`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from attrs import field

from pto_analysis.arith.evaluate import evaluate, signed
from pto_analysis.arith.terms import Symbol, Term
from pto_analysis.frozen import frozen
from pto_analysis.sync.items import (
    BarrierItem,
    ByteRange,
    Element,
    Item,
    Iteration,
    Mode,
    OpItem,
    SetItem,
    Trace,
    WaitItem,
)
from pto_analysis.sync.places import Place, chosen, everything, region_place, streams, view_place
from pto_analysis.sync.plan import Anchor, Plan, SyncItem
from pto_analysis.sync.program import (
    Bind,
    Block,
    Branch,
    Define,
    Loop,
    Manual,
    Op,
    Phase,
    Region,
    Slot,
    Statement,
    SyncProgram,
    Whole,
)

DEFAULT_LIMIT = 20_000
"""Most items of one trace."""


class Oracle(Protocol):
    """Decides what the program leaves to run time. `line` is 1-based."""

    def branch(self, line: int) -> bool:
        """Whether the branch (or one more round of the while loop) at this line is taken, this time."""
        ...

    def value(self, symbol: Symbol) -> int | None:
        """A scalar that nothing computes; None leaves it unknown, and everything it indexes whole."""
        ...


class NeverTaken:
    """Branches that nothing decides are not taken, unknown scalars stay unknown."""

    def branch(self, line: int) -> bool:  # noqa: ARG002
        return False

    def value(self, symbol: Symbol) -> int | None:  # noqa: ARG002
        return None


@frozen
class Outcomes:
    """What `--trace` says of things that only run time knows: branch outcomes in order, by line (a list that runs out
    repeats its last), and scalars by name."""

    by_line: Mapping[int, tuple[bool, ...]]
    by_name: Mapping[str, int] = field(factory=dict[str, int])
    _used: dict[int, int] = field(factory=dict[int, int])

    def branch(self, line: int) -> bool:
        outcomes = self.by_line.get(line, ())
        at = self._used.get(line, 0)
        self._used[line] = at + 1
        return outcomes[min(at, len(outcomes) - 1)] if outcomes else False

    def value(self, symbol: Symbol) -> int | None:
        value = self.by_name.get(symbol.name)
        return value if value is None or symbol.bits is None else value % (1 << symbol.bits)


def unroll(
    program: SyncProgram,
    plan: Plan | None,
    arguments: Mapping[str, int],
    oracle: Oracle | None = None,
    limit: int = DEFAULT_LIMIT,
) -> Trace:
    """Run `program` with the items of `plan` woven in. Arguments that are missing count as 0."""
    runner = _Runner(program, plan, oracle or NeverTaken(), limit)
    runner.start(arguments)
    try:
        runner.function()
    except _TraceFullError:
        runner.problems[f"cut short after {limit} items"] = None
    return Trace(tuple(runner.items), tuple(runner.problems), tuple(runner.warnings))


class _TraceFullError(Exception):
    pass


class _Runner:
    """The state of the run: scalars, handles, and the items so far."""

    def __init__(self, program: SyncProgram, plan: Plan | None, oracle: Oracle, limit: int) -> None:
        self.items: list[Item] = []
        self.problems: dict[str, None] = {}
        self.warnings: dict[str, None] = {}
        self._program = program
        self._oracle = oracle
        self._limit = limit
        self._anchored: dict[Anchor, list[SyncItem]] = {}
        for item in plan.items if plan is not None else ():
            self._anchored.setdefault(item.anchor, []).append(item)
        self._scalars: dict[str, int | None] = {}
        self._places: dict[str, tuple[Place, ...]] = {}
        self._context: tuple[Iteration, ...] = ()
        self._instances = 0

    def start(self, arguments: Mapping[str, int]) -> None:
        for argument in self._program.arguments:
            symbol = argument.symbol
            value = arguments.get(symbol.name, arguments.get(symbol.name.lstrip("%"), 0))
            self._scalars[symbol.name] = value if symbol.bits is None else value % (1 << symbol.bits)

    def function(self) -> None:
        self._sync("begin", "")
        self._block(self._program.body)
        self._sync("end", "")

    # Scalars

    def _value(self, term: Term) -> int | None:
        return evaluate(term, lambda symbol: self._scalars.get(symbol.name))

    def _define(self, statement: Define) -> None:
        symbol, value = statement.symbol, statement.value
        self._scalars[symbol.name] = self._oracle.value(symbol) if value is None else self._value(value)

    # Handles

    def _bind(self, statement: Bind) -> None:
        view = statement.view
        if isinstance(view, Whole):
            self._places[statement.handle] = (self._whole(self._program.regions[view.region]),)
            return
        sources = [place for name in chosen(view, self._value) for place in self._places.get(name, ())]
        places = tuple(view_place(view, source, statement.shape, self._value) for source in sources)
        for place in places:
            if place.problem is not None:
                (self.problems if isinstance(view, Slot) else self.warnings)[place.problem] = None
        self._places[statement.handle] = places

    def _whole(self, region: Region) -> Place:
        base = region.base if isinstance(region.base, int) or region.base is None else self._value(region.base)
        return region_place(region, base)

    def _ranges(self, handle: str) -> tuple[ByteRange, ...]:
        found: list[ByteRange] = []
        for place in self._places.get(handle, ()):
            reaches_all = place.region.anywhere or (place.region.base is not None and self._unplaced(place.region))
            found.extend(
                everything(tuple(self._program.regions.values()), place.region) if reaches_all else place.ranges()
            )
        return tuple(found)

    def _unplaced(self, region: Region) -> bool:
        """A symbolic address that this run does not know may be any address."""
        return not isinstance(region.base, int) and region.base is not None and self._value(region.base) is None

    # Statements

    def _block(self, block: Block) -> None:
        for statement in block:
            self._statement(statement)

    def _statement(self, statement: Statement) -> None:
        if isinstance(statement, Op):
            self._op(statement)
        elif isinstance(statement, Bind):
            self._bind(statement)
        elif isinstance(statement, Define):
            self._define(statement)
        elif isinstance(statement, Manual):
            self._manual(statement)
        elif isinstance(statement, Loop):
            self._around(statement.id, statement)
        else:
            self._around(statement.id, statement)

    def _around(self, node: str, statement: Loop | Branch) -> None:
        self._sync("before", node)
        if isinstance(statement, Branch):
            self._branch(statement)
        elif statement.kind == "for":
            self._for(statement)
        else:
            self._while(statement)
        self._sync("after", node)

    def _branch(self, branch: Branch) -> None:
        condition = None if branch.condition is None else self._value(branch.condition)
        taken = self._oracle.branch(branch.where.span.line + 1) if condition is None else bool(condition & 1)
        side = f"{branch.id}/{'then' if taken else 'else'}"
        self._sync("begin", side)
        self._block(branch.then if taken else branch.otherwise)
        self._sync("end", side)
        for merge in branch.scalars:
            self._scalars[merge.result.name] = self._value(merge.then if taken else merge.otherwise)
        for handle in branch.handles:
            self._places[handle.result] = self._places.get(handle.then if taken else handle.otherwise, ())

    def _for(self, loop: Loop) -> None:
        assert loop.variable is not None
        bounds = [None if bound is None else self._value(bound) for bound in (loop.start, loop.stop, loop.step)]
        bits = loop.variable.bits
        self._enter(loop)
        rounds = 0
        current, stop, step = (bound if bound is not None else 0 for bound in bounds)
        if None in bounds:
            while self._oracle.branch(loop.where.span.line + 1):
                self._scalars[loop.variable.name] = None
                self._round(loop, rounds)
                rounds += 1
        while None not in bounds and signed(current, bits) < signed(stop, bits):
            if signed(step, bits) <= 0:
                self.problems[f"the step of the loop at line {loop.where.span.line + 1} is not positive"] = None
                break
            self._scalars[loop.variable.name] = current
            self._round(loop, rounds)
            rounds += 1
            current = current + step if bits is None else (current + step) % (1 << bits)
        self._leave(loop, rounds)

    def _while(self, loop: Loop) -> None:
        self._enter(loop)
        rounds = 0
        again = True
        while again:
            self._round(loop, rounds)
            rounds += 1
            condition = None if loop.condition is None else self._value(loop.condition)
            again = self._oracle.branch(loop.where.span.line + 1) if condition is None else bool(condition & 1)
        self._leave(loop, rounds)

    def _enter(self, loop: Loop) -> None:
        for scalar in loop.scalars:
            self._scalars[scalar.symbol.name] = self._value(scalar.initial)
        for handle in loop.handles:
            self._places[handle.handle] = self._places.get(handle.initial, ())

    def _round(self, loop: Loop, number: int) -> None:
        if len(self.items) + number > self._limit:
            raise _TraceFullError
        outer = self._context
        self._context = (*outer, (loop.id, number))
        self._scalars[loop.iteration.name] = number
        if number:
            self._carry(loop)
        self._sync("begin", loop.id)
        self._block(loop.body)
        self._sync("end", loop.id)
        self._context = outer

    def _carry(self, loop: Loop) -> None:
        """All carries step at once: a swap reads the old values on both sides."""
        values = [self._value(scalar.next) for scalar in loop.scalars]
        places = [self._places.get(handle.next, ()) for handle in loop.handles]
        for scalar, value in zip(loop.scalars, values, strict=True):
            self._scalars[scalar.symbol.name] = value
        for handle, place in zip(loop.handles, places, strict=True):
            self._places[handle.handle] = place

    def _leave(self, loop: Loop, rounds: int) -> None:
        self._scalars[loop.trips.name] = rounds
        if rounds:
            self._carry(loop)
        for scalar in loop.scalars:
            if scalar.result is not None:
                self._scalars[scalar.result.name] = self._scalars.get(scalar.symbol.name)
        for handle in loop.handles:
            if handle.result is not None:
                self._places[handle.result] = self._places.get(handle.handle, ())

    # Items

    def _emit(self, item: Item) -> None:
        if len(self.items) >= self._limit:
            raise _TraceFullError
        self.items.append(item)

    def _op(self, op: Op) -> None:
        self._instances += 1
        for number, phase in enumerate(op.phases):
            self._sync("before", op.id, number)
            self._emit(self._op_item(op, number, phase))
            self._sync("after", op.id, number)

    def _op_item(self, op: Op, number: int, phase: Phase) -> OpItem:
        elements = (
            *(self._element(name, "read") for name in phase.reads),
            *(self._element(name, "scratch") for name in phase.scratch),
            *(self._element(name, "write") for name in phase.writes),
        )
        return OpItem(
            op=op.name,
            pipe=phase.pipe,
            reads=_ranges_of(elements, "write"),
            writes=_ranges_of(elements, "read"),
            node=op.id,
            instance=self._instances,
            phase=number,
            phases=len(op.phases),
            context=self._context,
            hidden=op.hidden,
            elements=elements,
            where=op.where,
        )

    def _element(self, handle: str, mode: Mode) -> Element:
        places = self._places.get(handle, ())
        long = mode != "scratch" and len(places) == 1 and streams(places[0].shape)
        return Element(handle, mode, self._ranges(handle), long)

    def _manual(self, manual: Manual) -> None:
        self._sync("before", manual.id)
        event = manual.event if isinstance(manual.event, int) or manual.event is None else self._value(manual.event)
        if manual.kind == "barrier":
            self._emit(BarrierItem(manual.source, manual.id))
        elif manual.kind == "set":
            self._emit(SetItem(manual.source, manual.target, event or 0, manual.id))
        else:
            self._emit(WaitItem(manual.source, manual.target, event or 0, manual.id))
        self._sync("after", manual.id)

    def _sync(self, side: str, node: str, phase: int = 0) -> None:
        anchor = Anchor(side, node, phase)  # pyright: ignore[reportArgumentType]
        for item in self._anchored.get(anchor, ()):
            self._emit(self._sync_item(item))

    def _sync_item(self, item: SyncItem) -> Item:
        if item.kind == "barrier":
            return BarrierItem(item.source, item.id)
        lane = None if item.lane is None else self._value(item.lane)
        if item.lane is not None and lane is None:
            self.problems[f"the lane of {item.id} is not known in this run"] = None
        event = item.events[(lane or 0) % len(item.events)] if item.events else 0
        return (SetItem if item.kind == "set" else WaitItem)(item.source, item.target, event, item.id)


def _ranges_of(elements: tuple[Element, ...], without: Mode) -> tuple[ByteRange, ...]:
    return tuple(dict.fromkeys(one for element in elements if element.mode != without for one in element.ranges))
