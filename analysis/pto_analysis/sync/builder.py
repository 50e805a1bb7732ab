"""Building a `SyncProgram` statement by statement: for both frontends and for tests.

build = ProgramBuilder("probe", core="vector")
i = build.argument("i")
tile = build.tile("t", "vec", TileShape(1, 64), base=0)
with build.loop("n", stop=build.argument("n")) as u:
    build.op("tload", Pipe.MTE2, reads=[g], writes=[tile])
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Literal

from pto_analysis.arith.terms import INDEX_BITS, Symbol, Term, node, number
from pto_analysis.frozen import evolve
from pto_analysis.sync.program import (
    NOWHERE,
    Alias,
    Argument,
    Bind,
    Block,
    Branch,
    Bytes,
    Choice,
    Core,
    Define,
    HandleCarry,
    HandleMerge,
    Hidden,
    Loop,
    Manual,
    Op,
    Phase,
    Pipe,
    Region,
    ScalarCarry,
    ScalarMerge,
    Slot,
    Space,
    Statement,
    SyncProgram,
    Target,
    TileShape,
    View,
    Whole,
    Window,
)

TermLike = Term | int


def as_term(value: TermLike, bits: int | None = INDEX_BITS) -> Term:
    return number(value, bits) if isinstance(value, int) else value


class ProgramBuilder:
    """Collects statements into the innermost open block. Ids and names are numbered in program order."""

    def __init__(self, name: str, core: Core = "vector", target: Target = "a2a3", qualname: str | None = None) -> None:
        self._program = SyncProgram(name, qualname or name, core, target, (), {})
        self._regions: dict[str, Region] = {}
        self._arguments: list[Argument] = []
        self._blocks: list[list[Statement]] = [[]]
        self._counts: dict[str, int] = {}
        self.where = NOWHERE
        """The location of the statements that follow."""

    # Names and scalars

    def fresh(self, prefix: str) -> str:
        """A name nobody has taken: `prefix0`, `prefix1`, …"""
        count = self._counts.get(prefix, 0)
        self._counts[prefix] = count + 1
        return f"{prefix}{count}"

    def argument(self, name: str, bits: int = INDEX_BITS, lower: int | None = None, upper: int | None = None) -> Symbol:
        symbol = Symbol(name, bits)
        self._arguments.append(Argument(symbol, lower, upper))
        return symbol

    def define(self, value: Term | None, name: str | None = None, bits: int | None = INDEX_BITS) -> Symbol:
        """A scalar definition; `value` None is a value only run time knows."""
        symbol = Symbol(name or self.fresh("%s"), value.bits if value is not None else bits)
        self.add(Define(symbol, value, self.where))
        return symbol

    def scalar(self, op: str, *args: TermLike, name: str | None = None) -> Symbol:
        """`define` of one operation; plain integers take the width of the other operands."""
        bits = next((arg.bits for arg in reversed(args) if not isinstance(arg, int)), INDEX_BITS)
        return self.define(node(op, *(as_term(arg, bits) for arg in args)), name)

    # Buffers

    def region(self, region: Region) -> Region:
        self._regions[region.id] = region
        return region

    def tile(self, name: str, space: Space, shape: TileShape, base: int | Term | None = None) -> str:
        """An `alloc_tile` and its handle."""
        self.region(Region(name, space, name, base, shape.bytes, shape, where=self.where))
        return self.bind(Whole(name), shape, name)

    def ring(
        self,
        name: str,
        space: Space,
        shape: TileShape,
        slots: int,
        base: int | Term | None = None,
        stride: int | None = None,
    ) -> str:
        """An `alloc_multi_tile` of `slots` tiles of `shape` and its handle."""
        step = stride or shape.bytes
        size = step * (slots - 1) + shape.bytes
        self.region(Region(name, space, name, base, size, shape, slots, step, where=self.where))
        return self.bind(Whole(name), shape, name)

    def tensor(self, name: str, size: int | None = None, root: str | None = None) -> str:
        """A global argument and its handle; `size` in bytes when known, `root` where the source calls it otherwise."""
        self.region(Region(name, "gm", root or name, 0, size, where=self.where))
        return self.bind(Whole(name), None, name)

    def pointer(self, name: str, space: Space = "gm") -> str:
        """A pointer that may reach any byte of the space."""
        self.region(Region(name, space, name, anywhere=True, where=self.where))
        return self.bind(Whole(name), None, name)

    def bind(self, view: View, shape: TileShape | None = None, handle: str | None = None) -> str:
        name = handle or self.fresh("%h")
        self.add(Bind(name, view, shape, self.where))
        return name

    def slot(self, source: str, index: TermLike, handle: str | None = None) -> str:
        return self.bind(Slot(source, as_term(index)), self._region_shape(source), handle)

    def window(
        self, source: str, row: TermLike, col: TermLike, rows: int, cols: int, handle: str | None = None, bits: int = 32
    ) -> str:
        view = Window(source, as_term(row), as_term(col), rows, cols)
        return self.bind(view, TileShape(rows, cols, bits), handle)

    def alias(self, source: str, shape: TileShape | None = None, handle: str | None = None) -> str:
        return self.bind(Alias(source), shape, handle)

    def bytes(self, source: str, offset: TermLike, extent: int | None, handle: str | None = None) -> str:
        return self.bind(Bytes(source, as_term(offset), extent), None, handle)

    def choice(self, condition: Term, then: str, otherwise: str, handle: str | None = None) -> str:
        return self.bind(Choice(condition, then, otherwise), None, handle)

    def _region_shape(self, handle: str) -> TileShape | None:
        region = self._regions.get(handle)
        return region.shape if region else None

    # Statements

    def add(self, statement: Statement) -> None:
        self._blocks[-1].append(statement)

    def op(
        self,
        name: str,
        pipe: Pipe,
        reads: Sequence[str] = (),
        writes: Sequence[str] = (),
        scratch: Sequence[str] = (),
    ) -> str:
        """An op of one phase; returns its id."""
        return self.macro(name, (Phase(pipe, tuple(reads), tuple(writes), tuple(scratch)),))

    def macro(
        self, name: str, phases: tuple[Phase, ...], hidden: tuple[Hidden, ...] = (), *, unknown: bool = False
    ) -> str:
        """An op with its phases; returns its id."""
        identity = self.fresh("op")
        self.add(Op(identity, name, phases, self.where, hidden, unknown))
        return identity

    def manual(
        self,
        kind: Literal["set", "wait", "barrier"],
        source: Pipe,
        target: Pipe | None = None,
        event: int | Term | None = None,
    ) -> str:
        identity = self.fresh("manual")
        self.add(Manual(identity, kind, source, target or source, event, self.where))
        return identity

    def append_loop(self, loop: Loop) -> None:
        """A loop whose body was collected by `collect`."""
        self.add(loop)

    @contextmanager
    def collect(self) -> Generator[list[Statement]]:
        """Statements added inside go to the yielded list instead of the open block: the body of a loop or branch."""
        block: list[Statement] = []
        self._blocks.append(block)
        try:
            yield block
        finally:
            self._blocks.pop()

    @contextmanager
    def loop(
        self,
        name: str,
        stop: TermLike,
        start: TermLike = 0,
        step: TermLike = 1,
        scalars: tuple[ScalarCarry, ...] = (),
        handles: tuple[HandleCarry, ...] = (),
    ) -> Generator[Symbol]:
        """A for loop over the statements added inside; yields its variable, called `name`."""
        identity = self.fresh("loop")
        bits = next((bound.bits for bound in (start, stop) if not isinstance(bound, int)), INDEX_BITS)
        variable = Symbol(name, bits)
        where = self.where
        with self.collect() as body:
            yield variable
        first, limit, stride = (as_term(bound, bits) for bound in (start, stop, step))
        self.add(Loop(identity, "for", tuple(body), variable, first, limit, stride, None, scalars, handles, where))

    @contextmanager
    def branch(self, condition: Term | None) -> Generator[None]:
        """An `if` without else over the statements added inside."""
        identity = self.fresh("if")
        where = self.where
        with self.collect() as then:
            yield
        self.add(Branch(identity, condition, tuple(then), where=where))

    @contextmanager
    def otherwise(
        self, scalars: tuple[ScalarMerge, ...] = (), handles: tuple[HandleMerge, ...] = ()
    ) -> Generator[None]:
        """The else part of the branch that was closed last."""
        last = self._blocks[-1][-1]
        with self.collect() as block:
            yield
        if isinstance(last, Branch):
            self._blocks[-1][-1] = evolve(last, otherwise=tuple(block), scalars=scalars, handles=handles)

    def build(self, notes: tuple[str, ...] = ()) -> SyncProgram:
        body: Block = tuple(self._blocks[0])
        return evolve(
            self._program,
            body=body,
            regions=dict(self._regions),
            arguments=tuple(self._arguments),
            where=self.where,
            notes=notes,
        )
