"""The sync program: what both frontends (`.pto` text and `.py` kernels) are lowered to before synchronisation.

A program is the code of one function on one core: a tree of operations, loops and branches, the buffers they
touch, and enough scalar arithmetic to run it for given arguments. It says what was written; which bytes an
operation may touch is worked out by `sync.accesses`, and for one concrete run by the tracer.

Names: scalars are `arith` symbols, buffers are *handles* (strings). Both are unique in a function and assigned
once (`Define`, `Bind`, loop carries, branch merges), in dominance order, as SSA values are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Literal, Union

from attrs import field

from pto_analysis.arith.terms import Symbol, Term
from pto_analysis.frozen import QuickEnum, frozen
from pto_analysis.source.span import Span


class Pipe(QuickEnum):
    """The hardware queues of a core; `ALL` names every queue in a barrier."""

    S = "S"
    V = "V"
    M = "M"
    MTE1 = "MTE1"
    MTE2 = "MTE2"
    MTE3 = "MTE3"
    FIX = "FIX"
    ALL = "ALL"


Space = Literal["gm", "vec", "mat", "left", "right", "acc", "bias", "scaling"]
Core = Literal["cube", "vector"]
Target = Literal["a2a3", "a5"]
Major = Literal["row_major", "col_major"]


@frozen(eq=False, slots=False)
class Location:
    """Where something stands: its range in the file that was read, and the `.py` line its `loc` trailer names.

    Few places are ever shown, and to find one may cost a look at its statement: `find` is called when the range is
    first asked for.
    """

    find: Callable[[], Span]
    python: tuple[str, int, int] | None = None

    @classmethod
    def at(cls, span: Span, python: tuple[str, int, int] | None = None) -> Location:
        return cls(lambda: span, python)

    @cached_property
    def span(self) -> Span:
        return self.find()


NOWHERE = Location.at(Span(0, 0, 0, 0))


@frozen
class TileShape:
    """Geometry of a tile: extents in elements, element width in bits, order of its elements in the buffer.

    `boxed` when `slayout` is not none_box, `row_plus_one` for the padded compact form. Valid extents are None when
    only run time knows them; they never narrow an access.
    """

    rows: int
    cols: int
    bits: int = 32
    major: Major = "row_major"
    boxed: bool = False
    row_plus_one: bool = False
    valid_rows: int | None = None
    valid_cols: int | None = None

    @property
    def line_bytes(self) -> int:
        """Bytes from one row (column, when column-major) to the next."""
        minor = self.cols if self.major == "row_major" else self.rows
        return (minor + (1 if self.row_plus_one else 0)) * self.bits // 8

    @property
    def bytes(self) -> int:
        """Footprint in bytes: sync.md 4.1."""
        major, minor = (self.rows, self.cols) if self.major == "row_major" else (self.cols, self.rows)
        if not self.row_plus_one:
            return (major * minor * self.bits + 7) // 8
        return ((major - 1) * (minor + 1) + minor) * self.bits // 8


@frozen
class Region:
    """One allocation, kernel argument or unknown pointer target.

    `base` is the byte address inside the space: a number, a term, or None when nobody has placed it yet. Regions
    of one space with known bases may overlap; unplaced regions are distinct. `size` is None when unknown (a global
    argument). A region with `slots` > 1 is a multi-buffer of equal slots, `slot_stride` bytes apart, `size` covering
    them all. `anywhere` stands for a pointer that may reach any byte of the space.
    """

    id: str
    space: Space
    root: str
    """The name in the source; "" where the author gave none, as for an operation inside another one."""
    base: int | Term | None = None
    size: int | None = None
    shape: TileShape | None = None
    slots: int = 1
    slot_stride: int = 0
    anywhere: bool = False
    where: Location = NOWHERE


@frozen
class Whole:
    """The handle of a region itself: `alloc_tile`, `alloc_multi_tile`, an argument."""

    region: str


@frozen
class Slot:
    """`multi_tile_get source[index]`."""

    source: str
    index: Term


@frozen
class Window:
    """`subview source[row, col] sizes [rows, cols]`, in elements of the source's shape."""

    source: str
    row: Term
    col: Term
    rows: int
    cols: int


@frozen
class Alias:
    """The same bytes under another type: `treshape`, `bitcast`, `make_tensor_view`, a cast of a pointer."""

    source: str


@frozen
class Bytes:
    """A byte range of a global argument: `partition_view`, `addptr`, one element of a pointer.

    It starts `offset` bytes after the start of `source`. `extent` is None when it is not known (a pointer).
    """

    source: str
    offset: Term
    extent: int | None = None


@frozen
class Choice:
    """`arith.select` of two handles."""

    condition: Term
    then: str
    otherwise: str


View = Union[Whole, Slot, Window, Alias, Bytes, Choice]


@frozen
class Bind:
    """`handle` names the bytes that `view` describes, from here on. `shape` is the tile type of the result, if any."""

    handle: str
    view: View
    shape: TileShape | None = None
    where: Location = NOWHERE


@frozen
class Define:
    """`symbol` holds `value` from here on. `value` None: only run time knows it (a loaded scalar, an unknown op)."""

    symbol: Symbol
    value: Term | None = None
    where: Location = NOWHERE


@frozen
class Phase:
    """What one queue does for an op: handles read and written; `scratch` ones (tmp operands) are both."""

    pipe: Pipe
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    scratch: tuple[str, ...] = ()


@frozen
class Hidden:
    """Event ids 0..count-1 of a queue pair that a library call uses inside itself (sync.md 2.5)."""

    source: Pipe
    target: Pipe
    count: int


@frozen
class Op:
    """One operation. Most have one phase; a macro op has several, in order, which the library orders itself.

    `name` is the pto name without its prefix. `unknown` marks an op that the tables do not have.
    """

    id: str
    name: str
    phases: tuple[Phase, ...]
    where: Location = NOWHERE
    hidden: tuple[Hidden, ...] = ()
    unknown: bool = False

    @property
    def pipe(self) -> Pipe:
        """The queue of the last phase: where the result becomes ready."""
        return self.phases[-1].pipe


@frozen
class Manual:
    """A set, wait or barrier of the author. `event` is a term for the `_dyn` forms; a barrier names `source` only."""

    id: str
    kind: Literal["set", "wait", "barrier"]
    source: Pipe
    target: Pipe
    event: int | Term | None = None
    where: Location = NOWHERE


@frozen
class ScalarCarry:
    """A loop-carried scalar: `symbol` in the body, `initial` at first, `next` afterwards, `result` behind the loop."""

    symbol: Symbol
    initial: Term
    next: Term
    result: Symbol | None = None


@frozen
class HandleCarry:
    """A loop-carried buffer handle, as `ScalarCarry`."""

    handle: str
    initial: str
    next: str
    result: str | None = None


@frozen
class Loop:
    """`scf.for` (`kind` "for") or `scf.while` ("while").

    A for loop runs while `variable` counts from `start` by `step` below `stop` (signed comparison). A while loop is
    lowered to the run-at-least-once form: its body runs, then `condition` (a term over the body's symbols) decides on
    another round; the part that only runs when the condition holds stands in a `Branch` at the end of the body.
    """

    id: str
    kind: Literal["for", "while"]
    body: Block
    variable: Symbol | None = None
    start: Term | None = None
    stop: Term | None = None
    step: Term | None = None
    condition: Term | None = None
    scalars: tuple[ScalarCarry, ...] = ()
    handles: tuple[HandleCarry, ...] = ()
    where: Location = NOWHERE

    @property
    def iteration(self) -> Symbol:
        """The number of the current round, counted from 0: an ideal integer that lane expressions use."""
        return Symbol(f"{self.id}.iteration", None)

    @property
    def trips(self) -> Symbol:
        """How many rounds the loop ran, known behind it: an ideal integer."""
        return Symbol(f"{self.id}.trips", None)


@frozen
class ScalarMerge:
    result: Symbol
    then: Term
    otherwise: Term


@frozen
class HandleMerge:
    result: str
    then: str
    otherwise: str


@frozen
class Branch:
    """`scf.if`. `condition` None: only run time knows it."""

    id: str
    condition: Term | None
    then: Block
    otherwise: Block = ()
    scalars: tuple[ScalarMerge, ...] = ()
    handles: tuple[HandleMerge, ...] = ()
    where: Location = NOWHERE


Statement = Union[Op, Bind, Define, Manual, Loop, Branch]
Block = tuple[Statement, ...]


@frozen
class Argument:
    """A scalar argument. `bounds` are the inclusive limits that an assertion or a type gives, None where open."""

    symbol: Symbol
    lower: int | None = None
    upper: int | None = None


@frozen
class SyncProgram:
    """One function on one core. Global arguments are regions of space "gm", each with an address line of its own."""

    name: str
    qualname: str
    core: Core
    target: Target
    body: Block
    regions: Mapping[str, Region]
    arguments: tuple[Argument, ...] = ()
    where: Location = NOWHERE
    notes: tuple[str, ...] = field(default=())

    def root(self, region: str) -> str:
        """What the source calls a region; "" where it has no name there."""
        found = self.regions.get(region)
        return found.root if found is not None else region


def statements(block: Block) -> Iterator[Statement]:
    """Every statement of a block in program order, the bodies of loops and branches included."""
    stack = [iter(block)]
    while stack:
        statement = next(stack[-1], None)
        if statement is None:
            stack.pop()
            continue
        yield statement
        if isinstance(statement, Loop):
            stack.append(iter(statement.body))
        elif isinstance(statement, Branch):
            stack.append(iter(statement.otherwise))
            stack.append(iter(statement.then))


def operations(program: SyncProgram) -> Iterator[Op]:
    """The operations of a program in program order."""
    return (statement for statement in statements(program.body) if isinstance(statement, Op))


def has_manual_flags(program: SyncProgram) -> bool:
    """Whether the author wrote set or wait flags; the assembler then inserts nothing at all (sync.md 0)."""
    return any(isinstance(s, Manual) and s.kind != "barrier" for s in statements(program.body))
