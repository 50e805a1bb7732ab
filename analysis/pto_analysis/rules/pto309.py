"""PTO309: a name that is not defined where it is read."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import form_fix
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.UNDEFINED_NAME, fix=form_fix)


RULE = Rule(
    code="PTO309",
    name="undefined-name",
    severity=Severity.ERROR,
    summary="A name that is not defined where it is read",
    what="""\
Reports names in a kernel that nothing defines: no parameter, local, module constant or import.""",
    why="""\
Kernel bodies are read, not run, so Python itself never complains.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Writes the nearest name that the kernel defines. Unsafe.""",
    bad=(
        Example(
            "a misspelt name",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                y = pl.store(pl.exp(tt), [0, 0], y)  #! PTO309 `tt`
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                y = pl.store(pl.exp(t), [0, 0], y)
                return y
            """),
        ),
    ),
    good=(
        Example(
            "a defined one",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                y = pl.store(pl.exp(t), [0, 0], y)
                return y
            """),
        ),
    ),
)
