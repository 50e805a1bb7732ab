"""PTO302: operands whose kinds, dtypes or shapes the operation refuses."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import form_fix
from pto_analysis.rules.rule import Example, Reference, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.OPERANDS, fix=form_fix)


RULE = Rule(
    code="PTO302",
    name="operand-types",
    severity=Severity.ERROR,
    summary="Operands whose kinds, dtypes or shapes the operation refuses",
    what="""\
Reports operations on operands that the compiler's type rules refuse: a tensor beside a tile, dtypes that differ
where they must not, shapes that do not broadcast, ranks and memory spaces that do not fit.""",
    why="""\
These are found when the operation is built, at the first call of the kernel, with a message about the IR instead of
the line that was written.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Makes a scratch tile that a reduction finds too small as large as the operand.""",
    references=(Reference("hw-native-sys/pypto", 2082),),
    bad=(
        Example(
            "shapes that do not match",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u = pl.load(x, [0, 0], [64, 32])
                y = pl.store(pl.add(t, u), [0, 0], y)  #! PTO302
                return y
            """),
        ),
        Example(
            "scratch of the result's size",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                tmp = pl.create_tile([64, 1], dtype=pl.FP32, target_memory=pl.Mem.Vec)
                m = pl.row_max(t, tmp)  #! PTO302
                y = pl.store(pl.row_expand_sub(t, m), [0, 0], y)
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                tmp = pl.create_tile([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
                m = pl.row_max(t, tmp)
                y = pl.store(pl.row_expand_sub(t, m), [0, 0], y)
                return y
            """),
        ),
    ),
    good=(
        Example(
            "equal shapes",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u = pl.load(x, [0, 0], [64, 64])
                y = pl.store(pl.add(t, u), [0, 0], y)
                return y
            """),
        ),
    ),
)
