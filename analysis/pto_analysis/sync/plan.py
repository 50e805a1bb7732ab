"""The result of planning: dependences, sync items with their places, pools, and what had to be given up."""

from __future__ import annotations

from typing import Literal

from pto_analysis.arith.terms import Term
from pto_analysis.frozen import frozen
from pto_analysis.sync.program import Pipe

Kind = Literal["RAW", "WAR", "WAW", "RAR"]
"""`RAR` is the read/read hazard of two queues on one accumulator (sync.md 5.2)."""

Status = Literal["queue-order", "covered", "synchronised", "disproved"]
Policy = Literal["precise", "ptoas"]


@frozen
class Dependence:
    """Op `target` must wait for op `source`.

    `distance` 0: in the same iteration; d: `target` of d iterations later in `loop`; None: no distance is known
    (every later iteration). Phases number the queues of macro ops. `status` says what became of it and `why` in words.
    """

    source: str
    target: str
    kind: Kind
    region: str
    distance: int | None
    status: Status
    why: str
    source_phase: int = 0
    target_phase: int = 0
    loop: str | None = None
    item: str | None = None


@frozen
class Anchor:
    """A place in the program: before or after a statement (op, loop, branch) by its id, or the function's begin or end.

    "begin" and "end" take the id of a loop (its body), of a branch with "/then" or "/else" appended, or "" (function).
    `phase` counts for macro ops: before or behind that phase.
    """

    side: Literal["before", "after", "begin", "end"]
    node: str
    phase: int = 0


Role = Literal["body", "entry", "exit", "tail"]


@frozen
class SyncItem:
    """A set, wait or barrier. Items that share an anchor run in the order in which the plan lists them.

    `events` are the ids of the pair's lanes; the item uses `events[lane % len(events)]`, the only one when `lane` is
    None. `lane` is an ideal-integer term over program symbols and the loop's `iteration` (body items) or `trips`
    (exit items). `reason` names the dependence it serves.
    """

    id: str
    kind: Literal["set", "wait", "barrier"]
    source: Pipe
    target: Pipe
    anchor: Anchor
    role: Role = "body"
    pair: str | None = None
    events: tuple[int, ...] = ()
    lane: Term | None = None
    lane_text: str | None = None
    loop: str | None = None
    reason: str = ""


@frozen
class Pool:
    """Event ids of one queue pair: how many are used at most at one time, and how many exist."""

    source: Pipe
    target: Pipe
    lanes: int
    limit: int


ShortageStep = Literal["merged", "shrunk", "shortened", "barrier"]


@frozen
class Degradation:
    """A pool that overflowed and what was done about it (sync.md 6.4); `competing`: what wanted its lanes, in words."""

    source: Pipe
    target: Pipe
    step: ShortageStep
    wanted: int
    limit: int
    pair: str
    competing: tuple[str, ...]
    why: str


@frozen
class Pair:
    """A hand-over between two queues: its set and wait, as many lanes as `lanes`, carried by `loop` over `distance`."""

    id: str
    source: Pipe
    target: Pipe
    producer: str
    consumer: str
    lanes: int = 1
    loop: str | None = None
    distance: int = 0
    kind: Kind = "RAW"
    region: str = ""


@frozen
class Plan:
    """What a policy decided for one program. `disabled` says why nothing was planned (manual flags, a single op)."""

    policy: Policy
    items: tuple[SyncItem, ...]
    pairs: tuple[Pair, ...]
    dependences: tuple[Dependence, ...]
    pools: tuple[Pool, ...]
    degradations: tuple[Degradation, ...] = ()
    disabled: str | None = None

    @property
    def losses(self) -> tuple[Degradation, ...]:
        """The first degradation of each kind for each pair of queues: what the others of that kind made worse."""
        first: dict[tuple[Pipe, Pipe, ShortageStep], Degradation] = {}
        for one in self.degradations:
            first.setdefault((one.source, one.target, one.step), one)
        return tuple(first.values())
