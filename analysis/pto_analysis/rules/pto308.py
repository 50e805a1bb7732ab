"""PTO308: a loop that is not of a form the DSL has."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import form_fix
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.LOOP_FORM, fix=form_fix)


RULE = Rule(
    code="PTO308",
    name="loop-form",
    severity=Severity.ERROR,
    summary="A loop that is not of a form the DSL has",
    what="""\
Reports loop headers and carried values that do not fit: targets, `init_values` and `pl.yield_` of different
lengths, a yield that is not the last statement of its block, a missing bound or `stage=`, `pl.cond` in the wrong
place.""",
    why="""\
The DSL's parser refuses these at the first call of the kernel.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Adds `stage=2` to a pipeline without. Unsafe: the number is a choice.""",
    bad=(
        Example(
            "a pipeline without stages",
            incore("""\
                for i in pl.pipeline(4):  #! PTO308
                    t = pl.load(x, [i * 16, 0], [16, 64])
                    y = pl.store(t, [i * 16, 0], y)
                return y
            """),
            fixed=incore("""\
                for i in pl.pipeline(4, stage=2):
                    t = pl.load(x, [i * 16, 0], [16, 64])
                    y = pl.store(t, [i * 16, 0], y)
                return y
            """),
        ),
        Example(
            "two initial values for one name",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i, (a,) in pl.range(4, init_values=(t, t)):  #! PTO308
                    a = pl.yield_(pl.exp(a))
                y = pl.store(a, [0, 0], y)
                return y
            """),
        ),
    ),
    good=(
        Example(
            "one for each",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i, (a,) in pl.range(4, init_values=(t,)):
                    a = pl.yield_(pl.exp(a))
                y = pl.store(a, [0, 0], y)
                return y
            """),
        ),
    ),
)
