"""The preview for a terminal: one lane a queue, beside the source lines (issue 3, item 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from attrs import frozen

from pto_analysis.sync.handover import hand_overs, kernel_name
from pto_analysis.sync.listing import Line, listing
from pto_analysis.sync.plan import SyncItem
from pto_analysis.sync.program import Loop, Pipe
from pto_lsp.output.style import PLAIN, Style
from pto_lsp.output.sync_view import SyncPreview, hand_over_words, lane_words, verified_words

_LANE = 9
_NUMBER = 6
_PAIR = " " * 26
"""Under the words of a pair, behind its symbol, queues and lanes."""
_COLORS = ("cyan", "green", "yellow", "blue", "red")


def render(previews: Sequence[SyncPreview], style: Style = PLAIN, width: int = 100) -> str:
    """All previews, one under the other; no line is longer than `width`."""
    parts: list[str] = []
    for preview in previews:
        parts.append(_Page(preview, style, max(width, 60)).text())
        parts.extend(_hand_overs(preview, previews, style))
    return "\n".join(parts)


def _hand_overs(preview: SyncPreview, previews: Sequence[SyncPreview], style: Style) -> Iterator[str]:
    """What crosses the cores, between the last part of a kernel's program and the first of the other core's."""
    programs = [one.program for one in previews]
    at = programs.index(preview.program)
    if at + 1 >= len(programs) or kernel_name(programs[at + 1]) != kernel_name(preview.program):
        return
    words = [f"  ⇅ {hand_over_words(one)}" for one in hand_overs(programs[at : at + 2])]
    if words:
        yield style.paint("between the cores (no flag crosses them)", "bold") + "\n" + "\n".join(words) + "\n"


@frozen
class _Row:
    """A row of the table before it is painted: line number, text by lane, what stands right of the lanes."""

    number: int | None
    cells: dict[Pipe, str]
    right: str
    dim: bool = False
    color: str | None = None


class _Page:
    def __init__(self, preview: SyncPreview, style: Style, width: int) -> None:
        self.preview = preview
        self.style = style
        self.width = width
        self.pipes = preview.pipes
        self._colors = {pair: _COLORS[at % len(_COLORS)] for at, pair in enumerate(preview.symbols)}

    def text(self) -> str:
        rows = list(self._rows())
        lines = [*self._head(), *(self._painted(row) for row in rows), *self._foot()]
        return "\n".join(line.rstrip() for line in lines) + "\n"

    # Head and foot

    def _head(self) -> Iterator[str]:
        program = self.preview.program
        place = f"{self.preview.path}:{program.where.span.line + 1}"
        facts = f"{program.core} core, {program.target}, {self.preview.plan.policy}"
        yield self.style.paint(program.qualname, "bold") + f"  {facts}  " + self.style.paint(place, "dim")
        for note in (*program.notes, *self.preview.notes):
            yield from (self.style.paint(line, "dim") for line in self._wrapped(f"note: {note}"))
        if self.preview.plan.disabled is not None:
            yield self.style.paint(f"  nothing is inserted: {self.preview.plan.disabled}", "yellow")
        names = "".join(f"{pipe.value:<{_LANE}}" for pipe in self.pipes)
        yield self.style.paint(f"{'line':>{_NUMBER - 2}}  {names}", "bold")

    def _foot(self) -> Iterator[str]:
        plan = self.preview.plan
        if plan.pairs:
            yield ""
        for pair in plan.pairs:
            name = f"{pair.source.value}→{pair.target.value}"
            lanes = f"{pair.lanes} lane{'s' if pair.lanes != 1 else ''}"
            symbol = self.preview.symbols[pair.id]
            head = f"  {symbol:<3}{name:<11} {lanes:<8} "
            yield from wrap(self.preview.pair_words(pair), self.width, initial_indent=head, subsequent_indent=_PAIR)
        if plan.pools:
            used = ", ".join(f"{p.source.value}→{p.target.value} {p.lanes} of {p.limit}" for p in plan.pools)
            yield from self._wrapped(f"event ids: {used}")
        disproved = [one for one in plan.dependences if one.status == "disproved"]
        if disproved:
            number = f"{len(disproved)} pair{'s' if len(disproved) != 1 else ''} of accesses"
            yield from self._wrapped(f"proved apart: {number}, e.g. {disproved[0].why}")
        for degradation in plan.losses:
            yield from (self.style.paint(line, "yellow") for line in self._wrapped(degradation.why))
        for finding in self.preview.findings:
            words = f"{finding.code} line {finding.span.line + 1}: {finding.message}"
            yield from (self.style.severity(line, finding.severity) for line in self._wrapped(words))
        yield from self._verified()

    def _verified(self) -> Iterator[str]:
        outcome = self.preview.verification
        if outcome is None:
            return
        if outcome.failure is None:
            yield self.style.paint(f"  {verified_words(outcome)}", "green")
            return
        yield self.style.paint("  not sound:", "bold", "red")
        for line in outcome.failure.schedule:
            yield self._cut(f"    {line}", self.width)

    # Rows

    def _rows(self) -> Iterator[_Row]:
        lines = listing(self.preview.program, self.preview.plan)
        index = 0
        caption: str | None = None
        while index < len(lines):
            line = lines[index]
            wanted = _caption(line)
            if wanted is not None and wanted != caption:
                yield _Row(None, {}, self._indented(line.depth, f"── {wanted}"), dim=True)
            caption = wanted
            joined = self._joined(line, lines[index + 1] if index + 1 < len(lines) else None)
            if joined is not None:
                yield joined
                index += 2
                continue
            yield self._row(line)
            index += 1

    def _row(self, line: Line) -> _Row:
        number = line.where.span.line + 1
        if line.kind == "op" and line.op is not None:
            phase = line.op.phases[line.phase]
            name = line.op.name if line.phase == 0 else f"…{line.op.name}"
            right = self.preview.source_line(line.where) if line.phase == 0 else ""
            return _Row(number, {phase.pipe: name}, self._indented(line.depth, right))
        if line.kind == "manual" and line.manual is not None:
            manual = line.manual
            pipe = manual.target if manual.kind == "wait" else manual.source
            cells = dict.fromkeys(self.pipes if pipe is Pipe.ALL else [pipe], manual.kind)
            return _Row(number, cells, self._indented(line.depth, self.preview.source_line(line.where)))
        if line.kind == "sync" and line.item is not None:
            return self._sync_row(line, line.item)
        return self._structure_row(line, number)

    def _structure_row(self, line: Line, number: int) -> _Row:
        if line.kind == "end":
            return _Row(None, {}, self._indented(line.depth, "└─"), dim=True)
        if line.kind == "else":
            return _Row(None, {}, self._indented(line.depth, "├─ else"), dim=True)
        return _Row(number, {}, self._indented(line.depth, f"┌─ {self.preview.source_line(line.where)}"))

    def _sync_row(self, line: Line, item: SyncItem) -> _Row:
        color = self._color(item)
        if item.kind == "barrier":
            cells = dict.fromkeys(self.pipes if item.source is Pipe.ALL else [item.source], "▬▬▬▬▬")
            words = "end of the kernel: everything is complete" if item.role == "tail" else f"barrier: {item.reason}"
            return _Row(None, cells, self._indented(line.depth, words), color="red" if item.role == "body" else "dim")
        name = lane_words(self.preview, item)
        pipe = item.source if item.kind == "set" else item.target
        arrow = f"{item.kind} {self.preview.symbols.get(item.pair or '', '')}"
        return _Row(None, {pipe: arrow}, self._indented(line.depth, self._why(item, name)), color=color)

    def _joined(self, line: Line, following: Line | None) -> _Row | None:
        """A set and its wait right behind it, drawn as one arrow."""
        first, second = line.item, following.item if following is not None else None
        if first is None or second is None or first.pair is None or first.pair != second.pair:
            return None
        pair = self.preview.pairs.get(first.pair)
        if (first.kind, second.kind) != ("set", "wait") or pair is None or pair.loop is not None:
            return None
        name = self.preview.symbols.get(first.pair, "")
        cells = self._arrow(first.source, first.target, name)
        words = self._why(first, lane_words(self.preview, first))
        return _Row(None, cells, self._indented(line.depth, words), color=self._color(first))

    def _arrow(self, source: Pipe, target: Pipe, name: str) -> dict[Pipe, str]:
        start, end = self.pipes.index(source), self.pipes.index(target)
        cells: dict[Pipe, str] = {}
        for position in range(min(start, end), max(start, end) + 1):
            cells[self.pipes[position]] = "─" * _LANE
        low, high = self.pipes[min(start, end)], self.pipes[max(start, end)]
        if start < end:
            cells[low], cells[high] = f"{name} " + "─" * (_LANE - len(name) - 1), f"▶ {name}"
        else:
            cells[low], cells[high] = f"{name} ◀" + "─" * (_LANE - len(name) - 2), f"{name}"
        return cells

    def _why(self, item: SyncItem, name: str) -> str:
        pair = self.preview.pairs.get(item.pair or "")
        if pair is None:
            return f"{name} {item.reason}".strip()
        lane = f" lane {item.lane_text}" if item.lane_text is not None else ""
        if item.role == "entry":
            return f"{name}: free at first"
        if item.role == "exit":
            return f"{name}: taken back"
        other = self.preview.op_words(pair.consumer if item.kind == "set" else pair.producer)
        return f"{'for' if item.kind == 'set' else 'after'} {other}{lane}"

    # Painting

    def _color(self, item: SyncItem) -> str:
        return self._colors.get(item.pair or "", _COLORS[0])

    def _indented(self, depth: int, text: str) -> str:
        return "│ " * depth + text

    def _painted(self, row: _Row) -> str:
        number = f"{row.number if row.number is not None else '':>{_NUMBER - 2}}  "
        lanes = "".join(self._cell(row, pipe) for pipe in self.pipes)
        room = self.width - _NUMBER - _LANE * len(self.pipes) - 1
        right = self._cut(row.right, room)
        if row.dim or row.color is not None:
            right = self.style.paint(right, "dim")
        return f"{number}{lanes} {right}"

    def _cell(self, row: _Row, pipe: Pipe) -> str:
        text = row.cells.get(pipe)
        if text is None:
            return self.style.paint("│", "dim") + " " * (_LANE - 1)
        padded = f"{self._cut(text, _LANE - (0 if '─' in text else 1)):<{_LANE}}"
        if row.color is not None:
            return self.style.paint(padded, row.color)
        return self.style.paint(padded, "bold")

    def _wrapped(self, text: str) -> list[str]:
        return wrap(text, self.width, initial_indent="  ", subsequent_indent="      ")

    def _cut(self, text: str, room: int) -> str:
        return text if len(text) <= room else text[: max(room - 1, 0)] + "…"


def _caption(line: Line) -> str | None:
    """The part of a loop that an item belongs to."""
    if line.item is not None and line.item.role == "entry":
        return "prologue: before the first round"
    if line.item is not None and line.item.role == "exit":
        return "epilogue: behind the last round"
    if line.kind == "loop" and isinstance(line.node, Loop):
        return "steady state: every round"
    return None
