"""The preview as a timeline: one lane a queue, ops as boxes, pairs as arrows. One run of the kernel, made-up durations.

The picture stands alone: no scripts, no fonts or styles from elsewhere. Hovering shows why a box or an arrow is there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from html import escape

from attrs import frozen

from pto_analysis.sync.items import Item
from pto_analysis.sync.plan import Pair, Plan, SyncItem
from pto_analysis.sync.program import Pipe
from pto_analysis.sync.schedule import spelled_range
from pto_analysis.sync.timeline import Arrow, Barrier, Span, Timeline, simulate
from pto_lsp.output.sync_view import SyncPreview

_LANE = 46
_BOX = 26
_LEFT = 64
_TOP = 40
_GAP = 22
_SMALLEST_BOX = 62.0
_WIDEST = 12_000.0

STYLE = """
.pto { font: 12px ui-sans-serif, system-ui, "Segoe UI", sans-serif; --ink: #1f2430; --soft: #6b7280; --line: #d9dde5;
  --paper: #ffffff; --band: #f5f7fa; --held: #d0342c; --free: #9aa3b2; --bar: #b45309; }
@media (prefers-color-scheme: dark) { .pto { --ink: #e6e8ee; --soft: #9aa3b2; --line: #363c4a; --paper: #171a21;
  --band: #1e222b; --held: #ff7b72; --free: #6b7280; --bar: #f0a04b; } }
.pto .paper { fill: var(--paper); }
.pto text { fill: var(--ink); }
.pto .soft { fill: var(--soft); font-size: 11px; }
.pto .title { font-weight: 600; font-size: 13px; }
.pto .lane { stroke: var(--line); }
.pto .band { fill: var(--band); }
.pto .edge { stroke: var(--line); stroke-dasharray: 2 3; }
.pto .box rect { stroke: rgba(0, 0, 0, 0.18); }
.pto .box text { fill: #14171f; font-size: 11px; text-anchor: middle; pointer-events: none; }
.pto .box .row { font-size: 9px; fill: rgba(0, 0, 0, 0.6); }
.pto .box:hover rect { stroke: var(--ink); stroke-width: 2; }
.pto .wait { fill: none; stroke: var(--held); stroke-width: 1; stroke-dasharray: 3 2; opacity: 0.7; }
.pto .arrow path { fill: none; stroke: var(--free); stroke-width: 1.2; opacity: 0.75; }
.pto .arrow .hit { stroke: transparent; stroke-width: 9; }
.pto .arrow .tip { fill: var(--free); stroke: none; opacity: 0.9; }
.pto .arrow.held path { stroke: var(--held); stroke-width: 1.6; opacity: 0.95; }
.pto .arrow.held .tip { fill: var(--held); }
.pto .arrow:hover path { stroke-width: 3; opacity: 1; }
.pto .arrow:hover .hit { stroke-width: 9; }
.pto .barrier line { stroke: var(--bar); stroke-width: 3; }
.pto .barrier:hover line { stroke-width: 6; }
"""

FILLS = {
    Pipe.MTE2: "#8ecae6",
    Pipe.MTE1: "#a8dadc",
    Pipe.M: "#f4a6b8",
    Pipe.V: "#a7d8a0",
    Pipe.FIX: "#f6c28b",
    Pipe.MTE3: "#f2d680",
    Pipe.S: "#cdb4ee",
}


@frozen
class Picture:
    """One plan's run: `items` is its trace."""

    plan: Plan
    items: Sequence[Item]


def render(preview: SyncPreview, pictures: Sequence[Picture]) -> str:
    """One picture per plan, one under the other on a common scale, so that their lengths can be compared."""
    lanes = [simulate(picture.items) for picture in pictures]
    scale = _scale(lanes)
    longest = max((line.length for line in lanes), default=0)
    width = max(560, round(_LEFT + longest * scale + 40))
    height = _height(preview)
    drawn = [
        _Drawing(preview, picture, timeline, scale, width, number * (height + _GAP)).text()
        for number, (picture, timeline) in enumerate(zip(pictures, lanes, strict=True))
    ]
    total = len(drawn) * (height + _GAP)
    label = escape(f"Synchronisation of {preview.program.qualname}", quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pto" role="img" aria-label="{label}" width="{width}" '
        f'height="{total}" viewBox="0 0 {width} {total}">\n<style>{STYLE}</style>\n'
        f'<rect class="paper" width="{width}" height="{total}"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def stacked(pictures: Sequence[str]) -> str:
    """Several pictures in one document, one under the other."""
    if len(pictures) == 1:
        return pictures[0]
    sizes = [_size(picture) for picture in pictures]
    width = max((size[0] for size in sizes), default=0)
    height = sum(size[1] for size in sizes)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">']
    top = 0
    for picture, size in zip(pictures, sizes, strict=True):
        parts.append(picture.replace("<svg ", f'<svg y="{top}" ', 1))
        top += size[1]
    return "\n".join([*parts, "</svg>\n"])


def _size(picture: str) -> tuple[int, int]:
    found = re.search(r'width="(\d+)" height="(\d+)"', picture)
    return (int(found.group(1)), int(found.group(2))) if found is not None else (0, 0)


def _scale(lanes: Sequence[Timeline]) -> float:
    """Pixels a step: the smallest box can be read, and no picture is endless."""
    shortest = min((span.end - span.start for line in lanes for span in line.spans), default=1)
    longest = max((line.length for line in lanes), default=1) or 1
    return min(_SMALLEST_BOX / max(shortest, 1), _WIDEST / longest)


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number != 1 else ''}"


def _height(preview: SyncPreview) -> int:
    return _TOP + _LANE * len(preview.pipes) + 8


@frozen(slots=False)
class _Drawing:
    preview: SyncPreview
    picture: Picture
    timeline: Timeline
    scale: float
    width: int
    top: int

    def text(self) -> str:
        parts = [self._title(), *self._bands(), *self._lanes(), *map(self._barrier, self.timeline.barriers)]
        parts += [part for span in self.timeline.spans for part in self._box(span)]
        parts += map(self._arrow, sorted(self.timeline.arrows, key=lambda arrow: arrow.held))
        return "\n".join(parts)

    @cached_property
    def _items(self) -> dict[str, SyncItem]:
        return {item.id: item for item in self.picture.plan.items}

    @cached_property
    def _pairs(self) -> dict[str, Pair]:
        return {pair.id: pair for pair in self.picture.plan.pairs}

    def _x(self, time: float) -> float:
        return round(_LEFT + time * self.scale, 1)

    def _y(self, pipe: Pipe) -> float:
        return self.top + _TOP + _LANE * self.preview.pipes.index(pipe) + _LANE / 2

    def _title(self) -> str:
        plan = self.picture.plan
        held = sum(1 for arrow in self.timeline.arrows if arrow.held)
        barriers = sum(1 for barrier in self.timeline.barriers if barrier.time < self.timeline.length)
        words = (_count(len(plan.pairs), "pair"), _count(held, "wait"), _count(barriers, "barrier"))
        facts = f"{words[0]} · {words[1]} cost{'' if held != 1 else 's'} time in this run · {words[2]} inside"
        name = "precise" if plan.policy == "precise" else "stock assembler"
        place = f"{self.preview.program.qualname}, {name}"
        return (
            f'<text x="12" y="{self.top + 22}"><tspan class="title">{escape(place)}</tspan>'
            f'<tspan class="soft" dx="20">{escape(facts)}</tspan></text>'
        )

    def _bands(self) -> list[str]:
        """Rounds of the outermost loops, every other one shaded."""
        rounds: dict[tuple[str, int], tuple[int, int]] = {}
        for span in self.timeline.spans:
            for key in span.op.context[:1]:
                start, end = rounds.get(key, (span.start, span.end))
                rounds[key] = (min(start, span.start), max(end, span.end))
        first, last = self.top + _TOP, self.top + _TOP + _LANE * len(self.preview.pipes)
        parts: list[str] = []
        for (_, number), (start, _) in rounds.items():
            x = self._x(start)
            parts.append(f'<line class="edge" x1="{x}" y1="{first - 8}" x2="{x}" y2="{last}"/>')
            parts.append(f'<text class="soft" x="{x + 3}" y="{first - 3}">{number}</text>')
        return parts

    def _lanes(self) -> list[str]:
        parts: list[str] = []
        for pipe in self.preview.pipes:
            y = self._y(pipe)
            parts.append(f'<line class="lane" x1="{_LEFT - 6}" y1="{y}" x2="{self.width - 12}" y2="{y}"/>')
            parts.append(f'<text x="12" y="{y + 4}">{pipe.value}</text>')
        return parts

    def _box(self, span: Span) -> list[str]:
        x, end, y = self._x(span.start), self._x(span.end), self._y(span.op.pipe)
        parts: list[str] = []
        if span.waited:
            start = self._x(span.start - span.waited)
            parts.append(f'<path class="wait" d="M{start} {y}H{x}"/>')
        width = round(end - x, 1)
        name = span.op.op if len(span.op.op) * 6.2 < width - 4 else span.op.op[: max(1, int((width - 8) / 6.2))] + "…"
        middle = round((x + end) / 2, 1)
        parts.append(
            f'<g class="box"><title>{escape(self._op_title(span))}</title>'
            f'<rect x="{x}" y="{y - _BOX / 2}" width="{width}" height="{_BOX}" rx="4" fill="{FILLS[span.op.pipe]}"/>'
            f'<text x="{middle}" y="{y - 1}">{escape(name)}</text>'
            f'<text class="row" x="{middle}" y="{y + 10}">line {span.op.line}</text></g>'
        )
        return parts

    def _op_title(self, span: Span) -> str:
        op = span.op
        rows = [f"{op.op}, line {op.line}", self.preview.source_line(op.where)]
        rows += [f"round {number} of {loop}" for loop, number in op.context]
        rows += [f"reads {spelled_range(one)}" for one in op.reads[:4]]
        rows += [f"writes {spelled_range(one)}" for one in op.writes[:4]]
        if span.waited:
            rows.append("the queue stood still for it")
        return "\n".join(row for row in rows if row)

    def _arrow(self, arrow: Arrow) -> str:
        x, y = self._x(arrow.start), self._y(arrow.source)
        end, goal = self._x(arrow.end), self._y(arrow.target)
        down = 1 if goal > y else -1
        y, goal = y + down * _BOX / 2, goal - down * _BOX / 2
        bend = max(10.0, abs(end - x) / 3)
        path = f"M{x} {y}C{round(x + bend, 1)} {y + down * 10},{round(end - bend, 1)} {goal - down * 10},{end} {goal}"
        tip = f"M{end} {goal}l-4 {-down * 7}h8z"
        kind = "arrow held" if arrow.held else "arrow"
        title = escape(self._arrow_title(arrow))
        return (
            f'<g class="{kind}"><title>{title}</title><path class="hit" d="{path}"/>'
            f'<path d="{path}"/><path class="tip" d="{tip}"/></g>'
        )

    def _arrow_title(self, arrow: Arrow) -> str:
        node = getattr(self.picture.items[arrow.wait_at], "node", "")
        item = self._items.get(node)
        pair = self._pairs.get(item.pair or "") if item is not None else None
        head = f"{arrow.source.value} → {arrow.target.value}"
        words = self.preview.pair_words(pair) if pair is not None else (item.reason if item is not None else "")
        cost = "this wait costs time here" if arrow.held else "already there: the wait costs nothing here"
        return f"{head}\n{words}\n{cost}"

    def _barrier(self, barrier: Barrier) -> str:
        pipes = self.preview.pipes if barrier.pipe is Pipe.ALL else (barrier.pipe,)
        x = self._x(barrier.time) + 2
        first = min(self._y(pipe) for pipe in pipes) - _BOX / 2 - 2
        last = max(self._y(pipe) for pipe in pipes) + _BOX / 2 + 2
        node = getattr(self.picture.items[barrier.at], "node", "")
        item = self._items.get(node)
        reason = "end of the kernel" if item is not None and item.role == "tail" else item.reason if item else "by hand"
        title = escape(f"barrier {barrier.pipe.value}\n{reason}")
        return f'<g class="barrier"><title>{title}</title><line x1="{x}" y1="{first}" x2="{x}" y2="{last}"/></g>'
