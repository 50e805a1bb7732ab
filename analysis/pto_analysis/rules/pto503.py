"""PTO503: manual set and wait that do not balance."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from pto_analysis.findings import Finding, Severity
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Invoke, Opaque
from pto_analysis.ir.stmt import Assign, Eval, Skipped
from pto_analysis.rules.example import incore
from pto_analysis.rules.program_facts import ProgramFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.sync.manual import check_manual_flags
from pto_analysis.sync.manual_races import Race, manual_races


def check(facts: ProgramFacts) -> Iterable[Finding]:
    for fault in check_manual_flags(facts.program):
        related = tuple(facts.related(where, "its other half") for where in fault.related)
        data = {"kind": fault.kind, "source": fault.key[0].value, "target": fault.key[1].value, "event": fault.key[2]}
        yield facts.finding(RULE, fault.where, fault.message, related=related, data=data)
    if _is_understood(facts):
        yield from map(partial(_race, facts), manual_races(facts.program))


def _is_understood(facts: ProgramFacts) -> bool:
    """Whether nothing was left out that may order something."""
    if facts.text is not None:
        return not facts.text.lowered.complaints
    written = facts.kernel.function.body if facts.kernel is not None else ()
    return not any(
        isinstance(stmt, Skipped) or (isinstance(stmt, (Assign, Eval)) and isinstance(stmt.value, (Opaque, Invoke)))
        for stmt in walk.statements(written)
    )


def _race(facts: ProgramFacts, race: Race) -> Finding:
    names, places, root = facts.op_names, facts.op_places, facts.program.root(race.region)
    source, target = names[race.source], names[race.target]
    return facts.finding(
        RULE,
        places[race.target],
        f"`{target}` does not wait for `{source}`, which uses {root or 'the same bytes'} ({race.kind}): in a kernel "
        "with flags of its author nothing else is inserted",
        related=(facts.related(places[race.source], f"`{source}` may still be running"),),
        data={"kind": "race", "region": race.region},
    )


_SET = "pl.system.sync_src(set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V, event_id=0)"
_WAIT = "pl.system.sync_dst(set_pipe=pl.PipeType.MTE2, wait_pipe=pl.PipeType.V, event_id=0)"
_SET_STORE = "pl.system.sync_src(set_pipe=pl.PipeType.V, wait_pipe=pl.PipeType.MTE3, event_id=0)"
_WAIT_STORE = "pl.system.sync_dst(set_pipe=pl.PipeType.V, wait_pipe=pl.PipeType.MTE3, event_id=0)"

RULE = Rule(
    code="PTO503",
    name="unbalanced-manual-sync",
    severity=Severity.ERROR,
    summary="A manual set or wait has no other half on some path, or leaves a race",
    what="""\
Reports flags that the author sets and waits for: a wait that nothing sets, a flag set twice before anything waits, a
branch or a loop round that leaves a flag up or down, a flag still up when the kernel returns, an event id that the
queue pair does not have, a wait for a queue that has not started. It also reports ops that use the
same bytes and that nothing orders in some small run. Flags with a run-time id are left alone.""",
    why="""\
A wait without its set hangs the core. A set without its wait is taken by the next kernel, which then runs ahead of its
data. Neither is seen before the device, and a simulator may not see it at all.""",
    check_program=check,
    references=(Reference("hw-native-sys/PTOAS", 1101),),
    bad=(
        Example(
            "a wait that nothing sets",
            incore(f"""\
                t = pl.load(x, [0, 0], [64, 64])
                {_WAIT}  #! PTO503
                y = pl.store(pl.exp(t), [0, 0], y)
                return y
            """),
        ),
        Example(
            "a set on one path only",
            incore(
                f"""\
                t = pl.load(x, [0, 0], [64, 64])
                if n > 0:  #! PTO503
                    {_SET}
                {_WAIT}  #! PTO503
                y = pl.store(pl.exp(t), [0, 0], y)
                return y
            """,
                "x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]",
            ),
        ),
        Example(
            "a hand-over that is left out",
            incore(f"""\
                t = pl.load(x, [0, 0], [64, 64])
                {_SET}
                {_WAIT}
                e = pl.exp(t)
                y = pl.store(e, [0, 0], y)  #! PTO503 `pl.store(e, [0, 0], y)`
                return y
            """),
        ),
    ),
    good=(
        Example(
            "both halves of every hand-over",
            incore(f"""\
                t = pl.load(x, [0, 0], [64, 64])
                {_SET}
                {_WAIT}
                e = pl.exp(t)
                {_SET_STORE}
                {_WAIT_STORE}
                y = pl.store(e, [0, 0], y)
                return y
            """),
        ),
    ),
)
