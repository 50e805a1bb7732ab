"""A long loop over rotating slots, one round of the slots written out at a time.

What does not fill a round is written out behind the loop where its number of turns is known, else every turn asks
whether it is still one of the loop's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from pto_analysis.findings import Edit
from pto_analysis.fixes.constant_slots.header import Header
from pto_analysis.fixes.constant_slots.slots import Slots, turns_of_slots
from pto_analysis.fixes.written import Written, free_name, line_end, names_in, replace, term, words_of
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Expr
from pto_analysis.ir.stmt import For
from pto_analysis.ir.types import TileType
from pto_analysis.passes.ssa.names import base_name
from pto_analysis.source import syntax
from pto_analysis.source.span import Span
from pto_analysis.source.text import split_lines

MAX_SLOTS = 16
"""Turns of one round."""

Multiple = Callable[[Expr, int], bool]
"""Whether a scalar is provably a multiple of a number."""


def in_rounds(header: Header, loop: For, slots: Slots, is_multiple: Multiple) -> list[Edit] | None:
    """An outer loop over rounds of the slots and an unrolled one over the slots of a round."""
    counts = slots.counts()
    count = counts.pop() if len(counts) == 1 else 0
    start, step = constant_int(loop.start), constant_int(loop.step)
    if not 1 < count <= MAX_SLOTS or start is None or start < 0 or step != 1 or not slots.rotate(loop.var, count):
        return None
    rounds = _Rounds(header, loop, count, start)
    if not rounds.can_be_moved:
        return None
    stop = constant_int(loop.stop)
    if stop is not None:
        return rounds.with_rest(stop)
    if start % count == 0 and is_multiple(loop.stop, count):
        return rounds.written(header.stop)
    return rounds.guarded()


@frozen(eq=False, slots=False)
class _Rounds:
    """The edits that turn a loop into rounds of `count` turns, the first of them with index `start`."""

    header: Header
    loop: For
    count: int
    start: int

    @cached_property
    def body(self) -> list[Written]:
        return [Written(self.header.at.unit, number) for number in self.header.body()]

    @property
    def can_be_moved(self) -> bool:
        """Whether the body's lines can be indented."""
        return bool(self.body) and self.body[0].begins_line and not any(map(_spans_lines_in_string, self.body))

    @cached_property
    def _names(self) -> tuple[str, str]:
        """Of a round's first index, and of the turn in the round."""
        taken = words_of(self.header.at.unit)
        return free_name(f"{self.header.name.name}_first", taken), free_name("slot", taken)

    @property
    def _inner(self) -> str:
        return "\t" if "\t" in self.body[0].indent else "    "

    def written(self, stop: str, guard: str | None = None) -> list[Edit]:
        """Rounds up to `stop`, all of whose turns are run; with a `guard` those for which it holds."""
        at, index = self.header.at, self.header.name.name
        first, slot = self._names
        opening = [
            f"for {slot} in {self.header.module}.unroll({self.count}):",
            f"{self._inner}{index} = {first} + {slot}",
            *([f"{self._inner}if {guard}:"] if guard is not None else []),
        ]
        deeper = self._inner * (1 if guard is None else 2)
        return [
            replace(at, self.header.name, first),
            Edit(self.header.bounds_span, f"{self.header.start}, {stop}, {self.count}"),
            *self._indented(deeper, opening),
            *self._slot_names(slot),
        ]

    def with_rest(self, stop: int) -> list[Edit] | None:
        """Whole rounds, then the turns that are left over, written out."""
        rest = (stop - self.start) % self.count
        if rest == 0:
            return self.written(self.header.stop)
        if stop - self.start < self.count:
            return None
        end = stop - rest
        header = f"for {self.header.name.name} in {self.header.module}.unroll({end}, {self.header.stop}):"
        return [*self.written(str(end)), self._behind(header)]

    def guarded(self) -> list[Edit] | None:
        """Turns that ask whether the loop goes as far; a tile that one turn leaves to the next would be copied."""
        if any(isinstance(arg.var.type, TileType) for arg in self.loop.iter_args) or self._changes_its_end():
            return None
        return self.written(self.header.stop, f"{self.header.name.name} < {term(self.header.stop)}")

    def _changes_its_end(self) -> bool:
        made = {base_name(var.name) for stmt in walk.statements(self.loop.body) for var in stmt.definitions}
        return bool(made & names_in(self.header.bounds[-1 if len(self.header.bounds) == 1 else 1]))

    def _indented(self, deeper: str, opening: Iterable[str]) -> Iterator[Edit]:
        """Every line of the body deeper, behind the opening lines."""
        end, indent = line_end(self.header.at.unit), self.body[0].indent
        above = "".join(f"{indent}{line}{end}" for line in opening)
        first, last = self._lines
        texts = split_lines(self.header.at.unit.text)
        for line in range(first, last + 1):
            if texts[line].strip():
                yield Edit(Span(line, 0, line, 0), f"{above if line == first else ''}{deeper}")

    @property
    def _lines(self) -> tuple[int, int]:
        return self.body[0].whole.line, self.body[-1].whole.end_line

    def _behind(self, opening: str) -> Edit:
        """The body once more, as it is written, under another head."""
        unit = self.header.at.unit
        first, last = self._lines
        texts = [text.rstrip("\r\n") for text in split_lines(unit.text)[first : last + 1]]
        again = line_end(unit).join(["", f"{self.header.at.indent}{opening}", *texts])
        return Edit(Span(last, len(texts[-1]), last, len(texts[-1])), again)

    def _slot_names(self, slot: str) -> Iterator[Edit]:
        """`i % N` as the slot's own number, `(i + c) % N` with it in the place of `i`."""
        shift = self.start % self.count
        shifted = f"{slot} + {shift}" if shift else slot
        for at, node in _turns(self.body, turns_of_slots(self.loop, self.count)):
            if isinstance(node.left, syntax.Binary):
                yield replace(at, node.left.left, shifted)
            elif shift:
                yield replace(at, node.left, f"({shifted})")
            else:
                yield replace(at, node, slot)


def _turns(body: Sequence[Written], known: set[tuple[int, int]]) -> Iterator[tuple[Written, syntax.Binary]]:
    for at in body:
        for node in at.nodes():
            if isinstance(node, syntax.Binary) and (at.statement, node.id) in known:
                yield at, node


def _spans_lines_in_string(at: Written) -> bool:
    text = at.text
    return '"""' in text or "'''" in text
