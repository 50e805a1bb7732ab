"""PTO501: the stock assembler makes two operations wait for each other that never touch the same bytes."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.example import incore
from pto_analysis.rules.program_facts import ProgramFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.sync.difference import FalseDependence

_REMEDIES = {
    "multi-buffer": " A declared ring (`pl.MemRef(..., slots=N)`) says the same in a form that it compares.",
    "constant-slots": " Slots that are known at compile time, as in an unrolled loop, are told apart.",
    "none": "",
}


def check(facts: ProgramFacts) -> Iterable[Finding]:
    names = facts.op_names
    for found in facts.comparison.false_dependences:
        yield facts.finding(
            RULE,
            found.target_where,
            _message(found, names[found.source], names[found.target]),
            related=(facts.related(found.source_where, f"`{names[found.source]}` is waited for in vain"),),
            data={"region": found.region, "remedy": found.remedy, "proof": found.proof},
        )


def _message(found: FalseDependence, source: str, target: str) -> str:
    return (
        f"this wait is not needed: `{target}` and `{source}` never meet, {found.proof}. The stock assembler inserts "
        f"it because {found.why}.{_REMEDIES[found.remedy]}"
    )


_TENSORS = "x: pl.Tensor[[72, 64], pl.FP32], y: pl.Out[pl.Tensor[[72, 64], pl.FP32]]"

RULE = Rule(
    code="PTO501",
    name="false-dependence",
    severity=Severity.INFO,
    summary="The stock assembler serialises operations that are provably disjoint",
    what="""\
Reports two operations that the stock assembler makes wait for each other, although they are proved to touch different
bytes in every iteration and the precise plan lets them overlap. Kernels are looked at when they use a slot or a window
that run time chooses; `.pto` files always are.""",
    why="""\
The wait costs the overlap that the second buffer was made for. The assembler compares slots of a declared ring only in
the forms it knows, and takes a window at a run-time offset for its whole parent. `pto-lint sync` shows both plans.""",
    check_program=check,
    references=(Reference("hw-native-sys/PTOAS", 1587),),
    bad=(
        Example(
            "two slots of a ring, told apart by arithmetic",
            incore(
                """\
                for i in pl.range(7):
                    now: pl.Tile[[8, 64], pl.FP32, pl.MemRef("ring", slots=3)[i % 3], pl.Mem.Vec] = pl.load(
                        x, [i * 8, 0], [8, 64]
                    )
                    later: pl.Tile[[8, 64], pl.FP32, pl.MemRef("ring", slots=3)[(i + 2) % 3], pl.Mem.Vec] = pl.load(
                        x, [i * 8 + 8, 0], [8, 64]
                    )
                    y = pl.store(pl.exp(now), [i * 8, 0], y)  #! PTO501
                    y = pl.store(later, [i * 8 + 8, 0], y)  #! PTO501
                return y
            """,
                _TENSORS,
            ),
        ),
    ),
    good=(
        Example(
            "two buffers of their own",
            incore(
                """\
                for i in pl.range(7):
                    now = pl.load(x, [i * 8, 0], [8, 64])
                    later = pl.load(x, [i * 8 + 8, 0], [8, 64])
                    y = pl.store(pl.exp(now), [i * 8, 0], y)
                    y = pl.store(later, [i * 8 + 8, 0], y)
                return y
            """,
                _TENSORS,
            ),
        ),
    ),
)
