"""PTO502: the event ids of a pair of queues run out."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.example import incore
from pto_analysis.rules.program_facts import ProgramFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.sync.plan import Degradation, Plan

_NAMED = 4
"""Competing hand-overs that a message names."""


def check(facts: ProgramFacts) -> Iterable[Finding]:
    """One finding for each pair of queues that loses overlap, and one where hand-overs merely share an id."""
    placed = facts.policies.placed
    if placed is None or not placed.shortages:
        return
    told: set[tuple[object, object, bool]] = set()
    plan = facts.policies.sound
    for lost in plan.losses:
        key = lost.source, lost.target, lost.step == "merged"
        if key not in told:
            told.add(key)
            yield _finding(facts, plan, lost)


def _finding(facts: ProgramFacts, plan: Plan, lost: Degradation) -> Finding:
    pair = next((pair for pair in plan.pairs if pair.id == lost.pair), None)
    where = facts.op_places[pair.consumer] if pair is not None else facts.program.where
    competing = "; ".join(lost.competing[:_NAMED])
    more = f" and {len(lost.competing) - _NAMED} more" if len(lost.competing) > _NAMED else ""
    message = (
        f"the event ids of {lost.source.value}→{lost.target.value} run out: {lost.wanted} are wanted and {lost.limit} "
        f"exist, so {lost.why.rpartition(': ')[2]}. They are wanted because {competing}{more}."
    )
    data = {"wanted": lost.wanted, "limit": lost.limit, "step": lost.step, "competing": list(lost.competing)}
    severity = Severity.INFO if lost.step == "merged" else None
    return facts.finding(RULE, where, message, data=data, severity=severity)


_LOAD = """\
    t{number}: pl.Tile[[8, 64], pl.FP32, pl.MemRef("r{number}", slots=3)[i % 3], pl.Mem.Vec] = pl.load({mark}
        x, [i * 8, 0], [8, 64]
    )
"""
_LOADS = "".join(_LOAD.format(number=number, mark="" if number else "  #! PTO502") for number in range(4))
_STORES = "".join(f"    y = pl.store(pl.exp(t{number}), [i * 8, 0], y)\n" for number in range(4))
_TENSORS = "x: pl.Tensor[[512, 64], pl.FP32], y: pl.Out[pl.Tensor[[512, 64], pl.FP32]]"

RULE = Rule(
    code="PTO502",
    name="event-ids-exhausted",
    severity=Severity.WARNING,
    summary="A pair of queues has fewer event ids than the kernel's hand-overs need, and overlap is lost",
    what="""\
Reports a pair of queues for which more event ids are wanted than exist (8, or 7 between the vector and the scalar
queue), where even the precise plan has to give up overlap: fewer lanes for a rotating buffer, flags lowered right
behind their loop, or a barrier. Where two hand-overs merely share an id, which costs next to nothing, it is an info.
Kernels are looked at when they use a slot or a window that run time chooses; `.pto` files always are.""",
    why="""\
The kernel stays right and gets slower, at a place that has nothing to do with the buffer that took the last id.""",
    check_program=check,
    references=(Reference("hw-native-sys/PTOAS", 1569),),
    bad=(Example("four rings of three slots", incore("for i in pl.range(64):\n" + _LOADS + _STORES, _TENSORS)),),
    good=(
        Example(
            "one ring",
            incore(
                """\
                for i in pl.range(64):
                    t: pl.Tile[[8, 64], pl.FP32, pl.MemRef("r", slots=3)[i % 3], pl.Mem.Vec] = pl.load(
                        x, [i * 8, 0], [8, 64]
                    )
                    y = pl.store(pl.exp(t), [i * 8, 0], y)
                return y
            """,
                _TENSORS,
            ),
        ),
    ),
)
