"""PTO302: operands whose kinds, dtypes or shapes the operation refuses."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.OPERANDS)


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
