"""PTO305: scalar arithmetic or a condition of the wrong type."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import form_fix
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.SCALAR_TYPES, IssueKind.CONDITION, fix=form_fix)


RULE = Rule(
    code="PTO305",
    name="scalar-types",
    severity=Severity.ERROR,
    summary="Scalar arithmetic or a condition of the wrong type",
    what="""\
Reports Python operators on tiles and tensors or on dtypes that do not combine, and `if` or `while` conditions that
are not comparisons.""",
    why="""\
Operators are scalar arithmetic in the DSL; work on tiles is spelled as operations. A bare integer is no condition.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Writes an operator on tiles or tensors as the operation, and compares a number in a condition with 0.""",
    bad=(
        Example(
            "an integer as condition",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i in pl.range(4):
                    if i:  #! PTO305
                        y = pl.store(t, [0, 0], y)
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i in pl.range(4):
                    if i != 0:
                        y = pl.store(t, [0, 0], y)
                return y
            """),
        ),
        Example(
            "an operator between tiles",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                y = pl.store(t + t, [0, 0], y)  #! PTO305 `t + t`
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                y = pl.store(pl.add(t, t), [0, 0], y)
                return y
            """),
        ),
    ),
    good=(
        Example(
            "a comparison",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i in pl.range(4):
                    if i > 0:
                        y = pl.store(t, [0, 0], y)
                return y
            """),
        ),
    ),
)
