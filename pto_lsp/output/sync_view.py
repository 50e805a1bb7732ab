"""What all forms of the synchronisation preview share: names for pairs, words for items, shortened source lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from attrs import field, frozen

from pto_analysis.findings import Finding
from pto_analysis.sync.handover import HandOver
from pto_analysis.sync.model import CORE_QUEUES
from pto_analysis.sync.plan import Pair, Plan, SyncItem
from pto_analysis.sync.program import Location, Manual, Op, Pipe, SyncProgram, operations, statements
from pto_analysis.sync.verify import Verification


@frozen(eq=False, slots=False)
class SyncPreview:
    """One function on one core with its plan. `other` is the plan of the other policy, where it is asked for.

    `source` are the lines of the file, `findings` those of PTO5xx that belong to the function.
    """

    path: str
    program: SyncProgram
    plan: Plan
    source: tuple[str, ...]
    other: Plan | None = None
    findings: tuple[Finding, ...] = ()
    verification: Verification | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def is_text_ir(self) -> bool:
        return self.path.endswith(".pto")

    @cached_property
    def ops(self) -> Mapping[str, Op]:
        return {op.id: op for op in operations(self.program)}

    @cached_property
    def pairs(self) -> Mapping[str, Pair]:
        return {pair.id: pair for pair in self.plan.pairs}

    @cached_property
    def symbols(self) -> Mapping[str, str]:
        """A letter for each pair, in the order of the listing."""
        return {pair.id: letter(number) for number, pair in enumerate(self.plan.pairs)}

    @cached_property
    def pipes(self) -> tuple[Pipe, ...]:
        """The queues that the kernel uses, in the order in which data flows."""
        used = {phase.pipe for op in self.ops.values() for phase in op.phases}
        for statement in statements(self.program.body):
            if isinstance(statement, Manual):
                used |= {statement.source, statement.target}
        used |= {pipe for item in self.plan.items for pipe in (item.source, item.target)}
        usual = CORE_QUEUES[self.program.core]
        return (*(pipe for pipe in usual if pipe in used), *_others(used, usual))

    def op_words(self, identity: str) -> str:
        """`tload (line 19)`."""
        op = self.ops.get(identity)
        return f"{op.name} (line {op.where.span.line + 1})" if op is not None else identity

    def pair_words(self, pair: Pair) -> str:
        """What the pair is for, in one sentence."""
        apart = ""
        if pair.loop is not None:
            later = "a later round" if pair.distance in (0, None) else _rounds(pair.distance)
            apart = f", {later}"
        root = self.program.root(pair.region)
        what = _KINDS[pair.kind].format(root) if root else _UNNAMED[pair.kind]
        return f"{self.op_words(pair.producer)} → {self.op_words(pair.consumer)}{apart}: {what}"

    def source_line(self, where: Location) -> str:
        """The line of the file, short enough to be read: types and trailers of `.pto` text are left out."""
        line = where.span.line
        if not 0 <= line < len(self.source):
            return ""
        text = self.source[line].strip()
        return shortened(text) if self.is_text_ir else text


_KINDS = {
    "RAW": "reads {}",
    "WAR": "overwrites what was read in {}",
    "WAW": "overwrites {}",
    "RAR": "shares the accumulator {}",
}

_UNNAMED = {
    "RAW": "reads its result",
    "WAR": "overwrites what it reads",
    "WAW": "overwrites its result",
    "RAR": "shares its accumulator",
}
"""The same of a tile that has no name in the source."""


def _rounds(distance: int) -> str:
    return "the next round" if distance == 1 else f"{distance} rounds later"


def _others(used: set[Pipe], usual: Sequence[Pipe]) -> tuple[Pipe, ...]:
    return tuple(pipe for pipe in Pipe if pipe in used and pipe not in usual and pipe is not Pipe.ALL)


def letter(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def lane_words(preview: SyncPreview, item: SyncItem) -> str:
    """`a`, or `a[(i + 2) % 3]` for a pair of several lanes."""
    name = preview.symbols.get(item.pair or "", "")
    return f"{name}[{item.lane_text}]" if item.lane_text is not None else name


def verified_words(outcome: Verification) -> str:
    """What `--verify` found when it found nothing wrong."""
    checked = outcome.runs - outcome.skipped
    extent = "all small runs" if outcome.complete else "a sample of the small runs"
    skipped = f"; {outcome.skipped} left out: they index slots that do not exist" if outcome.skipped else ""
    return f"verified: {checked} run{'s are' if checked != 1 else ' is'} sound ({extent}{skipped})"


def hand_over_words(hand_over: HandOver) -> str:
    """`cube tpush_to_aiv (line 37) ⇒ vector tpop_from_aic (lines 56, 65)`."""
    source = f"{hand_over.source.core} {hand_over.pushes[0].name} ({_lines(hand_over.pushes)})"
    return f"{source} ⇒ {hand_over.target.core} {hand_over.pops[0].name} ({_lines(hand_over.pops)})"


def _lines(ops: Sequence[Op]) -> str:
    lines = list(dict.fromkeys(op.where.span.line + 1 for op in ops))
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


_LOCATION = re.compile(r"\s*loc\((?:[^()]|\([^()]*\))*\)\s*$")
_TRAILING_TYPE = re.compile(r"\s:\s[^{}]*$")
_TYPE_IN_GROUP = re.compile(r"\s:\s[^()]*?(?=\)|\sfp\s|\spre_quant\s)")


def shortened(text: str) -> str:
    """A line of `.pto` text without its types, its `pto.` prefixes and its location."""
    text = _LOCATION.sub("", text)
    text = _TYPE_IN_GROUP.sub("", text)
    if not text.endswith("{"):
        text = _TRAILING_TYPE.sub("", text)
    return text.replace("pto.", "")
