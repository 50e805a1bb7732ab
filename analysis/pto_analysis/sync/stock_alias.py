"""How the stock assembler sees accesses: what it takes for the same bytes, and which slots it can tell apart.

Facts of PTOAS (August 2026), sync.md 4.2, 5.6 and 7.1: a subview at a run-time offset is its whole parent, a slot
chosen at run time is the whole ring, and two slots are compared by a small pattern that asks for no proof of ranges.
"""

from __future__ import annotations

from typing import Literal

from attrs import define, field

from pto_analysis.arith.terms import Node, Number, Symbol, Term
from pto_analysis.frozen import evolve, frozen
from pto_analysis.sync.access_log import mode_of
from pto_analysis.sync.accesses import Reach
from pto_analysis.sync.outline import Step, Touch
from pto_analysis.sync.plan import Kind
from pto_analysis.sync.program import Alias, Bind, Define, Pipe, Slot, SyncProgram, TileShape, Window, statements

_LONGEST_WALK = 32
_MOST_ADDITIONS = 4
_VECTOR_BYTES = 256
_LONG_CHAIN = 16


@frozen
class _SlotForm:
    """`(symbol + offset) mod modulus`; a constant has no symbol."""

    symbol: Symbol | None
    offset: int
    modulus: int


@define
class StockAliases:
    """The assembler's view of one program's handles."""

    binds: dict[str, Bind] = field(factory=dict[str, Bind])
    definitions: dict[Symbol, Term] = field(factory=dict[Symbol, Term])

    @classmethod
    def of(cls, program: SyncProgram) -> StockAliases:
        found = cls()
        for statement in statements(program.body):
            if isinstance(statement, Bind):
                found.binds[statement.handle] = statement
            elif isinstance(statement, Define) and statement.value is not None:
                found.definitions[statement.symbol] = statement.value
        return found

    def slot_of(self, handle: str) -> Slot | None:
        """The `multi_tile_get` that a handle is a view of."""
        for _ in range(_LONGEST_WALK):
            bind = self.binds.get(handle)
            if bind is None:
                return None
            if isinstance(bind.view, Slot):
                return bind.view
            if not isinstance(bind.view, (Alias, Window)):
                return None
            handle = bind.view.source
        return None

    def hazards(self, front: Step, now: Step) -> list[tuple[Kind, Touch, Touch]]:
        """Element pairs that conflict, before any slot reasoning (sync.md 5.2)."""
        found: list[tuple[Kind, Touch, Touch]] = []
        for late in now.touches:
            for early in front.touches:
                kind = _hazard_kind(front, now, early, late)
                if kind is not None and may_alias(early.reach, late.reach):
                    found.append((kind, early, late))
        return found

    def disjoint_slots(self, early: Touch, late: Touch) -> bool:
        """Whether the assembler takes the two for different slots of one ring."""
        first, second = self.slot_of(early.handle), self.slot_of(late.handle)
        if first is None or second is None or early.reach.slot is None or late.reach.slot is None:
            return False
        count = max(early.reach.slot.ring.count, late.reach.slot.ring.count)
        return self.relation(first.index, second.index, count) == "disjoint"

    def relation(self, first: Term, second: Term, count: int) -> Literal["equal", "disjoint", "unknown"]:
        """The assembler's comparison of two slot indices (sync.md 7.1)."""
        if first == second:
            return "equal"
        one, other = self._form(first, count), self._form(second, count)
        if one.symbol is None and other.symbol is None:
            return "equal" if (one.offset - other.offset) % count == 0 else "disjoint"
        if one.modulus != count or other.modulus != count or one.symbol != other.symbol or one.symbol is None:
            return "unknown"
        return "equal" if (one.offset - other.offset) % count == 0 else "disjoint"

    def _form(self, term: Term, count: int) -> _SlotForm:
        value = self._resolved(term)
        if isinstance(value, Number):
            return _SlotForm(None, value.value, count)
        if isinstance(value, Node) and value.op == "urem":
            modulus = self._resolved(value.args[1])
            if isinstance(modulus, Number):
                symbol, offset = self._stripped(value.args[0])
                return _SlotForm(symbol, offset, modulus.value)
        return _SlotForm(term if isinstance(term, Symbol) else None, 0, count)

    def _stripped(self, term: Term) -> tuple[Symbol | None, int]:
        offset = 0
        for _ in range(_MOST_ADDITIONS):
            value = self._resolved(term)
            if not isinstance(value, Node) or value.op not in ("add", "sub"):
                break
            constant = self._resolved(value.args[1])
            if not isinstance(constant, Number):
                break
            offset += constant.value if value.op == "add" else -constant.value
            term = value.args[0]
        return (term if isinstance(term, Symbol) else None), offset

    def _resolved(self, term: Term) -> Term:
        return self.definitions.get(term, term) if isinstance(term, Symbol) else term

    def long_chain(self, pairs: list[tuple[Kind, Touch, Touch]]) -> bool:
        """Vector ops on one long contiguous tile that need no barrier (sync.md 5.6)."""
        flows = any(kind == "RAW" for kind, _, _ in pairs)
        return flows and all(
            early.handle == late.handle and not early.scratch and not late.scratch and self._is_long(late.handle)
            for _, early, late in pairs
        )

    def _is_long(self, handle: str) -> bool:
        bind = self.binds.get(handle)
        shape = bind.shape if bind is not None else None
        return shape is not None and is_long(shape)


def is_long(shape: TileShape) -> bool:
    """Whether a vector op over the tile's valid part repeats often enough and without gaps."""
    if shape.valid_rows is None or shape.valid_cols is None:
        return False
    by_row = shape.major == "row_major"
    minor, whole = (shape.valid_cols, shape.cols) if by_row else (shape.valid_rows, shape.rows)
    lines = shape.valid_rows if by_row else shape.valid_cols
    contiguous = minor == whole or lines == 1
    elements = _VECTOR_BYTES * 8 // shape.bits
    return contiguous and -(-shape.valid_rows * shape.valid_cols // elements) >= _LONG_CHAIN


def may_alias(one: Reach, other: Reach) -> bool:
    """The assembler's may-alias: ranges on one address line (sync.md 4.3), of reaches as it sees them."""
    if one.space != other.space:
        return False
    if one.anywhere or other.anywhere:
        return True
    if one.space == "gm":
        return one.line == other.line
    if one.line != other.line:
        return False
    return any(
        low < other_high and other_low < high for low, high in one.segments for other_low, other_high in other.segments
    )


def as_seen(reach: Reach) -> Reach:
    """A slot or a window that run time chooses is the whole ring, whatever is known about its index, and a place that
    is chosen may be named at any time."""
    if reach.when:
        reach = evolve(reach, when=())
    if reach.slot is None or reach.start is not None:
        return reach
    ring = reach.slot.ring
    return evolve(reach, segments=((ring.origin, ring.origin + (ring.count - 1) * ring.stride + ring.size),))


def _hazard_kind(front: Step, now: Step, early: Touch, late: Touch) -> Kind | None:
    if late.write:
        if not early.write:
            return "WAR"
        return None if mode_of(front, early) == "load" == mode_of(now, late) else "WAW"
    if early.write:
        return "RAW"
    both_read = late.reach.space == "acc" and front.pipe is not now.pipe
    return "RAR" if both_read else None


def needs_nothing(front: Step, now: Step, ordered: bool) -> bool:
    """Pairs that the assembler skips: within the scalar unit, within a queue that keeps its order, within one op."""
    return front.pipe is now.pipe and (front.pipe is Pipe.S or ordered)
