"""PTO501: the stock assembler makes two operations wait for each other that never touch the same bytes."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.fixes.constant_slots import constant_slots
from pto_analysis.fixes.multi_tile import multi_tile
from pto_analysis.fixes.split_ring import split_ring
from pto_analysis.rules.example import incore
from pto_analysis.rules.program_facts import ProgramFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.sync.difference import FalseDependence

_REMEDIES = {
    "multi-buffer": " Slots of a multi-buffer (`pto.multi_tile_get`) say the same in a form that it compares.",
    "constant-slots": " Slots that are known at compile time, as in an unrolled loop, are told apart.",
    "none": "",
}


def check(facts: ProgramFacts) -> Iterable[Finding]:
    names = facts.op_names
    for found in facts.false_dependences:
        fix = _fix(facts, found)
        said = _REMEDIES[found.remedy] if fix is not None or found.remedy == "constant-slots" else ""
        yield facts.finding(
            RULE,
            found.target_where,
            _message(found, names[found.source], names[found.target]) + said,
            related=(facts.related(found.source_where, f"`{names[found.source]}` is waited for in vain"),),
            fix=fix,
            data={"region": found.region, "remedy": found.remedy, "proof": found.proof},
        )


def _fix(facts: ProgramFacts, found: FalseDependence) -> Fix | None:
    """A spelling that the assembler understands; in kernels only at tile level, where the slots are the author's."""
    if facts.text is not None:
        return multi_tile(facts.text, facts.function, found.region) if found.remedy == "multi-buffer" else None
    kernel = facts.kernel
    if kernel is None or kernel.unit is None or kernel.lowered is not None or found.remedy == "none":
        return None
    function, scalars = kernel.analysis.function, kernel.analysis.scalars
    split = split_ring(kernel.unit, function, facts.program.root(found.region), found.slots, scalars.range)
    if split is not None:
        return split
    lines = (found.source_where.span.line, found.target_where.span.line)
    return constant_slots(kernel.unit, function, lines, scalars.is_multiple)


def _message(found: FalseDependence, source: str, target: str) -> str:
    return (
        f"this wait is not needed: `{target}` and `{source}` never meet, {found.proof}. The stock assembler inserts "
        f"it because {found.why}."
    )


_TWO_SLOTS = """\
for i in pl.{loop}(7):
    now: pl.Tile[[8, 64], pl.FP32, pl.MemRef("ring", slots=3)[i % 3], pl.Mem.Vec] = pl.load(
        x, [i * 8, 0], [8, 64]
    )
    later: pl.Tile[[8, 64], pl.FP32, pl.MemRef("ring", slots=3)[(i + 2) % 3], pl.Mem.Vec] = pl.load(
        x, [i * 8 + 8, 0], [8, 64]
    )
    y = pl.store(pl.exp(now), [i * 8, 0], y){mark}
    y = pl.store(later, [i * 8 + 8, 0], y){mark}
return y
"""

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
    fix="sometimes",
    fix_note="""\
In tile-level kernels a ring whose tiles keep to slots of their own is split. A short loop of known length becomes
`pl.unroll`; of a longer one whose slots are `(i + c) % N`, N turns are written out at a time, with what is left over
behind them or, where only run time knows the end, with a question in each turn. The operations stay the same, the code
gets longer: hence unsafe. In `.pto` files a tile that is used by rows only becomes a multi-buffer, where the
assembler's plan for that is sound.""",
    references=(Reference("hw-native-sys/PTOAS", 1587),),
    bad=(
        Example(
            "two slots of a ring, told apart by arithmetic",
            incore(_TWO_SLOTS.format(loop="range", mark="  #! PTO501"), _TENSORS),
            fixed=incore(_TWO_SLOTS.format(loop="unroll", mark=""), _TENSORS),
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
